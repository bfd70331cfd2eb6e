"""Judges 1,000 tiny kernels by two workers of `lanework.batch`, kills one worker on the way, and resumes the run.

Usage: PYTHON scripts/batch.py [--kernels N] [--ray], with a Python that has the package; `--ray` distributes by Ray instead. It prints the
verdicts, the jobs that the killed worker left, and the time; it ends with 1 if a kernel has no verdict or a wrong one.
"""

import argparse
import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

TASK = """
entry = "scale"
parameters = [
  { name = "x", kind = "in", element = "f32", shape = ["n"] },
  { name = "y", kind = "out", element = "f32", shape = ["n"] },
  { name = "n", kind = "scalar", element = "u32", value = "n" },
]
[extents]
n = { range = [0, 2000], edges = [0, 1, 33], timed = 1000 }
[launch]
grid = ["ceil_div(n, 128)"]
block = [128]
[reference]
index = ["i"]
value = "3 * x[i]"
[work]
bytes = "8 * n"
flops = "n"
"""

#: Candidates: the expected verdict and the body of the kernel. Each kernel also has a number of its own, so no two are the same text.
CANDIDATES = [
    ("right", "if (i < n) y[i] = 3 * x[i];"),
    ("right", "for (unsigned k = i; k < n; k += gridDim.x * blockDim.x) y[k] = x[k] + x[k] + x[k];"),
    ("wrong", "if (i < n) y[i] = 2 * x[i];"),
    ("wrong", "if (i + 1 < n) y[i] = 3 * x[i];"),
    ("refused", "y[i] = 3 * x[i];"),
]


def write(folder: pathlib.Path, kernels: int) -> dict[str, str]:
    """Writes the task, the candidates and the file of jobs; returns the expected verdicts."""
    (folder / "scale.toml").write_text(TASK)
    expected, jobs = {}, []
    for number in range(kernels):
        verdict, body = CANDIDATES[number % len(CANDIDATES)]
        source = folder / f"{number}.cu"
        source.write_text(
            f"// candidate {number}\n"
            'extern "C" __global__ void scale(const float *x, float *y, unsigned n) {\n'
            f"    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n    {body}\n}}\n"
        )
        expected[str(number)] = verdict
        jobs.append({"id": str(number), "args": ["judge", "--device", "emulator", str(folder / "scale.toml"), str(source)], "seconds": 300})
    (folder / "jobs.jsonl").write_text("".join(json.dumps(job) + "\n" for job in jobs))
    return expected


def verdicts(results: pathlib.Path) -> dict[str, str]:
    """Reads the verdicts that are there."""
    found = {}
    for file in results.glob("*.json"):
        result = json.loads(file.read_text())
        output = result["output"]
        found[file.stem] = output["verdict"] if isinstance(output, dict) else f"exit code {result['exit_code']}"
    return found


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--kernels", type=int, default=1000)
    options.add_argument("--ray", action="store_true")
    options = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        results = folder / "results"
        results.mkdir()
        expected = write(folder, options.kernels)
        files = [str(folder / "jobs.jsonl"), str(results)]

        def workers() -> list[subprocess.Popen]:
            if options.ray:
                script = str(pathlib.Path(__file__).parents[1] / "examples" / "batch" / "ray_batch.py")
                commands = [[sys.executable, script, *files, "--cpus", "2"]]
            else:
                commands = [[sys.executable, "-m", "lanework.batch", *files, "--worker", str(k), "--workers", "2"] for k in range(2)]
            return [subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for command in commands]

        began = time.monotonic()
        running = workers()
        while len(verdicts(results)) < options.kernels // 4 and running[0].poll() is None:
            time.sleep(0.2)
        running[0].send_signal(signal.SIGKILL)
        for worker in running:
            worker.wait()
        left = options.kernels - len(verdicts(results))
        print(f"killed a worker at a quarter of the kernels; {left} of {options.kernels} have no result after the run", flush=True)
        for worker in workers():
            worker.wait()
        seconds = time.monotonic() - began
        found = verdicts(results)
    counts = {verdict: list(found.values()).count(verdict) for verdict in sorted(set(found.values()))}
    different = [number for number in expected if found.get(number) != expected[number]]
    print(f"{counts} in {seconds:.0f} s, {len(found) / seconds:.1f} kernels per second")
    if different:
        sys.exit(f"{len(different)} kernels have no verdict or another one, such as {different[0]}: {found.get(different[0])}, expected {expected[different[0]]}")


if __name__ == "__main__":
    main()
