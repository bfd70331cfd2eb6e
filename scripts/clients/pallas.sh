#!/usr/bin/env bash
# Runs tests of JAX's kernel language Pallas on the emulator's driver: no GPU is needed. Its kernels reach Lanework as PTX, made by Triton or by
# Mosaic GPU (`triton_pallas_test`, `gpu_ops_test`, `gpu_attention_test`; `mosaic_gpu_test`).
#
# Usage, in the repository: scripts/clients/pallas.sh [FILE]..., names of tests/pallas without `.py`; `python.bash` lists the environment variables.
# PYTHON names an environment that has jax with CUDA, pytest and pytest-timeout already.
cd "$(dirname "$0")/../.." || exit 1
client=pallas
. scripts/clients/python.bash
version=${JAX_VERSION:-0.11.2}
if [ -n "${PYTHON:-}" ]; then python=$PYTHON; mkdir -p "$folder"; else packages "jax[cuda13]==$version" pytest pytest-timeout absl-py hypothesis; fi
root=$(sources jax-ml/jax "jax-v$version") || exit 1
modules
export JAX_NUM_GENERATED_CASES=${JAX_NUM_GENERATED_CASES:-1} TF_CPP_MIN_LOG_LEVEL=3
cd "$root" || exit 1
[ $# -gt 0 ] || set -- triton_pallas_test gpu_ops_test gpu_attention_test mosaic_gpu_test
for file in "$@"; do
    tests "$file" -p lanework.jax "tests/pallas/$file.py"
done
