// Idea: 16 x 16 threads compute a tile of C from tiles of A and B in shared memory, where 16 threads read each number. At the edges, a thread stores zero instead.
// 思路：16 x 16 个线程用共享内存中 A 和 B 的 tile 计算 C 的一个 tile，每个数供 16 个线程读取。在边缘，线程改存零。
__global__ void product(const float *a, const float *b, float *c, int n, int pitch) {
    __shared__ float as[16][16], bs[16][16];
    int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
    float sum = 0, error = 0;
    for (int first = 0; first < n; first += 16) {
        as[y][x] = row < n && first + x < n ? a[row * pitch + first + x] : 0;
        bs[y][x] = column < n && first + y < n ? b[(first + y) * pitch + column] : 0;
        __syncthreads();
        for (int k = 0; k < 16; k++) {
            float next = as[y][k] * bs[k][x] - error;
            float total = sum + next;
            error = (total - sum) - next;
            sum = total;
        }
        __syncthreads();
    }
    if (row < n && column < n) c[row * pitch + column] = sum;
}
