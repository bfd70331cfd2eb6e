// task: sum
// judge: grid = ["min(64, max(1, ceil_div(n, 512)))"]
// judge: block = [128]
__device__ unsigned ticket;
__device__ float block_sum(float own) {
    __shared__ float tile[128];
    tile[threadIdx.x] = own;
    __syncthreads();
    for (unsigned half = 64; half > 0; half /= 2) {
        if (threadIdx.x < half) tile[threadIdx.x] += tile[threadIdx.x + half];
        __syncthreads();
    }
    return tile[0];
}
extern "C" __global__ void sum(const float* x, float* out, float* partials, unsigned n) {
    __shared__ bool last;
    float own = 0;
    for (unsigned i = blockIdx.x * 128 + threadIdx.x; i < n; i += 128 * gridDim.x) own += x[i];
    own = block_sum(own);
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = own;
        __threadfence();
        last = atomicAdd(&ticket, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    float rest = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += 128) rest += ((volatile float*)partials)[i];
    __syncthreads();
    rest = block_sum(rest);
    if (threadIdx.x == 0) {
        *out = rest;
        ticket = 0;
    }
}
