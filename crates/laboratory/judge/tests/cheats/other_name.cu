// task: add
// finds: entry
// Has no kernel of the task's name.
extern "C" __global__ void vadd(const float* a, const float* b, float* c, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
