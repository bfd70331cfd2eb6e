#!/usr/bin/env bash
# Runs the tests that `cargo test --workspace` leaves out because they take long: those marked `#[ignore = "slow..."]`.
# CI runs them as a separate step.
#
# Usage, in the repository: scripts/slow-tests.sh
set -euo pipefail
cd "$(dirname "$0")/.."

# The packages with slow tests, each with the names of its tests.
mapfile -t files < <(grep -rl --include='*.rs' '#\[ignore = "slow' crates)
declare -A tests
for file in "${files[@]}"; do
    folder=$(dirname "$file")
    until [ -e "$folder/Cargo.toml" ]; do folder=$(dirname "$folder"); done
    package=$(sed -n 's/^name = "\(lanework[a-z-]*\)".*/\1/p' "$folder/Cargo.toml" | head -n 1)
    names=$(grep -A 3 '#\[ignore = "slow' "$file" | sed -n 's/^ *fn \([a-z0-9_]*\).*/\1/p')
    tests[$package]+=" $names"
done

for package in "${!tests[@]}"; do
    read -ra names <<<"$(echo "${tests[$package]}" | tr '\n' ' ')"
    echo "== $package: ${names[*]}"
    log=$(mktemp)
    cargo test -p "$package" -- --ignored "${names[@]}" 2>&1 | tee "$log"
    ran=$(grep -cE '^test .* \.\.\. ok$' "$log" || true)
    rm -f "$log"
    if [ "$ran" -lt "${#names[@]}" ]; then
        echo "$package: ${#names[@]} slow tests are marked, and $ran ran" >&2
        exit 1
    fi
done
