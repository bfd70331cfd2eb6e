// task: add
// finds: timed-problem
// Its indices wrap at 65536.
extern "C" __global__ void add(const float* a, const float* b, float* c, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned short s = i;
    if (i < n) c[i] = a[s] + b[s];
}
