// task: scan
__device__ int warp_scan(int value) {
    for (int distance = 1; distance < 32; distance *= 2) {
        int other = __shfl_up_sync(~0u, value, distance);
        if (threadIdx.x % 32 >= distance) value += other;
    }
    return value;
}
extern "C" __global__ void scan(const int* x, int* y, int* totals, unsigned n) {
    __shared__ int warps[8];
    int before = 0;
    for (unsigned start = 0; start < n; start += 256) {
        unsigned i = start + threadIdx.x;
        int value = warp_scan(i < n ? x[i] : 0);
        if (threadIdx.x % 32 == 31) warps[threadIdx.x / 32] = value;
        __syncthreads();
        if (threadIdx.x < 32) {
            int sum = warp_scan(threadIdx.x < 8 ? warps[threadIdx.x] : 0);
            if (threadIdx.x < 8) warps[threadIdx.x] = sum;
        }
        __syncthreads();
        if (threadIdx.x >= 32) value += warps[threadIdx.x / 32 - 1];
        if (i < n) y[i] = before + value;
        before += warps[7];
        __syncthreads();
    }
}
