// task: sgemm
// finds: lower-precision
// Adds up in fp16.
#include <cuda_fp16.h>
extern "C" __global__ void sgemm(unsigned m, unsigned n, unsigned k, float alpha, const float* a, const float* b, float beta, float* c) {
    unsigned col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= m || col >= n) return;
    __half sum = 0;
    for (unsigned p = 0; p < k; ++p) sum = __hadd(sum, __float2half(a[row * k + p] * b[p * n + col]));
    float all = __half2float(sum);
    c[row * n + col] = beta == 0 ? alpha * all : alpha * all + beta * c[row * n + col];
}
