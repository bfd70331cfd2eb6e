// Idea: 32 blocks instead of one, so 32 multiprocessors work instead of one.
// 思路：用 32 个线程块代替一个，使 32 个多处理器同时工作，而不是只有一个。
__global__ void sum_squares(const int *x, int *sums, int n) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    for (int i = thread; i < n; i += 32 * 256) sum += x[i] * x[i];
    sums[thread] = sum;
}
