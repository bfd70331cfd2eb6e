"""Runs JAX on Lanework's driver.

Without a GPU, JAX's CUDA plugin falls back to the CPU (if there is no `/dev/nvidia0`), checks the version of CUPTI (which only works
with NVIDIA's driver), and calls the `ptxas` of NVIDIA's packages (whose machine code the emulator does not run). Before JAX is
imported, `install` therefore reports a GPU, disables the version check, and replaces `ptxas` with Lanework's assembler, which keeps
PTX unchanged. It also disables autotuning by time, because the emulator does not model time. Kernels that XLA generates then run on
the emulator. Kernels of NVIDIA libraries without a stand-in (cuDNN) are machine code and fail.

`lanework exec -- python -m lanework.jax PROGRAM ARGUMENTS` runs an unmodified program, and `pytest -p lanework.jax` runs tests.
"""

from __future__ import annotations

import importlib.util
import os
import pathlib
import runpy
import sys

from ._xla import assembler, set_flags, toolkit


def _nvidias() -> pathlib.Path | None:
    """Returns the CUDA toolkit from the environment or NVIDIA's packages; XLA uses its `nvlink` and libdevice."""
    if os.environ.get("CUDA_ROOT"):
        return pathlib.Path(os.environ["CUDA_ROOT"])
    try:
        found = importlib.util.find_spec("nvidia.cu13")
    except ImportError:
        return None
    places = list(found.submodule_search_locations or []) if found else []
    return pathlib.Path(places[0]) if places else None


def install() -> None:
    """Prepares the process for JAX; call it before JAX is imported."""
    os.environ["CUDA_ROOT"] = toolkit(assembler("lanework.jax"), _nvidias())
    os.environ.setdefault("JAX_SKIP_CUDA_CONSTRAINTS_CHECK", "1")
    set_flags()
    from jax._src import hardware_utils

    hardware_utils.has_visible_nvidia_gpu = lambda: True


def pytest_configure() -> None:
    """For `pytest -p lanework.jax`."""
    install()


def main() -> None:
    """Runs a program with JAX on the emulated GPUs."""
    if len(sys.argv) < 2:
        sys.exit("error: no program is given\n  = help: python -m lanework.jax PROGRAM ARGUMENTS")
    del sys.argv[0]
    install()
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
