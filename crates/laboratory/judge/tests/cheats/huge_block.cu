// task: add
// finds: launch
// Asks for more threads than a block has.
// judge: grid = [1]
// judge: block = [2048]
extern "C" __global__ void add(const float* a, const float* b, float* c, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
