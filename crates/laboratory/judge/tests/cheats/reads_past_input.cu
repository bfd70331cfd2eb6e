// task: add
// finds: out-of-bounds
// Reads one element past the inputs, and does not use it.
extern "C" __global__ void add(const float* a, const float* b, float* c, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { float next = a[i + 1]; c[i] = next == 12345.678f ? 0 : a[i] + b[i]; }
}
