"""TensorFlow on the driver: XLA's kernels run on the emulated GPU, and cuDNN's operators on the host."""

import os
import subprocess
import sys
import types

import pytest

from lanework import _xla, folder


def test_flags_of_xla_keep_what_the_user_set(monkeypatch):
    monkeypatch.setenv("XLA_FLAGS", "--xla_gpu_autotune_level=4 --xla_dump_to=/tmp/x")
    _xla.set_flags("--xla_gpu_cuda_data_dir=/a", "--xla_dump_to=/b")
    assert os.environ["XLA_FLAGS"] == "--xla_gpu_autotune_level=4 --xla_dump_to=/tmp/x --xla_gpu_cuda_data_dir=/a"
    monkeypatch.delenv("XLA_FLAGS")
    _xla.set_flags()
    assert os.environ["XLA_FLAGS"] == "--xla_gpu_autotune_level=0"


def test_the_toolkit_has_the_assembler_and_nvidias_libdevice(tmp_path):
    (tmp_path / "nvvm").mkdir()
    made = _xla.toolkit("/assembler", tmp_path)
    assert os.readlink(f"{made}/bin/ptxas") == "/assembler" and os.readlink(f"{made}/nvvm") == str(tmp_path / "nvvm")


def test_without_the_driver_it_says_what_to_do(tmp_path):
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_PTXAS_PATH"}
    command = [sys.executable, "-m", "lanework.tensorflow", str(tmp_path / "program.py")]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)
    assert ran.returncode == 1 and "lanework exec --plain -- python -m lanework.tensorflow" in ran.stderr, ran.stderr


def test_operators_of_cudnn_are_placed_on_the_host(monkeypatch):
    """With a model of TensorFlow's modules, because TensorFlow is large."""
    from lanework import tensorflow

    devices = []

    class Device:
        def __init__(self, name):
            self.name = name

        def __enter__(self):
            devices.append(self.name)

        def __exit__(self, *_):
            devices.pop()

    def operator():
        return list(devices)

    names = ("conv2d", "conv2d_backprop_input", "conv2d_eager_fallback", "max_pool_grad_v2", "fused_batch_norm_v3", "lrn", "relu", "quantized_conv2d")
    modules = {name: types.ModuleType(name) for name in ("tensorflow", "tensorflow.python", "tensorflow.python.ops", "tensorflow.python.ops.gen_nn_ops")}
    modules["tensorflow"].device = Device
    operators = modules["tensorflow.python.ops"].gen_nn_ops = modules["tensorflow.python.ops.gen_nn_ops"]
    for name in names:
        setattr(operators, name, operator)
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setitem(sys.modules, "keras", None)
    monkeypatch.setenv("TRITON_PTXAS_PATH", "/assembler")
    monkeypatch.setenv("XLA_FLAGS", "")
    monkeypatch.setenv("TF_CPP_MIN_LOG_LEVEL", "2")
    monkeypatch.setattr(tensorflow, "_installed", False)
    tensorflow.install()
    placed = {name for name in names if getattr(operators, name)() == ["/CPU:0"]}
    assert placed == {"conv2d", "conv2d_backprop_input", "max_pool_grad_v2", "fused_batch_norm_v3", "lrn"}
    assert set(tensorflow.on_host()) == placed


PROGRAM = """
import tensorflow as tf
from lanework.tensorflow import on_host
assert tf.config.list_physical_devices("GPU"), tf.config.list_physical_devices()
compiled = tf.function(lambda a: tf.reduce_sum(tf.nn.relu(a - 2)), jit_compile=True)
assert float(compiled(tf.range(10.))) == 28
assert tf.nn.conv2d(tf.ones((1, 8, 8, 3)), tf.ones((3, 3, 3, 2)), 1, "SAME").numpy()[0, 4, 4, 0] == 27
assert on_host() == {"conv2d": 1}, on_host()
print("all right")
"""


def test_what_xla_writes_runs_on_the_emulated_gpu(tmp_path):
    pytest.importorskip("tensorflow", reason="TensorFlow is not installed; it is large, and `pip install tensorflow[and-cuda]` adds it")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    command = [str(folder() / "lanework"), "exec", "--plain", "--", sys.executable, "-m", "lanework.tensorflow", str(program)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0 and "all right" in ran.stdout, ran.stdout + ran.stderr
