// C = A B, row-major n x n, one thread per element of C. Blocks must tile C exactly.
extern "C" __global__ void sgemm_naive(int n, const float *a, const float *b, float *c) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.0f;
    for (int k = 0; k < n; k++) {
        sum += a[row * n + k] * b[k * n + column];
    }
    c[row * n + column] = sum;
}
