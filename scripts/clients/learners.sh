#!/usr/bin/env bash
# Trains small models with the wheels of XGBoost and CatBoost, on the emulator's driver and on the CPU, and compares them: no GPU is needed.
#
# Usage, in the repository: scripts/clients/learners.sh [NAME]..., of xgboost and catboost. The environment goes to target/clients/learners.
# LANEWORK names the command; EXEC holds other options of `lanework exec`, such as --check.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
folder=$PWD/target/clients/learners
python=$folder/bin/python
if [ ! -x "$python" ]; then
    python3 -m venv "$folder" || exit 1
    "$python" -m pip install --quiet xgboost==3.2.0 catboost==1.2.10 numpy==2.4.6 || exit 1
fi
if [ -z "${LANEWORK:-}" ]; then
    cargo build --release --quiet || exit 1
    LANEWORK=$PWD/target/release/lanework
fi
# shellcheck disable=SC2086
exec "$LANEWORK" exec ${EXEC:---plain} -- "$python" scripts/clients/learners.py "$@"
