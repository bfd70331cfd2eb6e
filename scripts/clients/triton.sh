#!/usr/bin/env bash
# Runs Triton's own tutorials and tests on the emulator's driver: no GPU is needed. Lanework runs Triton's PTX: `lanework exec` gives Triton
# its own assembler in place of ptxas. PyTorch's wheel makes the tensors; lanework.torch computes its operators without PTX on the host.
#
# Usage, in the repository: scripts/clients/triton.sh [TUTORIAL... | tests [PYTEST ARGUMENTS]], by default the tutorials 01 to 08. Benchmarks in
# tutorials are left out, and kernels that tune themselves take their first configuration. The environment (7 GB) and the sources go to
# target/clients/triton; PYTHON names one that has torch and triton.
set -euo pipefail
cd "$(dirname "$0")/../.."
version=3.7.1
folder="$PWD/target/clients/triton"
python=${PYTHON:-$folder/bin/python}
if [ ! -x "$python" ]; then
    python3 -m venv "$folder"
    "$python" -m pip install --quiet torch==2.15.0 numpy==2.4.6 scipy pytest pytest-timeout matplotlib pandas tabulate
fi
# PyTorch brings its own Triton. The version whose sources are run comes first in the path.
[ -d "$folder/triton" ] || "$python" -m pip install --quiet --no-deps --target "$folder/triton" triton==$version
if [ ! -d "$folder/src" ]; then
    git clone --quiet --depth 1 --branch "v$version" --filter=blob:none --sparse https://github.com/triton-lang/triton "$folder/src"
    git -C "$folder/src" sparse-checkout set --skip-checks python/tutorials python/test third_party/nvidia/backend/lib
fi
cargo build --release --quiet -p lanework-cli -p lanework-driver -p lanework-jitlink -p lanework-cublas
command="$PWD/target/release/lanework"
export TRITON_CACHE_DIR="$folder/cache" PYTHONPATH="$folder/triton:$folder/lib:${PYTHONPATH:-}"
# Copies the only module that is needed; the rest of the Python package would have to be built.
mkdir -p "$folder/lib/lanework"
cp crates/bindings/python/python/lanework/torch.py "$folder/lib/lanework/"
code=0
if [ "${1:-}" = tests ]; then
    shift
    cd "$folder/src/python/test/unit/language"
    [ $# -gt 0 ] || set -- test_core.py
    exec "$command" exec --plain -- "$python" -m pytest -p lanework.torch -p no:cacheprovider -q --timeout=300 "$@"
fi
tutorials=("$@")
[ ${#tutorials[@]} -gt 0 ] || tutorials=(01 02 03 04 05 06 07 08)
for tutorial in "${tutorials[@]}"; do
    "$command" exec --plain -- "$python" scripts/clients/triton_tutorial.py "$folder/src/python/tutorials/$tutorial"*.py || code=$?
done
exit $code
