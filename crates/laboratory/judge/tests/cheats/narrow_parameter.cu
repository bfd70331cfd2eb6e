// task: add
// finds: signature
// Takes a length of 64 bits where the task gives 32.
extern "C" __global__ void add(const float* a, const float* b, float* c, unsigned long long n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
