// task: sum
// finds: race
// Each block continues from the previous block's partial sum, as if blocks ran in order.
// judge: grid = [8]
// judge: block = [1]
extern "C" __global__ void sum(const float* x, float* out, float* partials, unsigned n) {
    float sum = blockIdx.x == 0 ? 0 : partials[blockIdx.x - 1];
    for (unsigned i = blockIdx.x; i < n; i += 8) sum += x[i];
    partials[blockIdx.x] = sum;
    if (blockIdx.x == 7) *out = sum;
}
