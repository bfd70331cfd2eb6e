// task: sum
// finds: inactive-lane
// Shuffles from lanes that have left.
// judge: grid = [1]
// judge: block = [32]
extern "C" __global__ void sum(const float* x, float* out, float* partials, unsigned n) {
    if (threadIdx.x >= 20) return;
    float own = 0;
    for (unsigned i = threadIdx.x; i < n; i += 20) own += x[i];
    for (int distance = 16; distance > 0; distance /= 2) own += __shfl_down_sync(~0u, own, distance);
    if (threadIdx.x == 0) *out = own;
}
