// task: add
// finds: lower-precision
// Rounds the inputs to fp16.
#include <cuda_fp16.h>
extern "C" __global__ void add(const float* a, const float* b, float* c, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = __half2float(__float2half(a[i])) + __half2float(__float2half(b[i]));
}
