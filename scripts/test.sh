#!/usr/bin/env bash
# Runs `cargo test` with the given arguments and counts the tests that were skipped because a tool or a GPU is missing.
# Tests report these as `SKIPPED: what: why` (crate lanework-testing).
#
# Usage, in the repository: scripts/test.sh --workspace
set -uo pipefail
cd "$(dirname "$0")/.."
log=$(mktemp)
trap 'rm -f "$log"' EXIT
cargo test "$@" 2>&1 | tee "$log"
status=${PIPESTATUS[0]}
passed=$(grep -E '^test result:' "$log" | grep -oE '[0-9]+ passed' | awk '{n += $1} END {print n + 0}')
failed=$(grep -E '^test result:' "$log" | grep -oE '[0-9]+ failed' | awk '{n += $1} END {print n + 0}')
ignored=$(grep -E '^test result:' "$log" | grep -oE '[0-9]+ ignored' | awk '{n += $1} END {print n + 0}')
skipped=$(grep -cE 'SKIPPED: ' "$log")
echo "tests: $((passed - skipped)) passed, $failed failed, $skipped skipped, $ignored ignored"
grep -oE 'SKIPPED: .*' "$log" | sed 's/^/  /' | sort | uniq -c | sort -rn | head -40
exit "$status"
