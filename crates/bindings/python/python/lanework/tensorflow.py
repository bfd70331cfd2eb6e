"""Runs TensorFlow on Lanework's driver.

TensorFlow finds the emulated GPU without help, and its own kernels have PTX. Three parts need a preparation before it is imported:

- XLA (`jit_compile=True`) calls the `ptxas` of NVIDIA's packages, whose machine code the emulator does not run. `install` names
  Lanework's assembler instead, which keeps PTX unchanged, and disables autotuning by time.
- Convolutions, pooling, batch normalization and local response normalization are cuDNN's, which holds machine code. `install` places
  them on the host; they are neither checked nor counted. `on_host` lists those that a program called. In a function that XLA compiles,
  they fail.
- Keras computes LSTM and GRU layers by cuDNN; with `install` it uses its own loop.

`lanework exec -- python -m lanework.tensorflow PROGRAM ARGUMENTS` runs an unmodified program, and `pytest -p lanework.tensorflow` runs
tests.
"""

from __future__ import annotations

import collections
import functools
import importlib.util
import os
import pathlib
import re
import runpy
import sys
from collections.abc import Callable
from typing import Any

from ._xla import assembler, set_flags, toolkit

#: TensorFlow's functions whose GPU kernels are cuDNN's, in the module of its neural-network operators.
_CUDNN = re.compile(r"(conv|conv[23]d\w*|depthwise_conv2d_native\w*|fused_batch_norm\w*|(max|avg)_pool\w*|lrn|lrn_grad)")

#: Number of calls of each operator that was placed on the host. A call in a `tf.function` counts once, when it is traced.
_counts: collections.Counter[str] = collections.Counter()
_installed = False


def on_host() -> dict[str, int]:
    """Returns the number of calls of each operator that was placed on the host, by name; a traced function counts once."""
    return dict(_counts)


def _nvidias() -> pathlib.Path | None:
    """Returns the folder of NVIDIA's packages with libdevice."""
    for name in ("nvidia.cuda_nvcc", "nvidia.cu13"):
        try:
            found = importlib.util.find_spec(name)
        except ImportError:
            continue
        for place in found.submodule_search_locations or [] if found else []:
            if (pathlib.Path(place) / "nvvm").exists():
                return pathlib.Path(place)
    return None


def _placed_on_host(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    import tensorflow as tf

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        _counts[name] += 1
        with tf.device("/CPU:0"):
            return function(*args, **kwargs)

    return call


def install() -> None:
    """Prepares the process for TensorFlow; call it before TensorFlow is imported."""
    global _installed
    if _installed:
        return
    _installed = True
    set_flags(f"--xla_gpu_cuda_data_dir={toolkit(assembler('lanework.tensorflow'), _nvidias())}")
    # Shows only errors, because TensorFlow's notes on its own start are long.
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    from tensorflow.python.ops import gen_nn_ops

    for name in [name for name in vars(gen_nn_ops) if _CUDNN.fullmatch(name) and not name.endswith("_eager_fallback")]:
        setattr(gen_nn_ops, name, _placed_on_host(name, getattr(gen_nn_ops, name)))
    try:
        from keras.src.backend.tensorflow import rnn
    except ImportError:
        # Keras is missing, or it is a version with other modules.
        return
    rnn.cudnn_ok = lambda *args, **kwargs: False


def pytest_configure() -> None:
    """For `pytest -p lanework.tensorflow`."""
    install()


def main() -> None:
    """Runs a program with TensorFlow on the emulated GPUs."""
    if len(sys.argv) < 2:
        sys.exit("error: no program is given\n  = help: python -m lanework.tensorflow PROGRAM ARGUMENTS")
    del sys.argv[0]
    install()
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    # Imports this module by name, so a program that imports it sees the same counts.
    from lanework.tensorflow import main as _main

    _main()
