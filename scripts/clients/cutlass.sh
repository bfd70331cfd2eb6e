#!/usr/bin/env bash
# Builds examples of CUTLASS for sm_80 and sm_90 and the Hopper tutorials of CuTe, and runs them with small problems on the emulator's
# driver; they compare with a reference.
#
# Usage, in the repository: scripts/clients/cutlass.sh; `programs.bash` lists the environment variables. A program takes minutes to compile.
cd "$(dirname "$0")/../.." || exit 1
suite=cutlass
. scripts/clients/programs.bash
root=$(sources NVIDIA/cutlass "${REVISION:-v4.2.1}") || exit 1

# NAME ARCHITECTURE SOURCE | ARGUMENTS
programs='
wgmma_sm90 90a examples/cute/tutorial/hopper/wgmma_sm90.cu | 256 256 128
wgmma_tma_sm90 90a examples/cute/tutorial/hopper/wgmma_tma_sm90.cu | 256 256 128
sgemm_1 90 examples/cute/tutorial/sgemm_1.cu | 256 256 64
sgemm_2 90 examples/cute/tutorial/sgemm_2.cu | 256 256 64
sgemm_sm80 80 examples/cute/tutorial/sgemm_sm80.cu | 256 256 64 T N
tiled_copy 90 examples/cute/tutorial/tiled_copy.cu |
basic_gemm 90 examples/00_basic_gemm/basic_gemm.cu | 128 128 64 1 0
batched_gemm 90 examples/05_batched_gemm/batched_gemm.cu |
splitk_gemm 80 examples/06_splitK_gemm/splitk_gemm.cu |
hopper_warp_specialized 90a examples/48_hopper_warp_specialized_gemm/48_hopper_warp_specialized_gemm.cu | --m=256 --n=256 --k=128 --iterations=0
hopper_collective_builder 90a examples/49_hopper_gemm_with_collective_builder/49_collective_builder.cu | --m=256 --n=256 --k=128
hopper_fp8 90a examples/54_hopper_fp8_warp_specialized_gemm/54_hopper_fp8_warp_specialized_gemm.cu | --m=256 --n=256 --k=128 --iterations=0
ampere_tf32 80 examples/14_ampere_tf32_tensorop_gemm/ampere_tf32_tensorop_gemm.cu | --m=128 --n=128 --k=64 --iterations=1
ampere_sparse 80 examples/15_ampere_sparse_tensorop_gemm/ampere_sparse_tensorop_gemm.cu |
ampere_3xtf32 80 examples/27_ampere_3xtf32_fast_accurate_tensorop_gemm/27_ampere_3xtf32_fast_accurate_tensorop_gemm.cu | --m=128 --n=128 --k=64 --iterations=1
hopper_batched 90a examples/56_hopper_ptr_array_batched_gemm/56_hopper_ptr_array_batched_gemm.cu | --m=128 --n=128 --k=64 --l=2 --iterations=0
'
while IFS='|' read -r what arguments; do
    read -r name architecture source <<< "$what"
    [ -n "$name" ] && wanted "$name" || continue
    if ! ARCHITECTURE=$architecture compile "$name" "$built/$name" --expt-relaxed-constexpr --extended-lambda \
        -I"$root/include" -I"$root/tools/util/include" -I"$root/examples/common" "$root/$source" -lcuda; then
        row "$name" unbuilt "$(grep -am1 -E 'error|cannot' "$logs/$name.build" | cut -c1-100)"
        continue
    fi
    [ -n "${BUILD_ONLY:-}" ] && continue
    read -ra arguments <<< "$arguments"
    (cd "$built" && attempt "$name" "./$name" "${arguments[@]}")
done <<< "$programs"
summary
