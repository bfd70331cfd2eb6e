// task: add
// judge: grid = [7]
// judge: block = [96]
extern "C" __global__ void add(const float* a, const float* b, float* c, unsigned n) {
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        c[i] = a[i] + b[i];
}
