#!/bin/sh
# Builds the released command, without paths of this machine in it, and checks that it contains none.
#
# Usage, in the repository: scripts/release.sh; the binary is target/dist/release/lanework
set -eu
cd "$(dirname "$0")/.."
root=$(pwd -P)
home=${CARGO_HOME:-$HOME/.cargo}

flags="--remap-path-prefix=$root=."
for registry in "$home"/registry/src/*; do
    flags="$flags --remap-path-prefix=$registry=crates"
done
RUSTFLAGS="$flags" cargo build --release -p lanework-cli --target-dir target/dist

binary=target/dist/release/lanework
for path in "$root" "$home" "$HOME"; do
    if [ "$path" != / ] && grep -aqF "$path/" "$binary"; then
        echo "$binary names $path:" >&2
        strings "$binary" | grep -F "$path/" | head -5 >&2
        exit 1
    fi
done
echo "$binary names no path of this machine"
