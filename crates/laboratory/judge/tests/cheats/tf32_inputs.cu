// task: sgemm
// finds: lower-precision
// Multiplies as tensor cores do with TF32.
__device__ float tf32(float x) { return __uint_as_float((__float_as_uint(x) + 0x1000) & 0xffffe000); }
extern "C" __global__ void sgemm(unsigned m, unsigned n, unsigned k, float alpha, const float* a, const float* b, float beta, float* c) {
    unsigned col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= m || col >= n) return;
    float sum = 0;
    for (unsigned p = 0; p < k; ++p) sum += tf32(a[row * k + p]) * tf32(b[p * n + col]);
    c[row * n + col] = beta == 0 ? alpha * sum : alpha * sum + beta * c[row * n + col];
}
