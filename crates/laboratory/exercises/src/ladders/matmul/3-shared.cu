// Idea: a block loads tiles of 32 x 32 numbers of A and B into shared memory, where 32 threads use each number.
// 思路：线程块把 A 和 B 的 32 x 32 tile 加载到共享内存，每个数供 32 个线程使用。
__global__ void matmul(const float *a, const float *b, float *c, int n, float alpha, float beta) {
    __shared__ float as[32][32], bs[32][32];
    int x = threadIdx.x, y = threadIdx.y;
    int column = blockIdx.x * 32 + x, row = blockIdx.y * 32 + y;
    float sum = 0;
    for (int first = 0; first < n; first += 32) {
        as[y][x] = row < n && first + x < n ? a[row * n + first + x] : 0;
        bs[y][x] = column < n && first + y < n ? b[(first + y) * n + column] : 0;
        __syncthreads();
        for (int k = 0; k < 32; k++) sum += as[y][k] * bs[k][x];
        __syncthreads();
    }
    if (row < n && column < n) c[row * n + column] = alpha * sum + beta * c[row * n + column];
}
