#!/usr/bin/env bash
# Builds NVIDIA's nccl-tests and runs them on four emulated GPUs with NCCL's stand-in: one thread with four GPUs, threads with one or two each,
# and processes started by MPI (MPICH from PyPI). They compare every result with one made on the GPU.
#
# Usage, in the repository: scripts/clients/nccl.sh; `programs.bash` lists the environment variables. NCCL_INCLUDE names a folder with
# nccl.h, MPI one with MPICH's bin, include and lib; else both come from PyPI.
cd "$(dirname "$0")/../.." || exit 1
suite=nccl
. scripts/clients/programs.bash
root=$(sources NVIDIA/nccl-tests "${REVISION:-a0b82b2260cf5152b9f8c061bbf7eaf0ba096432}") || exit 1

# NVIDIA's package provides only the header; programs are linked to the stand-in.
if [ -z "${NCCL_INCLUDE:-}" ]; then
    NCCL_INCLUDE=$work/nccl/nvidia/nccl/include
    if [ ! -e "$NCCL_INCLUDE/nccl.h" ]; then
        mkdir -p "$work/nccl"
        python3 -m pip download --quiet --no-deps --dest "$work/nccl" nvidia-nccl-cu13==2.27.7 || exit 1
        (cd "$work/nccl" && python3 -m zipfile -e ./*.whl all && mkdir -p nvidia/nccl && cp -r all/nvidia/nccl/include nvidia/nccl/ && rm -rf all ./*.whl)
    fi
fi
ln -sf "$(dirname "$LANEWORK")/liblanework_nccl.so" "$work/link/libnccl.so"
if [ -z "${MPI:-}" ]; then
    MPI=$work/mpi
    [ -x "$MPI/bin/mpiexec" ] || { python3 -m venv "$MPI" && "$MPI/bin/pip" install --quiet mpich==5.0.2; }
fi

options=(-DNCCL_OS_LINUX -I"$NCCL_INCLUDE" -I"$root/src" -I"$root/os" -I"$root/verifiable")
object() {
    local name=$1
    shift
    compile "$name.o" "$built/$name.o" "${options[@]}" -c "$@" || row "$name" unbuilt "$(grep -am1 -E 'error|cannot' "$logs/$name.o.build" | cut -c1-100)"
}
object verifiable "$root/verifiable/verifiable.cu"
object timer -x cu "$root/src/timer.cc"
object os -x cu "$root/os/linux.cc"
for part in common util; do
    object $part "$root/src/$part.cu"
    object ${part}_mpi -DMPI_SUPPORT -I"$MPI/include" "$root/src/$part.cu"
done

# build TEST: one program for threads, one for processes.
build() {
    object "$1" "$root/src/$1.cu"
    local shared=("$built/$1.o" "$built/verifiable.o" "$built/timer.o" "$built/os.o")
    compile "$1" "$built/$1" "${shared[@]}" "$built/common.o" "$built/util.o" -lnccl \
        && compile "$1-mpi" "$built/$1-mpi" "${shared[@]}" "$built/common_mpi.o" "$built/util_mpi.o" -lnccl -L"$MPI/lib" -lmpi
}

EXEC="--plain --gpus 4"
LD_LIBRARY_PATH=$MPI/lib:${LD_LIBRARY_PATH:-}
sizes=(-b 4 -e 256K -f 16 -c 1 -n 2 -w 1)
for name in all_reduce all_gather broadcast reduce_scatter reduce alltoall sendrecv; do
    wanted $name || continue
    build $name || { row $name unbuilt "$(grep -ahm1 -E 'error|cannot' "$logs/$name".build | cut -c1-100)"; continue; }
    [ -n "${BUILD_ONLY:-}" ] && continue
    attempt $name-group "$built/$name" "${sizes[@]}" -g 4
    attempt $name-threads "$built/$name" "${sizes[@]}" -t 4 -g 1
    attempt $name-both "$built/$name" "${sizes[@]}" -t 2 -g 2
    attempt $name-processes "$MPI/bin/mpiexec" -n 4 "$built/$name-mpi" "${sizes[@]}" -g 1
    attempt $name-types "$built/$name" -b 4K -e 4K -c 1 -n 1 -w 0 -g 4 -d all -o all
done
if wanted graph; then attempt all_reduce-graph "$built/all_reduce" "${sizes[@]}" -t 4 -g 1 -G 2; fi
summary
