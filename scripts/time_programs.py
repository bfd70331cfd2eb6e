"""Predicts the launches of measured programs, for `lanework-lab predict-check --programs`.

    python3 scripts/time_programs.py MEASURED.json SOURCES NVCC_ROOT OUTPUT.json tuning|test|all|later [PROGRAM ...]

MEASURED.json has `programs` (source, flags, arguments) and `launches` (kernel, grid, block, duration_ns and Nsight Compute's
counters). `later` takes all its programs, as of docs/results/time/later.json; `tuning` and `test` take a half. SOURCES gets the
programs' sources: clones of HeCBench and llm.c, unless they are there. NVCC_ROOT has `bin/nvcc` and `lib`. Each program is built
once, in target/time-programs, and run by `lanework exec --predict` for at most a minute. The first launches of a kernel in one
shape are compared in the order of the program.

With TRACES=FOLDER, the traces of each program are stored in a subfolder. A program that has one is not run again: the current
model predicts its stored traces, with ptxas, without it, and with each part of the model switched off.

Variables: LANEWORK and LANEWORK_LAB, the commands; SECONDS_PER_PROGRAM [60]; TRACES.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

LANEWORK = os.environ.get("LANEWORK", "target/release/lanework")
LAB = os.environ.get("LANEWORK_LAB", "target/release/lanework-lab")
TRACES = os.environ.get("TRACES")
SECONDS = os.environ.get("SECONDS_PER_PROGRAM", "60")
REPOSITORIES = {
    "HeCBench": "https://github.com/zjin-lcf/HeCBench",
    "llm.c": "https://github.com/karpathy/llm.c",
}
# An H200: bytes per ns, and thread instructions per ns.
BANDWIDTH, INSTRUCTIONS = 4800, 132 * 128 * 1.98


def fetch(sources):
    for name, address in REPOSITORIES.items():
        if not (sources / name).exists():
            subprocess.run(["git", "clone", "--depth", "1", address, sources / name], check=True)


def folder_of(program, sources):
    path = program["source"].split()[-1]
    return sources / "llm.c/dev/cuda" if path.endswith(".cu") else sources / "HeCBench" / path


def files_of(program, where, sources):
    path = program["source"].split()[-1]
    if path.endswith(".cu"):
        return [sources / "llm.c" / path]
    files = [*where.glob("*.cu"), *where.glob("*.cpp"), *where.glob("*.cc")]
    makefile = where / "Makefile"
    make = makefile.read_text().replace("\\\n", " ") if makefile.exists() else ""
    listed = re.search(r"^source\s*=\s*(.*)$", make, re.M)
    named = [where / file for file in listed.group(1).split()] if listed else []
    return named if named and all(file.exists() for file in named) else files


def build(name, program, sources, nvcc, folder):
    out = folder / name
    if out.exists():
        return out
    where = folder_of(program, sources)
    command = [nvcc / "bin/nvcc", "-arch=sm_90", "-O3", "-std=c++17", "-include", "sys/time.h", *program["flags"],
               f"-I{where}", f"-L{nvcc}/lib", "-cudart", "shared", "-lcublas", "-lcublasLt", "-o", out,
               *files_of(program, where, sources)]
    ran = subprocess.run(command, cwd=where, capture_output=True, text=True)
    if ran.returncode != 0:
        print(f"{name} is not built: {ran.stderr[-400:]}", file=sys.stderr)
        return None
    return out


def base(kernel):
    """The name of a kernel without its return type, namespaces, template arguments and parameters."""
    shown = subprocess.run(["c++filt", kernel], capture_output=True, text=True).stdout.strip()
    shown = shown.removeprefix("void ").replace("(anonymous namespace)::", "")
    return shown.split("(")[0].split("<")[0].split()[-1].split("::")[-1]


def key(launch):
    return base(launch["kernel"]), tuple(launch["grid"]), tuple(launch["block"])


def predict(name, binary, program, where, nvcc):
    environment = dict(os.environ, LD_LIBRARY_PATH=f"{nvcc}/lib")
    stored = ["--traces", str(pathlib.Path(TRACES).resolve() / name)] if TRACES else []
    command = ["timeout", "-s", "INT", SECONDS, LANEWORK, "exec", "--predict", "--json", *stored, "--", binary,
               *program["args"].split()]
    ran = subprocess.run(command, cwd=where, env=environment, capture_output=True, text=True)
    try:
        found = json.loads(ran.stdout)["launches"]
    except (ValueError, KeyError):
        found = []
    if not found:
        print(f"{name} launched nothing in {SECONDS} s: {ran.stderr[-300:]}", file=sys.stderr)
    return found


def replay(name):
    """The predictions of a program's stored traces, with all variants of the model."""
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(pathlib.Path(TRACES).resolve() / name, pathlib.Path(folder) / name)
        command = [LAB, "predict-check", "--traces", folder]
        ran = [subprocess.run([*command, option], capture_output=True, text=True, check=True).stdout
               for option in ["--ablation", "--unlisted"]]
    found, unlisted = ([json.loads(line) for line in lines.splitlines()] for lines in ran)
    for one, other in zip(found, unlisted):
        one["without"]["ptxas and nvdisasm"] = other["predicted_ns"]
    return found


def grouped(launches):
    groups = {}
    for launch in launches:
        groups.setdefault(key(launch), []).append(launch)
    return groups


def rows(name, half, measured, predicted):
    known = grouped(predicted)
    for group, launches in grouped(measured).items():
        for first, found in zip(launches[:1], known.get(group, [])):
            bytes_moved = first["dram_read_bytes"] + first["dram_write_bytes"]
            yield {
                "problem": name,
                "name": f"{name}/{group[0]} {'x'.join(map(str, group[1]))}, {'x'.join(map(str, group[2]))}",
                "suite": half,
                "measured_ns": first["duration_ns"],
                "predicted_ns": found["predicted_ns"],
                "interval_ns": found["interval_ns"],
                "limiter": found["limiter"],
                "without": found.get("without", {}),
                "roofline_ns": max(bytes_moved / BANDWIDTH, first["thread_instructions"] / INSTRUCTIONS),
            }


def main():
    measured, sources, nvcc, output = (pathlib.Path(path).resolve() for path in sys.argv[1:5])
    wanted, only = sys.argv[5], sys.argv[6:]
    data = json.loads(measured.read_text())
    split = json.loads(pathlib.Path("docs/results/time/split.json").read_text())
    folder = pathlib.Path("target/time-programs").resolve()
    folder.mkdir(parents=True, exist_ok=True)
    fetch(sources)
    pairs = []
    halves = {half: split[half] for half in ["tuning", "test"] if wanted in (half, "all")}
    if wanted == "later":
        halves = {"later": list(data["programs"])}
    for half, names in halves.items():
        for name in names:
            if only and name not in only:
                continue
            program = data["programs"][name]
            launches = [launch for launch in data["launches"] if launch["program"] == name]
            if not (TRACES and (pathlib.Path(TRACES) / name).exists()):
                binary = build(name, program, sources, nvcc, folder)
                if binary is None:
                    continue
                found = predict(name, binary, program, folder_of(program, sources), nvcc)
            if TRACES and (pathlib.Path(TRACES) / name).exists():
                found = replay(name)
            pairs.extend(rows(name, half, launches, found))
            output.write_text(json.dumps(pairs, indent=1) + "\n")


main()
