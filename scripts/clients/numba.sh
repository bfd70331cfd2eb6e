#!/usr/bin/env bash
# Runs the test suite of numba-cuda, as it is installed, on the emulator's driver: no GPU is needed.
#
# Usage, in the repository: scripts/clients/numba.sh [TESTS], by default numba.cuda.tests. The environment goes to target/clients/numba.
set -euo pipefail
cd "$(dirname "$0")/../.."
# cuda-bindings 13.4 removed a field (`CUipcMemHandle.reserved`) that this version of numba-cuda reads.
environment=target/clients/numba
[ -x $environment/bin/python ] || python3 -m venv $environment
$environment/bin/pip install --quiet "numba-cuda[cu13]==0.30.4" cuda-core==1.2.2 "cuda-bindings<13.4" pytest psutil cffi filecheck ml_dtypes \
    "cupy-cuda13x==14.2.0" # without CuPy, a test module ends the run before the first test
cargo build --release --quiet -p lanework-cli -p lanework-driver -p lanework-jitlink
command="$PWD/target/release/lanework"
python="$PWD/$environment/bin/python"
cd "$(mktemp -d)" # the suite writes files
"$command" exec --plain -- "$python" -m numba.runtests "${@:-numba.cuda.tests}"
