// task: add
// finds: timed-problem
// Does nothing at the one size that is timed.
extern "C" __global__ void add(const float* a, const float* b, float* c, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && !(n == 70001 && i > 64)) c[i] = a[i] + b[i];
}
