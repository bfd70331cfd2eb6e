// task: softmax
// judge: grid = ["ceil_div(rows, 32)"]
// judge: block = [32]
extern "C" __global__ void softmax(const float* x, float* y, unsigned rows, unsigned cols) {
    unsigned row = blockIdx.x * 32 + threadIdx.x;
    if (row >= rows) return;
    const float* from = x + row * cols;
    float largest = from[0], sum = 0;
    for (unsigned i = 1; i < cols; ++i) largest = fmaxf(largest, from[i]);
    for (unsigned i = 0; i < cols; ++i) sum += expf(from[i] - largest);
    for (unsigned i = 0; i < cols; ++i) y[row * cols + i] = expf(from[i] - largest) / sum;
}
