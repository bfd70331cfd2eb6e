#!/usr/bin/env bash
# Compiles what `cargo run --release -p lanework-ops --example peers` compares with: CUB, cuBLAS and cuBLASLt of the CUDA toolkit.
#
# Usage: scripts/peers.sh [OUTPUT], by default target/libpeers.so. Needs nvcc and, for the right machine code, a GPU.
set -euo pipefail
output=${1:-target/libpeers.so}
source=$(dirname "$0")/../crates/operations/ops/examples/peers/peers.cu
command -v nvcc >/dev/null || { echo "error: nvcc is not there; install the CUDA toolkit, or run the example without peers" >&2; exit 1; }
mkdir -p "$(dirname "$output")"
nvcc -O3 -std=c++17 -arch=native -shared -Xcompiler -fPIC "$source" -lcublas -lcublasLt -o "$output"
