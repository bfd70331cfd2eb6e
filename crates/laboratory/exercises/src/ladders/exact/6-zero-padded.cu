// Idea: matrices padded with zeros to a multiple of 16 need no edge tests, and zeros change no sum. Here n is such a multiple.
// 思路：用零填充到 16 的倍数的矩阵不需要边缘判断，而零不改变任何和。这里 n 就是这样的倍数。
__global__ void product(const float *a, const float *b, float *c, int n, int pitch) {
    __shared__ float as[16][16], bs[16][16];
    int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
    float sum = 0, error = 0;
    for (int first = 0; first < n; first += 16) {
        as[y][x] = a[row * pitch + first + x];
        bs[y][x] = b[(first + y) * pitch + column];
        __syncthreads();
        for (int k = 0; k < 16; k++) {
            float next = as[y][k] * bs[k][x] - error;
            float total = sum + next;
            error = (total - sum) - next;
            sum = total;
        }
        __syncthreads();
    }
    c[row * pitch + column] = sum;
}
