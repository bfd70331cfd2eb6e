"""Tuned operations on arrays: reductions, scans, transposes, matrix products, softmax, norms, attention.

The same kernels run on a GPU and on the emulator, so programs can be tested without a GPU:

    from lanework import ops

    c = ops.gemm(a, b.T, precision="accurate", bias=bias, activation="relu")
    total = ops.sum(x, compensated=True)

Arrays are NumPy arrays, or objects that `numpy.asarray` accepts without a copy. Inputs are copied to the device, and the result is
copied back. `device` is `"best"` (a GPU if there is one, else the emulator), `"emulator"` or `"cuda:0"`. bf16 and 8-bit floats are types
of the package `ml_dtypes`. Results have the same bits in every run on the same device. Invalid operands raise a `ValueError` that names
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _lanework

__all__ = [
    "argmax",
    "argmin",
    "attention",
    "dot",
    "exclusive_scan",
    "gemm",
    "inclusive_scan",
    "layer_norm",
    "max",
    "min",
    "norm2",
    "permute",
    "rms_norm",
    "softmax",
    "sum",
    "sum_of_squares",
    "transpose",
]

Array = np.ndarray[Any, np.dtype[Any]]

# The library's names of element types.
_NAMES = {
    "int8": "i8",
    "uint8": "u8",
    "int16": "i16",
    "uint16": "u16",
    "int32": "i32",
    "uint32": "u32",
    "int64": "i64",
    "uint64": "u64",
    "float16": "f16",
    "bfloat16": "bf16",
    "float32": "f32",
    "float64": "f64",
    "float8_e4m3fn": "e4m3",
    "float8_e5m2": "e5m2",
}
_TYPES = {name: of for of, name in _NAMES.items()}


def _name(dtype: np.dtype[Any]) -> str:
    name = _NAMES.get(dtype.name)
    if name is None or not dtype.isnative:
        raise ValueError(f"an array of {dtype}: elements are {', '.join(_NAMES)}, in the byte order of this machine")
    return name


def _dtype(name: str) -> np.dtype[Any]:
    of = _TYPES[name]
    try:
        return np.dtype(of)
    except TypeError:
        import ml_dtypes

        return np.dtype(getattr(ml_dtypes, of))


def _input(x: Any) -> Array:
    """Returns the array; copies it if its elements have gaps, repeat, or are in reverse order."""
    x = np.asarray(x)
    axes = sorted((stride, extent) for stride, extent in zip(x.strides, x.shape, strict=True) if extent > 1)
    step = x.itemsize
    for stride, extent in axes:
        if stride != step:
            return np.ascontiguousarray(x)
        step *= extent
    return x


def _described(x: Array) -> tuple[Array, str, list[int], list[int]]:
    # Viewed as unsigned integers of the same size, because the buffer protocol does not support all types.
    strides = [stride // x.itemsize if extent > 1 else 1 for stride, extent in zip(x.strides, x.shape, strict=True)]
    return x.view(f"u{x.itemsize}"), _name(x.dtype), list(x.shape), strides


def _moved(x: Array) -> Array:
    """Views the array as unsigned integers; adds an axis if no integer has the size of an element."""
    if x.dtype.hasobject or x.itemsize == 0:
        raise ValueError(f"an array of {x.dtype}: its elements have no bytes to move")
    unit = next(unit for unit in (8, 4, 2, 1) if x.itemsize % unit == 0)
    return x.view(f"u{unit}") if unit == x.itemsize else x[..., np.newaxis].view(f"u{unit}")


def _optional(x: Any) -> tuple[Array, str, list[int], list[int]] | None:
    return None if x is None else _described(_input(x))


def _axis(axis: int, x: Array) -> int:
    if not -x.ndim <= axis < x.ndim:
        raise ValueError(f"axis {axis} of an array of {x.ndim} axes")
    return axis % x.ndim


def _reduced(name: str, x: Any, y: Any, axis: int | None, compensated: bool, device: str) -> Any:
    x = _input(x)
    dtype = _dtype(_lanework.reduced_type(name, _name(x.dtype)))
    along = None if axis is None else _axis(axis, x)
    shape = () if along is None else x.shape[:along] + x.shape[along + 1 :]
    out: Array = np.empty(shape, dtype)
    _lanework.reduce(device, name, _described(x), _optional(y), along, compensated, _described(out))
    return out[()] if axis is None else out


def sum(x: Any, axis: int | None = None, *, compensated: bool = False, device: str = "best") -> Any:
    """The sum of all elements, or along an axis. Signed integers give int64, unsigned ones uint64, and floats of at most 32 bits float32.

    `compensated` sums are computed as if with twice the precision, and rounded once.
    """
    return _reduced("sum", x, None, axis, compensated, device)


def sum_of_squares(x: Any, axis: int | None = None, *, compensated: bool = False, device: str = "best") -> Any:
    """The sum of the squares, with the types of `sum`."""
    return _reduced("sum_of_squares", x, None, axis, compensated, device)


def norm2(x: Any, axis: int | None = None, *, compensated: bool = False, device: str = "best") -> Any:
    """The Euclidean norm of floats: the square root of the sum of squares, without scaling against overflow."""
    return _reduced("norm2", x, None, axis, compensated, device)


def dot(x: Any, y: Any, axis: int | None = None, *, compensated: bool = False, device: str = "best") -> Any:
    """The dot product of two arrays of the same shape and type, of all elements or along an axis."""
    return _reduced("dot", x, y, axis, compensated, device)


def min(x: Any, axis: int | None = None, *, device: str = "best") -> Any:
    """The smallest element; NaN if there is a NaN."""
    return _reduced("min", x, None, axis, False, device)


def max(x: Any, axis: int | None = None, *, device: str = "best") -> Any:
    """The largest element; NaN if there is a NaN."""
    return _reduced("max", x, None, axis, False, device)


def argmin(x: Any, axis: int | None = None, *, device: str = "best") -> Any:
    """The first index (uint64) of the smallest element, or of the first NaN."""
    return _reduced("argmin", x, None, axis, False, device)


def argmax(x: Any, axis: int | None = None, *, device: str = "best") -> Any:
    """The first index (uint64) of the largest element, or of the first NaN."""
    return _reduced("argmax", x, None, axis, False, device)


def _scanned(x: Any, kind: str, exclusive: bool, last_axis: bool, device: str) -> Array:
    x = np.asarray(_input(x), order="C")
    out = np.empty(x.shape, x.dtype)
    _lanework.scan(device, kind, _described(x), exclusive, last_axis, _described(out))
    return out


def inclusive_scan(x: Any, kind: str = "sum", *, last_axis: bool = False, device: str = "best") -> Array:
    """The running sums (`"sum"`) or extremes (`"min"`, `"max"`) in row-major order, or of each row (`last_axis`), in the type of `x`.
    Extremes ignore NaNs. An array with gaps or permuted axes is copied first."""
    return _scanned(x, kind, False, last_axis, device)


def exclusive_scan(x: Any, kind: str = "sum", *, last_axis: bool = False, device: str = "best") -> Array:
    """Like `inclusive_scan`, but only of the elements before each element: the first sum is 0."""
    return _scanned(x, kind, True, last_axis, device)


def permute(x: Any, axes: Sequence[int], *, device: str = "best") -> Array:
    """A contiguous copy whose axis `i` is axis `axes[i]` of `x`, as by `numpy.transpose`.
    Elements have any type but `object`. There are at most six axes, or five if elements do not have 1, 2, 4 or 8 bytes."""
    x = _input(x)
    axes = [_axis(axis, x) for axis in axes]
    out = np.empty([x.shape[axis] for axis in axes], x.dtype)
    source, result = _moved(x), _moved(out)
    axes += range(x.ndim, source.ndim)
    _lanework.permute(device, _described(source), axes, _described(result))
    return out


def transpose(x: Any, *, device: str = "best") -> Array:
    """Exchanges the last two axes; earlier axes are a batch."""
    x = np.asarray(x)
    if x.ndim < 2:
        raise ValueError(f"the transpose of an array of shape {x.shape}: it has two axes or more")
    return permute(x, [*range(x.ndim - 2), x.ndim - 1, x.ndim - 2], device=device)


def gemm(
    a: Any,
    b: Any,
    c: Array | None = None,
    *,
    alpha: float = 1.0,
    beta: float = 0.0,
    precision: str = "full",
    bias: Any = None,
    activation: str | None = None,
    scales: tuple[Any, Any] | None = None,
    dtype: Any = None,
    device: str = "best",
) -> Array:
    """`alpha a b + beta c` for matrices, or for batches of matrices with three axes (a batch of 1 is used for all).

    Factors are f64, f32, f16, bf16, 8-bit floats or int8. The result has the type of the sums (f64, f32, or int32 for int8), or
    `dtype`; if `c` is given, the result overwrites it. `precision` of f32 is `"full"`, `"tf32"`, `"accurate"` (on tensor cores, with at
    most the error of f32 sums) or `"compensated"`. `bias` has one element per column; `activation` is `"relu"` or `"gelu"`. `scales`
    are f32 scales of 8-bit factors: one per factor, or one per row and column.
    """
    a, b = _input(a), _input(b)
    if c is None:
        if beta != 0:
            raise ValueError(f"beta is {beta} and there is no c that it multiplies: give c")
        if a.ndim != b.ndim or a.ndim not in (2, 3):
            raise ValueError(f"a product of shapes {a.shape} and {b.shape}: give two matrices, or two batches of them")
        of = np.dtype(dtype) if dtype is not None else _dtype(_lanework.sum_type(_name(a.dtype)))
        batch = [a.shape[0] if a.shape[0] != 1 else b.shape[0]] if a.ndim == 3 else []
        c = np.empty([*batch, a.shape[-2], b.shape[-1]], of)
    elif dtype is not None and np.dtype(dtype) != c.dtype:
        raise ValueError(f"dtype is {np.dtype(dtype)} and c has elements of {c.dtype}: give one of the two")
    of_scales = None if scales is None else (_described(_input(scales[0])), _described(_input(scales[1])))
    _lanework.gemm(
        device,
        _described(a),
        _described(b),
        (float(alpha), float(beta)),
        (precision, activation or "none"),
        _optional(bias),
        of_scales,
        _described(c),
    )
    return c


def _of_rows(name: str, x: Any, gamma: Any, beta: Any, eps: float, device: str) -> Array:
    x = _input(x)
    if x.ndim < 1:
        raise ValueError(f"{name} of a number: give rows")
    flat = np.ascontiguousarray(x).reshape(-1, x.shape[-1]) if x.ndim != 2 else x
    out = np.empty(flat.shape, x.dtype)
    _lanework.rows(device, name, _described(flat), _optional(gamma), _optional(beta), eps, _described(out))
    return out.reshape(x.shape)


def softmax(x: Any, *, device: str = "best") -> Array:
    """The softmax along the last axis, for f16, bf16 or f32."""
    return _of_rows("softmax", x, None, None, 0.0, device)


def layer_norm(x: Any, gamma: Any = None, beta: Any = None, *, eps: float = 1e-5, device: str = "best") -> Array:
    """`(x - mean) / sqrt(variance + eps) * gamma + beta` along the last axis, for f16, bf16 or f32."""
    return _of_rows("layer_norm", x, gamma, beta, eps, device)


def rms_norm(x: Any, gamma: Any = None, beta: Any = None, *, eps: float = 1e-5, device: str = "best") -> Array:
    """`x / sqrt(mean of squares + eps) * gamma + beta` along the last axis, for f16, bf16 or f32."""
    return _of_rows("rms_norm", x, gamma, beta, eps, device)


def attention(q: Any, k: Any, v: Any, *, causal: bool = False, scale: float | None = None, device: str = "best") -> Array:
    """`softmax(scale q k') v` for f16 or bf16, with the axes batch, heads, sequence and head dimension (64 or 128). Keys may have fewer
    heads than queries.

    The default scale is one over the square root of the head dimension.
    """
    q, k, v = _input(q), _input(k), _input(v)
    out = np.empty(q.shape, q.dtype)
    _lanework.attention(device, (_described(q), _described(k), _described(v)), causal, scale, _described(out))
    return out
