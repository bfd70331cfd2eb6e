// Idea: each block collects its threads' sums in shared memory, and thread 0 adds them: 32 sums for the host instead of 8192.
// 思路：每个线程块把各线程的和放进共享内存，再由 0 号线程相加：留给主机的和从 8192 个降到 32 个。
__global__ void sum_squares(const int *x, int *sums, int n) {
    __shared__ int part[256];
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += 32 * 256) sum += x[i] * x[i];
    part[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < blockDim.x; i++) sum += part[i];
        sums[blockIdx.x] = sum;
    }
}
