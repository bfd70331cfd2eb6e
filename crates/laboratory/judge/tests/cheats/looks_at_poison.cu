// task: add
// finds: uninitialized
// Reads the output's previous contents, to distinguish a first run from a repeated one.
extern "C" __global__ void add(const float* a, const float* b, float* c, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && c[i] != a[i] + b[i]) c[i] = a[i] + b[i];
}
