"""Compares matrix products and linear algebra of CuPy with NumPy's; run by cublas.sh."""

import sys

import cupy
import numpy as np
from cupyx.scipy import linalg

random = np.random.default_rng(1)
failed = False


def compare(what, got, want, most):
    global failed
    difference = float(np.abs(cupy.asnumpy(got) - want).max())
    failed |= not difference <= most
    print(f"{what:<24} {difference:.2e}{'' if difference <= most else '  TOO LARGE'}")


for kind, most in [("f2", 2e-2), ("f4", 1e-5), ("f8", 1e-13), ("c8", 1e-5), ("c16", 1e-13)]:
    a, b = random.standard_normal((37, 53)).astype(kind), random.standard_normal((53, 29)).astype(kind)
    if kind[0] == "c":
        a = a + 1j * a[::-1]
    wide = "c16" if kind[0] == "c" else "f8"
    compare(f"dot {kind}", cupy.dot(cupy.asarray(a), cupy.asarray(b)), a.astype(wide) @ b.astype(wide), most)
a, b = random.standard_normal((5, 20, 30)), random.standard_normal((5, 30, 10))
on = cupy.asarray
compare("matmul, batched", cupy.matmul(on(a), on(b)), a @ b, 1e-13)
compare("tensordot", cupy.tensordot(on(a), on(b), axes=([2], [1])), np.tensordot(a, b, axes=([2], [1])), 1e-13)
compare("matrix and vector", on(a[0]) @ on(b[0, :, 0]), a[0] @ b[0, :, 0], 1e-13)
x = random.standard_normal(1000)
compare("vdot", cupy.vdot(on(x), on(x)), np.vdot(x, x), 1e-10)
triangle, y = np.tril(random.standard_normal((16, 16))) + 4 * np.eye(16), random.standard_normal((16, 3))
compare("solve_triangular", triangle @ cupy.asnumpy(linalg.solve_triangular(on(triangle), on(y), lower=True)), y, 1e-13)
sys.exit(failed)
