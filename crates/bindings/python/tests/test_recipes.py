"""The recipes of `docs/src/en/ci.md` and `examples/ci`: ctest, pytest's report in JUnit's format, and VS Code's problem matcher."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as xml

import pytest
from test_driver import PROGRAM

from lanework.batch import command

EXAMPLES = pathlib.Path(__file__).parents[4] / "examples" / "ci"


def racy(folder):
    """Copies the example without its barrier to a folder."""
    source = (EXAMPLES / "sums.cu").read_text()
    barrier = "    __syncthreads();\n"
    assert source.count(barrier) == 1
    (folder / "sums.cu").write_text(source.replace(barrier, ""))
    return folder / "sums.cu"


def run(*arguments, **options):
    return subprocess.run([str(argument) for argument in arguments], capture_output=True, text=True, timeout=600, **options)


def cases(file):
    """Returns the names of the test cases of a file in JUnit's format, and whether each failed."""
    return {case.get("name"): case.find("failure") is not None for case in xml.parse(file).iter("testcase")}


def test_the_problem_matcher_of_the_task_finds_line_column_and_message(tmp_path):
    (task,) = json.loads((EXAMPLES / ".vscode" / "tasks.json").read_text())["tasks"]
    source = racy(tmp_path)
    arguments = [argument.replace("${file}", str(source)) for argument in task["args"]]
    # The task runs in a terminal, and a matcher sees lines as they are printed there: messages must not be wrapped.
    ran = run(command(), *arguments, env={**os.environ, **task["options"]["env"]})
    assert ran.returncode == 1, ran.stdout + ran.stderr
    first, second = task["problemMatcher"]["pattern"]
    lines = ran.stdout.splitlines()
    found = []
    for line, following in zip(lines, lines[1:]):
        head, place = re.search(first["regexp"], line), re.search(second["regexp"], following)
        if head and place:
            found.append((head[first["severity"]], head[first["code"]], place[second["file"]], int(place[second["line"]]), int(place[second["column"]])))
    written = next(number for number, line in enumerate(source.read_text().splitlines(), 1) if "tile[threadIdx.x] =" in line)
    assert found == [("error", "race", str(source), written, 10)], ran.stdout


def test_ctest_fails_a_test_with_findings_and_reports_it(tmp_path):
    if shutil.which("ctest") is None:
        pytest.skip("CMake is not installed")
    for name, change in (("right", None), ("racy", racy)):
        project = tmp_path / name
        project.mkdir()
        for file in ("CMakeLists.txt", "sums.cu"):
            shutil.copy(EXAMPLES / file, project)
        if change:
            change(project)
        configured = run("cmake", "-S", project, "-B", project / "build", f"-DLANEWORK={command()}")
        assert configured.returncode == 0, configured.stdout + configured.stderr
        ran = run("ctest", "--test-dir", project / "build", "--output-on-failure", "--output-junit", project / "results.xml")
        assert (ran.returncode != 0) == bool(change), ran.stdout + ran.stderr
        assert ("error[race]" in ran.stdout) == bool(change), ran.stdout
        assert cases(project / "results.xml") == {"sums": bool(change)}


def test_a_launcher_of_tests_runs_compiled_programs_on_the_emulator(tmp_path):
    """The recipe for programs that nvcc compiles, with a C program in place of theirs."""
    if shutil.which("ctest") is None or shutil.which("cc") is None:
        pytest.skip("CMake or a C compiler is not installed")
    if tuple(map(int, re.findall(r"\d+", run("cmake", "--version").stdout)[:2])) < (3, 29):
        pytest.skip("CMake is older than 3.29")
    (tmp_path / "main.c").write_text(
        "#include <dlfcn.h>\nint main(void) { void *cuda = dlopen(\"libcuda.so.1\", RTLD_NOW); int (*init)(unsigned) = cuda ? dlsym(cuda, \"cuInit\") : 0;"
        " int n = 0; int (*count)(int *) = cuda ? dlsym(cuda, \"cuDeviceGetCount\") : 0; return !(init && init(0) == 0 && count(&n) == 0 && n == 3); }\n"
    )
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.29)\nproject(launched LANGUAGES C)\nenable_testing()\n"
        f"set(CMAKE_TEST_LAUNCHER {command()} exec --plain --gpus 3 --)\n"
        "add_executable(launched main.c)\ntarget_link_libraries(launched ${CMAKE_DL_LIBS})\nadd_test(NAME launched COMMAND launched)\n"
    )
    built = run("sh", "-c", f"cmake -S {tmp_path} -B {tmp_path}/build && cmake --build {tmp_path}/build")
    assert built.returncode == 0, built.stdout + built.stderr
    ran = run("ctest", "--test-dir", tmp_path / "build", "--output-on-failure")
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_pytest_reports_findings_in_junits_format(tmp_path):
    (tmp_path / "test_fill.py").write_text(PROGRAM + "\ndef test_right():\n    fill(32)\n\ndef test_beyond():\n    fill(40)\n")
    clean = {key: value for key, value in os.environ.items() if not key.startswith("LANEWORK_TOOL")}
    ran = run(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--lanework-check", "--junitxml", "results.xml", cwd=tmp_path, env=clean)
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert cases(tmp_path / "results.xml") == {"test_right": False, "test_beyond": True}
    assert "out-of-bounds" in (tmp_path / "results.xml").read_text()
