// Idea: a block of 16 x 16 threads loads a tile of A and one of B into shared memory and reuses each number 16 times; no thread needs many registers.
// 思路：16 x 16 个线程的线程块把 A 和 B 各一个 tile 加载到共享内存，每个数重复使用 16 次；线程不需要很多寄存器。
__global__ void int_matmul(const int *a, const int *b, int *c, int n) {
    __shared__ int as[16][16], bs[16][16];
    int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y, sum = 0;
    for (int first = 0; first < n; first += 16) {
        as[y][x] = a[row * n + first + x];
        bs[y][x] = b[(first + y) * n + column];
        __syncthreads();
        for (int k = 0; k < 16; k++) sum += as[y][k] * bs[k][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
