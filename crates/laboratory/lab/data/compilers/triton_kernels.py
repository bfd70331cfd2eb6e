# For Triton: a masked sum and a matrix product, compiled without a GPU.
import triton, triton.language as tl
from triton.backends.compiler import GPUTarget

@triton.jit
def masked_sum(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0.0)
    tl.atomic_add(out, tl.sum(tl.exp(v), axis=0))

@triton.jit
def product(a, b, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n, k = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for at in range(0, K, BK):
        x = tl.load(a + m[:, None] * K + (at + k)[None, :])
        y = tl.load(b + (at + k)[:, None] * BN + n[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(c + m[:, None] * BN + n[None, :], acc)

if __name__ == "__main__":
    for f, sig, const, arch in [
        (masked_sum, {"x": "*fp32", "out": "*fp32", "n": "i32", "BLOCK": "constexpr"}, {"BLOCK": 256}, 80),
        (product, {"a": "*fp16", "b": "*fp16", "c": "*fp32", "K": "i32", "BM": "constexpr", "BN": "constexpr", "BK": "constexpr"}, {"BM": 64, "BN": 64, "BK": 32}, 80),
        (product, {"a": "*fp16", "b": "*fp16", "c": "*fp32", "K": "i32", "BM": "constexpr", "BN": "constexpr", "BK": "constexpr"}, {"BM": 64, "BN": 64, "BK": 32}, 90),
    ]:
        src = triton.compiler.ASTSource(fn=f, signature=sig, constexprs=const)
        k = triton.compile(src, target=GPUTarget("cuda", arch, 32))
        open(f"triton.{f.__name__}.sm_{arch}.ptx", "w").write(k.asm["ptx"])
