// task: add
// finds: nothing-written
// Does nothing at all.
extern "C" __global__ void add(const float* a, const float* b, float* c, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0xffffffffu) c[0] = 0;
}
