// task: gelu
// judge: grid = [5]
// judge: block = [128]
extern "C" __global__ void gelu(const float* x, float* y, unsigned n) {
    for (unsigned i = blockIdx.x * 128 + threadIdx.x; i < n; i += 128 * gridDim.x) y[i] = x[i] * normcdff(x[i]);
}
