// task: layer_norm
// judge: grid = ["ceil_div(rows, 64)"]
// judge: block = [64]
extern "C" __global__ void layer_norm(const float* x, const float* weight, const float* bias, float* y, unsigned rows, unsigned cols) {
    unsigned row = blockIdx.x * 64 + threadIdx.x;
    if (row >= rows) return;
    const float* from = x + row * cols;
    float mean = 0, squares = 0;
    for (unsigned i = 0; i < cols; ++i) {
        float apart = from[i] - mean;
        mean += apart / (i + 1);
        squares += apart * (from[i] - mean);
    }
    float scale = 1 / sqrtf(squares / cols + 1e-5f);
    for (unsigned i = 0; i < cols; ++i) y[row * cols + i] = (from[i] - mean) * scale * weight[i] + bias[i];
}
