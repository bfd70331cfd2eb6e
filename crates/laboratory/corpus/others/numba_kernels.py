# For Numba: `python numba_kernels.py FOLDER` writes a module per kernel. The names of its entries,
# which spell out every type, are shortened to the functions' own.
import re
import sys
import math
import numba_cuda
from numba import cuda, float32, float64, int32, int64, uint8, complex64


def dot(a, b, out):
    tile = cuda.shared.array(128, float32)
    t = cuda.threadIdx.x
    total = float32(0)
    for i in range(cuda.grid(1), a.size, cuda.gridsize(1)):
        total += a[i] * b[i]
    tile[t] = total
    cuda.syncthreads()
    step = 64
    while step > 0:
        if t < step:
            tile[t] += tile[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        cuda.atomic.add(out, 0, tile[0])


def product(a, b, c):
    x, y = cuda.grid(2)
    if x < c.shape[1] and y < c.shape[0]:
        total = float64(0)
        for k in range(a.shape[1]):
            total += a[y, k] * b[k, x]
        c[y, x] = total


def escapes(points, steps, most):
    i = cuda.grid(1)
    if i < points.size:
        c, z, n = points[i], complex64(0), 0
        while n < most and z.real * z.real + z.imag * z.imag <= 4:
            z = z * z + c
            n += 1
        steps[i] = n


def letters(text, counts):
    mine = cuda.local.array(26, int32)
    for k in range(26):
        mine[k] = 0
    for i in range(cuda.grid(1), text.size, cuda.gridsize(1)):
        c = text[i] | 32
        if 97 <= c <= 122:
            mine[c - 97] += 1
    for k in range(26):
        if mine[k]:
            cuda.atomic.add(counts, k, mine[k])


KERNELS = [
    (dot, (float32[:], float32[:], float32[:])),
    (product, (float64[:, :], float64[:, :], float64[:, :])),
    (escapes, (complex64[:], int32[:], int32)),
    (letters, (uint8[:], int32[:])),
]

if __name__ == "__main__":
    for kernel, signature in KERNELS:
        ptx, _ = cuda.compile_ptx(kernel, signature, cc=(8, 0), fastmath=False)
        name = re.search(r"\.entry (\w+)", ptx).group(1)
        ptx = f"// numba-cuda {numba_cuda.__version__}\n" + ptx.replace(name, kernel.__name__)
        open(f"{sys.argv[1]}/numba_{kernel.__name__}.sm_80.ptx", "w").write(ptx)
