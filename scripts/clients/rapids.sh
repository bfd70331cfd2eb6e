#!/usr/bin/env bash
# Runs checks of RAPIDS' RMM, cuDF and cuML on the emulator's driver: no GPU is needed. Their libraries have PTX for sm_120 besides machine code.
#
# Usage, in the repository: scripts/clients/rapids.sh [NAME]..., parts of names of checks; `python.bash` says what the environment changes.
# The environment (5 GB) goes to target/clients/rapids.
cd "$(dirname "$0")/../.." || exit 1
client=rapids
. scripts/clients/python.bash
packages cudf-cu13==26.10.2 cuml-cu13==26.10.0 rmm-cu13==26.10.0 scikit-learn
mkdir -p "$folder/files"
checks=$PWD/scripts/clients/rapids_checks.py
cd "$folder/files" || exit 1 # some checks write files
run "$python" "$checks" "$@"
