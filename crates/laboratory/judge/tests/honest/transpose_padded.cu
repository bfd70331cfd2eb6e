// task: transpose
extern "C" __global__ void transpose(const float* x, float* y, unsigned rows, unsigned cols) {
    __shared__ float tile[32][33];
    unsigned left = blockIdx.x * 32, top = blockIdx.y * 32;
    for (unsigned i = threadIdx.y; i < 32; i += 8)
        if (top + i < rows && left + threadIdx.x < cols) tile[i][threadIdx.x] = x[(top + i) * cols + left + threadIdx.x];
    __syncthreads();
    for (unsigned i = threadIdx.y; i < 32; i += 8)
        if (left + i < cols && top + threadIdx.x < rows) y[(left + i) * rows + top + threadIdx.x] = tile[threadIdx.x][i];
}
