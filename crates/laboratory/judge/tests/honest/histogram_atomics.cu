// task: histogram
extern "C" __global__ void histogram(const int* x, unsigned* bins, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(bins + x[i], 1);
}
