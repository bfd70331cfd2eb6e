// task: stencil
// judge: grid = [9]
// judge: block = [64]
extern "C" __global__ void stencil(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ y, unsigned n) {
    float w0 = __ldg(w), w1 = __ldg(w + 1), w2 = __ldg(w + 2);
    for (unsigned i = blockIdx.x * 64 + threadIdx.x; i < n; i += 64 * gridDim.x) {
        float sum = w1 * __ldg(x + i);
        if (i > 0) sum = fmaf(w0, __ldg(x + i - 1), sum);
        if (i + 1 < n) sum = fmaf(w2, __ldg(x + i + 1), sum);
        y[i] = sum;
    }
}
