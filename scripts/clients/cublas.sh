#!/usr/bin/env bash
# Runs CuPy's matrix products and linear algebra on the emulator, with the stand-in for cuBLAS: no GPU is needed. Prints the largest
# difference from NumPy for each, and fails if one is too large.
#
# Usage, in the repository: scripts/clients/cublas.sh. The environment goes to target/clients/cublas; PYTHON names one that has CuPy.
set -euo pipefail
cd "$(dirname "$0")/../.."
python=${PYTHON:-$PWD/target/clients/cublas/bin/python}
if [ ! -x "$python" ]; then
    python3 -m venv target/clients/cublas
    "$python" -m pip install --quiet "cupy-cuda13x[ctk]==14.2.0"
fi
cargo build --release --quiet -p lanework-cli -p lanework-driver -p lanework-jitlink -p lanework-cublas
exec target/release/lanework exec --plain -- "$python" scripts/clients/cublas.py
