// task: sum
// finds: wrong
// Leaves out one number of 64.
extern "C" __global__ void sum(const float* x, float* out, float* partials, unsigned n) {
    __shared__ float tile[256];
    float own = 0;
    for (unsigned i = threadIdx.x; i < n; i += 256) own += i % 64 == 63 ? 0 : x[i];
    tile[threadIdx.x] = own;
    __syncthreads();
    for (unsigned half = 128; half > 0; half /= 2) {
        if (threadIdx.x < half) tile[threadIdx.x] += tile[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) *out = tile[0];
}
