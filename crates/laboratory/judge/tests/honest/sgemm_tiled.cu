// task: sgemm
extern "C" __global__ void sgemm(unsigned m, unsigned n, unsigned k, float alpha, const float* a, const float* b, float beta, float* c) {
    __shared__ float ta[16][16], tb[16][17];
    unsigned x = threadIdx.x, y = threadIdx.y;
    unsigned col = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
    float sum = 0;
    for (unsigned p = 0; p < k; p += 16) {
        ta[y][x] = row < m && p + x < k ? a[row * k + p + x] : 0;
        tb[y][x] = p + y < k && col < n ? b[(p + y) * n + col] : 0;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; ++i) if (p + i < k) sum += ta[y][i] * tb[i][x];
        __syncthreads();
    }
    if (row < m && col < n) c[row * n + col] = beta == 0 ? alpha * sum : alpha * sum + beta * c[row * n + col];
}
