#!/usr/bin/env bash
# Runs checks of TensorFlow and Keras on the emulator's driver: no GPU is needed. `lanework.tensorflow` gives XLA Lanework's assembler and
# places cuDNN's operators on the host.
#
# Usage, in the repository: scripts/clients/tensorflow.sh [NAME]..., parts of names of checks; `python.bash` says what the environment
# changes. The environment (6 GB) goes to target/clients/tensorflow.
cd "$(dirname "$0")/../.." || exit 1
client=tensorflow
. scripts/clients/python.bash
packages "tensorflow[and-cuda]==2.21.0"
modules
run "$python" -m lanework.tensorflow scripts/clients/tensorflow_checks.py "$@"
