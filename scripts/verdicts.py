#!/usr/bin/env python3
"""Verdicts of NVIDIA's compute-sanitizer on the planted bugs of the sanitizer's suite, on a machine with a GPU.

    verdicts.py list [UNIT..]        the kernels of the suite, and what is planted in each
    verdicts.py run KERNEL           launches one kernel, through the driver alone
    verdicts.py all OUT [UNIT..]     every kernel under every tool, each in a process of its own; OUT/verdicts.json
    verdicts.py table VERDICTS.JSON  the same as lines of a table, and how many of each kind each tool reports

A unit is a file of crates/runtime/lanework/tests/sanitizer/cuda without its ending; without a unit, all run. The suite is
read from the folder SUITE, or from the repository. JOBS (16) processes run at once, each for LIMIT (20) seconds at
most. Needs Python 3.10 and libcuda; `all` needs compute-sanitizer in PATH.
"""

import concurrent.futures
import ctypes
import json
import os
import pathlib
import re
import struct
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SUITE = pathlib.Path(os.environ.get("SUITE", HERE.parent / "crates/runtime/lanework/tests/sanitizer"))
TOOLS = {
    "memcheck": [],
    "racecheck": ["--racecheck-report", "all"],
    "initcheck": [],
    "synccheck": [],
}
SIZES = {"u8": 1, "f16": 2, "u32": 4, "i32": 4, "f32": 4, "u64": 8, "f64": 8}


def launch(text, suffix, unit):
    """A kernel from the words after `// launch` or `// pair`."""
    name, words = text.split(":", 1)
    kernel = {"name": name.strip() + suffix, "unit": unit, "grid": [1, 1], "block": [1, 1], "shared": 0}
    kernel.update(arguments=[], planted=[], maybe=[])
    for word in words.split():
        key, _, value = word.partition("=")
        if key in ("grid", "block"):
            kernel[key] = ([int(n) for n in value.split("x")] + [1])[:2]
        elif key == "shared":
            kernel["shared"] = int(value)
        else:
            kernel["arguments"].append(word)
    return kernel


def suite(units):
    """The kernels of some units, in their order; those of a pair are the wrong and the right one."""
    kernels = []
    for path in sorted((SUITE / "cuda").glob("*.cu")):
        if units and path.stem not in units:
            continue
        marked = []
        for number, line in enumerate(path.read_text().splitlines(), 1):
            for word, suffix in (("// launch ", ""), ("// pair ", "_bug")):
                if line.startswith(word):
                    marked = launch(line[len(word):], suffix, path.stem)
                    kernels.append(marked)
                    if suffix:
                        kernels.append(launch(line[len(word):], "_right", path.stem))
            for word, key in (("// BUG ", "planted"), ("// MAYBE ", "maybe")):
                if word in line and marked:
                    kinds = line.split(word, 1)[1].split()
                    marked[key] += [{"kind": kind, "line": number} for kind in kinds]
    return kernels


class Driver:
    """The driver API, by ctypes; any error ends the process."""

    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self("cuDeviceGet", ctypes.byref(device), 0)
        self("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self("cuCtxSetCurrent", context)

    def __call__(self, name, *arguments):
        code = getattr(self.cuda, name)(*arguments)
        if code:
            text = ctypes.c_char_p()
            self.cuda.cuGetErrorName(code, ctypes.byref(text))
            sys.exit(f"{name}: {(text.value or b'unknown').decode()} ({code})")

    def memory(self, content, bytes):
        """Device memory, written by the host unless the content is none."""
        at = ctypes.c_uint64()
        self("cuMemAlloc_v2", ctypes.byref(at), ctypes.c_size_t(bytes))
        if content is not None:
            self("cuMemcpyHtoD_v2", at, content, ctypes.c_size_t(bytes))
        return at.value


def value(driver, word):
    """An argument, as bytes."""
    parts = word.split(":")
    if len(parts) == 2:
        ty, number = parts
        code = {"u32": "I", "i32": "i", "f32": "f", "u64": "Q", "f64": "d"}[ty]
        return struct.pack(code, float(number) if ty[0] == "f" else int(number))
    what, ty, count = parts[0], parts[1], int(parts[2])
    bytes = count * SIZES[ty]
    content = b"\0" * bytes
    if what == "iota":
        content = struct.pack(f"{count}{'f' if ty == 'f32' else 'I'}", *range(count))
    at = driver.memory(None if what == "uninit" else content, bytes)
    if what == "freed":
        driver("cuMemFree_v2", ctypes.c_uint64(at))
    return struct.pack("Q", at)


def run(kernel):
    driver = Driver()
    # The line of each instruction, for reports: CU_JIT_GENERATE_LINE_INFO.
    options, values = (ctypes.c_int * 1)(13), (ctypes.c_void_p * 1)(1)
    text = (SUITE / "ptx" / f"{kernel['unit']}.ptx").read_bytes() + b"\0"
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    driver("cuModuleLoadDataEx", ctypes.byref(module), text, 1, options, values)
    driver("cuModuleGetFunction", ctypes.byref(function), module, kernel["name"].encode())
    if kernel["shared"] > 48 << 10:
        driver("cuFuncSetAttribute", function, 8, kernel["shared"])
    arguments = [ctypes.create_string_buffer(value(driver, word), 8) for word in kernel["arguments"]]
    pointers = (ctypes.c_void_p * max(len(arguments), 1))(*[ctypes.addressof(a) for a in arguments])
    (gx, gy), (bx, by) = kernel["grid"], kernel["block"]
    driver("cuLaunchKernel", function, gx, gy, 1, bx, by, 1, kernel["shared"], None, pointers, None)
    driver("cuCtxSynchronize")


REPORT = re.compile(r"^=+ +((?:Error|Warning): .*|(?:Invalid|Uninitialized|Misaligned|Barrier error|Divergent|Race) .*)")


def verdict(log, code):
    """A tool's verdict on a kernel: a word, and its first report."""
    lines = [match.group(1) for match in map(REPORT.match, log.splitlines()) if match]
    summary = next((line for line in reversed(log.splitlines()) if "SUMMARY" in line), "")
    counted = sum(int(n) for n in re.findall(r"(\d+) (?:error|hazard)", summary))
    own = [line for line in lines if "Program hit" not in line]
    if code in (-9, 124, 137):
        word = "hangs"
    elif own and own[0].startswith("Warning"):
        word = "warning"
    elif own:
        word = "error"
    elif "CUDA_ERROR" in log:
        word = "launch fails"
    else:
        word = "error" if counted else "nothing"
    return word, (own or lines or [""])[0]


def judge(kernel, tool, logs, limit):
    command = ["compute-sanitizer", "--tool", tool, *TOOLS[tool]]
    command += [sys.executable, str(pathlib.Path(__file__).resolve()), "run", kernel["name"]]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=limit)
        code, log = done.returncode, done.stdout.decode(errors="replace")
    except subprocess.TimeoutExpired as late:
        code, log = 124, (late.stdout or b"").decode(errors="replace")
    (logs / f"{kernel['name']}.{tool}").write_text(log)
    return tool, verdict(log, code)


