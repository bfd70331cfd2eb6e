// Idea: one thread computes one element of C, reading its row of A and its column of B.
// 思路：一个线程计算 C 的一个元素，读取 A 的一行和 B 的一列。
__global__ void int_matmul(const int *a, const int *b, int *c, int n) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    int sum = 0;
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}
