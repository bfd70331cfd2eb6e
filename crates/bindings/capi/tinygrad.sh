#!/usr/bin/env bash
# Runs tinygrad's own tests of its mock CUDA devices on Lanework in place of gpuocelot.
#
#     crates/bindings/capi/tinygrad.sh CHECKOUT [DEVICE [pytest arguments]]
#
# CHECKOUT is a clone of tinygrad: the mock devices are among its tests, which its package lacks.
# DEVICE is MOCK+CUDA:PTX (tinygrad writes the PTX), MOCK+CUDA (NVRTC does), MOCK+NV or MOCK+NV:PTX.
# Needs python 3.11 or later, and clang for what tinygrad does on the CPU. The packages that pip
# installs, including torch, take a few GB in target/tinygrad.
set -euo pipefail
[ $# -ge 1 ] || { sed -n '2,9s/^# \{0,1\}//p' "$0"; exit 2; }
here=$(cd "$(dirname "$0")/../../.." && pwd)
checkout=$(cd "$1" && pwd)
device=${2:-MOCK+CUDA:PTX}
shift $(($# < 2 ? $# : 2))
[ -f "$checkout/test/mockgpu/helpers.py" ] || { echo "$checkout is not a clone of tinygrad" >&2; exit 2; }
command -v clang >/dev/null || { echo "clang is missing: tinygrad's CPU device needs it" >&2; exit 2; }

cargo build --quiet --release --manifest-path "$here/Cargo.toml" -p lanework-capi
export OCELOT_PATH=$here/target/release/liblanework_c.so

venv=$here/target/tinygrad
if [ ! -f "$venv/ready" ]; then
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet numpy torch==2.9.1 pytest pytest-xdist pytest-timeout \
        'hypothesis>=6.148.9' 'z3-solver<4.15.4' tqdm safetensors tabulate capstone
    # The mock CUDA device calls itself sm_35, which NVRTC has not supported since CUDA 12.
    "$venv/bin/pip" install --quiet --no-deps --target "$venv/cuda" \
        nvidia-cuda-nvrtc-cu11 nvidia-cuda-runtime-cu11
    touch "$venv/ready"
fi
NVRTC_PATH=$(find "$venv/cuda" -name 'libnvrtc.so.*' | head -n 1)
export NVRTC_PATH
export LD_LIBRARY_PATH=$(dirname "$NVRTC_PATH")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export CUDA_PATH=$venv/cuda/nvidia/cuda_runtime

cd "$checkout"
# The tests that tinygrad itself runs on these devices.
[ $# -gt 0 ] || set -- test/test_tiny.py test/backend --ignore test/backend/test_multitensor.py
DEV=$device PYTHONPATH=. FORWARD_ONLY=1 exec "$venv/bin/python" -m pytest \
    -n auto --timeout 600 -rfE --tb=short "$@"
