#!/usr/bin/env bash
# Runs tinygrad's `test/backend` with its device CUDA on the emulator's driver: no GPU is needed. Its kernels come from NVRTC as PTX.
# No tests are skipped for the emulator: tinygrad skips some for its interface MOCK (gpuocelot), but here they run, as on a GPU.
#
# Usage, in the repository: scripts/clients/tinygrad.sh [PYTEST ARGUMENTS], by default test/backend. Needs clang, which tinygrad calls for its
# device CPU. The environment, PyTorch for the host, which the tests compare with, and the sources go to target/clients/tinygrad; PYTHON
# names an environment that has them.
set -euo pipefail
cd "$(dirname "$0")/../.."
revision=a9069c177a9da9cca18593edf55acd2e6073cca6
folder="$PWD/target/clients/tinygrad"
python=${PYTHON:-$folder/bin/python}
if [ ! -x "$python" ]; then
    python3 -m venv "$folder"
    "$python" -m pip install --quiet torch==2.15.0 numpy==2.4.6 pytest pytest-timeout hypothesis onnx z3-solver ml_dtypes
fi
if [ ! -d "$folder/src" ]; then
    git clone --quiet --filter=blob:none https://github.com/tinygrad/tinygrad "$folder/src"
    git -C "$folder/src" checkout --quiet $revision
fi
cargo build --release --quiet -p lanework-cli -p lanework-driver -p lanework-jitlink
command="$PWD/target/release/lanework"
# PyTorch's wheel brings NVRTC and its headers.
toolkit=$("$python" -c 'import nvidia, os; print(os.path.join(list(nvidia.__path__)[0], "cu13"))')
export DEV=CUDA CUDA_PATH=$toolkit LD_LIBRARY_PATH=$toolkit/lib:${LD_LIBRARY_PATH:-} CACHEDB=$folder/kernels.db
cd "$folder/src"
[ $# -gt 0 ] || set -- test/backend
exec "$command" exec --plain -- "$python" -m pytest -p no:cacheprovider -q --timeout="${SECONDS_EACH:-300}" "$@"
