// task: add
// finds: launch
// Declares an invalid launch.
// judge: grid = ["ceil_div(nn, 256)"]
// judge: block = [256]
extern "C" __global__ void add(const float* a, const float* b, float* c, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
