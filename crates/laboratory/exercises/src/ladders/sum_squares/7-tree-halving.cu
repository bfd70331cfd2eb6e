// Idea: the lower half of the threads adds the upper half's sums, then the lower quarter, and so on: active threads are adjacent, and so are their numbers.
// 思路：前一半线程加上后一半的和，然后是前四分之一，依此类推：活跃的线程彼此相邻，处理的数也彼此相邻。
__global__ void sum_squares(const int *x, int *sums, int n) {
    __shared__ int part[256];
    int thread = threadIdx.x, sum = 0;
    for (int i = blockIdx.x * blockDim.x + thread; i < n; i += 32 * 256) sum += x[i] * x[i];
    part[thread] = sum;
    for (int offset = blockDim.x / 2; offset > 0; offset /= 2) {
        __syncthreads();
        if (thread < offset) part[thread] += part[thread + offset];
    }
    if (thread == 0) sums[blockIdx.x] = part[0];
}
