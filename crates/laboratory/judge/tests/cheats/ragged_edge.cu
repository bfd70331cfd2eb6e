// task: add
// finds: not-written|nothing-written
// Only whole blocks: the last, ragged one is left out.
extern "C" __global__ void add(const float* a, const float* b, float* c, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if ((blockIdx.x + 1) * blockDim.x <= n) c[i] = a[i] + b[i];
}
