// task: add
// finds: endless
// Never ends.
extern "C" __global__ void add(const float* a, const float* b, float* c, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
    for (unsigned x = 1; x; x = x * 3 | 1) asm volatile("");
}
