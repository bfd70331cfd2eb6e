#!/usr/bin/env bash
# Runs test suites of CuPy on the emulator's driver: no GPU is needed. CuPy comes from pip, the tests from the same version's sources.
#
# Usage, in the repository: scripts/clients/cupy.sh [FOLDER...], by default creation indexing math sorting core (of tests/cupy_tests), or a path in tests
# (cupyx_tests/scipy_tests/sparse_tests).
# The environment, the sources and CuPy's cache of compiled kernels go to target/clients/cupy. Like CuPy's own default, the
# script leaves out tests that are slow even on a GPU. ARGUMENTS holds more options of pytest.
set -euo pipefail
cd "$(dirname "$0")/../.."
version=14.2.0
folder="$PWD/target/clients/cupy"
[ -x "$folder/bin/python" ] || python3 -m venv "$folder"
"$folder/bin/pip" install --quiet "cupy-cuda13x[ctk]==$version" numpy==2.4.6 scipy pytest
if [ ! -d "$folder/src" ]; then
    git clone --quiet --depth 1 --branch "v$version" --filter=blob:none --sparse https://github.com/cupy/cupy "$folder/src"
    git -C "$folder/src" sparse-checkout set --skip-checks tests
fi
cargo build --release --quiet -p lanework-cli -p lanework-driver -p lanework-jitlink -p lanework-cublas -p lanework-curand -p lanework-cufft -p lanework-cusolver
command="$PWD/target/release/lanework"
suites=("$@")
[ ${#suites[@]} -gt 0 ] || suites=(creation indexing math sorting core)
cd "$folder/src/tests"
code=0
for suite in "${suites[@]}"; do
    case $suite in
        */*) tests=$suite ;;
        *) tests=cupy_tests/${suite}_tests ;;
    esac
    # Each suite runs in a process of its own: a kernel's error ends only that process.
    CUPY_CACHE_DIR="$folder/kernels" CUPY_TEST_GPU_LIMIT=1 "$command" exec --plain -- "$folder/bin/python" -m pytest -q -p no:cacheprovider \
        -o addopts= -m "not slow and not multi_gpu" ${ARGUMENTS:-} "$tests" || code=$?
done
exit $code
