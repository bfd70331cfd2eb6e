"""Calls the CUDA library of bitsandbytes by its C functions and compares each result with NumPy's.

Usage: bitsandbytes.py LIBRARY. It needs a CUDA driver, such as that of `lanework exec`, and NumPy. Exit code 1 where a result differs.
"""

import ctypes
import itertools
import sys

import numpy as np
from ctypes import c_bool, c_float as real, c_int as whole, c_void_p as pointer

library = ctypes.CDLL(sys.argv[1])
library.get_context.restype = pointer
cuda = ctypes.CDLL("libcuda.so.1")
random = np.random.default_rng(1)
failures = passes = 0

NF4 = np.array([-1, -0.6961928, -0.52507305, -0.39491749, -0.28444138, -0.18477343, -0.09105004, 0,
                0.0795803, 0.1609302, 0.2461123, 0.33791524, 0.44070983, 0.562617, 0.72295684, 1], np.float32)
# 256 levels of -1 to 1, finer about 0.
LEVELS = np.sort(np.append(np.tanh(np.linspace(-3, 3, 255)), 0)).astype(np.float32)
LEVELS /= np.abs(LEVELS).max()
NONE = pointer(0)


def call(name, *arguments):
    status = getattr(cuda, name)(*arguments)
    if status:
        sys.exit(f"{name} answers error {status}")


