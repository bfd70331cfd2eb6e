"""Launches kernels on arrays."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import _driver, _lanework
from ._result import Result

Extents = int | Sequence[int]


def _extents(extents: Extents, what: str) -> tuple[int, int, int]:
    given = [extents] if isinstance(extents, int) else [int(extent) for extent in extents]
    if not 1 <= len(given) <= 3 or any(not 0 < extent < 2**32 for extent in given):
        raise ValueError(f"{what} is one to three positive numbers, not {extents!r}")
    x, y, z = [*given, 1, 1][:3]
    return x, y, z


def _ptx(source: str | os.PathLike[str]) -> str:
    """Returns the PTX of a text or a file; compiles CUDA C++."""
    text, name = os.fspath(source), "kernel.cu"
    is_file = not isinstance(source, str) or ("\n" not in text and text.endswith((".ptx", ".cu")))
    if is_file:
        name = text
        text = Path(text).read_text(encoding="utf-8")
    is_ptx = name.endswith(".ptx") or any(line.lstrip().startswith(".version") for line in text.splitlines())
    return text if is_ptx else compile(text, name)


def compile(source: str, name: str = "kernel.cu") -> str:
    """Compiles CUDA C++ to PTX with NVRTC, which needs no GPU (`pip install nvidia-cuda-nvrtc`)."""
    _driver.find_nvrtc()
    return _lanework.compile(source, name)


def entries(source: str | os.PathLike[str]) -> dict[str, list[tuple[str, str]]]:
    """Returns the kernels of a PTX or CUDA C++ text or file, with the names and types of their parameters."""
    return dict(_lanework.entries(_ptx(source)))


def run(
    source: str | os.PathLike[str],
    entry: str | None,
    grid: Extents,
    block: Extents,
    *args: Any,
    shared: int = 0,
    cluster: Extents | None = None,
    cooperative: bool = False,
    check: bool = False,
    draw: bool = True,
) -> Result:
    """Launches a kernel on the emulator and counts its work.

    `source` is PTX or CUDA C++, as a text or the path of a file. `entry` is the kernel's name, mangled or as in C++, or `None`
    if there is only one. The kernel changes arrays in place: NumPy arrays, and host objects with the buffer protocol,
    `__array_interface__` or DLPack. Numbers are converted to the parameter's type. `check` checks every access.

    Raises `LaunchError` if the launch is invalid or the kernel is stopped; the arrays then stay unchanged.
    """
    check = check or _driver.checks()
    told = _lanework.launch(
        _ptx(source),
        entry,
        _extents(grid, "grid"),
        _extents(block, "block"),
        list(args),
        shared,
        None if cluster is None else _extents(cluster, "cluster"),
        cooperative,
        check,
        draw,
    )
    result = json.loads(told)
    _driver.launched(result)
    return Result(result)


def check(
    source: str | os.PathLike[str], entry: str | None, grid: Extents, block: Extents, *args: Any, **options: Any
) -> Result:
    """Like `run`, but checks every access: bounds, races, uninitialized memory, barriers. An invalid load returns 0, an invalid
    store is discarded, and the launch continues. `result.findings` has the errors, and `result.raise_for_findings()` raises them."""
    return run(source, entry, grid, block, *args, **{**options, "check": True})
