#!/usr/bin/env bash
# Unit tests of the pure parts under Miri, which finds undefined behaviour in what they run: number
# formats, soft float, guest memory, mbarriers, tensor maps, bit sets, dataflow, shadow cells. Handlers
# that need the host's vectors are not among them: under Miri the host has the baseline level alone.
#
# Needs a nightly compiler with Miri (`rustup component add miri rust-src --toolchain nightly`), which
# nothing else here does; no part of .ci/run.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! cargo +nightly miri --version >/dev/null 2>&1; then
    echo "NOT RUN: no nightly compiler with Miri is installed. To install it:" >&2
    echo "    rustup component add miri rust-src --toolchain nightly" >&2
    exit 1
fi

export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target/miri}"
# Operations hold the addresses of plans as immediates, so provenance is exposed on purpose. Guest memory
# is accessed by atomics of several sizes, which Miri's weak-memory emulation cannot follow.
export MIRIFLAGS="${MIRIFLAGS:--Zmiri-permissive-provenance -Zmiri-disable-weak-memory-emulation}"

test() {
    local package="$1"
    shift
    echo "== $package: $*"
    cargo +nightly miri test --quiet -p "$package" --lib -- "$@"
}

test lanework-engine guest:: asynchrony:: written:: swizzle:: tensor_map:: matrix:: number::single
test lanework-ptx-ir analysis::bitset:: analysis::access::
test lanework-sanitizer shadow_cell::
