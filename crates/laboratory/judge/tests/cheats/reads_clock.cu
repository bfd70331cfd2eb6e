// task: add
// finds: timer
// Reads the clock, which could reveal whether the run is measured.
extern "C" __global__ void add(const float* a, const float* b, float* c, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && clock64() != 0) c[i] = a[i] + b[i];
}
