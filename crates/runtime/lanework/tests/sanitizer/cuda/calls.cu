// Bugs in functions that kernels call: the calls are named, too. And races that one missing barrier explains.

// launch in_a_helper: block=128 iota:f32:128 zeros:f32:128
__device__ __forceinline__ float reversed(float *tile, float x) {
    tile[threadIdx.x] = x;
    return tile[blockDim.x - 1 - threadIdx.x]; // BUG race
}
__device__ __forceinline__ float twice(float *tile, float x) {
    return 2.0f * reversed(tile, x); // BUG race
}
extern "C" __global__ void in_a_helper(const float *in, float *out) {
    __shared__ float tile[128];
    float x = in[threadIdx.x];
    out[threadIdx.x] = twice(tile, x); // BUG race
}

// launch past_the_end: block=128 iota:f32:100 zeros:f32:128
__device__ __noinline__ float load(const float *from, int i) {
    return from[i]; // BUG out-of-bounds
}
extern "C" __global__ void past_the_end(const float *in, float *out) {
    int i = threadIdx.x;
    out[i] = load(in, i); // BUG out-of-bounds
}

// launch one_barrier_of_many_pairs: block=128 iota:f32:128 zeros:f32:256
extern "C" __global__ void one_barrier_of_many_pairs(const float *in, float *out) {
    __shared__ float a[128], b[128];
    int i = threadIdx.x;
    a[i] = in[i]; // BUG race
    b[i] = 2.0f * in[i]; // BUG race
    // A barrier is missing.
    out[i] = a[127 - i]; // BUG race
    out[i + 128] = a[(i + 64) % 128] - b[127 - i]; // BUG race
}

// launch two_barriers: block=128 iota:f32:128 zeros:f32:128
extern "C" __global__ void two_barriers(const float *in, float *out) {
    __shared__ float a[128], b[128];
    int i = threadIdx.x;
    a[i] = in[i]; // BUG race
    // A barrier is missing.
    float x = a[127 - i]; // BUG race
    __syncthreads();
    b[i] = x; // BUG race
    // Another one is missing.
    out[i] = b[(i + 64) % 128]; // BUG race
}

// launch around_the_loop: block=128 iota:f32:512 zeros:f32:128
extern "C" __global__ void around_the_loop(const float *in, float *out) {
    __shared__ float a[128], b[128];
    int i = threadIdx.x;
    float sum = 0;
    for (int step = 0; step < 4; step++) {
        a[i] = in[step * 128 + i]; // BUG race
        b[i] = 3.0f * in[step * 128 + i]; // BUG race
        __syncthreads();
        sum += a[127 - i] + b[(i + 64) % 128]; // BUG race
        // A barrier is missing.
    }
    out[i] = sum;
}
