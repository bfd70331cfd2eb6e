"""Checks of TensorFlow on the emulated GPU, each compared with NumPy or with TensorFlow on the CPU. `tensorflow.sh` runs it."""

import numpy as np
import tensorflow as tf
from checks import check, run

random = np.random.default_rng(1)
x, w = random.standard_normal((8, 16), np.float32), random.standard_normal((16, 4), np.float32)
labels = random.integers(0, 4, 64)
points = random.standard_normal((64, 16), np.float32) + labels[:, None]
images = random.standard_normal((4, 8, 8, 3), np.float32)
symmetric = x.T @ x + 5 * np.eye(16, dtype=np.float32)


def on_cpu(function):
    """Runs a function again on the CPU."""
    with tf.device("/CPU:0"):
        return function()


@check
def elementwise():
    yield tf.exp(tf.constant(x)) * 2 - tf.tanh(x), np.exp(x) * 2 - np.tanh(x)


@check
def half_precision():
    yield tf.cast(tf.nn.gelu(tf.constant(x, tf.float16)), tf.float32), on_cpu(lambda: tf.nn.gelu(tf.constant(x)))


@check
def product():
    yield tf.matmul(x, w), x @ w


@check
def batched_products():
    a = random.standard_normal((3, 5, 7), np.float32)
    yield tf.einsum("bij,bkj->bik", a, a), np.einsum("bij,bkj->bik", a, a)


@check
def reductions():
    yield tf.reduce_sum(x, 0), x.sum(0)
    yield tf.reduce_max(x, 1), x.max(1)
    yield tf.argmin(x, 1), x.argmin(1)


@check
def scan():
    yield tf.cumsum(x, 1), x.cumsum(1)


@check
def sort_and_top():
    yield tf.sort(x, 1), np.sort(x, 1)
    yield tf.math.top_k(x, 3).values, -np.sort(-x, 1)[:, :3]


@check
def gather_and_scatter():
    at = np.array([3, 1, 1])
    yield tf.gather(x, at), x[at]
    expected = np.zeros((8, 16), np.float32)
    np.add.at(expected, at, x[:3])
    yield tf.tensor_scatter_nd_add(tf.zeros((8, 16)), at[:, None], x[:3]), expected
    yield tf.math.unsorted_segment_sum(x[:3], at, 8), expected


@check
def where_and_unique():
    yield tf.where(tf.constant(x) > 1), np.argwhere(x > 1)
    yield tf.boolean_mask(x, x > 1), x[x > 1]


@check
def random_numbers():
    tf.random.set_seed(1)
    numbers = tf.random.normal((20000,))
    yield tf.round(tf.reduce_mean(numbers) * 10), 0.0
    yield tf.random.stateless_uniform((100,), (1, 2)), on_cpu(lambda: tf.random.stateless_uniform((100,), (1, 2)))


@check
def softmax_and_loss():
    def loss():
        return tf.nn.sparse_softmax_cross_entropy_with_logits(labels[:8] * 2, tf.constant(x))

    yield loss(), on_cpu(loss)


@check
def gradient():
    def value():
        a = tf.Variable(w)
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.sigmoid(tf.matmul(x, a)) ** 2)
        return tape.gradient(loss, a)

    yield value(), on_cpu(value)


@check
def fft():
    yield tf.signal.rfft(x), np.fft.rfft(x)
    yield tf.signal.ifft2d(tf.cast(x, tf.complex64)), np.fft.ifft2(x)


@check
def linear_systems():
    yield tf.linalg.cholesky(symmetric), np.linalg.cholesky(symmetric)
    yield tf.linalg.solve(symmetric, x.T), np.linalg.solve(symmetric, x.T)
    yield tf.linalg.eigvalsh(symmetric), np.linalg.eigvalsh(symmetric)
    yield tf.linalg.svd(x, compute_uv=False), np.linalg.svd(x, compute_uv=False)


