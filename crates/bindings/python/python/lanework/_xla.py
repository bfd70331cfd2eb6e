"""What the modules for JAX and TensorFlow share: both compile by XLA, which must keep its PTX."""

from __future__ import annotations

import atexit
import os
import pathlib
import shutil
import sys
import tempfile

#: XLA's flag for the level of autotuning by time.
_AUTOTUNE = "--xla_gpu_autotune_level"


def assembler(module: str) -> str:
    """Returns the path of Lanework's assembler; ends the process if the command did not start it."""
    found = os.environ.get("TRITON_PTXAS_PATH")
    if not found:
        sys.exit(f"error: Lanework's driver is not there\n  = help: lanework exec --plain -- python -m {module} PROGRAM ARGUMENTS")
    return found


def toolkit(assembler: str, nvidias: pathlib.Path | None) -> str:
    """Creates a toolkit folder with Lanework's assembler, and with libdevice and `nvlink` of NVIDIA's toolkit; removes it when the process ends."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="lanework-xla-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    (folder / "bin").mkdir()
    (folder / "bin" / "ptxas").symlink_to(assembler)
    for part in ("nvvm", "bin/nvlink"):
        if nvidias and (nvidias / part).exists():
            (folder / part).symlink_to(nvidias / part)
    return str(folder)


def set_flags(*flags: str) -> None:
    """Adds flags of XLA that are not set yet, and disables autotuning, because the emulator does not model time."""
    words = os.environ.get("XLA_FLAGS", "").split()
    known = {word.split("=")[0] for word in words}
    words += [flag for flag in (f"{_AUTOTUNE}=0", *flags) if flag.split("=")[0] not in known]
    os.environ["XLA_FLAGS"] = " ".join(words)
