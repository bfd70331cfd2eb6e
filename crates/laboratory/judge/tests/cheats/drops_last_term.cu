// task: sgemm
// finds: wrong
// Leaves the last product out where k is odd.
extern "C" __global__ void sgemm(unsigned m, unsigned n, unsigned k, float alpha, const float* a, const float* b, float beta, float* c) {
    unsigned col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= m || col >= n) return;
    float sum = 0;
    for (unsigned p = 0; p < k; ++p) if (!(k % 2 == 1 && p + 1 == k && k > 1)) sum += a[row * k + p] * b[p * n + col];
    c[row * n + col] = beta == 0 ? alpha * sum : alpha * sum + beta * c[row * n + col];
}