@check
def traced_function():
    @tf.function
    def power(a, n):
        while n > 0:
            a, n = tf.matmul(a, a) / 16, n - 1
        return a

    yield power(tf.constant(symmetric), tf.constant(2)), on_cpu(lambda: power(tf.constant(symmetric), tf.constant(2)))


@check
def xla():
    @tf.function(jit_compile=True)
    def layer(a):
        return tf.nn.softmax(tf.nn.relu(tf.matmul(a, w) + 1)), tf.reduce_sum(tf.sin(a) * a, 0), tf.sort(a, 1)

    found = layer(tf.constant(x))
    scores = np.exp(np.maximum(x @ w + 1, 0))
    yield found[0], scores / scores.sum(1, keepdims=True)
    yield found[1], (np.sin(x) * x).sum(0)
    yield found[2], np.sort(x, 1)


@check
def convolution():
    kernel = random.standard_normal((3, 3, 3, 2), np.float32)

    def value():
        a = tf.Variable(kernel)
        with tf.GradientTape() as tape:
            out = tf.nn.conv2d(images, a, 2, "SAME")
            loss = tf.reduce_sum(out**2)
        return out, tape.gradient(loss, a)

    for found, expected in zip(value(), on_cpu(value)):
        yield found, expected


@check
def pooling():
    yield tf.nn.max_pool2d(images, 2, 2, "SAME"), images.reshape(4, 4, 2, 4, 2, 3).max((2, 4))
    yield tf.nn.avg_pool2d(images, 2, 2, "SAME"), images.reshape(4, 4, 2, 4, 2, 3).mean((2, 4))


def trained(layers, inputs, device, **options):
    """Trains a small Keras model and returns its losses."""
    tf.keras.utils.set_random_seed(3)
    with tf.device(device):
        model = tf.keras.Sequential([tf.keras.Input(inputs.shape[1:]), *layers(), tf.keras.layers.Dense(4)])
        model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), **options)
        history = model.fit(inputs, labels[: len(inputs)], batch_size=16, epochs=2, shuffle=False, verbose=0)
    return history.history["loss"]


def both(layers, inputs, **options):
    """Trains the same model on the GPU and on the CPU."""
    return trained(layers, inputs, "/GPU:0", **options), trained(layers, inputs, "/CPU:0", jit_compile=False)


@check
def keras_dense():
    yield both(lambda: [tf.keras.layers.Dense(32, "relu"), tf.keras.layers.LayerNormalization()], points, jit_compile=False)


@check
def keras_dense_by_xla():
    yield both(lambda: [tf.keras.layers.Dense(32, "relu"), tf.keras.layers.LayerNormalization()], points, jit_compile=True)


@check
def keras_convolution():
    inputs = random.standard_normal((16, 8, 8, 3), np.float32)
    layers = lambda: [tf.keras.layers.Conv2D(4, 3), tf.keras.layers.BatchNormalization(), tf.keras.layers.MaxPooling2D(), tf.keras.layers.Flatten()]
    yield both(layers, inputs, jit_compile=False)


@check
def keras_lstm():
    yield both(lambda: [tf.keras.layers.LSTM(8)], points.reshape(64, 4, 4), jit_compile=False)


@check
def keras_attention():
    def layers():
        class Attend(tf.keras.layers.Layer):
            def __init__(self):
                super().__init__()
                self.attention = tf.keras.layers.MultiHeadAttention(2, 4)

            def call(self, a):
                return self.attention(a, a)

        return [tf.keras.layers.Embedding(10, 8), Attend(), tf.keras.layers.GlobalAveragePooling1D()]

    yield both(layers, np.abs(points).astype(np.int32) % 10, jit_compile=False)


gpus = tf.config.list_physical_devices("GPU")
assert gpus, "TensorFlow finds no GPU"
run(f"TensorFlow {tf.__version__}, Keras {tf.keras.__version__}, {len(gpus)} GPU")
