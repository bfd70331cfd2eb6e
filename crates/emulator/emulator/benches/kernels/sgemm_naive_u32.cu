// C = A B as in sgemm_naive.cu, with unsigned indices: the compiler may not move the 32-bit index
// arithmetic to 64-bit pointers, so every address widens a 32-bit product that might have wrapped.
extern "C" __global__ void sgemm_naive_u32(unsigned n, const float *a, const float *b, float *c) {
    unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.0f;
    for (unsigned k = 0; k < n; k++) {
        sum += a[row * n + k] * b[k * n + column];
    }
    c[row * n + column] = sum;
}
