"""Runs many jobs of the command `lanework`, such as `judge` and `exec`, each in a process of its own; an interrupted run can be resumed.

A file of jobs has one JSON object a line: `{"id": "a", "args": ["judge", "task.toml", "a.cu"], "seconds": 60}`. Each job leaves one
file, `RESULTS/ID.json`, with its exit code, its time and the JSON that the command printed. A job that has such a file is not run again,
so the same command line resumes a run. A job whose worker died three times gets a result that says so.

`python -m lanework.batch JOBS RESULTS` runs all jobs here, `--processes` at a time. `--worker K --workers N` runs every N-th job, for engines that start N
processes, such as Slurm's arrays; they share the folder of results. Ray and other engines call `run_job`.

A job may not use the network, if the system permits user namespaces, and has limits on its time and on the size of files; the engine
limits its memory. It ends with its worker. `judge` itself confines the compiler of a candidate to its folder. A program that `exec` runs
can read and write the user's files.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import contextlib
import ctypes
import dataclasses
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

#: Number of times that a job is started before its result says that its workers died.
TRIES = 3
#: Longest time of a job in seconds, if the job sets none.
SECONDS = 600
#: Bytes of standard error that a result keeps.
KEPT = 4000
#: Commands that print one JSON value with `--json`.
_HAVE_JSON = ("check", "judge", "profile", "predict")
_NEW_USER, _NEW_NETWORK, _DEATH_SIGNAL = 0x10000000, 0x40000000, 1
#: Bytes of the largest file that a job may write.
_FILE_BYTES = 1 << 30


class JobError(ValueError):
    """A line of the file of jobs is not a job; the message says why."""


@dataclasses.dataclass(frozen=True)
class Job:
    """One run of the command."""

    #: A name for files: letters, digits, `.`, `_` and `-`.
    id: str
    #: The command's arguments, without `--json`.
    args: list[str]
    #: Longest time in seconds.
    seconds: float = SECONDS
    #: Whether the job may use the network, also of this machine.
    network: bool = False

    @classmethod
    def of(cls, line: str) -> Job:
        """Reads a line of a file of jobs."""
        try:
            job = cls(**json.loads(line))
        except (TypeError, json.JSONDecodeError) as error:
            raise JobError(f"not a job: {error}: {line.strip()[:100]}") from error
        if not re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}", job.id):
            raise JobError(f"the id may have letters, digits, `.`, `_` and `-`: {job.id!r}")
        if not job.args or not all(isinstance(argument, str) for argument in job.args):
            raise JobError(f"args must be the command's arguments, a list of strings: {job.id}")
        return job


def read_jobs(path: str | os.PathLike[str]) -> list[Job]:
    """Reads a file of jobs. Raises `JobError` for a line that is not a job, and for an id that appears twice."""
    jobs = [Job.of(line) for line in Path(path).read_text(encoding="utf-8").splitlines() if line.strip()]
    seen: set[str] = set()
    for job in jobs:
        if job.id in seen:
            raise JobError(f"two jobs have the id {job.id}")
        seen.add(job.id)
    return jobs


def pending(jobs: list[Job], results: str | os.PathLike[str]) -> list[Job]:
    """Returns the jobs that have no result yet."""
    return [job for job in jobs if not Path(results, f"{job.id}.json").exists()]


def command() -> str:
    """Returns the command: named by `LANEWORK`, of this package, or of the path."""
    own = Path(__file__).parent / "native" / "lanework"
    found = os.environ.get("LANEWORK") or (str(own) if own.exists() else shutil.which("lanework"))
    if not found:
        sys.exit("error: the command `lanework` is not there\n  = help: install the package with the command, or set LANEWORK")
    return found


def _prints_json(job: Job) -> bool:
    """Whether the command can print JSON."""
    name, *rest = job.args
    plain = name == "exec" and "--plain" in rest[: rest.index("--") if "--" in rest else None]
    return name in _HAVE_JSON or (name == "exec" and not plain)


def _isolate(network: bool) -> Callable[[], None]:
    """Returns what a job's process does before it becomes the command."""
    library = ctypes.CDLL(None, use_errno=True)
    user, group = os.getuid(), os.getgid()

    def apply() -> None:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (_FILE_BYTES, _FILE_BYTES))
        # The job ends with its worker, so a job that is started again does not run twice.
        library.prctl(_DEATH_SIGNAL, signal.SIGKILL)
        # Without user namespaces, the job keeps the network.
        if not network and library.unshare(_NEW_USER | _NEW_NETWORK) == 0:
            for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
                with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
                    file.write(text)

    return apply


