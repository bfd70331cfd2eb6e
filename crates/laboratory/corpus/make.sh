#!/bin/sh
# Regenerates ../compiled-ptx/ptx from cuda/: `make.sh [UNIT...]`, all units without arguments. Needs zstd.
# NVCC names the compiler (default: `nvcc`). The first lines of each output file name its version.
set -eu
cd "$(dirname "$0")"
nvcc=${NVCC:-nvcc} out=../compiled-ptx/ptx
toolkit=$(dirname "$(dirname "$(readlink -f "$(command -v "$nvcc")")")")

# make UNIT TARGET [debug]
make() {
    unit=$1 target=$2 mode=${3:-}
    code="-gencode=arch=compute_${target#sm_},code=$target"
    name="$out/$unit.$target.ptx"
    options="-O3 -lineinfo"
    if [ "$mode" = debug ]; then name="$out/$unit.$target.debug.ptx" options="-G"; fi
    # Words of $options are separate arguments.
    # shellcheck disable=SC2086
    "$nvcc" -std=c++17 $options "$code" -ptx "cuda/$unit.cu" -o "$name.raw"
    sed -e "s|$toolkit|/usr/local/cuda|g" -e "s|$PWD/||g" "$name.raw" >"$name"
    zstd -q -19 --rm -f "$name"
    rm "$name.raw"
}

# The first comment line of a source that needs more than sm_75 declares it: `// needs sm_80` or `// needs sm_90a`.
for source in cuda/*.cu; do
    unit=$(basename "$source" .cu)
    if [ $# -gt 0 ]; then
        case " $* " in *" $unit "*) ;; *) continue ;; esac
    fi
    needs=$(sed -n 's|^// needs \(sm_[0-9a-z]*\).*|\1|p' "$source")
    echo "$unit"
    case "$needs" in
    sm_90a) make "$unit" sm_90a; make "$unit" sm_90a debug ;;
    sm_90) make "$unit" sm_90; make "$unit" sm_90 debug ;;
    sm_80) make "$unit" sm_80; make "$unit" sm_90; make "$unit" sm_80 debug ;;
    *) make "$unit" sm_75; make "$unit" sm_80; make "$unit" sm_90; make "$unit" sm_80 debug ;;
    esac
done
