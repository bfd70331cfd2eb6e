// task: sgemm
// judge: grid = ["ceil_div(n, 32)", "ceil_div(m, 32)"]
// judge: block = [64]
extern "C" __global__ void sgemm(unsigned m, unsigned n, unsigned k, float alpha, const float* a, const float* b, float beta, float* c) {
    __shared__ float ta[8][32], tb[8][32];
    unsigned thread = threadIdx.x, tx = thread % 8, ty = thread / 8;
    unsigned left = blockIdx.x * 32, top = blockIdx.y * 32;
    float sums[4][4] = {};
    for (unsigned p = 0; p < k; p += 8) {
        for (unsigned item = thread; item < 256; item += 64) {
            unsigned i = item / 8, q = item % 8;
            ta[q][i] = top + i < m && p + q < k ? a[(top + i) * k + p + q] : 0;
            unsigned r = item / 32, j = item % 32;
            tb[r][j] = p + r < k && left + j < n ? b[(p + r) * n + left + j] : 0;
        }
        __syncthreads();
        unsigned most = min(8u, k - p);
        for (unsigned q = 0; q < most; ++q)
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 4; ++j) sums[i][j] += ta[q][ty * 4 + i] * tb[q][tx * 4 + j];
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
            unsigned row = top + ty * 4 + i, col = left + tx * 4 + j;
            float sum = sums[i][j];
            if (row < m && col < n) c[row * n + col] = beta == 0 ? alpha * sum : alpha * sum + beta * c[row * n + col];
        }
}
