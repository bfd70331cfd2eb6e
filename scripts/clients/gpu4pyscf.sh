#!/usr/bin/env bash
# Runs checks of gpu4pyscf on the emulator's driver: no GPU is needed. gpu4pyscf opens cuSOLVER by a name without a version, which CUDA's
# toolkit has and NVIDIA's packages lack; the script adds the name for the stand-in.
#
# Usage, in the repository: scripts/clients/gpu4pyscf.sh [NAME]..., parts of names of checks; `python.bash` says what the environment changes.
cd "$(dirname "$0")/../.." || exit 1
client=gpu4pyscf
. scripts/clients/python.bash
packages gpu4pyscf-cuda13x==1.9.0 "cupy-cuda13x[ctk]==14.2.0" pyscf==2.14.0
named=$("$python" -c "import sysconfig; print(sysconfig.get_paths()['purelib'])")/nvidia/cusolver/lib
mkdir -p "$named"
ln -sf "$(dirname "$(realpath "$LANEWORK")")/liblanework_cusolver.so" "$named/libcusolver.so"
run "$python" scripts/clients/gpu4pyscf_checks.py "$@"
