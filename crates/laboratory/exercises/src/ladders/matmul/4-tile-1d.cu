// Idea: a thread computes 8 elements of one column of C, so 8 multiply-adds use each number of B from a register. A block computes 64 x 64 elements.
// 思路：一个线程计算 C 的一列中的 8 个元素，所以寄存器中 B 的每个数供 8 次乘加使用。一个线程块计算 64 x 64 个元素。
__global__ void matmul(const float *a, const float *b, float *c, int n, float alpha, float beta) {
    __shared__ float as[64][8], bs[8][64];
    int thread = threadIdx.x, x = thread % 64, y = thread / 64 * 8;
    int column = blockIdx.x * 64, row = blockIdx.y * 64;
    float sums[8] = {};
    for (int first = 0; first < n; first += 8) {
        as[thread / 8][thread % 8] = a[(row + thread / 8) * n + first + thread % 8];
        bs[thread / 64][x] = b[(first + thread / 64) * n + column + x];
        __syncthreads();
        for (int k = 0; k < 8; k++) {
            float factor = bs[k][x];
            #pragma unroll
            for (int i = 0; i < 8; i++) sums[i] += as[y + i][k] * factor;
        }
        __syncthreads();
    }
    #pragma unroll
    for (int i = 0; i < 8; i++) {
        float *to = &c[(row + y + i) * n + column + x];
        *to = alpha * sums[i] + beta * *to;
    }
}