def words(command):
    """The lines that a command prints."""
    try:
        return subprocess.run(command, capture_output=True, text=True).stdout.strip().splitlines()
    except OSError as error:
        return [str(error)]


def all_verdicts(out, units):
    out.mkdir(parents=True, exist_ok=True)
    logs = out / "logs"
    logs.mkdir(exist_ok=True)
    kernels, limit = suite(units), float(os.environ.get("LIMIT", 20))
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", 16))) as pool:
        asked = [(kernel, [pool.submit(judge, kernel, tool, logs, limit) for tool in TOOLS]) for kernel in kernels]
        for kernel, answers in asked:
            found = dict(answer.result() for answer in answers)
            kernel["verdicts"] = {tool: {"verdict": word, "says": says} for tool, (word, says) in found.items()}
    head = {
        "gpu": words(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]),
        "compute-sanitizer": words(["compute-sanitizer", "--version"]),
        "kernels": kernels,
    }
    (out / "verdicts.json").write_text(json.dumps(head, indent=1))
    told = lambda kernel: any(v["verdict"] != "nothing" for v in kernel["verdicts"].values())
    bugs = [kernel for kernel in kernels if kernel["planted"]]
    right = [kernel for kernel in kernels if not kernel["planted"]]
    print(f"{sum(map(told, bugs))} of {len(bugs)} wrong kernels reported, {sum(map(told, right))} of {len(right)} right ones")


def table(path):
    """The verdicts line by line, then by kind."""
    kernels = json.loads(path.read_text())["kernels"]
    print("\t".join(["kernel", "planted", *TOOLS, "in its words"]))
    told, counts = {}, {}
    for kernel in kernels:
        kinds = sorted({mark["kind"] for mark in kernel["planted"]})
        found = kernel["verdicts"]
        says = next((found[tool]["says"] for tool in TOOLS if found[tool]["says"]), "")
        print("\t".join([kernel["name"], ",".join(kinds), *(found[tool]["verdict"] for tool in TOOLS), says]))
        for kind in kinds or ["right"]:
            counts[kind] = counts.get(kind, 0) + 1
            # A failed launch or a hang does not show its cause.
            words = {found[tool]["verdict"] for tool in TOOLS}
            best = next((w for w in ("error", "warning", "launch fails", "hangs") if w in words), "nothing")
            told.setdefault(kind, {}).setdefault(best, 0)
            told[kind][best] += 1
    for kind, of_kind in sorted(told.items()):
        words = ", ".join(f"{n} {word}" for word, n in sorted(of_kind.items(), key=lambda item: -item[1]))
        print(f"{kind}: {counts[kind]} kernels: {words}", file=sys.stderr)


def main(arguments):
    match arguments:
        case ["list", *units]:
            for kernel in suite(units):
                kinds = sorted({mark["kind"] for mark in kernel["planted"]})
                print(kernel["name"], kernel["unit"], ",".join(kinds) or "right")
        case ["run", name]:
            found = [kernel for kernel in suite([]) if kernel["name"] == name]
            if not found:
                sys.exit(f"no planted kernel is called {name}")
            run(found[0])
        case ["all", out, *units]:
            all_verdicts(pathlib.Path(out), units)
        case ["table", path]:
            table(pathlib.Path(path))
        case _:
            sys.exit(__doc__)


main(sys.argv[1:])
