// task: saxpy
// finds: wrong
// Right where alpha is 0 or 1.
extern "C" __global__ void saxpy(float alpha, const float* x, float* y, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && alpha != 0) y[i] += x[i];
}
