"""Run, check and profile CUDA kernels without a GPU.

`run` launches a kernel on arrays and counts its work; `check` also checks every access. `checked` is a context that checks the
kernels of numba, CuPy and other users of CUDA's driver in this process. All of them run on Lanework's emulator. The module
`lanework.ops` has tuned operations on NumPy arrays, which run on a GPU if there is one.
"""

from ._driver import DriverError, checked, folder, install
from ._lanework import VERSION as __version__
from ._lanework import LaunchError, SourceError
from ._launch import check, compile, entries, run
from ._result import Checked, Finding, FindingsError, Other, Result

__all__ = [
    "Checked",
    "DriverError",
    "Finding",
    "FindingsError",
    "LaunchError",
    "Other",
    "Result",
    "SourceError",
    "__version__",
    "check",
    "checked",
    "compile",
    "entries",
    "folder",
    "install",
    "run",
]
