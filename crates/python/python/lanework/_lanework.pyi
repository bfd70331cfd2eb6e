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
