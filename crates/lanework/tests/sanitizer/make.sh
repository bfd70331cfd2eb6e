#!/bin/sh
# Makes every file of ptx/ from cuda/ again. NVCC names the compiler (default: `nvcc`).
set -eu
cd "$(dirname "$0")"
mkdir -p ptx
for source in cuda/*.cu; do
    unit=$(basename "$source" .cu)
    "${NVCC:-nvcc}" -std=c++17 -O3 -lineinfo -arch=sm_80 -ptx "$source" -o "ptx/$unit.raw"
    sed -e "s|$PWD/||g" "ptx/$unit.raw" >"ptx/$unit.ptx"
    rm "ptx/$unit.raw"
done
