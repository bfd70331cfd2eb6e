"""Runs a file of jobs (`lanework.batch`) on the machines of a Ray cluster, or on this one.

    pip install lanework ray
    python ray_batch.py jobs.jsonl results/

All machines share the folder of results, for example by NFS. Ray starts a job again if its worker or its machine dies. If the run itself
is interrupted, the same command resumes it: jobs with a result do not run again.
"""

import argparse

import ray

from lanework.batch import Job, pending, read_jobs, run_job, summary


@ray.remote(num_cpus=1, max_retries=3)
def run(job: Job, results: str) -> str:
    run_job(job, results)
    return job.id


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("jobs")
    parser.add_argument("results", help="a folder that all machines share")
    parser.add_argument("--address", help="the cluster's address, such as `auto` [default: this machine]")
    parser.add_argument("--cpus", type=int, help="workers on this machine [default: its cores]")
    options = parser.parse_args()
    ray.init(address=options.address, num_cpus=None if options.address else options.cpus, include_dashboard=False)
    jobs = read_jobs(options.jobs)
    waiting = [run.remote(job, options.results) for job in pending(jobs, options.results)]
    while waiting:
        done, waiting = ray.wait(waiting)
        for one in done:
            try:
                print(ray.get(one), flush=True)
            except ray.exceptions.RayError as error:
                print(f"a job failed: {error}", flush=True)
    print(summary(jobs, options.results))


if __name__ == "__main__":
    main()
