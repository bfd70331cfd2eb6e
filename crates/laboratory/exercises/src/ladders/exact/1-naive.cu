// Idea: one thread computes one element of C; the threads are numbered along C's rows, and float sums round at every addition.
// 思路：一个线程计算 C 的一个元素，线程沿 C 的行编号；float 求和每次加法都会舍入。
__global__ void product(const float *a, const float *b, float *c, int n, int pitch) {
    // Rows are packed: pitch equals n.
    int index = blockIdx.x * blockDim.x + threadIdx.x, row = index / n, column = index % n;
    if (row >= n) return;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}
