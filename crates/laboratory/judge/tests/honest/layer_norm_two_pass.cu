// task: layer_norm
__device__ float total(float value) {
    __shared__ float tile[128];
    __syncthreads();
    tile[threadIdx.x] = value;
    __syncthreads();
    for (unsigned half = 64; half > 0; half /= 2) {
        if (threadIdx.x < half) tile[threadIdx.x] += tile[threadIdx.x + half];
        __syncthreads();
    }
    return tile[0];
}
extern "C" __global__ void layer_norm(const float* x, const float* weight, const float* bias, float* y, unsigned rows, unsigned cols) {
    const float* from = x + blockIdx.x * cols;
    float sum = 0;
    for (unsigned i = threadIdx.x; i < cols; i += 128) sum += from[i];
    float mean = total(sum) / cols, squares = 0;
    for (unsigned i = threadIdx.x; i < cols; i += 128) squares += (from[i] - mean) * (from[i] - mean);
    float scale = rsqrtf(total(squares) / cols + 1e-5f);
    for (unsigned i = threadIdx.x; i < cols; i += 128)
        y[blockIdx.x * cols + i] = (from[i] - mean) * scale * weight[i] + bias[i];
}
