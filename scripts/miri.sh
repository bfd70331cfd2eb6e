#!/usr/bin/env bash
# Unit tests of unsafe code under Miri, which finds undefined behavior in what they run: guest memory, host memory that a kernel
# reads, mbarriers, asynchronous copies, tensor maps, bit sets, shadow cells.
#
# Miri cannot run the handlers for the host's vectors (it has the baseline level only), calls of foreign functions (GPU drivers,
# shared libraries, memory maps), and tests of many launches, which take hours. CONTRIBUTING.md lists what is left out.
#
# Installs the compiler that it needs by rustup; prints SKIPPED if that fails, for example without a network.
set -euo pipefail
cd "$(dirname "$0")/.."

# Nightly compilers without Miri exist, and new ones find new faults, so the date is fixed.
toolchain=nightly-2026-05-20
if ! cargo "+$toolchain" miri --version >/dev/null 2>&1 &&
    ! rustup toolchain install "$toolchain" --component miri,rust-src --profile minimal >/dev/null 2>&1; then
    echo "SKIPPED: Miri: $toolchain is not installed, and rustup cannot install it"
    exit 0
fi

export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target/$toolchain}"
# Operations hold the addresses of plans as immediates, so provenance is exposed on purpose. Guest memory
# is accessed by atomics of several sizes, which Miri's weak-memory emulation cannot follow. Cores are counted in /proc.
export MIRIFLAGS="${MIRIFLAGS:--Zmiri-permissive-provenance -Zmiri-disable-weak-memory-emulation -Zmiri-disable-isolation}"

test() {
    local package="$1"
    shift
    echo "== $package: $*"
    cargo "+$toolchain" miri test --quiet -p "$package" "$@"
}

test lanework-engine --lib -- memory::guest memory::host_bytes memory::initialized block:: device:: instructions::asynchrony instructions::tensor_map
test lanework-ptx-ir --lib -- analysis::bitset:: analysis::access::
test lanework-sanitizer --lib -- shadow_cell::
test lanework-counters --lib
