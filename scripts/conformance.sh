#!/usr/bin/env bash
# Compiles Clang's conformance tests (test/CXX) with Lanework's compiler and prints rates by chapter of the C++ standard.
#
#     scripts/conformance.sh             # the table
#     scripts/conformance.sh --verbose   # also the first error of each valid file that does not compile
#
# The sources stay in target/conformance. LANEWORK_SOURCES names a folder that has `llvm-mirror+clang/repo` already.
set -euo pipefail
cd "$(dirname "$0")/.."
revision=aa231e4be75ac4759c236b755c57876f76e3cf05
folder=target/conformance
if [[ -n "${LANEWORK_SOURCES:-}" ]]; then
    git=$LANEWORK_SOURCES/llvm-mirror+clang/repo
    [[ -d $git/.git ]] && git=$git/.git
else
    git=$folder/git
    if [[ ! -d $git ]]; then
        git init --quiet --bare "$git"
        git --git-dir="$git" fetch --quiet --depth 1 https://github.com/llvm-mirror/clang "$revision"
    fi
fi
rm -rf "$folder/test"
mkdir -p "$folder"
git --git-dir="$git" archive "$revision" test/CXX | tar -x -C "$folder"
cargo run --quiet -p lanework-cuda-cpp --example conformance -- "$folder/test/CXX" "$@"
