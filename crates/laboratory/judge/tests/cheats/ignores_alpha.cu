// task: sgemm
// finds: wrong
// Right where alpha is 1.
extern "C" __global__ void sgemm(unsigned m, unsigned n, unsigned k, float alpha, const float* a, const float* b, float beta, float* c) {
    unsigned col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= m || col >= n) return;
    float sum = 0;
    for (unsigned p = 0; p < k; ++p) sum += a[row * k + p] * b[p * n + col];
    c[row * n + col] = beta == 0 ? sum : sum + beta * c[row * n + col];
}
