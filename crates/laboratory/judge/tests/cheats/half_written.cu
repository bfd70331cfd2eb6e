// task: add
// finds: not-written
// Writes every other element.
extern "C" __global__ void add(const float* a, const float* b, float* c, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i % 2 == 0) c[i] = a[i] + b[i];
}
