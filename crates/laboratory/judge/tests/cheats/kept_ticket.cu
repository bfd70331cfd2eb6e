// task: sum
// finds: state
// Its ticket is not reset: only the first launch is right.
// judge: grid = [4]
// judge: block = [1]
__device__ unsigned ticket;
extern "C" __global__ void sum(const float* x, float* out, float* partials, unsigned n) {
    float own = 0;
    for (unsigned i = blockIdx.x; i < n; i += 4) own += x[i];
    *(volatile float*)(partials + blockIdx.x) = own;
    __threadfence();
    if (atomicAdd(&ticket, 1) == 3) {
        float all = 0;
        __threadfence();
        for (int b = 0; b < 4; ++b) all += *(volatile float*)(partials + b);
        *out = all;
    }
}
