"""Operations on arrays: compares results with NumPy's, and tests layouts, types and errors.

`LANEWORK_TEST_DEVICE=cuda:0` runs them on a GPU."""

import os

import numpy as np
import pytest
from lanework import ops

RNG = np.random.default_rng(7)
DEVICE = {"device": os.environ.get("LANEWORK_TEST_DEVICE", "emulator")}


def numbers(*shape, dtype=np.float32):
    return RNG.uniform(-1, 1, shape).astype(dtype)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32", "uint32", "int64", "uint64"])
def test_reductions_are_numpys(dtype):
    x = (RNG.uniform(1, 100, (5, 7, 3))).astype(dtype)
    wide = x.astype(np.float64)
    for name, reference in [
        ("sum", np.sum(wide)),
        ("sum_of_squares", np.sum(wide * wide)),
        ("min", wide.min()),
        ("max", wide.max()),
        ("argmin", wide.argmin()),
        ("argmax", wide.argmax()),
    ]:
        np.testing.assert_allclose(getattr(ops, name)(x, **DEVICE), reference, rtol=1e-5)
    for axis in (0, 1, 2, -1):
        np.testing.assert_allclose(ops.sum(x, axis, **DEVICE), wide.sum(axis), rtol=1e-5)
        assert (ops.argmax(x, axis, **DEVICE) == x.argmax(axis)).all()
        assert ops.max(x, axis, **DEVICE).dtype == x.dtype
    np.testing.assert_allclose(ops.dot(x, x, 1, **DEVICE), (wide * wide).sum(1), rtol=1e-5)


def test_sums_are_compensated_on_request_and_norms_are_of_floats():
    x = np.array([1e8, 1, -1e8, 1], np.float32)
    assert ops.sum(x, compensated=True, **DEVICE) == 2
    assert ops.norm2(np.array([3.0, 4.0]), **DEVICE) == 5
    assert np.isnan(ops.max(np.array([1, np.nan, 2], np.float32), **DEVICE))
    with pytest.raises(ValueError, match="norm2"):
        ops.norm2(np.array([3, 4], np.int32), **DEVICE)
    with pytest.raises(ValueError, match="no elements"):
        ops.min(np.zeros((0,), np.float32), **DEVICE)
    assert ops.sum(np.zeros((0, 3), np.float32), **DEVICE) == 0


def test_scans_are_running_sums_and_extremes():
    x = RNG.integers(-9, 9, (4, 33)).astype(np.int32)
    assert (ops.inclusive_scan(x, last_axis=True, **DEVICE) == x.cumsum(1)).all()
    assert (ops.exclusive_scan(x, **DEVICE).reshape(-1)[1:] == x.reshape(-1).cumsum()[:-1]).all()
    assert (ops.inclusive_scan(x, "max", last_axis=True, **DEVICE) == np.maximum.accumulate(x, 1)).all()
    for view in (x.T, x[:, ::2]):
        assert (ops.inclusive_scan(view, last_axis=True, **DEVICE) == view.cumsum(1)).all()
        assert (ops.inclusive_scan(view, **DEVICE).reshape(-1) == view.cumsum()).all()
    with pytest.raises(ValueError, match="there are sum, min, max"):
        ops.inclusive_scan(x, "product", **DEVICE)


@pytest.mark.parametrize("dtype", ["int8", "uint16", "float16", "float32", "int64", "float64"])
def test_axes_move(dtype):
    x = RNG.integers(0, 100, (3, 4, 5)).astype(dtype)
    assert (ops.permute(x, (2, 0, 1), **DEVICE) == x.transpose(2, 0, 1)).all()
    assert (ops.transpose(x, **DEVICE) == x.swapaxes(1, 2)).all()
    # Transposed views are passed as they are; other views are copied to contiguous arrays first.
    for view in (x.T, x[::-1], x[:, ::2], np.broadcast_to(x[:1], x.shape)):
        assert (ops.permute(view, (1, 2, 0), **DEVICE) == view.transpose(1, 2, 0)).all()
    with pytest.raises(ValueError, match="axis 3"):
        ops.permute(x, (0, 1, 3), **DEVICE)
    with pytest.raises(ValueError, match="order of the 3 axes"):
        ops.permute(x, (0, 1, 1), **DEVICE)


@pytest.mark.parametrize("dtype", [bool, np.complex64, np.complex128, "U3", "datetime64[s]", ">f4", [("a", "u1"), ("b", "<u4")]])
def test_axes_of_elements_of_any_type_move(dtype):
    x = RNG.integers(0, 2, (3, 4, 5, np.dtype(dtype).itemsize)).astype(np.uint8).view(dtype)[..., 0]
    for view in (x, x.T, x[:, ::2]):
        moved, expected = ops.permute(view, (1, 2, 0), **DEVICE), view.transpose(1, 2, 0)
        assert moved.dtype == expected.dtype
        assert moved.tobytes() == np.ascontiguousarray(expected).tobytes()
    with pytest.raises(ValueError, match="no bytes to move"):
        ops.transpose(np.array([[None]]), **DEVICE)


