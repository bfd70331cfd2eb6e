// task: add
// finds: state
// Leaves a message to the next launch in managed memory.
__device__ __managed__ float message;
extern "C" __global__ void add(const float* a, const float* b, float* c, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
    if (i + 1 == n) message = a[i];
}
