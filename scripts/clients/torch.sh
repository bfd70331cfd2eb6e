#!/usr/bin/env bash
# Shows how far PyTorch's wheel gets on the emulator's driver, without a GPU: which operators run as they are, and why the others fail. Then
# it runs a first program and training steps; lanework.torch computes operators without PTX on the host.
#
# Usage, in the repository: scripts/clients/torch.sh. The environment (7 GB) goes to target/clients/triton, which triton.sh uses, too; PYTHON
# names one that has torch and triton.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder="$PWD/target/clients/triton"
python=${PYTHON:-$folder/bin/python}
if [ ! -x "$python" ]; then
    python3 -m venv "$folder"
    "$python" -m pip install --quiet torch==2.15.0 numpy==2.4.6 scipy pytest pytest-timeout matplotlib pandas tabulate
fi
cargo build --release --quiet -p lanework-cli -p lanework-driver -p lanework-jitlink -p lanework-cublas -p lanework-curand -p lanework-cufft
# Copies the only module that is needed; the rest of the Python package would have to be built.
mkdir -p "$folder/lib/lanework"
cp crates/bindings/python/python/lanework/torch.py "$folder/lib/lanework/"
export TRITON_CACHE_DIR="$folder/cache" PYTHONPATH="$folder/lib:${PYTHONPATH:-}"
exec target/release/lanework exec --plain -- "$python" scripts/clients/torch_first.py
