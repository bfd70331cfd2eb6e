"""Runs the checks of a client: generators of pairs of what was found and what is expected; prints one line per check.

An argument selects the checks whose name contains it.
"""

import sys
import time

import numpy as np

registered = {}


def check(function):
    """Registers a check, under the name of its function."""
    registered[function.__name__] = function
    return function


def run(title, tolerance=2e-3):
    """Runs the checks and ends the process: with 1 if one failed."""
    wanted = [name for name in registered if not sys.argv[1:] or any(part in name for part in sys.argv[1:])]
    print(title, flush=True)
    failed = 0
    for name in wanted:
        began, problem = time.monotonic(), ""
        try:
            for found, expected in registered[name]():
                found, expected = np.asarray(found), np.asarray(expected)
                if found.shape != expected.shape or not np.allclose(found, expected, rtol=tolerance, atol=tolerance):
                    problem = f"wrong: {found.ravel()[:4]} instead of {expected.ravel()[:4]}"
        except Exception as error:  # any error of the client is a failed check
            problem = f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
        failed += bool(problem)
        print(f"{name:22} {'FAILED' if problem else 'passed'} {time.monotonic() - began:6.1f} s {problem}", flush=True)
    print(f"{len(wanted) - failed} passed, {failed} failed")
    sys.exit(failed > 0)
