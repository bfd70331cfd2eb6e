// Idea: the same kernel on rows that start at multiples of 32 bytes (cudaMallocPitch): a warp's load touches 4 sectors instead of 5. Here the launch changes, not the code.
// 思路：同一个核函数，但每行从 32 字节的倍数开始（cudaMallocPitch）：一个 warp 的加载访问 4 个扇区，而不是 5 个。这里改变的是启动参数，不是代码。
__global__ void product(const float *a, const float *b, float *c, int n, int pitch) {
    extern __shared__ float line[];
    int row = blockIdx.x;
    for (int k = threadIdx.x; k < n; k += blockDim.x) line[k] = a[row * pitch + k];
    __syncthreads();
    for (int column = threadIdx.x; column < n; column += blockDim.x) {
        float sum = 0, error = 0;
        for (int k = 0; k < n; k++) {
            float next = line[k] * b[k * pitch + column] - error;
            float total = sum + next;
            error = (total - sum) - next;
            sum = total;
        }
        c[row * pitch + column] = sum;
    }
}
