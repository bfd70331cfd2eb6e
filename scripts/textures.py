"""Textures on the GPU against the emulator's formulas (crates/emulator/engine/src/texture/sample.rs), in NumPy.

Prints, for each filter, addressing mode and kind of coordinate, how many of the reads have the same bits, and the largest error.
Writes textures.npz with coordinates and results.
"""
import itertools
import numpy as np
import cupy as cp
from cupy.cuda import runtime
from cupy.cuda.texture import ChannelFormatDescriptor, CUDAarray, ResourceDescriptor, TextureDescriptor, TextureObject

PTX = r"""
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 t, .param .u64 xy, .param .u64 out, .param .u32 n)
{
.reg .b64 %l<6>; .reg .b32 %r<8>; .reg .f32 %f<8>; .reg .pred %p;
ld.param.u64 %l0, [t]; ld.param.u64 %l1, [xy]; ld.param.u64 %l2, [out]; ld.param.u32 %r0, [n];
mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r1, %r1, %r2, %r3;
setp.ge.u32 %p, %r1, %r0; @%p ret;
mul.wide.u32 %l3, %r1, 8; add.u64 %l1, %l1, %l3; ld.global.v2.f32 {%f0, %f1}, [%l1];
INSTRUCTION {%f2, %f3, %f4, %f5}, [%l0, {%f0, %f1}];
mul.wide.u32 %l3, %r1, 16; add.u64 %l2, %l2, %l3; st.global.v4.f32 [%l2], {%f2, %f3, %f4, %f5};
ret;
}
"""
W, H = 7, 5
rng = np.random.default_rng(1)


def index(at, n, mode):
    at = at.astype(np.int64)
    if mode == "clamp":
        return np.clip(at, 0, n - 1), np.ones(at.shape, bool)
    if mode == "wrap":
        return at % n, np.ones(at.shape, bool)
    if mode == "mirror":
        at = at % (2 * n)
        return np.minimum(at, 2 * n - 1 - at), np.ones(at.shape, bool)
    return np.clip(at, 0, n - 1), (at >= 0) & (at < n)


def texel(data, x, y, mode):
    (x, a), (y, b) = index(x, W, mode), index(y, H, mode)
    return np.where(a & b, data[y, x].astype(np.float64), 0.0)


def split(at):
    low = np.floor(at - 0.5)
    return low, np.round((at - 0.5 - low) * 256) / 256


def reference(data, xy, linear, normalized, mode, gather=False):
    at = xy.astype(np.float64) * (np.array([W, H]) if normalized else 1.0)
    x, y = at[:, 0], at[:, 1]
    if gather:
        (i, _), (j, _) = split(x), split(y)
        return np.stack([texel(data, i + a, j + b, mode) for a, b in ((0, 1), (1, 1), (1, 0), (0, 0))], 1).astype(np.float32)
    if not linear:
        return texel(data, np.floor(x), np.floor(y), mode).astype(np.float32)
    (i, a), (j, b) = split(x), split(y)
    rows = [(1 - a) * texel(data, i, j + d, mode) + a * texel(data, i + 1, j + d, mode) for d in (0, 1)]
    return ((1 - b) * rows[0] + b * rows[1]).astype(np.float32)


MODES = {"clamp": runtime.cudaAddressModeClamp, "wrap": runtime.cudaAddressModeWrap,
         "mirror": runtime.cudaAddressModeMirror, "border": runtime.cudaAddressModeBorder}


def kernel(instruction):
    module = cp.cuda.function.Module()
    module.load(PTX.replace("INSTRUCTION", instruction).encode())
    return module.get_function("k")


def run(kernel, texture, xy):
    n = len(xy)
    out = cp.zeros((n, 4), cp.float32)
    kernel(((n + 127) // 128,), (128,), (np.uint64(texture.ptr), cp.asarray(xy), out, np.uint32(n)))
    return out.get()


sample, gather = kernel("tex.2d.v4.f32.f32"), kernel("tld4.r.2d.v4.f32.f32")
saved = {}
for name, data, read in (
    ("float", rng.standard_normal((H, W)).astype(np.float32), runtime.cudaReadModeElementType),
    ("u8 as float", rng.integers(0, 256, (H, W)).astype(np.uint8), runtime.cudaReadModeNormalizedFloat),
    ("s16 as float", rng.integers(-32768, 32768, (H, W)).astype(np.int16), runtime.cudaReadModeNormalizedFloat),
):
    bits = 8 * data.itemsize
    kind = {"f": runtime.cudaChannelFormatKindFloat, "u": runtime.cudaChannelFormatKindUnsigned,
            "i": runtime.cudaChannelFormatKindSigned}[data.dtype.kind]
    array = CUDAarray(ChannelFormatDescriptor(bits, 0, 0, 0, kind), W, H)
    array.copy_from(data)
    as_float = data if data.dtype.kind == "f" else np.maximum(
        data.astype(np.float32) / np.float32(2 ** (bits if data.dtype.kind == "u" else bits - 1) - 1), np.float32(-1))
    for normalized, linear, mode in itertools.product((False, True), (False, True), MODES):
        if not normalized and mode in ("wrap", "mirror"):
            continue
        filt = runtime.cudaFilterModeLinear if linear else runtime.cudaFilterModePoint
        texture = TextureObject(ResourceDescriptor(runtime.cudaResourceTypeArray, cuArr=array),
                                TextureDescriptor((MODES[mode],) * 2, filt, read, normalizedCoords=int(normalized)))
        span = 1 if normalized else np.array([W, H])
        xy = (rng.uniform(-1.5, 2.5, (65536, 2)) * span).astype(np.float32)
        exact = (rng.integers(-64 * 8, 64 * 16, (65536, 2)) / 64 / (np.array([W, H]) if normalized else 1)).astype(np.float32)
        xy = np.concatenate([xy, exact])
        label = f"{name}, {'normalized' if normalized else 'texels'}, {'linear' if linear else 'nearest'}, {mode}"
        got = run(sample, texture, xy)
        want = reference(as_float, xy, linear, normalized, mode)
        same = got[:, 0].view(np.uint32) == want.view(np.uint32)
        error = np.abs(got[:, 0].astype(np.float64) - want)
        worst = int(error.argmax())
        print(f"{label}: {same.mean():.4%} same, largest error {error[worst]:.3g} at {xy[worst]}: {got[worst, 0]!r}, formula {want[worst]!r}; other channels {np.unique(got[:, 1:], axis=0)[:2].tolist()}")
        saved[label], saved[label + " xy"] = got, xy
        if linear and name == "float":
            got = run(gather, texture, xy)
            want = reference(as_float, xy, linear, normalized, mode, gather=True)
            print(f"  gather: {(got.view(np.uint32) == want.view(np.uint32)).all(1).mean():.4%} same")
np.savez_compressed("textures.npz", **saved)
