"""Predicts the launches of measured programs, for `lanework-lab predict-check --programs`.

    python3 scripts/time_programs.py MEASURED.json SOURCES NVCC_ROOT OUTPUT.json tuning|test|all

MEASURED.json has `programs` (source, flags, arguments) and `launches` (kernel, grid, block, duration_ns and Nsight Compute's
counters). SOURCES has the programs' folders: HeCBench/src and llm.c/dev/cuda. The programs are built with nvcc, and run by
`lanework exec --predict` for 30 s each: the launches until then are compared. Of the launches of a kernel in one shape, the median
is measured and the first one is predicted.
"""
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys

LANEWORK = os.environ.get("LANEWORK", "target/release/lanework")
SECONDS = "30"
# An H200: bytes per ns, and thread instructions per ns.
BANDWIDTH, INSTRUCTIONS = 4800, 132 * 128 * 1.98


def build(name, program, sources, nvcc, folder):
    out = folder / name
    if out.exists():
        return out
    path = program["source"].split()[-1]
    if path.endswith(".cu"):
        where, files = sources / "llm.c/dev/cuda", [sources / "llm.c" / path]
    else:
        where = sources / "HeCBench" / path
        files = [*where.glob("*.cu"), *where.glob("*.cpp"), *where.glob("*.cc")]
        make = (where / "Makefile").read_text().replace("\\\n", " ")
        listed = re.search(r"^source\s*=\s*(.*)$", make, re.M)
        named = [where / file for file in listed.group(1).split()] if listed else []
        files = named if named and all(file.exists() for file in named) else files
    command = [nvcc / "bin/nvcc", "-arch=sm_90", "-O3", "-std=c++17", "-include", "sys/time.h", *program["flags"],
               f"-I{where}", f"-L{nvcc}/lib", "-cudart", "shared", "-lcublas", "-lcublasLt", "-o", out, *files]
    return out if subprocess.run(command, cwd=where).returncode == 0 else None


def base(kernel):
    shown = subprocess.run(["c++filt", kernel], capture_output=True, text=True).stdout.strip()
    return shown.split("(")[0].split("<")[0].split()[-1]


def key(launch):
    return base(launch["kernel"]), tuple(launch["grid"]), tuple(launch["block"])


def predict(binary, program, where, nvcc):
    environment = dict(os.environ, LD_LIBRARY_PATH=f"{nvcc}/lib")
    command = ["timeout", "-s", "INT", SECONDS, LANEWORK, "exec", "--predict", "--json", "--", binary, *program["args"].split()]
    ran = subprocess.run(command, cwd=where, env=environment, capture_output=True, text=True)
    try:
        return json.loads(ran.stdout)["launches"]
    except (ValueError, KeyError):
        return []


def rows(name, half, measured, predicted):
    known = {}
    for launch in predicted:
        known.setdefault(key(launch), launch)
    groups = {}
    for launch in measured:
        groups.setdefault(key(launch), []).append(launch)
    for group, launches in groups.items():
        found = known.get(group)
        if found is None:
            continue
        first = launches[0]
        bytes_moved = first["dram_read_bytes"] + first["dram_write_bytes"]
        yield {
            "problem": name,
            "name": f"{name}/{group[0]} {'x'.join(map(str, group[1]))}",
            "suite": half,
            "measured_ns": statistics.median(launch["duration_ns"] for launch in launches),
            "predicted_ns": found["predicted_ns"],
            "interval_ns": found["interval_ns"],
            "limiter": found["limiter"],
            "roofline_ns": max(bytes_moved / BANDWIDTH, first["thread_instructions"] / INSTRUCTIONS),
        }


def main():
    measured, sources, nvcc, output = map(pathlib.Path, sys.argv[1:5])
    wanted = sys.argv[5]
    data = json.loads(measured.read_text())
    split = json.loads(pathlib.Path("docs/results/time/split.json").read_text())
    folder = pathlib.Path("target/time-programs")
    folder.mkdir(parents=True, exist_ok=True)
    pairs = []
    for half in ["tuning", "test"]:
        for name in split[half] if wanted in (half, "all") else []:
            program = data["programs"][name]
            binary = build(name, program, sources.resolve(), nvcc, folder.resolve())
            if binary is None:
                continue
            path = program["source"].split()[-1]
            where = sources / "llm.c/dev/cuda" if path.endswith(".cu") else sources / "HeCBench" / path
            launches = [launch for launch in data["launches"] if launch["program"] == name]
            pairs.extend(rows(name, half, launches, predict(binary, program, where, nvcc)))
    output.write_text(json.dumps(pairs, indent=1) + "\n")


main()
