// task: add
// finds: wrong
// Hides NaN of the inputs.
extern "C" __global__ void add(const float* a, const float* b, float* c, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { float x = a[i] + b[i]; c[i] = x == x ? x : 0; }
}
