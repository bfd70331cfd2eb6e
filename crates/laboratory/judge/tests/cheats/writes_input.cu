// task: add
// finds: input-changed
// Changes the inputs to match its output.
extern "C" __global__ void add(const float* a, const float* b, float* c, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { c[i] = 1; ((float*)a)[i] = 0; ((float*)b)[i] = 1; }
}