def start():
    context = pointer()
    call("cuInit", 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    call("cuCtxSetCurrent", context)


class Kind:
    """An element type: its NumPy type, and the conversions from and to floats."""

    def __init__(self, name, holder, pack, unpack):
        self.name, self.holder, self.pack, self.unpack = name, holder, pack, unpack


def upper_half(values):
    return (np.ascontiguousarray(values, np.float32).view(np.uint32) >> 16).astype(np.uint16)


FLOAT = Kind("fp32", np.float32, np.float32, np.float32)
HALF = Kind("fp16", np.float16, np.float16, np.float32)
BFLOAT = Kind("bf16", np.uint16, upper_half, lambda bits: (bits.astype(np.uint32) << 16).view(np.float32))
KINDS = [FLOAT, HALF, BFLOAT]


def upload(array):
    array = np.ascontiguousarray(array)
    place = ctypes.c_uint64()
    call("cuMemAlloc_v2", ctypes.byref(place), ctypes.c_size_t(array.nbytes))
    call("cuMemcpyHtoD_v2", place, array.ctypes.data_as(pointer), ctypes.c_size_t(array.nbytes))
    return pointer(place.value)


def zeros(shape, holder):
    return upload(np.zeros(shape, holder))


def download(place, shape, holder):
    array = np.zeros(shape, holder)
    call("cuMemcpyDtoH_v2", array.ctypes.data_as(pointer), ctypes.c_uint64(place.value), ctypes.c_size_t(array.nbytes))
    return array


def free(*places):
    for place in places:
        call("cuMemFree_v2", ctypes.c_uint64(place.value))


def compare(name, result, expected, tolerance):
    """Counts a test: whether no element differs by more than the tolerance, which may be an array."""
    global failures, passes
    off = np.abs(np.asarray(result, np.float64) - np.asarray(expected, np.float64)) - tolerance
    if np.all(off <= 0):
        passes += 1
    else:
        failures += 1
        print(f"{name}: an element is {np.max(off):g} beyond the tolerance")


def quantization(count, block, kind, code):
    """Quantizes and dequantizes; compares the maxima of the blocks, and each element within half a level."""
    blocks = -(-count // block)
    packed = kind.pack(random.standard_normal(count))
    values = kind.unpack(packed)
    largest = np.array([np.abs(values[i * block:][:block]).max() for i in range(blocks)])
    source, maxima, codes, levels = upload(packed), zeros(blocks, np.float32), zeros(count, np.uint8), upload(LEVELS)
    back = zeros(count, kind.holder)
    name = f"{kind.name}{code}"
    getattr(library, f"cquantize_blockwise_{name}")(levels, source, maxima, codes, whole(block), whole(count))
    getattr(library, f"cdequantize_blockwise_{name}")(levels, codes, maxima, back, whole(block), whole(count), NONE)
    title = f"quantize {name}, {count} in blocks of {block}"
    compare(title, download(maxima, blocks, np.float32), largest, 1e-6)
    # Half the widest distance between adjacent levels.
    widest = {"": 0.5 * np.diff(LEVELS).max(), "_nf4": 0.5 * np.diff(NF4).max(), "_fp4": 1 / 6}[code]
    allowed = np.repeat(largest, block)[:count] * (widest + 0.01)
    compare(title, kind.unpack(download(back, count, kind.holder)), values, allowed)
    free(source, maxima, codes, levels, back)


RATE, BETA, BETA2, BETA3, ALPHA, EPSILON = 1e-3, 0.9, 0.999, 0.9, 5.0, 1e-8


def first_step(optimizer, p, g, decay):
    """The parameters after the first step from states of zero."""
    correction, root = 1 - BETA, np.sqrt(1 - BETA2)
    first, second = (1 - BETA) * g, (1 - BETA2) * g * g
    if optimizer in ("momentum", "rmsprop", "adagrad"):
        g = g + decay * p
    if optimizer == "adam":
        return (p - RATE * root / correction * first / (np.sqrt(second) + EPSILON * root)) * (1 - RATE * decay)
    if optimizer == "ademamix":
        third = (1 - BETA3) * g
        return (p - RATE * (first / correction + ALPHA * third) / (np.sqrt(second) / root + EPSILON)) * (1 - RATE * decay)
    if optimizer == "momentum":
        return p - RATE * g
    if optimizer == "lion":
        return p * (1 - RATE * decay) - RATE * np.sign(g)
    if optimizer == "rmsprop":
        return p - RATE * g / (np.sqrt((1 - BETA) * g * g) + EPSILON)
    return p - RATE * g / (np.abs(g) + EPSILON)


def optimizer_32bit(optimizer, kind, suffix, count=3001, decay=0.01):
    p, g = kind.pack(random.standard_normal(count)), kind.pack(random.standard_normal(count))
    places = upload(g), upload(p), zeros(2 * count, np.float32), zeros(count, np.float32), zeros(1, np.float32)
    getattr(library, f"c{optimizer}32bit_grad_{suffix}")(
        *places, real(0), real(0), real(BETA), real(BETA2), real(BETA3), real(ALPHA), real(EPSILON), real(decay), whole(1),
        real(RATE), real(1), c_bool(False), whole(count))
    check_step(f"{optimizer} {kind.name}", kind, places[1], p, g, optimizer, decay)
    free(*places)


def optimizer_8bit(optimizer, kind, count=4000):
    p, g = kind.pack(random.standard_normal(count)), kind.pack(random.standard_normal(count))
    blocks, nothing = -(-count // 256), np.searchsorted(LEVELS, 0)
    places = (upload(p), upload(g), upload(np.full(2 * count, nothing, np.uint8)), zeros(count, np.uint8),
              upload(LEVELS), upload(np.linspace(0, 1, 256, dtype=np.float32)), zeros(2 * blocks, np.float32), zeros(blocks, np.float32))
    states, tables = places[2:4], places[4:]
    getattr(library, f"c{optimizer}_8bit_blockwise_grad_{kind.name}")(
        *places[:2], *states, real(BETA), real(BETA2), real(BETA3), real(ALPHA), real(EPSILON), whole(1), real(RATE), *tables,
        real(0), real(1), c_bool(False), whole(count))
    check_step(f"{optimizer} of 8 bits, {kind.name}", kind, places[0], p, g, optimizer, 0)
    free(*places)


def check_step(title, kind, place, p, g, optimizer, decay):
    before = kind.unpack(p).astype(np.float64)
    expected = first_step(optimizer, before, kind.unpack(g).astype(np.float64), decay)
    unit = {"fp32": 2.0**-22, "fp16": 2.0**-10, "bf16": 2.0**-7}[kind.name]
    result = kind.unpack(download(place, len(p), kind.holder))
    # The update has a tolerance of its own, because its factors (1 - 0.999) are rounded to f32.
    compare(title, result, expected, unit * np.abs(expected) + 1e-3 * RATE)


def eight_bit_products(rows=37, columns=1000):
    a = random.standard_normal((rows, columns)).astype(np.float16)
    wide = np.abs(a.astype(np.float32))
    source, codes, maxima = upload(a), zeros((rows, columns), np.int8), zeros(rows, np.float32)
    for threshold, largest in ((0, wide.max(1)), (2, np.where(wide < 2, wide, 0).max(1))):
        library.cint8_vector_quant(source, codes, maxima, real(threshold), whole(rows), whole(columns), NONE)
        compare(f"rows of 8 bits, threshold {threshold}", download(maxima, rows, np.float32), largest, 1e-6)
        kept = np.where((threshold == 0) | (wide < threshold), a.astype(np.float32), 0)
        compare("their codes", download(codes, (rows, columns), np.int8), 127 * kept / largest[:, None], 0.51)
    sums = random.integers(-5000, 5000, (rows, columns), np.int32)
    scales, bias = random.random(columns, np.float32), random.standard_normal(columns).astype(np.float16)
    result = zeros((rows, columns), np.float16)
    library.cdequant_mm_int32_fp16(upload(sums), maxima, upload(scales), result, upload(bias), whole(rows), whole(columns), NONE)
    expected = sums * largest[:, None] * scales / 127**2 + bias.astype(np.float32)
    compare("sums of 32 bits, scaled", download(result, (rows, columns), np.float16), expected, 2e-3 * np.abs(expected) + 2e-3)
    a, b = random.integers(-127, 128, (64, 128), np.int8), random.integers(-127, 128, (48, 128), np.int8)
    result = zeros((48, 64), np.int32)
    library.cigemmlt_32(pointer(library.get_context()), whole(128), whole(48), whole(64), upload(a), upload(b), result, NONE,
                        whole(128), whole(128), whole(64), NONE)
    compare("a product by cuBLASLt", download(result, (48, 64), np.int32), b.astype(np.int32) @ a.T.astype(np.int32), 0)


def four_bit_vector(rows=96, columns=512, block=64):
    """Multiplies a matrix of 4-bit numbers by a vector."""
    weights = random.standard_normal(rows * columns).astype(np.float16)
    maxima, codes = zeros(weights.size // block, np.float32), zeros(weights.size // 2, np.uint8)
    back, levels = zeros(weights.size, np.float16), upload(NF4)
    library.cquantize_blockwise_fp16_nf4(NONE, upload(weights), maxima, codes, whole(block), whole(weights.size))
    library.cdequantize_blockwise_fp16_nf4(NONE, codes, maxima, back, whole(block), whole(weights.size), NONE)
    matrix = download(back, (rows, columns), np.float16).astype(np.float64)
    for kind in KINDS:
        packed = kind.pack(random.standard_normal(columns))
        vector, result = kind.unpack(packed).astype(np.float64), zeros(rows, kind.holder)
        getattr(library, f"cgemm_4bit_inference_naive_{kind.name}")(
            whole(rows), whole(1), whole(columns), upload(packed), codes, maxima, levels, result, whole(rows), whole(columns // 2),
            whole(rows), whole(block), NONE)
        allowed = {"fp32": 3e-2, "fp16": 1e-1, "bf16": 1}[kind.name]
        compare(f"4 bits by a vector, {kind.name}", kind.unpack(download(result, rows, kind.holder)), matrix @ vector, allowed)


start()
for count, block in itertools.product((5000, 12288, 777), (4096, 2048, 1024, 512, 256, 128, 64, 32)):
    for kind, code in itertools.product(KINDS, ("", "_nf4", "_fp4")):
        # Blocks of 32 exist only with 4-bit codes.
        if code or block > 32:
            quantization(count, block, kind, code)
for optimizer, kind, suffix in (("adam", FLOAT, "fp32"), ("adam", HALF, "fp16"), ("adam", BFLOAT, "bf16"), ("momentum", FLOAT, "32"),
                                ("momentum", HALF, "16"), ("rmsprop", FLOAT, "32"), ("rmsprop", HALF, "16"), ("lion", FLOAT, "fp32"),
                                ("lion", HALF, "fp16"), ("lion", BFLOAT, "bf16"), ("adagrad", FLOAT, "32"), ("adagrad", HALF, "16"),
                                ("ademamix", FLOAT, "fp32"), ("ademamix", HALF, "fp16"), ("ademamix", BFLOAT, "bf16")):
    optimizer_32bit(optimizer, kind, suffix)
for optimizer, kind in itertools.product(("adam", "momentum", "rmsprop", "adagrad", "lion", "ademamix"), KINDS):
    optimizer_8bit(optimizer, kind)
eight_bit_products()
four_bit_vector()
print(f"{passes} passed, {failures} failed")
sys.exit(failures > 0)
