#!/usr/bin/env bash
# Unit tests of the pure parts under Miri, which finds undefined behavior in what they run: number formats, soft float, guest
# memory, mbarriers, tensor maps, bit sets, dataflow, shadow cells; and a host read of memory that workers write. Handlers for
# the host's vectors are not among them: under Miri the host has the baseline level only.
#
# It takes more than 8 minutes on one core, so it is no part of .ci/run. Needs a nightly compiler with Miri (`rustup component add miri rust-src --toolchain nightly`); without one it prints SKIPPED.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! cargo +nightly miri --version >/dev/null 2>&1; then
    echo "SKIPPED: Miri: no nightly compiler has it. To install it: rustup component add miri rust-src --toolchain nightly" >&2
    exit 0
fi

export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target/miri}"
# Operations hold the addresses of plans as immediates, so provenance is exposed on purpose. Guest memory
# is accessed by atomics of several sizes, which Miri's weak-memory emulation cannot follow. Cores are counted in /proc.
export MIRIFLAGS="${MIRIFLAGS:--Zmiri-permissive-provenance -Zmiri-disable-weak-memory-emulation -Zmiri-disable-isolation}"

test() {
    local package="$1"
    shift
    echo "== $package: $*"
    cargo +nightly miri test --quiet -p "$package" "$@"
}

test lanework-engine --lib -- memory::guest memory::host_bytes memory::initialized memory::device_range instructions::asynchrony instructions::tensor_map instructions::matrix number::single
test lanework-ptx-ir --lib -- analysis::bitset:: analysis::access::
test lanework-sanitizer --lib -- shadow_cell::
test lanework-counters --lib
test lanework-emulator --test it -- the_host_reads_whole_words
