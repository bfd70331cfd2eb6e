"""`pytest --lanework-check`: checks every kernel of a test run, and reports errors at the test that launched the kernel."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options."""
    group = parser.getgroup("lanework", "kernels on an emulated GPU")
    group.addoption(
        "--lanework",
        action="store_true",
        help="run the kernels of all tests on Lanework's emulator, with no GPU",
    )
    group.addoption(
        "--lanework-check",
        action="store_true",
        help="the same, and judge every access: a test whose kernels do something wrong fails with the report",
    )
    group.addoption("--lanework-gpus", type=int, default=None, metavar="N", help="how many GPUs the emulator has")
    group.addoption("--lanework-gpu", default=None, metavar="NAME", help="the GPU that is emulated, one of `lanework gpus`")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Loads the driver before a conftest can load another."""
    options = early_config.known_args_namespace
    if options.lanework or options.lanework_check:
        from . import _driver

        try:
            _driver.install(check=options.lanework_check, gpus=options.lanework_gpus, gpu=options.lanework_gpu)
        except _driver.DriverError as error:
            raise pytest.UsageError(f"--lanework: {error}") from error


def pytest_configure(config: pytest.Config) -> None:
    """Watches tests if the option is set."""
    if config.getoption("--lanework-check"):
        config.pluginmanager.register(_Watch(), "lanework-watch")


class _Watch:
    """Reads the errors of each test's kernels after the test."""

    def __init__(self) -> None:
        self.launches = 0
        self.findings = 0
        self.notes: list[str] = []

    def _news(self) -> Any:
        from . import _driver
        from ._result import Checked

        judged = Checked()
        judged._add(_driver.news())
        self.launches += judged.launches
        self.findings += len(judged.findings)
        self.notes += [note for note in judged.notes if note not in self.notes]
        return judged

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Drops results of kernels that were launched outside of tests."""
        self._news()
        return (yield)

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[Any]) -> Iterator[Any]:
        """Fails a phase of a test whose kernels had errors."""
        report = yield
        judged = self._news()
        text = judged.report()
        if not text:
            return report
        if not judged.ok and report.outcome == "passed":
            report.outcome, report.longrepr = "failed", text
        else:
            report.sections.append(("lanework", text))
        return report

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Prints the numbers of checked launches and findings."""
        terminalreporter.section("lanework")
        terminalreporter.line(f"{self.launches} launches were checked: {self.findings} findings")
        for note in self.notes:
            terminalreporter.line(f"note: {note}")
