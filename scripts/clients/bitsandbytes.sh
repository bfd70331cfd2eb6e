#!/usr/bin/env bash
# Calls the CUDA library of bitsandbytes' wheel on the emulator's driver and compares its results with NumPy's: no GPU is needed.
#
# Usage, in the repository: scripts/clients/bitsandbytes.sh. The environment goes to target/clients/bitsandbytes. LANEWORK names the
# command; EXEC holds more options of `lanework exec`, such as --check.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
folder=$PWD/target/clients/bitsandbytes
python=$folder/bin/python
if [ ! -x "$python" ]; then
    python3 -m venv "$folder" || exit 1
    # PyTorch, which its Python part needs, is not called.
    "$python" -m pip install --quiet --no-deps bitsandbytes==0.50.2 nvidia-cuda-runtime==13.0.96 nvidia-cublas==13.1.0.3 numpy==2.4.6 || exit 1
fi
if [ -z "${LANEWORK:-}" ]; then
    cargo build --release --quiet || exit 1
    LANEWORK=$PWD/target/release/lanework
fi
packages=$(echo "$folder"/lib/python3*/site-packages)
export LD_LIBRARY_PATH=$packages/nvidia/cu13/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
# shellcheck disable=SC2086
exec "$LANEWORK" exec ${EXEC:---plain} -- "$python" scripts/clients/bitsandbytes.py "$packages/bitsandbytes/libbitsandbytes_cuda130.so"
