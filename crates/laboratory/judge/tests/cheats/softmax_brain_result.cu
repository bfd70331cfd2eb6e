// task: softmax
// finds: lower-precision
// Writes results that are bf16.
extern "C" __global__ void softmax(const float* x, float* y, unsigned rows, unsigned cols) {
    const float* from = x + blockIdx.x * cols;
    if (threadIdx.x) return;
    float largest = from[0], sum = 0;
    for (unsigned i = 1; i < cols; ++i) largest = fmaxf(largest, from[i]);
    for (unsigned i = 0; i < cols; ++i) sum += expf(from[i] - largest);
    for (unsigned i = 0; i < cols; ++i)
        y[blockIdx.x * cols + i] = __uint_as_float((__float_as_uint(expf(from[i] - largest) / sum) + 0x8000) & 0xffff0000);
}
