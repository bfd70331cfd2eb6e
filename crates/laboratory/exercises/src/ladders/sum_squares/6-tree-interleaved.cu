// Idea: a tree instead of serial additions: every second thread adds its neighbor's sum, then every fourth the sum two places away, and so on.
// 思路：用树形归约代替串行加法：每隔一个线程加上相邻线程的和，然后每四个线程中有一个加上相隔两个位置的和，依此类推。
__global__ void sum_squares(const int *x, int *sums, int n) {
    __shared__ int part[256];
    int thread = threadIdx.x, sum = 0;
    for (int i = blockIdx.x * blockDim.x + thread; i < n; i += 32 * 256) sum += x[i] * x[i];
    part[thread] = sum;
    for (int offset = 1; offset < blockDim.x; offset *= 2) {
        __syncthreads();
        if ((thread & (2 * offset - 1)) == 0) part[thread] += part[thread + offset];
    }
    if (thread == 0) sums[blockIdx.x] = part[0];
}
