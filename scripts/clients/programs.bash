# Shared by the scripts that run C++ programs: the toolkit, the sources, the command, one program's build and run, and the table.
# Sourced with $suite set, in the repository.
#
# Environment: LANEWORK_SOURCES, a folder that holds the suite's sources already; LANEWORK (the command; else it is built); NVCC (else `nvcc`
# of the path, else NVIDIA's packages from PyPI); ONLY, a pattern of names; SECONDS_EACH, most for one program (60); EXEC, options of
# `lanework exec` (--plain).
set -uo pipefail
work=$PWD/target/clients
built=${BUILT:-$work/built}/$suite
logs=$work/logs/$suite
table=$work/$suite.tsv
mkdir -p "$built" "$logs"
: > "$table"

# NVIDIA's compiler.
if [ -z "${NVCC:-}" ]; then
    if command -v nvcc > /dev/null; then NVCC=nvcc; else
        [ -x "$work/cuda/bin/python" ] || python3 -m venv "$work/cuda"
        "$work/cuda/bin/pip" install --quiet nvidia-cuda-nvcc==13.0.88 nvidia-cuda-crt==13.0.88 nvidia-nvvm==13.0.88 \
            nvidia-cuda-nvrtc==13.0.88 nvidia-cuda-runtime==13.0.96 nvidia-cuda-cccl==13.0.85 nvidia-curand==10.4.0.35 nvidia-cufft==12.0.0.61 nvidia-nvtx==13.0.85 nvidia-cuda-profiler-api==13.0.85
        NVCC=$(echo "$work"/cuda/lib/python3*/site-packages/nvidia/cu13/bin/nvcc)
    fi
fi
toolkit=$(cd "$(dirname "$(command -v "$NVCC")")/.." && pwd)
[ -d "$toolkit/lib64" ] && libraries=$toolkit/lib64 || libraries=$toolkit/lib

# The command, with the driver beside it.
if [ -z "${LANEWORK:-}" ]; then
    cargo build --release --quiet -p lanework-cli -p lanework-driver -p lanework-jitlink -p lanework-cublas -p lanework-curand -p lanework-cufft -p lanework-nccl || exit 1
    LANEWORK=$PWD/target/release/lanework
fi
# The linker resolves -lcuda to the driver itself.
mkdir -p "$work/link"
ln -sf "$(dirname "$LANEWORK")/liblanework_libcuda.so" "$work/link/libcuda.so"
for library in nvrtc cublas cublasLt curand cufft; do
    for file in "$libraries"/lib$library.so.*; do [ -e "$file" ] && ln -sf "$file" "$work/link/lib$library.so"; done
done

# sources REPOSITORY REVISION: fetches the sources if they are missing, and prints their folder.
sources() {
    local name=${1##*/}
    if [ -n "${LANEWORK_SOURCES:-}" ]; then echo "$LANEWORK_SOURCES/$name"; return; fi
    local to=$work/sources/$name
    if [ ! -d "$to" ]; then
        git init --quiet "$to" && git -C "$to" fetch --quiet --depth 1 "https://github.com/$1" "$2" \
            && git -C "$to" checkout --quiet FETCH_HEAD || { echo "cannot fetch $1 at $2" >&2; exit 1; }
    fi
    echo "$to"
}

# wanted NAME: whether the pattern of names matches it.
wanted() { [[ -z "${ONLY:-}" || $1 =~ ^($ONLY)$ ]]; }

# row NAME VERDICT REASON
row() {
    printf '%s\t%s\t%s\n' "$1" "$2" "$3" >> "$table"
    printf '%-34s %-8s %s\n' "$1" "$2" "$3"
}

# compile NAME OUTPUT ARGUMENTS...: runs nvcc, unless the output exists.
compile() {
    local name=$1 output=$2
    shift 2
    [ -e "$output" ] && return 0
    "$NVCC" -std=${STANDARD:-c++17} -O3 -lineinfo -w -gencode arch=compute_${ARCHITECTURE:-90},code=compute_${ARCHITECTURE:-90} -o "$output" "$@" \
        -L"$libraries" -L"$work/link" > "$logs/$name.build" 2>&1
}

# attempt NAME COMMAND...: runs a program on the emulator and says how it ended. A program passes if it exits with 0 and prints no
# failure. It is refused if the driver reports a missing function.
attempt() {
    local name=$1 log=$logs/$1.txt began=$EPOCHSECONDS code
    shift
    LANEWORK_TRACE=1 LD_LIBRARY_PATH=$work/link:$libraries:${LD_LIBRARY_PATH:-} \
        timeout --kill-after=5 "${SECONDS_EACH:-60}" "$LANEWORK" exec ${EXEC:---plain} -- "$@" > "$log" 2> "$log.err" < /dev/null
    code=$?
    local lacks failure seconds=$((EPOCHSECONDS - began))
    lacks=$(grep -aoE 'lanework: cu\w+ = 801' "$log.err" | sed 's/lanework: //; s/ = 801//' | sort -u | head -4 | tr '\n' ' ')
    failure=$(grep -aiE '\bfail(ed|ure)?\b|[dm]ismatch|incorrect|not pass|wrong result|error [^t]*:|CUDA error|!= *expected' "$log" "$log.err" -h \
        | grep -aviE 'no fail|0 fail|error[^:=]*[:=] *[0-9]+\.[0-9.e+-]+ *$|0 error|failed: 0|failures?: 0|error rate|0 mismatch|of bytes mismatched|lanework: cu|result *= *pass|relative error|as expected|an assertion of the kernel failed|max error' | head -1 | cut -c1-110)
    local said
    [ $code -eq 139 ] && failure="segmentation fault; $failure"
    said=$(grep -a '^lanework: ' "$log.err" | grep -avE '^lanework: cu\w+ = |is not a function|private (driver )?table|is a stand-in' | head -1 | cut -c11-160)
    if [ $code -eq 124 ] || [ $code -eq 137 ]; then row "$name" slow "over ${SECONDS_EACH:-60} s"
    elif [ $code -eq 0 ] && grep -aqE 'must be run on a machine' "$log" "$log.err"; then
        row "$name" waived "$(grep -ahE 'must be run on a machine' "$log" "$log.err" | head -1 | cut -c1-110)"
    elif [ $code -eq 0 ] && [ -z "$failure" ]; then row "$name" passed "$seconds s"
    elif grep -aqiE 'waiv' "$log" || { [ $code -eq 2 ] && [ -z "$lacks$failure$said" ]; }; then
        row "$name" waived "$(grep -aiE 'waiv|support|require|only' "$log" "$log.err" -h | head -1 | cut -c1-110)"
    elif [ -n "$lacks" ]; then row "$name" refused "lacks $lacks"
    else row "$name" failed "exit $code; ${said:-$failure}"; fi
}

# summary: prints the number of programs for each verdict.
summary() {
    echo
    cut -f2 "$table" | sort | uniq -c | sort -rn
}
