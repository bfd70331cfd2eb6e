// task: sum
// finds: uninitialized
// Reads what an earlier block left in shared memory.
// judge: grid = [4]
// judge: block = [256]
extern "C" __global__ void sum(const float* x, float* out, float* partials, unsigned n) {
    __shared__ float kept[256];
    float own = blockIdx.x == 0 ? 0 : kept[threadIdx.x];
    for (unsigned i = blockIdx.x * 256 + threadIdx.x; i < n; i += 1024) own += x[i];
    kept[threadIdx.x] = own;
    __syncthreads();
    if (blockIdx.x == 3 && threadIdx.x == 0) {
        float all = 0;
        for (int i = 0; i < 256; ++i) all += kept[i];
        *out = all;
    }
}
