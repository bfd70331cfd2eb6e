"""Many jobs: results, resuming, killed workers, an array of Slurm, and Ray."""

import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time

import pytest

from lanework import batch

EXAMPLES = pathlib.Path(__file__).parents[4] / "examples" / "batch"
JUDGED = pathlib.Path(__file__).parents[4] / "crates" / "laboratory" / "judge" / "tests"
NOTHING = """
.version 8.0
.target sm_90
.address_size 64
.visible .entry nothing() { ret; }
"""


def write(path, jobs):
    path.write_text("".join(json.dumps(job) + "\n" for job in jobs))
    return path


def program(id, text, **more):
    return {"id": id, "args": ["exec", "--plain", "--", sys.executable, "-c", text], **more}


def results(folder):
    return {file.stem: json.loads(file.read_text()) for file in folder.glob("*.json")}


def test_results_have_exit_codes_output_and_limits(tmp_path):
    kernel = tmp_path / "nothing.ptx"
    kernel.write_text(NOTHING)
    jobs = write(
        tmp_path / "jobs.jsonl",
        [
            {"id": "check", "args": ["check", str(kernel)]},
            program("fails", "import sys; print('text'); sys.exit(3)"),
            program("late", "import time; time.sleep(60)", seconds=2),
        ],
    )
    for job in batch.read_jobs(jobs):
        batch.run_job(job, tmp_path / "results")
    found = results(tmp_path / "results")
    assert found["check"]["exit_code"] == 0 and found["check"]["output"]["checked"] == ["nothing"], found["check"]
    assert found["fails"]["exit_code"] == 3 and found["fails"]["output"] == "text\n", found["fails"]
    assert found["late"]["exit_code"] is None and found["late"]["error"] == "stopped after 2 s"
    assert found["late"]["seconds"] < 30
    assert batch.summary(batch.read_jobs(jobs), tmp_path / "results") == {"exit 0": 1, "exit 3": 1, "stopped after 2 s": 1}


def test_candidates_have_their_verdicts(tmp_path):
    def judged(id, candidate):
        return {"id": id, "args": ["judge", str(JUDGED / "tasks" / "saxpy.toml"), str(JUDGED / "ptx" / candidate), "--device", "emulator"]}

    jobs = write(tmp_path / "jobs.jsonl", [judged("right", "honest/saxpy_naive.ptx"), judged("cheat", "cheats/saxpy_in_x.ptx")])
    for job in batch.read_jobs(jobs):
        batch.run_job(job, tmp_path / "results")
    found = results(tmp_path / "results")
    assert found["right"]["output"]["verdict"] == "right", found
    assert found["cheat"]["output"]["reason"]["kind"] == "input-changed", found
    assert batch.summary(batch.read_jobs(jobs), tmp_path / "results") == {"refused": 1, "right": 1}


