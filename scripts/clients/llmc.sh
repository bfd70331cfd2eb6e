#!/usr/bin/env bash
# Builds the programs of llm.c's `dev/cuda`, with smaller tensors, and runs every kernel of each on the emulator's driver. The stand-in for
# cuBLAS computes matrix products. The programs compare their results with the host's. cuDNN kernels (`attention_forward` 10) are left out.
#
# `nccl_all_reduce` is run by two processes, on two emulated GPUs, where Open MPI is installed.
#
# Usage, in the repository: scripts/clients/llmc.sh; `programs.bash` lists the environment variables. UNMENDED=1 keeps the programs'
# bugs that the script otherwise corrects.
cd "$(dirname "$0")/../.." || exit 1
suite=llmc
. scripts/clients/programs.bash
root=$(sources karpathy/llm.c "${REVISION:-f1e2ace651495b74ae22d45d1723443fd00ecd3a}") || exit 1

copy=$built/source
rm -rf "$copy" && mkdir -p "$copy" && cp -r "$root/dev" "$root/llmc" "$copy/"
programs=$copy/dev/cuda
# A batch of 8, 128 tokens, 128 channels (768 in the backward pass of layernorm, some of whose kernels need a multiple of 256), 512 words;
# a timed loop runs once instead of hundreds of times.
sed -i -E 's/\b(int|int64_t) B = [0-9]+;/\1 B = 8;/; s/\b(int|int64_t) T = [0-9]+;/\1 T = 128;/; s/int C = 768;/int C = 128;/;
    s/int C = 1600;/int C = 768;/; s/int OC = 768/int OC = 128/; s/\b(int|int64_t) V = [0-9]+;/\1 V = 512;/; s/int NH = 12;/int NH = 4;/;
    s/int Vp = 50304;/int Vp = 512;/; s/int L = 12;/int L = 2;/; s/int repeat_times = [0-9]+;/int repeat_times = 1;/' "$programs"/*.cu
# The time of attention's naive kernels grows with the cube of the tokens: a batch of 2. Block sizes have to divide the number of tokens.
sed -i -E 's/int B = 8;/int B = 2;/; s/const int block_size = 256;/const int block_size = 128;/; s/block_sizes\[\] = \{32, 64, 128, 256, 512(, 1024)?\}/block_sizes[] = {32, 64, 128}/' \
    "$programs"/attention_{forward,backward}.cu
# The backward pass of layernorm sums rows by atomics of 16-bit floats: the error grows with the number of rows.
sed -i -E 's/int B = 8;/int B = 2;/' "$programs/layernorm_backward.cu"
# The all-reduce of two processes has 4 MiB instead of 128 MiB.
sed -i 's/all_reduce_buffer_size = 32 \* 1024 \* 1024/all_reduce_buffer_size = 1024 * 1024/' "$programs/nccl_all_reduce.cu"
# mend FILE FROM TO: corrects a bug that stops the program on every GPU or that the emulator detects; reports a missing text.
mend() {
    grep -qF -- "$2" "$programs/$1" || echo "$1 has no '$2' to mend" >&2
    python3 - "$programs/$1" "$2" "$3" <<'PYTHON'
import sys
path, old, new = sys.argv[1:]
text = open(path).read()
open(path, "w").write(text.replace(old, new))
PYTHON
}
if [ -z "${UNMENDED:-}" ]; then
    # Warps store their sums in the memory from which other warps may still read the maximum.
    mend softmax_forward.cu 'float offset = max_or_sum_storage[0];' 'float offset = max_or_sum_storage[0]; __syncthreads();'
    # Likewise, the sums of the next row overwrite sums that other warps may still read.
    mend attention_backward.cu 'local_sum = cg::reduce(warp, block_acc[warp.thread_rank()], cg::plus<float>{});' \
        'local_sum = cg::reduce(warp, block_acc[warp.thread_rank()], cg::plus<float>{}); block.sync();'
    # The program allocates 32 rows of partial sums, but its grid has as many rows as fill the GPU.
    mend matmul_backward_bias.cu 'OC * sizeof(float) * 32' 'OC * sizeof(float) * cuda_threads_per_SM * cuda_num_SMs / 32'
    # With one warp, shared memory has no word for the flag, which lies behind the sums.
    mend layernorm_backward.cu '2 * (block_size - 32) * f128::size) * sizeof(float);' '2 * (block_size - 32) * f128::size + 1) * sizeof(float);'
    # The program asserts that fewer than 1024 blocks fill the GPU. On an H200, this takes blocks of 512 threads.
    mend global_norm.cu 'if (block_size <= 64) {' 'if (block_size <= 256) {'
    mend global_norm.cu 'block_size = 128;  // to avoid' 'block_size = 512;  // to avoid'
