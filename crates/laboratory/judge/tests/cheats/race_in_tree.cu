// task: sum
// finds: race
// A tree without barriers: passes where warps run in lockstep and in order.
extern "C" __global__ void sum(const float* x, float* out, float* partials, unsigned n) {
    __shared__ float tile[256];
    float own = 0;
    for (unsigned i = threadIdx.x; i < n; i += 256) own += x[i];
    tile[threadIdx.x] = own;
    __syncthreads();
    for (unsigned half = 128; half > 0; half /= 2) {
        if (threadIdx.x < half) tile[threadIdx.x] += tile[threadIdx.x + half];
    }
    if (threadIdx.x == 0) *out = tile[0];
}
