// Idea: Kahan summation (1965) keeps the rounding error of each addition and subtracts it from the next number.
// 思路：Kahan 求和（1965）保留每次加法的舍入误差，并从下一个数中减去。
__global__ void product(const float *a, const float *b, float *c, int n, int pitch) {
    // Rows are packed: pitch equals n.
    int index = blockIdx.x * blockDim.x + threadIdx.x, row = index / n, column = index % n;
    if (row >= n) return;
    float sum = 0, error = 0;
    for (int k = 0; k < n; k++) {
        float next = a[row * n + k] * b[k * n + column] - error;
        float total = sum + next;
        error = (total - sum) - next;
        sum = total;
    }
    c[row * n + column] = sum;
}
