// task: add
// finds: out-of-bounds
// Writes element 0 of a problem that has none.
extern "C" __global__ void add(const float* a, const float* b, float* c, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n || i == 0) c[i] = a[i] + b[i];
}
