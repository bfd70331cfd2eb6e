// task: softmax
template <bool Max> __device__ float reduce(float value) {
    __shared__ float warps[4];
    for (int distance = 16; distance > 0; distance /= 2) {
        float other = __shfl_xor_sync(~0u, value, distance);
        value = Max ? fmaxf(value, other) : value + other;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
    __syncthreads();
    return Max ? fmaxf(fmaxf(warps[0], warps[1]), fmaxf(warps[2], warps[3])) : (warps[0] + warps[1]) + (warps[2] + warps[3]);
}
extern "C" __global__ void softmax(const float* x, float* y, unsigned rows, unsigned cols) {
    const float* from = x + blockIdx.x * cols;
    float* to = y + blockIdx.x * cols;
    float largest = __int_as_float(0xff800000);
    for (unsigned i = threadIdx.x; i < cols; i += 128) largest = fmaxf(largest, from[i]);
    largest = reduce<true>(largest);
    float sum = 0;
    for (unsigned i = threadIdx.x; i < cols; i += 128) sum += to[i] = expf(from[i] - largest);
    sum = reduce<false>(sum);
    for (unsigned i = threadIdx.x; i < cols; i += 128) to[i] /= sum;
}
