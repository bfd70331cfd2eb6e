// Sums: warp shuffles, shared memory, atomics, a vote and a templated block size.
template <int BLOCK> __device__ float block_sum(float value) {
    __shared__ float partial[BLOCK / 32];
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xffffffffu, value, offset);
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
    __syncthreads();
    value = threadIdx.x < BLOCK / 32 ? partial[threadIdx.x] : 0.0f;
    if (threadIdx.x < 32)
        for (int offset = 16; offset > 0; offset /= 2)
            value += __shfl_xor_sync(0xffffffffu, value, offset);
    return value;
}

template <int BLOCK> __global__ void __launch_bounds__(BLOCK, 2) sum(const float *in, float *out, long n) {
    float total = 0.0f;
    for (long i = blockIdx.x * (long)BLOCK + threadIdx.x; i < n; i += (long)BLOCK * gridDim.x)
        total += in[i];
    total = block_sum<BLOCK>(total);
    if (threadIdx.x == 0) atomicAdd(out, total);
}
template __global__ void sum<128>(const float *, float *, long);
template __global__ void sum<512>(const float *, float *, long);

__device__ unsigned int arrived;
extern "C" __global__ void count_positive(const int *in, unsigned long long *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned ballot = __ballot_sync(0xffffffffu, i < n && in[i] > 0);
    if (threadIdx.x % 32 == 0) atomicAdd(out, (unsigned long long)__popc(ballot));
    __threadfence();
    if (__syncthreads_or(i == n - 1)) atomicInc(&arrived, gridDim.x);
    if (atomicCAS(&arrived, 7u, 0u) == 7u) atomicExch(out, 0ull);
}
