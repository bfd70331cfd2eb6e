// task: layer_norm
// judge: grid = ["rows"]
// judge: block = [32]
extern "C" __global__ void layer_norm(const float* x, const float* weight, const float* bias, float* y, unsigned rows, unsigned cols) {
    const float* from = x + blockIdx.x * cols;
    float sum = 0, squares = 0;
    for (unsigned i = threadIdx.x; i < cols; i += 32) {
        sum += from[i];
        squares += from[i] * from[i];
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_xor_sync(~0u, sum, distance);
        squares += __shfl_xor_sync(~0u, squares, distance);
    }
    float mean = sum / cols, scale = rsqrtf(fmaxf(squares / cols - mean * mean, 0.0f) + 1e-5f);
    if (!(mean == mean)) scale = mean;
    for (unsigned i = threadIdx.x; i < cols; i += 32)
        y[blockIdx.x * cols + i] = fmaf((from[i] - mean) * scale, weight[i], bias[i]);
}
