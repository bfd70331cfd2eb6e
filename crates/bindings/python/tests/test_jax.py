"""JAX on the driver: its plugin finds the emulated GPU, which runs XLA's kernels."""

import os
import subprocess
import sys

import pytest

from lanework import folder

pytest.importorskip("jax_plugins.xla_cuda13", reason="JAX with CUDA is not installed; it is large, and `pip install jax[cuda13]` adds it")

PROGRAM = """
import jax, jax.numpy as jnp
assert jax.devices()[0].platform == "gpu", jax.devices()
assert jax.jit(lambda x: x + 1)(jnp.arange(4.)).tolist() == [1, 2, 3, 4]
assert float(jnp.arange(1000.).sum()) == 499500
assert jnp.sort(-jnp.arange(100.)).tolist() == [-99. + i for i in range(100)]
assert bool(((jnp.ones((128, 64)) @ jnp.ones((64, 32))) == 64).all())
assert abs(float(jax.grad(jnp.sin)(0.)) - 1) < 1e-6
print("all right")
"""


def run(program, *before, **environment):
    command = [str(folder() / "lanework"), *before, sys.executable, "-m", "lanework.jax", str(program)]
    if not before:
        del command[0]
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_PTXAS_PATH"} | environment
    return subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)


def test_what_xla_writes_runs_on_the_emulated_gpu(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    ran = run(program, "exec", "--plain", "--")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "all right" in ran.stdout, ran.stdout


def test_without_the_driver_it_says_what_to_do(tmp_path):
    ran = run(tmp_path / "program.py")
    assert ran.returncode == 1 and "lanework exec" in ran.stderr, ran.stderr
