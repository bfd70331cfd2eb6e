// task: add
// finds: wrong
// Infinities become large numbers.
extern "C" __global__ void add(const float* a, const float* b, float* c, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = fminf(fmaxf(a[i] + b[i], -3e38f), 3e38f);
}
