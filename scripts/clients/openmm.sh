#!/usr/bin/env bash
# Computes energies and forces of small systems on the CUDA platform of OpenMM's wheel, on the emulator's driver, and compares them with
# OpenMM's Reference platform: no GPU is needed. NVRTC compiles the kernels; PME needs the stand-in for cuFFT.
#
# Usage, in the repository: scripts/clients/openmm.sh [PATTERN]... of names of systems. The environment goes to target/clients/openmm. LANEWORK
# names the command; EXEC holds other options of `lanework exec`, such as --check.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
folder=$PWD/target/clients/openmm
python=$folder/bin/python
if [ ! -x "$python" ]; then
    python3 -m venv "$folder" || exit 1
    "$python" -m pip install --quiet openmm==8.6.1 openmm-cuda-12==8.6.1 numpy==2.4.6 || exit 1
fi
if [ -z "${LANEWORK:-}" ]; then
    cargo build --release --quiet && cargo build --release --quiet -p lanework-cufft || exit 1
    LANEWORK=$PWD/target/release/lanework
fi
# shellcheck disable=SC2086
exec "$LANEWORK" exec ${EXEC:---plain} -- "$python" scripts/clients/openmm_systems.py "$@"
