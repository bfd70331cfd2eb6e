"""Results of launches."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Other:
    """The other access of a race."""

    file: str | None
    line: int
    instruction: str
    block: tuple[int, int, int]
    thread: tuple[int, int, int]


@dataclass(frozen=True)
class Finding:
    """An error of a kernel, which may have occurred several times."""

    kind: str
    """The kind, such as `out-of-bounds`, `race` or `uninitialized`."""
    level: str
    """`error`, or `warning` if the result may still be correct."""
    message: str
    file: str | None
    """The source file; `None` if the PTX names none, in which case `line` is a line of the PTX."""
    line: int
    column: int
    kernel: str
    block: tuple[int, int, int]
    thread: tuple[int, int, int]
    instruction: str
    address: int | None
    size: int
    allocation: Mapping[str, Any] | None
    """The nearest allocation: its `name`, its `bytes`, and the `offset` of the access in it."""
    other: Other | None
    help: str
    count: int
    text: str = field(repr=False)
    """The complete report, with the source line, as in a terminal."""

    def __str__(self) -> str:
        return self.text

    @classmethod
    def _of(cls, found: Mapping[str, Any]) -> Finding:
        values = dict(found)
        other = values["other"]
        values["block"], values["thread"] = tuple(values["block"]), tuple(values["thread"])
        if other is not None:
            block, thread = tuple(other["block"]), tuple(other["thread"])
            values["other"] = Other(**{**other, "block": block, "thread": thread})
        return cls(**values)


class FindingsError(AssertionError):
    """Kernels had errors, which `findings` lists."""

    def __init__(self, told: str, findings: tuple[Finding, ...], stopped: tuple[str, ...]) -> None:
        super().__init__(told)
        self.findings = findings
        self.stopped = stopped


class _Judged:
    """Findings, and faults that stopped kernels."""

    findings: tuple[Finding, ...]
    stopped: tuple[str, ...]

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings that are errors rather than warnings."""
        return tuple(found for found in self.findings if found.level == "error")

    @property
    def ok(self) -> bool:
        """Whether there were no errors and no kernel was stopped."""
        return not self.errors and not self.stopped

    def report(self) -> str:
        """The findings as text; empty if there are none."""
        parts = [found.text for found in self.findings]
        parts += [f"check incomplete: {stopped}" for stopped in self.stopped]
        return "\n\n".join(parts)

    def raise_for_findings(self) -> None:
        """Raises `FindingsError` if there is an error."""
        if not self.ok:
            raise FindingsError(self.report(), self.findings, self.stopped)


class Result(_Judged):
    """The result of a launch."""

    def __init__(self, told: Mapping[str, Any]) -> None:
        self.entry: str = told["entry"]
        """The name of the entry in the module."""
        self.checked: bool = told["checked"]
        """Whether every access was checked."""
        self.findings = tuple(Finding._of(found) for found in told["findings"])
        self.stopped = () if told["stopped"] is None else (told["stopped"],)
        self.profile: Mapping[str, Any] | None = told["counters"]
        """Counters, occupancy and lines with remarks, as in `lanework profile --json`; `None` if the kernel has an error that
        stops a launch without checks (`uncounted` describes it)."""
        self.uncounted: str | None = told["uncounted"]
        self.pictures: tuple[str, ...] = tuple(told["pictures"])
        """Drawings (SVG) of a warp's accesses at the most expensive lines."""
        self.notes: tuple[str, ...] = tuple(told["notes"])
        """Remarks, such as an array whose elements are wider than the kernel's accesses."""

    @property
    def counters(self) -> Mapping[str, Any]:
        """The counters of the launch, such as `counters["global_load"]["sectors"]`; empty if nothing was counted."""
        return {} if self.profile is None else self.profile["counters"]

    @property
    def lines(self) -> list[Mapping[str, Any]]:
        """The counters of each source line, with remarks."""
        return [] if self.profile is None else self.profile["lines"]

    def __str__(self) -> str:
        text = self.report()
        if text:
            return text
        said = "nothing to report" if self.checked else "ran"
        return "\n".join([f"{self.entry}: {said}", *(f"note: {note}" for note in self.notes)])

    def __repr__(self) -> str:
        return f"<lanework.Result {self.entry}: {len(self.findings)} findings>"

    def _repr_html_(self) -> str:
        parts = [f"<h4>{html.escape(self.entry)}</h4>"]
        parts += [f"<p>note: {html.escape(note)}</p>" for note in self.notes]
        if self.report():
            parts.append(f"<pre>{html.escape(self.report())}</pre>")
        elif self.checked:
            parts.append("<p>checked: nothing to report</p>")
        if self.uncounted is not None:
            parts.append(f"<pre>not counted: {html.escape(self.uncounted)}</pre>")
        rows = "".join(
            f"<tr><td>{html.escape(name)}</td><td style='text-align:right'>{value:,}</td></tr>"
            for name, value in _flat(self.counters)
            if value
        )
        if rows:
            parts.append(f"<table><tr><th>counter</th><th></th></tr>{rows}</table>")
        parts += self.pictures
        return "<div>" + "".join(parts) + "</div>"


def _flat(counters: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, int]]:
    for name, value in counters.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{name}.")
        elif isinstance(value, int):
            yield f"{before}{name}", value


class Checked(_Judged):
    """The results of the kernels in a `checked()` block; filled when the block ends."""

    def __init__(self) -> None:
        self.findings = ()
        self.stopped = ()
        self.kernels: tuple[str, ...] = ()
        """The launched kernels, without duplicates."""
        self.launches = 0
        self.notes: tuple[str, ...] = ()

    def _add(self, told: Mapping[str, Any]) -> None:
        self.findings += tuple(Finding._of(found) for found in told["findings"])
        self.stopped += tuple(told["stopped"])
        self.kernels = tuple(dict.fromkeys([*self.kernels, *told["kernels"]]))
        self.launches += told["launches"]
        self.notes += tuple(note for note in told["notes"] if note not in self.notes)

    def __repr__(self) -> str:
        return f"<lanework.Checked: {self.launches} launches, {len(self.findings)} findings>"

    __str__ = _Judged.report
