// Idea: one thread computes 2 x 2 elements of C in registers, directly from global memory: 4 loads for 4 multiply-adds instead of 8. Larger tiles load less, but need more registers.
// 思路：一个线程在寄存器中计算 C 的 2 x 2 个元素，直接从全局内存加载：4 次乘加只需 4 次加载，而不是 8 次。更大的 tile 加载更少，但需要更多寄存器。
__global__ void int_matmul(const int *a, const int *b, int *c, int n) {
    int column = blockIdx.x * 32 + threadIdx.x, row = (blockIdx.y * 16 + threadIdx.y) * 2;
    int upper_left = 0, upper_right = 0, lower_left = 0, lower_right = 0;
    for (int k = 0; k < n; k++) {
        int upper = a[row * n + k], lower = a[(row + 1) * n + k];
        int left = b[k * n + column], right = b[k * n + column + 16];
        upper_left += upper * left;
        upper_right += upper * right;
        lower_left += lower * left;
        lower_right += lower * right;
    }
    c[row * n + column] = upper_left;
    c[row * n + column + 16] = upper_right;
    c[(row + 1) * n + column] = lower_left;
    c[(row + 1) * n + column + 16] = lower_right;
}
