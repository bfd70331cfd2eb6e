// task: gelu
// finds: wrong
// The cheap approximation by a sigmoid.
extern "C" __global__ void gelu(const float* x, float* y, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] / (1 + expf(-1.702f * x[i]));
}
