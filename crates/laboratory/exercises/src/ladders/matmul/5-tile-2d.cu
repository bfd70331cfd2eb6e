// Idea: a thread computes 8 x 8 elements of C, so 8 multiply-adds use each number of A and of B from a register. 64 threads compute 64 x 64 elements.
// 思路：一个线程计算 C 的 8 x 8 个元素，所以寄存器中 A 和 B 的每个数都供 8 次乘加使用。64 个线程计算 64 x 64 个元素。
__global__ void matmul(const float *a, const float *b, float *c, int n, float alpha, float beta) {
    __shared__ float as[8][64 + 4], bs[8][64];
    int thread = threadIdx.x, x = thread % 8, y = thread / 8 * 8;
    int column = blockIdx.x * 64, row = blockIdx.y * 64;
    float sums[8][8] = {};
    for (int first = 0; first < n; first += 8) {
        #pragma unroll
        for (int i = 0; i < 8; i++) {
            as[thread % 8][thread / 8 + 8 * i] = a[(row + thread / 8 + 8 * i) * n + first + thread % 8];
            bs[i][thread] = b[(first + i) * n + column + thread];
        }
        __syncthreads();
        for (int k = 0; k < 8; k++) {
            float left[8], right[8];
            #pragma unroll
            for (int i = 0; i < 8; i++) left[i] = as[k][y + i], right[i] = bs[k][x + 8 * i];
            #pragma unroll
            for (int i = 0; i < 8; i++)
                #pragma unroll
                for (int j = 0; j < 8; j++) sums[i][j] += left[i] * right[j];
        }
        __syncthreads();
    }
    #pragma unroll
    for (int i = 0; i < 8; i++)
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            float *to = &c[(row + y + i) * n + column + x + 8 * j];
            *to = alpha * sums[i][j] + beta * *to;
        }
}
