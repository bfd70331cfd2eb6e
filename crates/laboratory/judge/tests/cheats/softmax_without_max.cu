// task: softmax
// finds: wrong
// Overflows for large numbers.
extern "C" __global__ void softmax(const float* x, float* y, unsigned rows, unsigned cols) {
    unsigned row = blockIdx.x;
    if (threadIdx.x) return;
    float sum = 0;
    for (unsigned i = 0; i < cols; ++i) sum += expf(x[row * cols + i]);
    for (unsigned i = 0; i < cols; ++i) y[row * cols + i] = expf(x[row * cols + i]) / sum;
}
