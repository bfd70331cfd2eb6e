#!/usr/bin/env bash
# Runs the tests of NVIDIA Warp's wheel on the emulator's driver: no GPU is needed. Warp compiles to PTX by the NVRTC in its library,
# since the driver is as new as its toolkit; sorts and scans are PTX of its library.
#
# Usage, in the repository: scripts/clients/warp.sh [MODULE]..., modules of warp.tests such as test_atomic; without any, those below. Each module
# runs in a process of its own, only with its tests for the GPU, and prints a line. The environment goes to target/clients/warp, logs beside it.
# LANEWORK names the command; SECONDS_EACH limits a module (600); EXEC holds other options of `lanework exec`, such as --check.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
folder=$PWD/target/clients/warp
python=$folder/bin/python
if [ ! -x "$python" ]; then
    python3 -m venv "$folder" || exit 1
    "$python" -m pip install --quiet warp-lang==1.19.0 numpy==2.4.6 || exit 1
fi
if [ -z "${LANEWORK:-}" ]; then
    cargo build --release --quiet || exit 1
    LANEWORK=$PWD/target/release/lanework
fi
mkdir -p "$folder/logs"
export WARP_CACHE_PATH=$folder/cache
cd "$folder/logs" || exit 1 # some tests write files
code=0
[ $# -gt 0 ] || set -- test_atomic test_arithmetic test_print test_graph test_math test_rand test_runlength_encode
for module in "$@"; do
    # shellcheck disable=SC2086
    timeout --kill-after=5 "${SECONDS_EACH:-600}" "$LANEWORK" exec ${EXEC:---plain} -- "$python" -m unittest -v -k cuda_0 "warp.tests.$module" > "$module.log" 2>&1
    ended=$?
    [ $ended -eq 0 ] || code=1
    echo "$module: $(grep -aE '^(Ran [0-9]+ tests|OK|FAILED)' "$module.log" | tr '\n' ' ') exit code $ended"
done
exit $code
