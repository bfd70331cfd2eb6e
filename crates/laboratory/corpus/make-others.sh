#!/bin/sh
# Makes the PTX of compilers other than nvcc: clang and NVRTC compile some sources of cuda/, Triton and
# Numba their own. CLANG and PYTHON name the programs (PYTHON has triton and numba-cuda); NVRTC is
# the library's path; what is missing is left as it is.
set -eu
cd "$(dirname "$0")"
out=../compiled-ptx/ptx
clang=${CLANG:-clang-19} python=${PYTHON:-python3} nvrtc=${NVRTC:-}

clang_ptx() {
    unit=$1 name=$2
    shift 2
    "$clang" -x cuda -std=c++17 --cuda-device-only --cuda-gpu-arch=sm_80 -nocudainc -nocudalib -fms-extensions \
        -include others/clang_cuda.h -S -Xclang -target-feature -Xclang +ptx78 "$@" "cuda/$unit.cu" -o "$out/$name.raw"
    { echo "// $("$clang" --version | head -n 1)"; sed -e "s|$PWD/||g; s|$PWD|.|g" "$out/$name.raw"; } >"$out/$name"
    rm "$out/$name.raw"
}

if command -v "$clang" >/dev/null; then
    for unit in dense grid histogram scan sort sparse text; do
        clang_ptx $unit $unit.sm_80.clang.ptx -O3
        clang_ptx $unit $unit.sm_80.clang_debug.ptx -O0 -g
    done
fi
if [ -n "$nvrtc" ]; then
    for unit in dense grid histogram integers scan science sort sparse text; do
        LD_LIBRARY_PATH=$(dirname "$nvrtc") "$python" others/nvrtc.py "$nvrtc" cuda/$unit.cu 80 "$out/$unit.sm_80.nvrtc.ptx"
    done
fi
if "$python" -c 'import triton' 2>/dev/null; then "$python" others/triton_kernels.py "$out"; fi
if "$python" -c 'import numba_cuda' 2>/dev/null; then "$python" others/numba_kernels.py "$out"; fi
for file in "$out"/*.ptx; do
    if [ -e "$file" ]; then zstd -q -19 --rm -f "$file"; fi
done
