#!/usr/bin/env bash
# Checks that the command compiles for macOS on arm64 and for Windows on x86-64, and the page of the lab for WebAssembly. `cargo check`
# needs no linker and no system libraries of those platforms; SQLite, which is C, is left out. A platform that rustup cannot install prints
# SKIPPED.
#
# Usage, in the repository: scripts/platforms.sh
set -euo pipefail
cd "$(dirname "$0")/.."

check() { # TARGET, CARGO ARGUMENTS
    local target=$1
    shift
    if ! rustup target list --installed | grep -qx "$target" && ! rustup target add "$target" 2>/dev/null; then
        echo "SKIPPED: $target: rustup cannot install it"
        return
    fi
    RUSTFLAGS="-D warnings" cargo check --quiet --target-dir target/platforms --target "$target" "$@"
    echo "$target compiles"
}

check aarch64-apple-darwin -p lanework-cli --no-default-features --features host,judge,mcp,tui
check x86_64-pc-windows-gnu -p lanework-cli --no-default-features --features host,judge,mcp,tui
check wasm32-wasip1 -p lanework-web
check wasm32-wasip1-threads -p lanework-web
