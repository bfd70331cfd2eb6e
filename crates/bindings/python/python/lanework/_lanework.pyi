from os import PathLike
from typing import Any

VERSION: str

class LaunchError(RuntimeError): ...
class SourceError(ValueError): ...

class Records:
    def __new__(cls, folder: str | PathLike[str]) -> Records: ...
    def news(self) -> str: ...

def compile(source: str, name: str) -> str: ...
def entries(ptx: str) -> list[tuple[str, list[tuple[str, str]]]]: ...
def launch(
    ptx: str,
    entry: str | None,
    grid: tuple[int, int, int],
    block: tuple[int, int, int],
    arguments: list[Any],
    shared: int,
    cluster: tuple[int, int, int] | None,
    cooperative: bool,
    check: bool,
    draw: bool,
) -> str: ...

# An array: the object, the element type, the extents, and the strides in elements.
Described = tuple[Any, str, list[int], list[int]]

def reduced_type(name: str, element: str) -> str: ...
def sum_type(element: str) -> str: ...
def reduce(
    device: str, name: str, x: Described, y: Described | None, axis: int | None, compensated: bool, out: Described
) -> None: ...
def scan(device: str, kind: str, x: Described, exclusive: bool, last_axis: bool, out: Described) -> None: ...
def permute(device: str, x: Described, axes: list[int], out: Described) -> None: ...
def gemm(
    device: str,
    a: Described,
    b: Described,
    factors: tuple[float, float],
    how: tuple[str, str],
    bias: Described | None,
    scales: tuple[Described, Described] | None,
    c: Described,
) -> None: ...
def rows(
    device: str, name: str, x: Described, gamma: Described | None, beta: Described | None, eps: float, out: Described
) -> None: ...
def attention(
    device: str,
    inputs: tuple[Described, Described, Described],
    causal: bool,
    scale: float | None,
    out: Described,
) -> None: ...
