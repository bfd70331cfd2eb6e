// task: add
// finds: out-of-bounds
// Writes past the output, to where a reference might lie.
extern "C" __global__ void add(const float* a, const float* b, float* c, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { c[i] = a[i] + b[i]; c[i + n] = c[i]; }
}
