// task: sum
// finds: uninitialized
// Relies on shared memory of zeros.
extern "C" __global__ void sum(const float* x, float* out, float* partials, unsigned n) {
    __shared__ float total;
    for (unsigned i = threadIdx.x; i < n; i += 256) atomicAdd(&total, x[i]);
    __syncthreads();
    if (threadIdx.x == 0) *out = total;
}
