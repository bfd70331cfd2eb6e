// task: sum
// finds: barrier-divergence
// Only some threads of a warp reach the barrier.
extern "C" __global__ void sum(const float* x, float* out, float* partials, unsigned n) {
    __shared__ float tile[256];
    float own = 0;
    for (unsigned i = threadIdx.x; i < n; i += 256) own += x[i];
    tile[threadIdx.x] = own;
    if (threadIdx.x % 2 == 0) __syncthreads();
    if (threadIdx.x == 0) { float all = 0; for (int i = 0; i < 256; ++i) all += tile[i]; *out = all; }
}
