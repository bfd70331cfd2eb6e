// task: add
// finds: signature
// Takes other parameters than the task gives.
extern "C" __global__ void add(const float* a, const float* b, float* c, unsigned n, float bias) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i] + bias;
}
