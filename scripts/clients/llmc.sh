#!/usr/bin/env bash
# Builds the programs of llm.c's `dev/cuda`, with smaller tensors, and runs every kernel of each on the emulator's driver; they compare
# their results with the host's.
#
# Usage, in the repository: scripts/clients/llmc.sh; `programs.bash` says what the environment changes.
cd "$(dirname "$0")/../.." || exit 1
suite=llmc
. scripts/clients/programs.bash
root=$(sources karpathy/llm.c "${REVISION:-f1e2ace651495b74ae22d45d1723443fd00ecd3a}") || exit 1

copy=$built/source
rm -rf "$copy" && mkdir -p "$copy" && cp -r "$root/dev" "$root/llmc" "$copy/"
# A batch of 2, 64 tokens, 128 channels, 512 words; one time instead of hundreds.
sed -i -E 's/int B = [0-9]+;/int B = 2;/; s/int T = [0-9]+;/int T = 64;/; s/int C = 768;/int C = 128;/; s/int OC = 768/int OC = 128/;
    s/int V = [0-9]+;/int V = 512;/; s/int NH = 12;/int NH = 4;/; s/int Vp = 50304;/int Vp = 512;/; s/int repeat_times = [0-9]+;/int repeat_times = 1;/' \
    "$copy"/dev/cuda/*.cu
kernels() {
    case $1 in
        adamw | gelu_forward | gelu_backward | residual_forward) echo 1 2 ;;
        attention_forward) echo 1 2 3 4 5 6 ;;
        attention_backward) echo 1 2 3 4 5 6 7 8 ;;
        classifier_fused) echo 1 2 3 4 5 ;;
        crossentropy_forward | crossentropy_softmax_backward | permute | matmul_backward) echo 1 ;;
        encoder_forward | matmul_forward) echo 1 2 3 ;;
        encoder_backward) echo 1 2 ;;
        fused_residual_forward | layernorm_forward) echo 1 2 3 4 5 6 ;;
        global_norm) echo 1 2 3 4 ;;
        layernorm_backward) echo 1 2 3 4 5 6 7 8 9 10 ;;
        matmul_backward_bias | softmax_forward) echo 1 2 3 4 5 6 7 8 ;;
        trimat_forward) echo 0 1 2 3 4 ;;
    esac
}
for file in "$copy"/dev/cuda/*.cu; do
    name=$(basename "$file" .cu)
    wanted "$name" || continue
    if [ "$name" = nccl_all_reduce ]; then row "$name" skipped "needs MPI"; continue; fi
    if ! compile "$name" "$built/$name" --use_fast_math -I"$copy" -Xcompiler -fopenmp "$file" -lcublas -lcublasLt; then
        row "$name" unbuilt "$(grep -am1 -E 'error|cannot' "$logs/$name.build" | cut -c1-100)"
        continue
    fi
    [ -n "${BUILD_ONLY:-}" ] && continue
    for kernel in $(kernels "$name"); do (cd "$built" && attempt "$name-$kernel" "./$name" "$kernel"); done
done
summary
