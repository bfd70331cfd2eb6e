#!/usr/bin/env bash
# Runs a pipeline of Halide's wheel, scheduled for a GPU, on the emulator's driver and compares it with NumPy: no GPU is needed. Halide makes
# PTX by LLVM.
#
# Usage, in the repository: scripts/clients/halide.sh. The environment goes to target/clients/halide. LANEWORK names the command; EXEC holds
# other options of `lanework exec`, such as --check.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
folder=$PWD/target/clients/halide
python=$folder/bin/python
if [ ! -x "$python" ]; then
    python3 -m venv "$folder" || exit 1
    "$python" -m pip install --quiet halide==21.0.0 numpy==2.4.6 || exit 1
fi
if [ -z "${LANEWORK:-}" ]; then
    cargo build --release --quiet || exit 1
    LANEWORK=$PWD/target/release/lanework
fi
# shellcheck disable=SC2086
exec "$LANEWORK" exec ${EXEC:---plain} -- "$python" scripts/clients/halide_pipelines.py
