"""Starts the package's command `lanework`, which uses the package's libraries."""

import os
import sys
from pathlib import Path

from ._driver import folder

#: What the command uses of NVIDIA's packages in the same environment: its variable, and the files for CUDA 13 and 12.
_NVIDIAS = {
    "LANEWORK_NVRTC": ("cu13/lib/libnvrtc.so.13", "cuda_nvrtc/lib/libnvrtc.so.12"),
    "PTXAS": ("cu13/bin/ptxas", "cuda_nvcc/bin/ptxas"),
}


def variables(packages: Path) -> dict[str, str]:
    """Returns variables that name this Python, the libraries, and NVIDIA's tools in the folder of packages, so that they are found without an
    active environment."""
    found = {"LANEWORK_DRIVER": str(folder()), "LANEWORK_PYTHON": sys.executable}
    for variable, files in _NVIDIAS.items():
        there = [packages / "nvidia" / file for file in files if (packages / "nvidia" / file).exists()]
        if there:
            found[variable] = str(there[0])
    return found


def main() -> None:
    """Replaces this process by the command."""
    command = folder() / "lanework"
    if not command.exists():
        sys.exit(f"error: {command} is not there: this package was built without the command (scripts/python.sh builds it)")
    for variable, value in variables(Path(__file__).parents[1]).items():
        os.environ.setdefault(variable, value)
    os.execv(command, ["lanework", *sys.argv[1:]])


if __name__ == "__main__":
    main()
