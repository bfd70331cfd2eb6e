// Idea: one thread computes one element of C. Here threadIdx.x selects the row, so 32 adjacent threads access a column of A and of C.
// 思路：一个线程计算 C 的一个元素。这里 threadIdx.x 选择行，所以 32 个相邻线程访问 A 和 C 的一列。
__global__ void matmul(const float *a, const float *b, float *c, int n, float alpha, float beta) {
    int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || column >= n) return;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = alpha * sum + beta * c[row * n + column];
}
