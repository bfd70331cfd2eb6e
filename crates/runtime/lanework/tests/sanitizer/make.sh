#!/bin/sh
# Makes every file of ptx/ from cuda/ again. NVCC names the compiler (default: `nvcc`).
set -eu
cd "$(dirname "$0")"
mkdir -p ptx
for source in cuda/*.cu; do
    unit=$(basename "$source" .cu)
    target=$(sed -n 's|^// needs \(sm_[0-9a-z]*\).*|\1|p' "$source")
    "${NVCC:-nvcc}" -std=c++17 -O3 -lineinfo -arch="${target:-sm_80}" -ptx "$source" -o "ptx/$unit.raw"
    sed -e "s|$PWD/||g" "ptx/$unit.raw" >"ptx/$unit.ptx"
    rm "ptx/$unit.raw"
done
