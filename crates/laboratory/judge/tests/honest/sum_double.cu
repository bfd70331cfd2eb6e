// task: sum
// judge: grid = [1]
// judge: block = [64]
extern "C" __global__ void sum(const float* x, float* out, float* partials, unsigned n) {
    __shared__ double tile[64];
    double own = 0;
    for (unsigned i = threadIdx.x; i < n; i += 64) own += x[i];
    tile[threadIdx.x] = own;
    __syncthreads();
    if (threadIdx.x == 0) {
        double total = 0;
        for (int i = 0; i < 64; ++i) total += tile[i];
        *out = (float)total;
    }
}
