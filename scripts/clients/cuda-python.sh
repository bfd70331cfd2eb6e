#!/usr/bin/env bash
# Runs the tests of cuda-core and cuda-bindings (NVIDIA's CUDA Python) on the emulator's driver and its NVML: no GPU is needed.
#
# Usage, in the repository: scripts/clients/cuda-python.sh [PYTEST ARGUMENTS], by default all tests of both, a file for each process. The
# environment and the sources go to target/clients/cuda-python. LANEWORK names the command; SECONDS_EACH limits one test (60).
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
revision=8eb9dc2ba180394a763d40405be4cf8865b5f8eb # cuda-core 1.1.0
folder=$PWD/target/clients/cuda-python
python=$folder/bin/python
if [ ! -x "$python" ]; then
    python3 -m venv "$folder" || exit 1
    "$python" -m pip install --quiet cuda-core==1.1.0 cuda-bindings==13.3.1 nvidia-cuda-nvrtc==13.5.37 nvidia-nvjitlink==13.5.37 nvidia-nvvm==13.5.37 \
        nvidia-cuda-runtime==13.5.37 nvidia-cuda-cccl==13.3.5.0.6 nvidia-cuda-crt==13.5.37 numpy==2.4.6 ml-dtypes psutil cffi cloudpickle cython \
        pytest==9.2.0 pytest-timeout pytest-repeat pytest-rerunfailures pytest-benchmark || exit 1
fi
if [ ! -d "$folder/src" ]; then
    git init --quiet "$folder/src" && git -C "$folder/src" fetch --quiet --depth 1 https://github.com/NVIDIA/cuda-python "$revision" \
        && git -C "$folder/src" checkout --quiet FETCH_HEAD || { echo "cannot fetch cuda-python at $revision" >&2; exit 1; }
    # Tests import the installed packages, not these folders.
    rm -rf "$folder/src/cuda_core/cuda" "$folder/src/cuda_bindings/cuda"
    "$python" -m pip install --quiet -e "$folder/src/cuda_python_test_helpers" || exit 1
fi
if [ -z "${LANEWORK:-}" ]; then
    cargo build --release --quiet -p lanework-cli -p lanework-driver -p lanework-jitlink || exit 1
    LANEWORK=$PWD/target/release/lanework
fi
export CUDA_HOME=$(echo "$folder"/lib/python3*/site-packages/nvidia/cu13)
export CUDA_PATH=$CUDA_HOME
run() { "$LANEWORK" exec --plain -- "$python" -m pytest -p no:cacheprovider -q --timeout="${SECONDS_EACH:-60}" -rfE --tb=short "$@"; }
code=0
for part in cuda_bindings cuda_core; do
    cd "$folder/src/$part" || exit 1
    if [ $# -gt 0 ]; then
        run "$@" || code=$?
        continue
    fi
    # Left out: tests that are built from Cython or need libraries of other packages.
    for file in $(find tests -name 'test_*.py' | grep -vE 'cython|example|legacy_api|nvfatbin|build_hooks|program_cache' | sort); do
        echo "$part/$file: $(run "$file" 2>&1 | tee -a "$folder/$part.log" | tail -1)"
    done
done
exit $code
