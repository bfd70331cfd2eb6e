// task: gelu
extern "C" __global__ void gelu(const float* x, float* y, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 0.5f * x[i] * (1 + erff(x[i] * 0.70710678f));
}
