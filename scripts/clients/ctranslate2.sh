#!/usr/bin/env bash
# Runs small CTranslate2 models with random weights on the emulator's driver and on the CPU, and compares them: no GPU is needed.
#
# Usage, in the repository: scripts/clients/ctranslate2.sh; `python.bash` says what the environment changes.
cd "$(dirname "$0")/../.." || exit 1
client=ctranslate2
. scripts/clients/python.bash
packages ctranslate2==4.8.5 numpy==2.4.6
run "$python" scripts/clients/ctranslate2_models.py
