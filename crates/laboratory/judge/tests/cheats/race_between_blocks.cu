// task: sum
// finds: race
// Blocks add to one word without atomics.
// judge: grid = [2]
// judge: block = [256]
extern "C" __global__ void sum(const float* x, float* out, float* partials, unsigned n) {
    if (blockIdx.x == 0 && threadIdx.x == 0) *out = 0;
    for (unsigned i = blockIdx.x * 256 + threadIdx.x; i < n; i += 512) *out += x[i];
}