def test_jobs_have_no_network_unless_they_ask_for_it(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        text = f"import socket; socket.create_connection(('127.0.0.1', {server.getsockname()[1]}), 5); print('connected')"
        with_network = batch.run_job(batch.Job(**program("with", text, network=True)), tmp_path)
        assert with_network["output"] == "connected\n", with_network
        if subprocess.run(["unshare", "--user", "--net", "true"], capture_output=True).returncode != 0:
            pytest.skip("this system permits no user namespaces")
        without = batch.run_job(batch.Job(**program("without", text)), tmp_path)
        assert without["exit_code"] == 1 and "connected" not in without["output"], without


@pytest.mark.parametrize("line", ["{", "[]", '{"id": "a"}', '{"id": "../a", "args": ["check"]}', '{"id": "a", "args": []}', '{"id": "a", "args": ["x"], "sec": 1}'])
def test_a_line_that_is_no_job_is_refused(tmp_path, line):
    file = tmp_path / "jobs.jsonl"
    file.write_text(line + "\n")
    with pytest.raises(batch.JobError):
        batch.read_jobs(file)


def test_a_killed_worker_loses_only_its_job_and_the_run_resumes(tmp_path):
    """Two tasks of an array, started as Slurm starts them; one is killed in a job that would run for long."""
    marks = tmp_path / "marks"
    marks.mkdir()

    def text(i):
        # The fourth job waits when it runs first; every run leaves a mark.
        return f"import os, time; p = {str(marks)!r} + '/{i}'; first = not os.path.exists(p); open(p, 'a').write('x'); time.sleep(300 if first and {i} == 3 else 0)"

    jobs = write(tmp_path / "jobs.jsonl", [program(f"job-{i}", text(i)) for i in range(6)])
    where = tmp_path / "results"

    def task(number):
        environment = {**os.environ, "SLURM_ARRAY_TASK_ID": str(number), "SLURM_ARRAY_TASK_MIN": "1", "SLURM_ARRAY_TASK_COUNT": "2", "PYTHON": sys.executable}
        return subprocess.Popen(["bash", str(EXAMPLES / "array.sbatch"), str(jobs), str(where)], env=environment)

    even, odd = task(1), task(2)
    deadline = time.monotonic() + 120
    while not (marks / "3").exists():
        assert time.monotonic() < deadline, "the job did not start"
        time.sleep(0.1)
    odd.send_signal(signal.SIGKILL)
    odd.wait()
    assert even.wait(120) == 0
    found = results(where)
    assert set(found) == {"job-0", "job-1", "job-2", "job-4"}
    before = {file: file.stat().st_mtime_ns for file in where.glob("*.json")}
    # The same command again, as `sbatch` or `scontrol requeue` starts it.
    assert [one.wait(120) for one in (task(1), task(2))] == [0, 0]
    found = results(where)
    assert set(found) == {f"job-{i}" for i in range(6)}
    assert all(result["exit_code"] == 0 for result in found.values()), found
    assert {file: file.stat().st_mtime_ns for file in before} == before
    assert {mark.name: len(mark.read_text()) for mark in marks.iterdir()} == {"0": 1, "1": 1, "2": 1, "3": 2, "4": 1, "5": 1}
    assert not list(where.glob("*.tries"))


def test_one_worker_runs_several_jobs_at_a_time(tmp_path):
    """Two jobs that wait for each other end only if both run."""
    text = "import os, time; open({0!r}, 'w').close()\nwhile not os.path.exists({1!r}): time.sleep(0.1)"
    one, other = str(tmp_path / "one"), str(tmp_path / "other")
    jobs = write(tmp_path / "jobs.jsonl", [program("a", text.format(one, other), seconds=120), program("b", text.format(other, one), seconds=120)])
    command = [sys.executable, "-m", "lanework.batch", str(jobs), str(tmp_path / "results"), "--processes", "2"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0 and json.loads(ran.stdout) == {"exit 0": 2}, ran.stdout + ran.stderr


def test_a_job_that_kills_its_workers_gets_a_result(tmp_path):
    job = batch.Job(**program("deadly", "import os, signal; os.kill(os.getppid(), signal.SIGKILL)"))
    (tmp_path / "deadly.tries").write_text("worker 1\n" * batch.TRIES)
    assert batch.run_job(job, tmp_path)["error"] == "its worker died 3 times"


def test_ray_starts_the_jobs_of_a_killed_worker_again(tmp_path):
    pytest.importorskip("ray", reason="Ray is not installed; it is large, and `pip install ray` adds it")
    mark = tmp_path / "mark"
    # The first run of this job ends its whole worker: the command, and the Python that started it.
    killing = (
        f"import os, signal; p = {str(mark)!r}; first = not os.path.exists(p); open(p, 'a').write('x')\n"
        "parents = [os.getppid()]\n"
        "parents.append(int(open(f'/proc/{parents[0]}/stat').read().rsplit(')', 1)[1].split()[1]))\n"
        "[os.kill(parent, signal.SIGKILL) for parent in reversed(parents) if first]"
    )
    jobs = write(tmp_path / "jobs.jsonl", [program(f"job-{i}", "print(1)") for i in range(3)] + [program("killer", killing)])
    ran = subprocess.run(
        [sys.executable, str(EXAMPLES / "ray_batch.py"), str(jobs), str(tmp_path / "results"), "--cpus", "2"],
        capture_output=True,
        text=True,
        timeout=900,
        env={**os.environ, "RAY_raylet_start_wait_time_s": "120"},
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "{'exit 0': 4}" in ran.stdout, ran.stdout + ran.stderr
    assert mark.read_text() == "xx"
