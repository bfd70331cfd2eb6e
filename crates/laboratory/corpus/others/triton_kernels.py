# For Triton: kernels compiled without a GPU. `python triton_kernels.py FOLDER` writes a module per
# kernel and target, and prints the threads and the bytes of shared memory that each needs.
import os
import sys
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget


@triton.jit
def softmax(x, out, cols, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    v = tl.load(x + row * cols + i, mask=i < cols, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + row * cols + i, e / tl.sum(e, axis=0), mask=i < cols)


@triton.jit
def layer_norm(x, scale, shift, out, cols, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    v = tl.load(x + row * cols + i, mask=i < cols, other=0.0)
    mean = tl.sum(v, axis=0) / cols
    d = tl.where(i < cols, v - mean, 0.0)
    inverse = 1 / tl.sqrt(tl.sum(d * d, axis=0) / cols + 1e-5)
    y = d * inverse * tl.load(scale + i, mask=i < cols) + tl.load(shift + i, mask=i < cols)
    tl.store(out + row * cols + i, y, mask=i < cols)


@triton.jit
def product(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for at in range(0, K, BK):
        x = tl.load(a + m[:, None] * K + (at + k)[None, :])
        y = tl.load(b + (at + k)[:, None] * N + n[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(c + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def scan(x, sums, least, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i)
    tl.store(sums + i, tl.cumsum(v, axis=0))
    tl.store(least + i, tl.associative_scan(v, 0, smaller))


@triton.jit
def smaller(a, b):
    return tl.minimum(a, b)


@triton.jit
def sort(x, out, best, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i)
    tl.store(out + i, tl.sort(v))
    tl.store(best + tl.program_id(0), tl.argmax(v, axis=0))


@triton.jit
def histogram(x, bins, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0).to(tl.int32)
    h = tl.histogram(v, 64, mask=i < n)
    tl.atomic_add(bins + tl.arange(0, 64), h)


@triton.jit
def attention(q, k, v, out, length, scale, D: tl.constexpr, BQ: tl.constexpr, BK: tl.constexpr):
    i, d, j = tl.program_id(0) * BQ + tl.arange(0, BQ), tl.arange(0, D), tl.arange(0, BK)
    query = tl.load(q + i[:, None] * D + d[None, :])
    top = tl.full((BQ,), -float("inf"), tl.float32)
    total = tl.zeros((BQ,), tl.float32)
    acc = tl.zeros((BQ, D), tl.float32)
    for at in range(0, length, BK):
        keys = tl.load(k + (at + j)[None, :] * D + d[:, None])
        score = tl.dot(query, keys) * scale
        most = tl.maximum(top, tl.max(score, axis=1))
        p = tl.exp(score - most[:, None])
        old = tl.exp(top - most)
        total = total * old + tl.sum(p, axis=1)
        values = tl.load(v + (at + j)[:, None] * D + d[None, :])
        acc = acc * old[:, None] + tl.dot(p.to(tl.float16), values)
        top = most
    tl.store(out + i[:, None] * D + d[None, :], acc / total[:, None])


@triton.jit
def philox(out, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a, b, c, d = tl.randint4x(seed, i)
    tl.store(out + i, a ^ b ^ c ^ d)


@triton.jit
def transpose(x, out, rows, cols, B: tl.constexpr):
    r, c = tl.program_id(0) * B + tl.arange(0, B), tl.program_id(1) * B + tl.arange(0, B)
    v = tl.load(x + r[:, None] * cols + c[None, :], mask=(r[:, None] < rows) & (c[None, :] < cols))
    tl.store(out + c[:, None] * rows + r[None, :], tl.trans(v), mask=(c[:, None] < cols) & (r[None, :] < rows))


KERNELS = [
    (softmax, "x:*fp32 out:*fp32 cols:i32", {"BLOCK": 512}, [80], {}),
    (layer_norm, "x:*fp32 scale:*fp32 shift:*fp32 out:*fp32 cols:i32", {"BLOCK": 256}, [80], {}),
    (product, "a:*fp16 b:*fp16 c:*fp32 M:i32 N:i32 K:i32", {"BM": 64, "BN": 64, "BK": 32}, [75, 80, 90], {"num_stages": 3}),
    (scan, "x:*i32 sums:*i32 least:*i32", {"BLOCK": 512}, [80], {}),
    (sort, "x:*fp32 out:*fp32 best:*i32", {"BLOCK": 256}, [80], {}),
    (histogram, "x:*u8 bins:*i32 n:i32", {"BLOCK": 512}, [80], {}),
    (attention, "q:*fp16 k:*fp16 v:*fp16 out:*fp32 length:i32 scale:fp32", {"D": 32, "BQ": 32, "BK": 32}, [80, 90], {}),
    (philox, "out:*u32 seed:i32", {"BLOCK": 256}, [80], {}),
    (transpose, "x:*i16 out:*i16 rows:i32 cols:i32", {"B": 32}, [80], {}),
]

if __name__ == "__main__":
    for kernel, signature, constants, targets, options in KERNELS:
        signature = dict(part.split(":") for part in signature.split())
        signature |= {name: "constexpr" for name in constants}
        # Pointers and sizes that are multiples of 16, as they are at run time.
        names = list(signature)
        aligned = {(i,): [["tt.divisibility", 16]] for i, n in enumerate(names) if signature[n].startswith("*") or n in "MNK"}
        for target in targets:
            source = triton.compiler.ASTSource(fn=kernel, signature=signature, constexprs=constants, attrs=aligned)
            # A version that drivers of CUDA 12.8 and later take.
            compiled = triton.compile(source, target=GPUTarget("cuda", target, 32), options=options | {"ptx_version": 87})
            suffix = "a" if target == 90 else ""
            name = f"triton_{kernel.__name__}.sm_{target}{suffix}.ptx"
            text = compiled.asm["ptx"].replace(os.path.dirname(triton.__path__[0]) + "/", "").replace(sys.path[0] + "/", "")
            head = f"// Triton {triton.__version__}\n"
            open(f"{sys.argv[1]}/{name}", "w").write(head + text)
            m = compiled.metadata
            print(name, "threads", m.num_warps * 32, "shared", m.shared, "entry", m.name)
