// task: add
// finds: wrong
// Right only if all elements of an input are equal.
extern "C" __global__ void add(const float* a, const float* b, float* c, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[0] + b[0];
}