fi

# kernels FILE: prints the kernel numbers of the program's dispatch, or 1; an f marks kernels that exist in single precision only.
kernels() {
    local kinds
    kinds=$(awk '
        /^int main/ { exit }
        /#if.*!defined\(ENABLE_BF16\)|#ifndef ENABLE_BF16/ { single = 1; if (follows) kind[count] = "f" }
        /#ifdef ENABLE_CUDNN/ { left = 1 }
        /#endif|#else/ { single = left = 0 }
        { follows = 0 }
        match($0, /case [0-9]+:/) && !left {
            number[++count] = substr($0, RSTART + 5, RLENGTH - 6); kind[count] = single ? "f" : ""; follows = 1
        }
        END { for (i = 1; i <= count; ++i) print number[i] kind[i] }' "$1" | grep -vE '^(32|64|128|256|512|1024)$')
    echo "${kinds:-1}"
}
for file in "$programs"/*.cu; do
    name=$(basename "$file" .cu)
    wanted "$name" || continue
    flags=(--use_fast_math -I"$copy" -Xcompiler -fopenmp)
    libraries_too=(-lcublas -lcublasLt)
    if [ "$name" = nccl_all_reduce ]; then
        # Open MPI starts the processes. NVIDIA's header and our stand-in replace NCCL.
        header=${NCCL_INCLUDE:-$toolkit/../nccl/include}
        if ! command -v mpirun > /dev/null || [ ! -e "$header/nccl.h" ]; then
            row "$name" skipped "needs Open MPI and, in NCCL_INCLUDE, nccl.h"
            continue
        fi
        ln -sf "$(dirname "$LANEWORK")/liblanework_nccl.so" "$work/link/libnccl.so"
        ln -sf "$(dirname "$LANEWORK")/liblanework_nccl.so" "$work/link/libnccl.so.2"
        flags+=(-I"$header" -I/usr/lib/x86_64-linux-gnu/openmpi/include)
        libraries_too+=(-lnccl -lmpi)
    fi
    if ! compile "$name" "$built/$name" "${flags[@]}" "$file" "${libraries_too[@]}"; then
        row "$name" unbuilt "$(grep -am1 -E 'error|cannot' "$logs/$name.build" | cut -c1-100)"
        continue
    fi
    numbers=$(kernels "$file")
    if [[ $numbers == *f* ]]; then
        # A macro in the program sets its precision.
        sed 's/^#define ENABLE_BF16/#define ENABLE_FP32/' "$file" > "$programs/$name-f32.cu"
        compile "$name-f32" "$built/$name-f32" "${flags[@]}" "$programs/$name-f32.cu" -lcublas -lcublasLt
    fi
    [ -n "${BUILD_ONLY:-}" ] && continue
    if [ "$name" = nccl_all_reduce ]; then
        (cd "$built" && EXEC="${EXEC:---plain} --gpus 2" attempt "$name" mpirun --allow-run-as-root --oversubscribe -np 2 "./$name")
        continue
    fi
    for number in $numbers; do
        binary=$name
        [[ $number == *f ]] && binary=$name-f32
        (cd "$built" && attempt "$name-${number%f}" "./$binary" "${number%f}")
    done
done
summary
