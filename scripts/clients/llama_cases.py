"""Runs cases of llama.cpp's test-backend-ops in pieces, each case once, and stores each case's verdict and seconds.

    llama_cases.py CASES RESULTS SECONDS LOG -- COMMAND...

CASES holds what `llama_cases.cpp` prints. RESULTS gets a line for each case, as it ends: verdict, seconds, times that the case was run, its
name, its message. Cases in RESULTS are not run again, so that a stopped run continues where it was. COMMAND is run with
`-o` and the names of a piece. The operations take turns. A case that takes more than SECONDS is stopped and called slow; one that ends the
process is called crashed; the rest of its piece runs without it. Environment: ONLY, a pattern of operations; AGAIN=1 repeats slow cases;
EVERY=N takes one case in N.
"""

import collections
import os
import re
import selectors
import signal
import subprocess
import sys
import time

PIECE = 64  # cases of a process; their names stay under 128 KiB, Linux's limit for one argument


def listed(path):
    """The supported cases by operation: name -> how often it is listed."""
    operations = {}
    only = re.compile(os.environ.get("ONLY") or ".*")
    for line in open(path):
        supported, name = line.rstrip("\n").split("\t")
        operation = name.split("(")[0]
        if supported == "yes" and only.fullmatch(operation):
            cases = operations.setdefault(operation, collections.OrderedDict())
            cases[name] = cases.get(name, 0) + 1
    return operations


def run(command, piece, limit, log, done):
    """Runs the names of `piece` in one process; calls `done` for each case that ended. Returns the names that are left."""
    left = dict(piece)
    process = subprocess.Popen(["stdbuf", "-oL", *command, "-o", ",".join(left)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=log, start_new_session=True)
    selector = selectors.DefaultSelector()
    selector.register(process.stdout, selectors.EVENT_READ)
    rest, since, stopped, running = b"", time.monotonic(), False, None
    while True:
        waited = time.monotonic() - since
        if not selector.select(max(0.0, limit - waited)):
            stopped = True
            break
        more = os.read(process.stdout.fileno(), 65536)
        if not more:
            break
        *lines, rest = (rest + more).split(b"\n")
        for line in lines:
            text = re.sub(r"\x1b\[[0-9;]*m", "", line.decode(errors="replace"))
            found = re.search(r"  ([A-Z0-9_]+\(.*\)): (.*)$", text)
            log.write(line + b"\n")
            if not found or found[1] not in left:
                continue
            seconds, since = time.monotonic() - since, time.monotonic()
            left[found[1]] -= 1
            if left[found[1]] == 0:
                del left[found[1]]
            good = found[2].startswith("OK")
            done("passed" if good else "failed", seconds, 1, found[1], "" if good else text.strip())
    if stopped:
        os.killpg(process.pid, signal.SIGKILL)
    code = process.wait()
    if left and (stopped or code not in (0, 1)):
        # The cases of a process run in the order of the list.
        running = next(iter(left))
        done("slow" if stopped else "crashed", time.monotonic() - since, left.pop(running), running, "" if stopped else f"exit {code}")
    elif left:
        for name, count in left.items():
            done("silent", 0.0, count, name, f"exit {code}")
        return {}
    return left


def main():
    cases, results, limit, log = sys.argv[1:5]
    command = sys.argv[6:]
    operations = listed(cases)
    if os.path.exists(results):
        for line in open(results):
            verdict, _, count, name, _ = line.rstrip("\n").split("\t", 4)
            again = verdict == "slow" and os.environ.get("AGAIN")
            left = operations.get(name.split("(")[0], {})
            if name in left and not again:
                left[name] -= int(count)
                if left[name] <= 0:
                    del left[name]
    every = int(os.environ.get("EVERY", 1))
    turns = collections.deque(list(left.items())[::every] for left in operations.values())
    with open(results, "a", buffering=1) as table, open(log, "ab", buffering=0) as log:
        def done(verdict, seconds, count, name, said):
            table.write(f"{verdict}\t{seconds:.2f}\t{count}\t{name}\t{said}\n")

        while turns:
            left = turns.popleft()
            if not left:
                continue
            piece, after = dict(left[:PIECE]), left[PIECE:]
            after = list(run(command, piece, float(limit), log, done).items()) + after
            turns.append(after)


if __name__ == "__main__":
    main()
