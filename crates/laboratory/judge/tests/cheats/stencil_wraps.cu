// task: stencil
// finds: wrong
// Wraps around at the ends, where there should be zeros.
extern "C" __global__ void stencil(const float* x, const float* w, float* y, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = w[0] * x[(i + n - 1) % n] + w[1] * x[i] + w[2] * x[(i + 1) % n];
}
