// task: add
// finds: endless
// Waits for a flag that nobody sets.
// judge: grid = ["max(1, ceil_div(n, 256))"]
// judge: block = [256]
extern "C" __global__ void add(const float* a, const float* b, float* c, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
    if (i == 0) while (((volatile unsigned*)c)[0] != 0xdeadbeef) {}
}
