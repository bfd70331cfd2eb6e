#!/usr/bin/env bash
# Builds the Python package's wheels for Linux (x86-64 and aarch64, glibc 2.28 and newer) and macOS (arm64) on one Linux machine: zig links
# and compiles C for the others. A wheel for Linux holds the command and the libraries that programs load; one for macOS, where there is no
# CUDA, the command alone. The script runs only the command for aarch64, if QEMU and its C library are installed. Needs Python 3.11 or newer
# and rustup; the rest comes by pip. The wheels go to target/wheels.
#
# Usage, in the repository: scripts/wheels.sh [TARGET...]
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu aarch64-apple-darwin
built=${CARGO_TARGET_DIR:-target}
environment=target/python/cross
[ -x $environment/bin/python ] || python3 -m venv $environment
$environment/bin/pip install --quiet "maturin>=1.8,<2" "ziglang>=0.13" cargo-zigbuild
export PATH="$PWD/$environment/bin:$PATH"
native=crates/bindings/python/python/lanework/native

for target in "$@"; do
    echo "== $target"
    rustup target add "$target" 2>/dev/null
    case $target in
        *-linux-gnu)
            packages="lanework-cli lanework-driver lanework-jitlink lanework-cublas lanework-curand lanework-cufft lanework-cusolver lanework-nccl"
            linked=$target.2.28 tag=manylinux_2_28 ;;
        *)
            packages=lanework-cli linked=$target tag=off ;;
    esac
    cargo zigbuild --quiet --release --target "$linked" ${packages//lanework-/--package lanework-}
    rm -rf $native
    mkdir -p $native
    cp "$built/$target"/release/lanework $native/
    find "$built/$target/release" -maxdepth 1 -name 'liblanework_*.so' ! -name '*_python.so' -exec cp {} $native/ \;
    maturin build --quiet --release --zig --target "$target" --compatibility $tag \
        --manifest-path crates/bindings/python/Cargo.toml --out target/wheels
    if [ "$target" = aarch64-unknown-linux-gnu ]; then
        if command -v qemu-aarch64-static >/dev/null && [ -d /usr/aarch64-linux-gnu ]; then
            qemu-aarch64-static -L /usr/aarch64-linux-gnu $native/lanework climb transpose --size 256 >/dev/null
            echo "the command for aarch64 climbs a ladder under QEMU"
        else
            echo "SKIPPED: the command for aarch64 was not run, since QEMU and its C library are not installed (qemu-user-static, libc6-arm64-cross)"
        fi
    fi
    rm -rf $native
done
ls -l target/wheels
