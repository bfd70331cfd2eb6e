// task: add
// finds: fault
// Ends the process rather than answer.
extern "C" __global__ void add(const float* a, const float* b, float* c, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { float x = a[i] + b[i]; if (x != x) __trap(); c[i] = x; }
}