def test_products_take_transposes_batches_and_options():
    a, b, bias = numbers(17, 33), numbers(9, 33), numbers(9)
    product = a.astype(np.float64) @ b.T
    np.testing.assert_allclose(ops.gemm(a, b.T, **DEVICE), product, atol=1e-5)
    c = numbers(17, 9)
    expected = np.maximum(2 * product - 0.5 * c + bias, 0)
    assert ops.gemm(a, b.T, c, alpha=2, beta=-0.5, bias=bias, activation="relu", **DEVICE) is c
    np.testing.assert_allclose(c, expected, atol=1e-5)
    many, one = numbers(3, 5, 8, dtype=np.float64), numbers(1, 8, 6, dtype=np.float64)
    np.testing.assert_allclose(ops.gemm(many, one, **DEVICE), many @ one, atol=1e-12)
    small = RNG.integers(-128, 128, (12, 40)).astype(np.int8)
    whole = ops.gemm(small, small.T, **DEVICE)
    assert whole.dtype == np.int32 and (whole == small.astype(np.int32) @ small.T.astype(np.int32)).all()
    half = numbers(16, 16, dtype=np.float16)
    for dtype in (None, np.float16):
        got = ops.gemm(half, half, dtype=dtype, **DEVICE)
        assert got.dtype == (dtype or np.float32)
        np.testing.assert_allclose(got, half.astype(np.float64) @ half, atol=1e-2)
    for precision in ("tf32", "accurate", "compensated"):
        np.testing.assert_allclose(ops.gemm(a, b.T, precision=precision, **DEVICE), product, atol=1e-2)


def test_products_that_do_not_fit_say_what():
    a, b = numbers(2, 3), numbers(4, 2)
    with pytest.raises(ValueError, match="A has 3 columns and B has 4 rows"):
        ops.gemm(a, b, **DEVICE)
    with pytest.raises(ValueError, match="give c"):
        ops.gemm(a, a.T, beta=1, **DEVICE)
    with pytest.raises(ValueError, match="there are full, tf32"):
        ops.gemm(a, a.T, precision="half", **DEVICE)
    with pytest.raises(ValueError, match="f32 and f64"):
        ops.gemm(a, a.T.astype(np.float64), **DEVICE)
    with pytest.raises(ValueError, match="complex64"):
        ops.gemm(a.astype(np.complex64), a.T, **DEVICE)
    out = np.zeros((2, 2), np.float32)
    out.setflags(write=False)
    with pytest.raises(ValueError, match="read-only"):
        ops.gemm(a, a.T, out, **DEVICE)


def test_rows_are_normalized_along_the_last_axis():
    x, gamma, beta = numbers(2, 3, 50), numbers(50), numbers(50)
    exponentials = np.exp(x - x.max(-1, keepdims=True))
    np.testing.assert_allclose(ops.softmax(x, **DEVICE), exponentials / exponentials.sum(-1, keepdims=True), rtol=1e-5)
    centered = x - x.mean(-1, keepdims=True)
    normal = centered / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * gamma + beta
    np.testing.assert_allclose(ops.layer_norm(x, gamma, beta, **DEVICE), normal, atol=1e-5)
    root = x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(ops.rms_norm(x, **DEVICE), root, rtol=1e-5)
    with pytest.raises(ValueError, match="gamma"):
        ops.layer_norm(x, gamma[:7], **DEVICE)


def test_attention_is_its_formula():
    q, k, v = (numbers(1, 2, 20, 64, dtype=np.float16) for _ in range(3))
    scores = q.astype(np.float64) @ k.swapaxes(2, 3).astype(np.float64) / 8
    scores = np.where(np.tril(np.ones((20, 20), bool)), scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    expected = weights / weights.sum(-1, keepdims=True) @ v.astype(np.float64)
    np.testing.assert_allclose(ops.attention(q, k, v, causal=True, **DEVICE), expected, atol=2e-3)
    with pytest.raises(ValueError, match="one type"):
        ops.attention(q, k, v.astype(np.float32), **DEVICE)


def test_types_of_ml_dtypes_are_known():
    types = pytest.importorskip("ml_dtypes")
    x = numbers(8, 16)
    short = x.astype(types.bfloat16)
    assert ops.sum(short, **DEVICE).dtype == np.float32
    assert ops.max(short, 1, **DEVICE).dtype == types.bfloat16
    np.testing.assert_allclose(ops.gemm(short, short.T, **DEVICE), x @ x.T, atol=0.1)
    byte = x.astype(types.float8_e4m3fn)
    scale, rows = np.array([0.5], np.float32), np.arange(8, dtype=np.float32)
    product = byte.astype(np.float32) @ byte.T.astype(np.float32)
    got = ops.gemm(byte, byte.T, scales=(rows, scale), **DEVICE)
    np.testing.assert_allclose(got, 0.5 * rows[:, None] * product, atol=0.05)
