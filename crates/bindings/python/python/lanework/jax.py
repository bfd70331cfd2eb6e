"""JAX on Lanework's driver: what keeps its plugin for CUDA from a machine without a GPU, told otherwise before JAX is imported.

The plugin takes the CPU where there is no `/dev/nvidia0`, compares the version of CUPTI, which works beside NVIDIA's driver alone, and calls
the `ptxas` of NVIDIA's packages, whose machine code the emulator does not run. `install` says that there is a GPU, leaves the versions
uncompared, names Lanework's assembler, which leaves PTX as it is, and turns off the choice of kernels by their times, which an emulator
does not have. Kernels that XLA writes then run on the emulator; those of NVIDIA's libraries
without a stand-in (cuDNN) are machine code and fail.

A program runs so unmodified by `lanework exec -- python -m lanework.jax PROGRAM ARGUMENTS`, tests by `pytest -p lanework.jax`.
"""

from __future__ import annotations

import atexit
import importlib.util
import os
import pathlib
import runpy
import shutil
import sys
import tempfile

#: The flag of XLA that says how much is chosen by times.
_AUTOTUNE = "--xla_gpu_autotune_level"


def _nvidias() -> pathlib.Path | None:
    """NVIDIA's toolkit, of which XLA takes `nvlink` and the functions of libdevice: the one that the environment names, or NVIDIA's packages."""
    if os.environ.get("CUDA_ROOT"):
        return pathlib.Path(os.environ["CUDA_ROOT"])
    try:
        found = importlib.util.find_spec("nvidia.cu13")
    except ImportError:
        return None
    places = list(found.submodule_search_locations or []) if found else []
    return pathlib.Path(places[0]) if places else None


def _toolkit(assembler: str) -> str:
    """A folder like a toolkit's, with Lanework's assembler, which goes when the process ends."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="lanework-jax-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    (folder / "bin").mkdir()
    (folder / "bin" / "ptxas").symlink_to(assembler)
    nvidias = _nvidias()
    for part in ("nvvm", "bin/nvlink"):
        if nvidias and (nvidias / part).exists():
            (folder / part).symlink_to(nvidias / part)
    return str(folder)


def install() -> None:
    """Prepares the process for JAX; call it before JAX is imported."""
    assembler = os.environ.get("TRITON_PTXAS_PATH")
    if not assembler:
        sys.exit("error: Lanework's driver is not there\n  = help: lanework exec --plain -- python -m lanework.jax PROGRAM ARGUMENTS")
    os.environ["CUDA_ROOT"] = _toolkit(assembler)
    os.environ.setdefault("JAX_SKIP_CUDA_CONSTRAINTS_CHECK", "1")
    flags = os.environ.get("XLA_FLAGS", "")
    if _AUTOTUNE not in flags:
        os.environ["XLA_FLAGS"] = f"{flags} {_AUTOTUNE}=0".strip()
    from jax._src import hardware_utils

    hardware_utils.has_visible_nvidia_gpu = lambda: True


def pytest_configure() -> None:
    """For `pytest -p lanework.jax`."""
    install()


def main() -> None:
    """Runs a program whose JAX finds the emulated GPUs."""
    if len(sys.argv) < 2:
        sys.exit("error: there is no program\n  = help: python -m lanework.jax PROGRAM ARGUMENTS")
    del sys.argv[0]
    install()
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
