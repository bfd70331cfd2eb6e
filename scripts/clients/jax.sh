#!/usr/bin/env bash
# Runs JAX's own tests on the emulator's driver: no GPU is needed. Lanework runs the PTX that XLA makes: `lanework.jax` gives XLA Lanework's
# assembler in place of ptxas, and answers the other queries of JAX's CUDA plugin.
#
# Usage, in the repository: scripts/clients/jax.sh [PYTEST ARGUMENTS], by default a few files of tests. The environment (6 GB) and the sources go
# to target/clients/jax; PYTHON names one that has jax with CUDA and pytest. JAX_NUM_GENERATED_CASES (1) says how many cases a test has at most.
set -euo pipefail
cd "$(dirname "$0")/../.."
version=0.10.2
folder="$PWD/target/clients/jax"
python=${PYTHON:-$folder/bin/python}
if [ ! -x "$python" ]; then
    python3 -m venv "$folder"
    "$python" -m pip install --quiet "jax[cuda13]==$version" pytest pytest-timeout absl-py hypothesis
fi
if [ ! -d "$folder/src" ]; then
    git clone --quiet --depth 1 --branch "jax-v$version" https://github.com/jax-ml/jax "$folder/src"
fi
cargo build --release --quiet -p lanework-cli -p lanework-driver -p lanework-jitlink -p lanework-cublas -p lanework-cufft -p lanework-cusolver
command="$PWD/target/release/lanework"
# Copies the only modules that are needed; the rest of the Python package would have to be built.
mkdir -p "$folder/modules/lanework"
cp crates/bindings/python/python/lanework/{_xla,jax}.py "$folder/modules/lanework/"
export PYTHONPATH="$folder/modules" JAX_NUM_GENERATED_CASES=${JAX_NUM_GENERATED_CASES:-1} TF_CPP_MIN_LOG_LEVEL=3
cd "$folder/src"
[ $# -gt 0 ] || set -- tests/lax_test.py tests/lax_numpy_reducers_test.py tests/nn_test.py tests/random_test.py tests/linalg_test.py
exec "$command" exec --plain -- "$python" -m pytest -p lanework.jax -p no:cacheprovider -q --timeout="${SECONDS_EACH:-120}" "$@"
