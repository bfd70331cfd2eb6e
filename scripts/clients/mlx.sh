#!/usr/bin/env bash
# Runs MLX's own tests of its CUDA backend on the emulator's driver: no GPU is needed. MLX compiles most of its kernels by NVRTC; its library has
# the rest as PTX.
#
# Usage, in the repository: scripts/clients/mlx.sh [FILE]..., names of its test files such as test_ops, by default most of them. `python.bash`
# says what the environment changes.
cd "$(dirname "$0")/../.." || exit 1
client=mlx
. scripts/clients/python.bash
packages "mlx[cuda13]==0.32.4" numpy==2.4.6 pytest==9.0.2 pytest-timeout
cd "$(sources ml-explore/mlx 846d17622)/python/tests" || exit 1
[ $# -gt 0 ] || set -- test_array test_autograd test_bf16 test_blas test_compile test_einsum test_eval test_graph test_init test_linalg test_load test_losses \
    test_nn test_ops test_optimizers test_random test_reduce test_tree test_upsample test_vmap test_fft test_quantized test_fast test_fast_sdpa test_conv
for file; do
    tests "$file" "$file.py"
done
