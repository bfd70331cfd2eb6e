# For Numba: shared memory, atomics, local arrays, integer and floating-point types.
from numba import cuda, float32, float64, int32, int64
import numpy as np

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

def histogram(values, counts):
    mine = cuda.local.array(8, int32)
    for k in range(8):
        mine[k] = 0
    for i in range(cuda.grid(1), values.shape[0], cuda.gridsize(1)):
        mine[int64(values[i]) % 8] += 1
    for k in range(8):
        cuda.atomic.add(counts, k, mine[k])

if __name__ == "__main__":
    for f, signature, name in [(dot, (float32[:], float32[:], float32[:]), "dot"), (histogram, (float64[:], int32[:]), "histogram")]:
        ptx, _ = cuda.compile_ptx(f, signature, cc=(8, 0))
        open(f"numba.{name}.ptx", "w").write(ptx)
