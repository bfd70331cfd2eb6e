#!/usr/bin/env bash
# Runs the tests of the crates in the page's module on a 32-bit host: compiled for wasm32-wasip1, in Node's WASI. A runner skips the few that
# crates/bindings/web/tests/wasm/skips.txt names. Prints a line for each test program, and the sum.
#
# Usage, in the repository: scripts/wasm-tests.sh [CRATE...]
set -euo pipefail
cd "$(dirname "$0")/.."
target=wasm32-wasip1
if ! rustup target list --installed | grep -qx "$target" && ! rustup target add "$target" 2>/dev/null; then
    echo "SKIPPED: rustup cannot install $target, so no test ran in WebAssembly"
    exit 0
fi
command -v node >/dev/null || { echo "SKIPPED: Node is not installed, so no test ran in WebAssembly"; exit 0; }

crates=(numbers ptx-ir ssa cuda-cpp gpu-specs sanitizer counters)
[ $# -eq 0 ] || crates=("$@")
export CARGO_TARGET_WASM32_WASIP1_RUNNER="node --no-warnings $PWD/crates/bindings/web/tests/wasm/runner.mjs"
export RUSTFLAGS="-C target-feature=+simd128,+bulk-memory,+sign-ext,+nontrapping-fptoint -C link-arg=-zstack-size=16777216"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
for crate in "${crates[@]}"; do
    cargo test --quiet --no-fail-fast --target "$target" --target-dir target/wasm/tests -p "lanework-$crate" --lib --tests 2>&1 | tee -a "$log" | grep -v '^$' || true
    [ "${PIPESTATUS[0]}" -eq 0 ] || status=1
done
awk '/^wasm32: / { programs += 1; passed += $3; failed += $5; skipped += $7 } END { printf "wasm32: %d test programs: %d passed, %d failed, %d skipped\n", programs, passed, failed, skipped }' "$log"
exit $status
