#!/usr/bin/env bash
# Runs checks of Qiskit Aer's GPU simulators on the emulator's driver: no GPU is needed.
#
# Usage, in the repository: scripts/clients/aer.sh [NAME]..., parts of names of checks; `python.bash` says what the environment changes.
cd "$(dirname "$0")/../.." || exit 1
client=aer
. scripts/clients/python.bash
packages qiskit-aer-gpu==0.18.2 qiskit==2.6.2
run "$python" scripts/clients/aer_checks.py "$@"
