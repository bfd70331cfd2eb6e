"""Launches of kernels on arrays."""

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
    """PTX of a text or a file, which is compiled where it is CUDA C++."""
    text, name = os.fspath(source), "kernel.cu"
    is_file = not isinstance(source, str) or ("\n" not in text and text.endswith((".ptx", ".cu")))
    if is_file:
        name = text
        text = Path(text).read_text(encoding="utf-8")
    is_ptx = name.endswith(".ptx") or any(line.lstrip().startswith(".version") for line in text.splitlines())
    return text if is_ptx else compile(text, name)


def compile(source: str, name: str = "kernel.cu") -> str:
    """Compiles CUDA C++ to PTX by NVRTC, which needs no GPU (`pip install nvidia-cuda-nvrtc`)."""
    _driver.find_nvrtc()
    return _lanework.compile(source, name)


def entries(source: str | os.PathLike[str]) -> dict[str, list[tuple[str, str]]]:
    """The kernels of a PTX or CUDA C++ text or file, with the names and types of their parameters."""
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
    """Launches a kernel on the emulator and counts what it did.

    `source` is PTX or CUDA C++, as a text or the path of a file; `entry` is the kernel's name, mangled or as in C++, or `None`
    for the only one. Arrays are changed in place: NumPy's, and whatever has the buffer protocol, `__array_interface__` or DLPack
    on the host. Numbers become values of the parameter's type. With `check`, every access is judged.

    Raises `LaunchError` where the launch cannot be made or the kernel is stopped, and the arrays stay as they were.
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
    """As `run`, and every access is judged: bounds, races, uninitialized memory, barriers. A bad load gives 0, a bad store does
    nothing, and the launch goes on; `result.findings` says what was wrong, and `result.raise_for_findings()` raises it."""
    return run(source, entry, grid, block, *args, **{**options, "check": True})
