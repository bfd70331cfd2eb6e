#!/usr/bin/env bash
# Builds the Python package as a wheel, with the command and the libraries that programs load in it, installs it in an environment of its
# own and runs its tests. Needs Python 3.11 or newer; the rest comes by pip. The wheel goes to target/wheels.
#
# Usage, in the repository: scripts/python.sh [PYTEST ARGUMENTS]. PROFILE=dev builds faster, but the result runs slower; CLIENTS=1 also tests
# with numba, CuPy and Ray, which are large.
set -euo pipefail
cd "$(dirname "$0")/.."
profile=${PROFILE:-release}
built=target/$([ "$profile" = dev ] && echo debug || echo "$profile")
environment=target/python/venv
[ -x $environment/bin/python ] || python3 -m venv $environment
$environment/bin/pip install --quiet "maturin>=1.8,<2" numpy ml_dtypes pytest nvidia-cuda-nvrtc cmake
[ -z "${CLIENTS:-}" ] || $environment/bin/pip install --quiet "numba-cuda[cu13]==0.30.4" "cupy-cuda13x[ctk]" ray

packages=(lanework-cli lanework-driver lanework-jitlink lanework-cublas lanework-curand lanework-cufft lanework-cusolver lanework-nccl)
cargo build --quiet --profile "$profile" "${packages[@]/#/--package=}"
native=crates/bindings/python/python/lanework/native
rm -rf $native
mkdir -p $native
for file in lanework liblanework_libcuda.so liblanework_nvjitlink.so liblanework_cublas.so liblanework_curand.so liblanework_cufft.so liblanework_cusolver.so liblanework_nccl.so; do
    [ -e "$built/$file" ] || continue
    cp "$built/$file" $native/
    strip $native/$file
done
PATH="$PWD/$environment/bin:$PATH" $environment/bin/maturin build --quiet --profile "$profile" \
    --manifest-path crates/bindings/python/Cargo.toml --compatibility linux --out target/wheels
wheel=$(ls -t target/wheels/lanework-*-cp311-abi3-*.whl | head -1)
ls -l "$wheel"
$environment/bin/pip install --quiet --force-reinstall --no-deps "$wheel"
cd crates/bindings/python
# ctest, for the recipes.
export PATH="$PWD/../../../$environment/bin:$PATH"
exec "../../../$environment/bin/python" -m pytest -q -p no:cacheprovider "$@"
