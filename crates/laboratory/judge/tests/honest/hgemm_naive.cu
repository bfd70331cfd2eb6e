// task: hgemm
#include <cuda_fp16.h>
extern "C" __global__ void hgemm(const __half* a, const __half* b, float* c, unsigned m, unsigned n, unsigned k) {
    unsigned left = blockIdx.x * 16, top = blockIdx.y * 16;
    for (unsigned item = threadIdx.x; item < 256; item += 32) {
        unsigned row = top + item / 16, col = left + item % 16;
        float sum = 0;
        for (unsigned p = 0; p < k; ++p) sum += __half2float(a[row * k + p]) * __half2float(b[p * n + col]);
        c[row * n + col] = sum;
    }
}
