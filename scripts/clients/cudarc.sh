#!/usr/bin/env bash
# Runs cudarc's own tests of its driver and NVRTC bindings, as they are published, on the emulator's driver: no GPU is needed. NVRTC and the
# headers come from NVIDIA's packages of PyPI.
#
# Usage, in the repository: scripts/clients/cudarc.sh. Sources and builds go to target/clients. LANEWORK names the command,
# CUDA_FOLDER a toolkit with `lib`; without them they are built and installed.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$PWD/target/clients
mkdir -p "$work"
if [ -z "${LANEWORK:-}" ]; then
    cargo build --release --quiet -p lanework-cli -p lanework-driver -p lanework-jitlink
    LANEWORK=$PWD/target/release/lanework
fi
if [ -z "${CUDA_FOLDER:-}" ]; then
    [ -x "$work/cuda/bin/python" ] || python3 -m venv "$work/cuda"
    "$work/cuda/bin/pip" install --quiet nvidia-cuda-nvrtc==13.0.88 nvidia-cuda-runtime==13.0.96 nvidia-cuda-crt==13.0.88
    CUDA_FOLDER=$(echo "$work"/cuda/lib/python3*/site-packages/nvidia/cu13)
fi
# Libraries by the names that the crates look for.
libraries=$work/rust-libraries
mkdir -p "$libraries"
ln -sf "$(dirname "$LANEWORK")/liblanework_libcuda.so" "$libraries/libcuda.so"
for file in "$CUDA_FOLDER"/lib/libnvrtc.so.* "$CUDA_FOLDER"/lib/libnvrtc-builtins.so.*; do ln -sf "$file" "$libraries/"; done
ln -sf "$CUDA_FOLDER"/lib/libnvrtc.so.[0-9]* "$libraries/libnvrtc.so"

# crate NAME VERSION FEATURES: a copy of a crate's sources, where its tests are.
crate() {
    local copy=$work/$1-$2
    if [ ! -d "$copy" ]; then
        rm -rf "$work/fetch-$1"
        mkdir -p "$work/fetch-$1/src"
        echo > "$work/fetch-$1/src/lib.rs"
        printf '[package]\nname = "fetch"\nversion = "0.0.0"\n[workspace]\n[dependencies]\n%s = { version = "=%s", default-features = false%s }\n' \
            "$1" "$2" "$3" > "$work/fetch-$1/Cargo.toml"
        (cd "$work/fetch-$1" && cargo fetch --quiet)
        local from
        from=$(cd "$work/fetch-$1" && cargo metadata --format-version 1 | python3 -c "
import json, sys, os
print(next(os.path.dirname(p['manifest_path']) for p in json.load(sys.stdin)['packages'] if p['name'] == '$1'))")
        cp -r "$from" "$copy"
        printf '\n[workspace]\n' >> "$copy/Cargo.toml"
    fi
    echo "$copy"
}

# run FOLDER ARGUMENTS...: builds a crate's tests, and runs them with the emulator's driver before any other.
run() {
    cd "$1"
    shift
    CARGO_TARGET_DIR=$work/rust LIBRARY_PATH=$libraries cargo test --quiet --no-run "$@"
    CARGO_TARGET_DIR=$work/rust LIBRARY_PATH=$libraries LD_LIBRARY_PATH=$libraries:$CUDA_FOLDER/lib \
        "$LANEWORK" exec --plain -- cargo test "$@" || true
}

folder=$(crate cudarc 0.19.10 ', features = ["std", "driver", "nvrtc", "cuda-13000", "dynamic-loading"]')
run "$folder" --lib --no-default-features --features std,driver,nvrtc,cuda-13000,dynamic-loading,f16
