#!/usr/bin/env bash
# Tests a wheel as a new user installs it: in a new Debian system with Python, without Rust, a checkout or NVIDIA's compilers. Installs it,
# runs the command and a CUDA program, and uninstalls it. Needs root and debootstrap; without them it prints SKIPPED. A copy of the system
# stays in target/chroot for the next run.
#
# Usage, in the repository: scripts/chroot.sh [WHEEL]    (the newest one in target/wheels, which scripts/python.sh builds)
set -euo pipefail
cd "$(dirname "$0")/.."
wheel=${1:-$(find target/wheels -name "lanework-*_$(uname -m).whl" -printf '%T@ %p\n' 2>/dev/null | sort -rn | sed -n '1s/^[^ ]* //p')}
[ -n "$wheel" ] || { echo "error: target/wheels has no wheel for this machine: run scripts/python.sh" >&2; exit 2; }
if [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null; then
    echo "SKIPPED: a test in a clean system needs root and debootstrap"
    exit 0
fi

clean=target/chroot/clean
if [ ! -x $clean/usr/bin/pip3 ]; then
    rm -rf target/chroot
    mkdir -p $clean
    debootstrap --variant=minbase --include=python3,python3-pip,python3-venv "${SUITE:-bookworm}" $clean >/dev/null
fi
root=$(mktemp -d target/chroot/test.XXXXXX)
trap 'umount "$root/proc" 2>/dev/null || true; rm -rf "$root"' EXIT
cp -a $clean/. "$root"
mount -t proc proc "$root/proc"
mkdir "$root/work"
cp "$wheel" "$root/work"
cp crates/cli/tests/data/saxpy.ptx "$root/work"
cat >"$root/work/square.cu" <<'CUDA'
#include <cstdio>

__global__ void square(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = x[i] * x[i];
}

int main() {
    float *x;
    cudaMallocManaged(&x, 100 * sizeof(float));
    for (int i = 0; i < 100; ++i) x[i] = i;
    square<<<1, 128>>>(x, 100);
    cudaDeviceSynchronize();
    printf("%g\n", x[9]);
    cudaFree(x);
}
CUDA
# A CUDA program that loads the driver itself.
cat >"$root/work/driver.py" <<'PYTHON'
import ctypes

cuda = ctypes.CDLL("libcuda.so.1")


def call(name, *arguments):
    status = getattr(cuda, name)(*arguments)
    assert status == 0, (name, status)


device, context, module, function = (ctypes.c_int(), *(ctypes.c_void_p() for _ in range(3)))
x, y = ctypes.c_uint64(), ctypes.c_uint64()
call("cuInit", 0)
call("cuDeviceGet", ctypes.byref(device), 0)
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
call("cuCtxSetCurrent", context)
call("cuModuleLoadData", ctypes.byref(module), open("saxpy.ptx", "rb").read() + b"\0")
call("cuModuleGetFunction", ctypes.byref(function), module, b"saxpy")
ones = (ctypes.c_float * 128)(*[1.0] * 128)
for array in (x, y):
    call("cuMemAlloc_v2", ctypes.byref(array), 512)
    call("cuMemcpyHtoD_v2", array, ones, 512)
values = ctypes.c_float(2), x, y, ctypes.c_uint32(128)
arguments = (ctypes.c_void_p * 4)(*[ctypes.cast(ctypes.byref(v), ctypes.c_void_p) for v in values])
call("cuLaunchKernel", function, 1, 1, 1, 128, 1, 1, 0, None, arguments, None)
call("cuMemcpyDtoH_v2", ones, y, 512)
print("saxpy:", ones[0], ones[127])
PYTHON
cat >"$root/work/test.sh" <<'SHELL'
set -euo pipefail
cd /work
expect() { # TEXT COMMAND...: the command prints the text
    text=$1; shift
    output=$("$@" 2>&1) || { echo "$output"; echo "FAILED: $*"; exit 1; }
    grep -qF "$text" <<<"$output" || { echo "$output"; echo "FAILED: $* does not print: $text"; exit 1; }
    echo "ok: $*"
}
! command -v cargo rustc nvcc
python3 -m venv env
env/bin/pip install --quiet ./*.whl
PATH=/work/env/bin:$PATH
expect "lanework" lanework --version
expect "works" lanework doctor
expect "bit-exact" lanework climb transpose --size 64
expect "nothing to report" lanework check saxpy.ptx --grid 4 --block 32 --arg f32:2 --arg rand:f32:128 --arg rand:f32:128 --arg u32:128
expect "81" lanework run square.cu
expect "nothing to report" lanework check square.cu
expect "saxpy: 3.0 3.0" lanework exec --check -- python3 driver.py
pip uninstall --quiet --yes lanework
! command -v lanework
echo "ok: uninstalled"
SHELL
chroot "$root" /bin/bash /work/test.sh
echo "$wheel works in a clean system"
