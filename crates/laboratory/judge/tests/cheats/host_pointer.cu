// task: add
// finds: out-of-bounds
// Follows an address of the host that it guessed.
extern "C" __global__ void add(const float* a, const float* b, float* c, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
    if (i == 0) *(volatile float*)0x7ffff000ull = 1;
}
