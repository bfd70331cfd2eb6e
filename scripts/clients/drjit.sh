#!/usr/bin/env bash
# Runs Dr.Jit's own tests of its CUDA backend on the emulator's driver: no GPU is needed. Dr.Jit generates PTX.
#
# Usage, in the repository: scripts/clients/drjit.sh [FILE]..., names of its test files such as test_reduction, by default most of them.
cd "$(dirname "$0")/../.." || exit 1
client=drjit
. scripts/clients/python.bash
packages drjit==1.5.0 numpy==2.4.6 pytest==9.0.2 pytest-timeout typing_extensions
cd "$(sources mitsuba-renderer/drjit v1.5.0)/tests" || exit 1
# Left out: tests that need compiled extensions.
[ $# -gt 0 ] || set -- test_arithmetic test_reduction test_memop test_autodiff test_while_loop test_switch test_if_stmt test_matrix test_rand test_tensor \
    test_texture test_reorder test_resample test_complex test_quaternion test_dda test_event test_local test_conversion test_indexing test_nn test_freeze
for file; do
    tests "$file" "$file.py" -k cuda
done
