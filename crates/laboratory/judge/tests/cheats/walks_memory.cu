// task: add
// finds: out-of-bounds
// Uses the distance between its buffers to guess the address of the next one, and writes there.
extern "C" __global__ void add(const float* a, const float* b, float* c, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    long long apart = b - a;
    if (i < n) { c[i] = a[i] + b[i]; c[apart + i] = c[i]; }
}
