// Idea: threadIdx.x selects the column, so a warp reads adjacent elements of B, writes adjacent elements of C, and reads one element of A.
// 思路：threadIdx.x 选择列，使一个 warp 读 B 的相邻元素、写 C 的相邻元素，并读 A 的同一个元素。
__global__ void matmul(const float *a, const float *b, float *c, int n, float alpha, float beta) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || column >= n) return;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = alpha * sum + beta * c[row * n + column];
}
