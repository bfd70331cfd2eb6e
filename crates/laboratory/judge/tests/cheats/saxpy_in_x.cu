// task: saxpy
// finds: input-changed
// Uses the input as scratch memory, and does not restore it.
extern "C" __global__ void saxpy(float alpha, float* x, float* y, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { x[i] = alpha * x[i]; y[i] = y[i] + x[i]; }
}
