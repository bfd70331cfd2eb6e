#!/usr/bin/env bash
# Runs the tests that `cargo test --workspace` leaves out because they take long: those marked `#[ignore = "slow..."]`.
# CI runs them as a separate step. One cargo command runs them all, because a build of one package alone chooses other
# features and would compile its dependencies again.
#
# Then the tests of the page's crates run in WebAssembly.
#
# Usage, in the repository: scripts/slow-tests.sh
set -euo pipefail
cd "$(dirname "$0")/.."

mapfile -t names < <(grep -rh --include='*.rs' -A 3 '#\[ignore = "slow' crates | sed -n 's/^ *fn \([a-z0-9_]*\).*/\1/p' | sort -u)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
cargo test --workspace --lib --bins --tests --no-fail-fast -- --ignored "${names[@]}" 2>&1 | tee "$log"

missing=0
for name in "${names[@]}"; do
    grep -qE "^test (.*::)?$name \.\.\. ok$" "$log" || { echo "slow test did not run: $name" >&2; missing=1; }
done
echo "slow tests: ${#names[@]}"
[ "$missing" -eq 0 ] || exit 1
scripts/wasm-tests.sh
