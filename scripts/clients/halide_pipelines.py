"""Runs small pipelines of Halide on a GPU and compares them with NumPy.

It needs a CUDA driver, such as that of `lanework exec`. Prints a line for each pipeline; exit code 1 where one differs.
"""

import sys

import halide as hl
import numpy as np

target = hl.get_host_target().with_feature(hl.TargetFeature.CUDA).with_feature(hl.TargetFeature.CUDACapability80)
x, y = hl.Var("x"), hl.Var("y")
xo, xi, yo, yi = (hl.Var(name) for name in ("xo", "xi", "yo", "yi"))
failures = 0


def row(name, result, expected):
    global failures
    result.copy_to_host()
    apart = np.abs(np.array(result) - expected).max()
    failures += not apart < 1e-4
    print(f"{name:<30} {'passed' if apart < 1e-4 else 'failed':<8} largest difference {apart:.1e}", flush=True)


def stencil():
    """Each block computes its producer in shared memory."""
    waves, sums = hl.Func("waves"), hl.Func("sums")
    waves[x, y] = hl.sin(hl.cast(hl.Float(32), x)) + y
    sums[x, y] = waves[x, y] * 2 + waves[x + 1, y]
    sums.gpu_tile(x, y, xo, yo, xi, yi, 8, 8)
    waves.compute_at(sums, xo).gpu_threads(x, y)
    rows, columns = np.meshgrid(np.arange(32), np.arange(64), indexing="ij")
    expected = (np.sin(columns) + rows) * 2 + np.sin(columns + 1) + rows
    row("stencil", sums.realize([64, 32], target), expected)


def product():
    """A product of matrices, whose sum is an update."""
    random = np.random.default_rng(1)
    one, other = (random.normal(size=(32, 32)).astype(np.float32) for _ in range(2))
    a, b = hl.Buffer(one), hl.Buffer(other)
    r = hl.RDom([(0, 32)])
    made = hl.Func("made")
    made[x, y] = hl.f32(0)
    made[x, y] += a[r, y] * b[x, r]
    made.gpu_tile(x, y, xo, yo, xi, yi, 8, 8)
    made.update().gpu_tile(x, y, xo, yo, xi, yi, 8, 8)
    row("product", made.realize([32, 32], target), one @ other)


stencil()
product()
sys.exit(failures > 0)
