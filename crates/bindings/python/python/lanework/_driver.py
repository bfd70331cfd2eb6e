"""Loads Lanework's driver into this process before any other driver, so that numba, CuPy and other users of CUDA find it."""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import importlib.util
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ._lanework import Records
from ._result import Checked

#: File names of the libraries in the package, with the names under which programs load them.
LIBRARIES = {
    "liblanework_libcuda.so": ["libcuda.so.1", "libcuda.so", "libnvidia-ml.so.1"],
    "liblanework_nvjitlink.so": ["libnvJitLink.so.13", "libnvJitLink.so.12"],
    "liblanework_cublas.so": ["libcublas.so.13", "libcublasLt.so.13", "libcublas.so.12", "libcublasLt.so.12"],
    "liblanework_curand.so": ["libcurand.so.10"],
    "liblanework_cufft.so": ["libcufft.so.12", "libcufft.so.11"],
    "liblanework_cusolver.so": ["libcusolver.so.12", "libcusolver.so.11"],
    "liblanework_nccl.so": ["libnccl.so.2"],
}

_blocks: list[Checked] = []
_records: Records | None = None
_launched_untold = False
_loaded: list[ctypes.CDLL] = []


class DriverError(RuntimeError):
    """This process cannot use Lanework's driver; the message says why, and what to do."""


def folder() -> Path:
    """Returns the folder of the package's libraries and command, or the folder in `LANEWORK_DRIVER`."""
    named = os.environ.get("LANEWORK_DRIVER")
    return Path(named) if named else Path(__file__).parent / "native"


def checks() -> bool:
    """Whether to check launches now."""
    return bool(_blocks) or os.environ.get("LANEWORK_TOOL") == "check"


def launched(told: Mapping[str, Any]) -> None:
    """Adds a launch by this package to the enclosing blocks, unless the driver records it."""
    global _launched_untold
    if not os.environ.get("LANEWORK_TOOL"):
        # The library looks for a tool only once.
        _launched_untold = True
    if _launched_untold:
        stopped = [] if told["stopped"] is None else [told["stopped"]]
        news = {"findings": told["findings"], "stopped": stopped, "kernels": [told["entry"]], "launches": 1, "notes": []}
        for block in _blocks:
            block._add(news)


def _driver_in_use() -> Path | None:
    """Returns the file of the driver that this process has loaded."""
    try:
        maps = Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    for line in maps.splitlines():
        path = line.split(maxsplit=5)[5:]
        name = Path(path[0]).name if path else ""
        if name.startswith(("libcuda.so", "liblanework_libcuda.so")):
            return Path(path[0])
    return None


def _is_ours(path: Path) -> bool:
    return path.name.startswith("liblanework_libcuda") or path.resolve().name.startswith("liblanework_libcuda")


def install(*, check: bool = False, gpus: int | None = None, gpu: str | None = None) -> None:
    """Makes this process, and the programs that it starts, use Lanework's driver; does nothing if they already do.

    Call it at the top of a program, before numba, CuPy or another library loads CUDA's driver. `check` checks every kernel.
    `gpus` is the number of emulated GPUs, and `gpu` their model, one of `lanework gpus`. Under `lanework exec` the driver is
    already loaded.
    """
    if not sys.platform.startswith("linux"):
        raise DriverError("CUDA's driver is replaced on Linux only; `lanework.run` and `lanework.check` work everywhere")
    found = _driver_in_use()
    if found is not None and not _is_ours(found):
        raise DriverError(
            f"this process has loaded {found}, a driver for GPUs: call lanework.install() before numba, CuPy or PyTorch are "
            "imported, or start the program by `lanework exec --check -- python ...`"
        )
    if check and os.environ.get("LANEWORK_TOOL") != "check":
        if found is not None or os.environ.get("LANEWORK_TOOL"):
            raise DriverError(
                "Lanework's driver is loaded without checks: enter lanework.checked() or call lanework.install(check=True) before "
                "the first kernel, or start the program by `lanework exec --check -- python ...`"
            )
        records = tempfile.mkdtemp(prefix="lanework")
        owner = os.getpid()
        atexit.register(lambda: os.getpid() == owner and shutil.rmtree(records, ignore_errors=True))
        os.environ["LANEWORK_TOOL"], os.environ["LANEWORK_TOOL_FOLDER"] = "check", records
    if found is not None:
        return
    if gpus is not None:
        os.environ["LANEWORK_GPUS"] = str(gpus)
    if gpu is not None:
        os.environ["LANEWORK_GPU"] = gpu
    driver = folder() / "liblanework_libcuda.so"
    if not driver.exists():
        raise DriverError(f"{driver} is not there: this package was built without the driver (scripts/python.sh builds it)")
    # Makes CuPy compile to PTX instead of machine code.
    os.environ.setdefault("CUPY_COMPILE_WITH_PTX", "1")
    for library in LIBRARIES:
        if (folder() / library).exists():
            # From now on, programs find the library by its soname, whatever path they use.
            _loaded.append(ctypes.CDLL(str(folder() / library), mode=ctypes.RTLD_GLOBAL))
    links = tempfile.mkdtemp(prefix="lanework")
    owner = os.getpid()
    atexit.register(lambda: os.getpid() == owner and shutil.rmtree(links, ignore_errors=True))
    for library, names in LIBRARIES.items():
        for name in names:
            os.symlink(folder() / library, Path(links) / name)
    before = os.environ.get("LD_LIBRARY_PATH")
    os.environ["LD_LIBRARY_PATH"] = f"{links}:{before}" if before else links
    # Compilers that run within this process put PTX into their machine code if they are asked for line information.
    os.environ.setdefault("CUTE_DSL_LINEINFO", "1")
    os.environ["NVCC_APPEND_FLAGS"] = " ".join(filter(None, [os.environ.get("NVCC_APPEND_FLAGS"), "-lineinfo"]))


def news() -> dict[str, Any]:
    """Returns the records since the last call."""
    global _records
    where = os.environ.get("LANEWORK_TOOL_FOLDER")
    if where is None:
        raise DriverError("nothing is recorded: LANEWORK_TOOL_FOLDER is not set")
    if _records is None:
        _records = Records(where)
    return json.loads(_records.news())


@contextlib.contextmanager
def checked() -> Iterator[Checked]:
    """A context that checks every kernel of this process, whether numba, CuPy or `lanework.run` launches it.

    Yields a `Checked`, which has the findings when the block ends. Enter it, or call `install(check=True)`, before another library
    loads CUDA's driver; otherwise it raises `DriverError`.
    """
    install(check=True)
    block = Checked()
    # Earlier records belong to the enclosing blocks, if any.
    before = news()
    for outer in _blocks:
        outer._add(before)
    _blocks.append(block)
    try:
        yield block
    finally:
        told = news()
        for open_block in _blocks:
            open_block._add(told)
        _blocks.remove(block)


def find_nvrtc() -> None:
    """Finds NVRTC where pip installs it."""
    if os.environ.get("LANEWORK_NVRTC"):
        return
    spec = importlib.util.find_spec("nvidia")
    for root in spec.submodule_search_locations or [] if spec else []:
        for part in ("cu13/lib", "cuda_nvrtc/lib"):
            for library in sorted(Path(root, part).glob("libnvrtc.so.*"), reverse=True):
                os.environ["LANEWORK_NVRTC"] = str(library)
                return
