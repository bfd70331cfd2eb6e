#!/usr/bin/env bash
# Runs the PTX of ZLUDA's tests (`ptx/src/test/spirv_run`) through the emulator's driver with the tests' inputs, and compares the results
# with those that the tests expect, byte for byte. It prints a line for each and how many passed. Modules with 32-bit addresses are left out.
#
# Usage, in the repository: scripts/clients/zluda.sh [NAME]. Sources and builds go to target/clients. LANEWORK names the command; without it
# it is built. LANEWORK_SOURCES names a folder that has ZLUDA. Needs git, python3 and rustc.
set -euo pipefail
cd "$(dirname "$0")/../.."
revision=${REVISION:-8a7931be87d758835776f54ea2e33d30621c74ce}
work=$PWD/target/clients
mkdir -p "$work/zluda"
if [ -z "${LANEWORK:-}" ]; then
    cargo build --release --quiet -p lanework-cli -p lanework-driver
    LANEWORK=$PWD/target/release/lanework
fi
sources=${LANEWORK_SOURCES:-$work/sources}/ZLUDA
if [ ! -d "$sources" ]; then
    git init --quiet "$sources"
    git -C "$sources" fetch --quiet --depth 1 https://github.com/vosen/ZLUDA "$revision"
    git -C "$sources" checkout --quiet FETCH_HEAD
fi
tests=$sources/ptx/src/test/spirv_run
python3 scripts/clients/zluda.py "$tests" > "$work/zluda/main.rs"
ln -sf "$(dirname "$LANEWORK")/liblanework_libcuda.so" "$work/zluda/libcuda.so"
ln -sf libcuda.so "$work/zluda/libcuda.so.1"
rustc --edition 2024 -A warnings -L "$work/zluda" -o "$work/zluda/main" "$work/zluda/main.rs"
cd "$work/zluda"
"$LANEWORK" exec --plain -- ./main "$@"
