"""Runs a tutorial of Triton without its benchmarks, and with only the first configuration of each autotuned kernel: benchmarks and tuning
need times, which the emulator does not model. Run by triton.sh: triton_tutorial.py TUTORIAL."""

import runpy
import sys

import lanework.torch
import triton
import triton.testing

lanework.torch.install()


class Untimed:
    """A function in place of a benchmark, which is not run."""

    def run(self, *_, **__):
        print("(benchmark left out)")


def first_of(tune):
    def tuned(configs, *arguments, **options):
        return tune(configs[:1], *arguments, **options)

    return tuned


triton.testing.perf_report = lambda _: lambda _: Untimed()
triton.testing.do_bench = lambda function, *_, **__: function() and 0.0
triton.autotune = first_of(triton.autotune)
del sys.argv[0]
runpy.run_path(sys.argv[0], run_name="__main__")
counts = lanework.torch.on_host()
print(f"on the host: {sum(counts.values())} operators of PyTorch, of {len(counts)} kinds")
