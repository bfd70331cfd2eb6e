#!/usr/bin/env bash
# Runs tests of Taichi on the emulator's driver: no GPU is needed. Taichi makes PTX by LLVM.
#
# Usage, in the repository: scripts/clients/taichi.sh [PYTEST ARGUMENTS], such as tests/python/test_linalg.py; without any, the files below. The
# environment and the sources go to target/clients/taichi. LANEWORK names the command; SECONDS_EACH limits a test (60); EXEC holds other
# options of `lanework exec`; SOURCES names a folder that holds Taichi's tests already.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
folder=$PWD/target/clients/taichi
python=$folder/bin/python
if [ ! -x "$python" ]; then
    python3 -m venv "$folder" || exit 1
    "$python" -m pip install --quiet taichi==1.7.4 numpy==2.4.6 pytest==9.2.0 pytest-timeout==2.4.0 pytest-rerunfailures==16.7 || exit 1
fi
sources=${SOURCES:-$folder/src}
if [ ! -d "$sources" ]; then
    git init --quiet "$sources" && git -C "$sources" fetch --quiet --depth 1 https://github.com/taichi-dev/taichi v1.7.4 \
        && git -C "$sources" checkout --quiet FETCH_HEAD || { echo "cannot fetch taichi" >&2; exit 1; }
fi
if [ -z "${LANEWORK:-}" ]; then
    cargo build --release --quiet || exit 1
    LANEWORK=$PWD/target/release/lanework
fi
cd "$sources" || exit 1
# Tests import the installed package; only the tests come from the sources.
export TI_WANTED_ARCHS=cuda TI_OFFLINE_CACHE=0 PYTHONSAFEPATH=1 PYTHONPATH=$folder/tests
mkdir -p "$folder/tests" && ln -sfn "$sources/tests" "$folder/tests/tests"
[ $# -gt 0 ] || set -- tests/python/test_{simt,basics,atomic,bit_operations}.py
# shellcheck disable=SC2086
exec "$LANEWORK" exec ${EXEC:---plain} -- "$python" -m pytest -q -p no:cacheprovider --timeout="${SECONDS_EACH:-60}" "$@"