def run_job(job: Job, results: str | os.PathLike[str]) -> dict[str, Any]:
    """Runs a job and writes its result, or returns the result that it already has."""
    folder = Path(results)
    folder.mkdir(parents=True, exist_ok=True)
    done = folder / f"{job.id}.json"
    if done.exists():
        known: dict[str, Any] = json.loads(done.read_text(encoding="utf-8"))
        return known
    tries = folder / f"{job.id}.tries"
    with tries.open("a", encoding="utf-8") as file:
        file.write(f"{os.uname().nodename} {os.getpid()}\n")
    started = len(tries.read_text(encoding="utf-8").splitlines())
    if started > TRIES:
        result: dict[str, Any] = {"id": job.id, "exit_code": None, "error": f"its worker died {TRIES} times"}
    else:
        result = {"id": job.id, **_run(job)}
    # Renaming is atomic: a killed worker leaves a whole result or none.
    text = json.dumps(result, ensure_ascii=False) + "\n"
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=folder, prefix=f".{job.id}.", delete=False) as whole:
        whole.write(text)
    os.replace(whole.name, done)
    tries.unlink(missing_ok=True)
    return result


def _run(job: Job) -> dict[str, Any]:
    began, prints_json = time.monotonic(), _prints_json(job)
    arguments = [job.args[0], "--json", *job.args[1:]] if prints_json and "--json" not in job.args else job.args
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(
            [command(), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,
            preexec_fn=_isolate(job.network),
        )
        late = False
        try:
            process.wait(job.seconds)
        except subprocess.TimeoutExpired:
            late = True
        finally:
            # Also ends what the job left running.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            code = process.wait()
        out.seek(0)
        text = out.read().decode("utf-8", "replace")
        err.seek(0, os.SEEK_END)
        err.seek(max(0, err.tell() - KEPT))
        said = err.read().decode("utf-8", "replace")
    result: dict[str, Any] = {"exit_code": None if late else code, "seconds": round(time.monotonic() - began, 3)}
    if late:
        result["error"] = f"stopped after {job.seconds:g} s"
    result["output"] = text[-KEPT:]
    if prints_json:
        # A job that was stopped printed no JSON, or a part.
        with contextlib.suppress(json.JSONDecodeError):
            result["output"] = json.loads(text)
    if said:
        result["stderr"] = said
    return result


def summary(jobs: list[Job], results: str | os.PathLike[str]) -> dict[str, int]:
    """Counts the results: by verdict for `judge`, else by exit code; `pending` have none yet."""
    counts: dict[str, int] = {}
    for key in _keys(jobs, Path(results)):
        counts[key] = counts.get(key, 0) + 1
    return dict(sorted(counts.items()))


def _keys(jobs: list[Job], folder: Path) -> Iterator[str]:
    for job in jobs:
        file = folder / f"{job.id}.json"
        if not file.exists():
            yield "pending"
            continue
        result = json.loads(file.read_text(encoding="utf-8"))
        output = result.get("output")
        verdict = output.get("verdict") if isinstance(output, dict) else None
        yield verdict or (f"exit {result['exit_code']}" if result.get("error") is None else result["error"])


def main() -> None:
    """Runs the jobs of one worker."""
    parser = argparse.ArgumentParser(prog="python -m lanework.batch", description=__doc__.splitlines()[0])
    parser.add_argument("jobs", help="a file with one job a line, as JSON")
    parser.add_argument("results", help="a folder that all workers share")
    parser.add_argument("--worker", type=int, default=0, metavar="K", help="the number of this worker, from 0")
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="how many workers there are")
    parser.add_argument("--processes", type=int, default=1, metavar="P", help="how many jobs this worker runs at a time (1)")
    parser.add_argument("--summary", action="store_true", help="only count the results")
    options = parser.parse_args()
    if not 0 <= options.worker < options.workers:
        parser.error("--worker must be at least 0 and less than --workers")
    if options.processes < 1:
        parser.error("--processes must be at least 1")
    try:
        jobs = read_jobs(options.jobs)
    except (JobError, OSError) as error:
        sys.exit(f"error: {error}")
    if not options.summary:
        mine = pending(jobs[options.worker :: options.workers], options.results)
        with concurrent.futures.ThreadPoolExecutor(options.processes) as pool:
            for _ in pool.map(lambda job: run_job(job, options.results), mine):
                pass
    print(json.dumps(summary(jobs, options.results)))


if __name__ == "__main__":
    main()
