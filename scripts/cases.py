#!/usr/bin/env python3
"""Checks each CUDA C++ file of a folder, compiled by Lanework's compiler and by nvcc, and prints a table of the findings.

    scripts/cases.py FOLDER [NAME|NAME=WORDS]...
    scripts/cases.py FOLDER "deep=20 4096" "structs=--grid 1 --block 32"

Names select files. A file with `main` runs as a program, with WORDS as arguments: its source and what nvcc makes
of it, both under `lanework exec --check`. Of another file each kernel is checked apart, with 64 KiB of zeros for each
pointer and 1 for each number, in the shape that WORDS give, or else in 2 blocks of 128 threads. Without nvcc in PATH or in
NVCC, its column stays empty. The environment names the command (LANEWORK, or the newest build), the architecture (ARCH, sm_90),
and the limit for each run in seconds (LIMIT, 120), after which it is interrupted, as by Ctrl-C.

A cell lists what was found: the kinds of findings; `clean`; or the exit code and the reason, if the check is incomplete. What
was found in each kernel goes to standard error. The exit code is 1 if a run fails in another way than by findings, such as a
refused source.
"""

import collections
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
LIMIT = float(os.environ.get("LIMIT", 120))
# A word for each type of a number that a kernel takes; other types are passed as bytes of zeros.
NUMBERS = {
    "int": "i32:1", "unsigned": "u32:1", "unsigned int": "u32:1", "float": "f32:1", "double": "f64:1", "long": "i64:1",
    "long long": "i64:1", "size_t": "u64:1", "unsigned long": "u64:1", "unsigned long long": "u64:1",
}


def command():
    """The command to test: LANEWORK, or the newest build of this repository."""
    if given := os.environ.get("LANEWORK"):
        return given
    builds = [path for path in (HERE.parent / "target").glob("*/lanework") if path.is_file()]
    return str(max(builds, key=lambda path: path.stat().st_mtime)) if builds else "lanework"


def run(words):
    """The exit code, output and errors of a command, which is interrupted if it takes too long."""
    child = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                             start_new_session=True)
    for left, number in ((LIMIT, signal.SIGINT), (10, signal.SIGKILL)):
        try:
            output, errors = child.communicate(timeout=left)
            return child.returncode, output, errors
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, number)
    child.communicate()
    return 124, "", f"error: it did not end {LIMIT:.0f} seconds after its start, nor when it was interrupted"


def reason(errors):
    """The first error that a command prints."""
    lines = [line.strip() for line in errors.splitlines()]
    told = [line for line in lines if line.startswith("error") and not line.endswith(":")]
    return told[0].removeprefix("error: ") if told else ""


def verdict(ran):
    """What a check says, in words, and whether it worked."""
    code, output, errors = ran
    try:
        found = json.loads(output)
    except json.JSONDecodeError:
        return f"exit code {code}: {reason(errors)}", False
    kinds = sorted({report["kind"] for report in found.get("reports", [])})
    words = [f"`{kind}`" for kind in kinds]
    stopped = [text.splitlines()[0] for text in found.get("stopped", [])]
    if stopped and not words:
        words.append(f"stopped: {stopped[0]}")
    if code not in (0, 1) or (code == 1 and not words):
        why = found.get("error", {}).get("message", "").split("\n")[0] or reason(errors)
        words.append(f"exit code {code}: {why.split(';')[0]}")
    good = code in (0, 1) or "check incomplete" in errors or "host code: invalid" in errors
    return ", ".join(words) or "clean", good


def arguments(source, name, parameters):
    """A word for each parameter of a kernel, by its declaration in the source."""
    declared = re.search(rf"\b{re.escape(name)}\s*\(([^)]*)\)\s*\{{", source)
    texts = declared.group(1).split(",") if declared else []
    words = []
    for index, parameter in enumerate(parameters):
        text = texts[index].strip() if index < len(texts) else "*"
        kind = re.sub(r"\bconst\b|\s\w+$", "", text).strip()
        number = None if "*" in text else NUMBERS.get(kind)
        words += ["--arg", number or "zeros:u8:65536"]
        if "*" not in text and not number:
            sys.exit(f"{name}: no argument is known for parameter {index + 1}, `{text}` of {parameter['bytes']} bytes")
    return words


def kernels(lanework, path, compiler, shape):
    """The verdict on each kernel of a file."""
    code, output, errors = run([lanework, "inspect", "--json", "--compiler", compiler, str(path)])
    if code:
        return {"": (f"exit code {code}: {reason(errors)}", False)}
    source, found = path.read_text(), {}
    for entry in json.loads(output)["entries"]:
        name = entry["name"]
        words = [lanework, "check", "--json", "--compiler", compiler, str(path), "--entry", name]
        words += [*(shape or ["--grid", "2", "--block", "128"]), *arguments(source, name, entry["parameters"])]
        found[name] = verdict(run(words))
    return found


def program(lanework, path, nvcc, folder, given):
    """The verdict on a program."""
    if not nvcc:
        return verdict(run([lanework, "exec", "--check", "--json", "--", str(path), *given]))
    binary = folder / path.stem
    build = [nvcc, f"-arch={os.environ.get('ARCH', 'sm_90')}", "-lineinfo", "-g", "-std=c++17", "-rdc=true"]
    root = pathlib.Path(nvcc).resolve().parent.parent
    code, _, errors = run([*build, f"-L{root / 'lib'}", "-cudart", "static", str(path), "-o", str(binary), "-lcudadevrt"])
    if code:
        return f"nvcc refuses it: {reason(errors)}", False
    return verdict(run([lanework, "exec", "--check", "--json", "--", str(binary), *given]))


def summary(found):
    """The verdicts on the kernels of a file, counted."""
    counts = collections.Counter(words for words, _ in found.values())
    if len(found) == 1:
        return next(iter(counts))
    return "; ".join(f"{words} in {count}" for words, count in counts.most_common())


def main(given):
    if not given or given[0].startswith("-"):
        sys.exit(__doc__)
    lanework, failed = command(), False
    nvcc = os.environ.get("NVCC") or shutil.which("nvcc")
    if nvcc:
        os.environ["PATH"] = f"{pathlib.Path(nvcc).parent}:{os.environ['PATH']}"
    chosen = {name: shlex.split(rest) for name, _, rest in (text.partition("=") for text in given[1:])}
    paths = sorted(path for path in pathlib.Path(given[0]).glob("*.cu") if not chosen or path.stem in chosen)
    if missing := chosen.keys() - {path.stem for path in paths}:
        sys.exit(f"{given[0]} has no file {min(missing)}.cu")
    print("| input | nvcc | own |\n| --- | --- | --- |")
    for path in paths:
        runs = re.search(r"^\s*int\s+main\s*\(", path.read_text(), re.M)
        cells, words = [], chosen.get(path.stem, [])
        for compiler in ("nvcc", "own"):
            if compiler == "nvcc" and not nvcc:
                cells.append("")
                continue
            with tempfile.TemporaryDirectory() as folder:
                if runs:
                    tool = nvcc if compiler == "nvcc" else None
                    found = {"": program(lanework, path, tool, pathlib.Path(folder), words)}
                else:
                    found = kernels(lanework, path, compiler, words)
            failed |= not all(good for _, good in found.values())
            cells.append(summary(found).replace("|", "\\|"))
            if len(found) > 1:
                for name, (told, _) in found.items():
                    print(f"{path.stem} {name}, {compiler}: {told}", file=sys.stderr)
        print(f"| {path.stem} | {cells[0]} | {cells[1]} |", flush=True)
    sys.exit(int(failed))


main(sys.argv[1:])
