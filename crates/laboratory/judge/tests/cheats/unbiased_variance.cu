// task: layer_norm
// finds: wrong
// Divides by n - 1: NaN for rows of one element.
extern "C" __global__ void layer_norm(const float* x, const float* weight, const float* bias, float* y, unsigned rows, unsigned cols) {
    const float* from = x + blockIdx.x * cols;
    if (threadIdx.x) return;
    float sum = 0, squares = 0;
    for (unsigned i = 0; i < cols; ++i) sum += from[i];
    float mean = sum / cols;
    for (unsigned i = 0; i < cols; ++i) squares += (from[i] - mean) * (from[i] - mean);
    float scale = rsqrtf(squares / (cols - 1) + 1e-5f);
    for (unsigned i = 0; i < cols; ++i) y[blockIdx.x * cols + i] = (from[i] - mean) * scale * weight[i] + bias[i];
}
