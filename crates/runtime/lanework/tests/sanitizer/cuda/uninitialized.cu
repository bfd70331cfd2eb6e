// Reads of memory that was never written.

// launch global_unwritten: block=32 uninit:f32:32 zeros:f32:32
extern "C" __global__ void global_unwritten(const float *in, float *out) {
    float x = in[threadIdx.x]; // BUG uninitialized
    out[threadIdx.x] = x;
}

// launch global_written: block=32 uninit:f32:32 zeros:f32:32
extern "C" __global__ void global_written(float *work, float *out) {
    work[threadIdx.x] = 2;
    out[threadIdx.x] = work[threadIdx.x];
}

// launch global_half: block=32 uninit:f32:32 zeros:f32:32
extern "C" __global__ void global_half(float *work, float *out) {
    if (threadIdx.x < 16)
        work[threadIdx.x] = 2;
    __syncthreads();
    out[threadIdx.x] = work[threadIdx.x]; // BUG uninitialized
}

// launch global_accumulate: block=32 uninit:f32:32 f32:1
extern "C" __global__ void global_accumulate(float *sum, float x) {
    sum[threadIdx.x] += x; // BUG uninitialized
}

// launch global_counter: block=32 uninit:u32:1
extern "C" __global__ void global_counter(unsigned *count) {
    atomicAdd(count, threadIdx.x); // BUG uninitialized
}

// launch global_bytes: block=32 uninit:u8:32 zeros:u8:32
extern "C" __global__ void global_bytes(unsigned char *work, unsigned char *out) {
    if (threadIdx.x % 2 == 0)
        work[threadIdx.x] = 1;
    __syncthreads();
    unsigned char x = work[threadIdx.x]; // BUG uninitialized
    out[threadIdx.x] = x;
}

// launch global_vector: block=8 uninit:f32:32 zeros:f32:32
extern "C" __global__ void global_vector(float *work, float4 *out) {
    work[4 * threadIdx.x] = 1;
    work[4 * threadIdx.x + 1] = 1;
    work[4 * threadIdx.x + 2] = 1;
    __syncthreads();
    uint4 v = *(uint4 *)(work + 4 * threadIdx.x); v.x += v.w; *(uint4 *)(out + threadIdx.x) = v; // BUG uninitialized
}

// launch shared_unwritten: block=32 zeros:f32:32
extern "C" __global__ void shared_unwritten(float *out) {
    __shared__ float tile[32];
    out[threadIdx.x] = tile[threadIdx.x]; // BUG uninitialized
    tile[threadIdx.x] = 1;
}

// launch shared_half: block=64 zeros:f32:64 u32:32
extern "C" __global__ void shared_half(float *out, unsigned n) {
    __shared__ float tile[64];
    if (threadIdx.x < n)
        tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x]; // BUG uninitialized
}

// launch shared_bins: block=64 zeros:u32:32
extern "C" __global__ void shared_bins(unsigned *out) {
    __shared__ unsigned bins[32];
    atomicAdd(&bins[threadIdx.x % 32], 1); // BUG uninitialized
    __syncthreads();
    if (threadIdx.x < 32)
        out[threadIdx.x] = bins[threadIdx.x];
}

// launch shared_bins_right: block=64 zeros:u32:32
extern "C" __global__ void shared_bins_right(unsigned *out) {
    __shared__ unsigned bins[32];
    if (threadIdx.x < 32)
        bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[threadIdx.x % 32], 1);
    __syncthreads();
    if (threadIdx.x < 32)
        out[threadIdx.x] = bins[threadIdx.x];
}

// launch shared_last_block: grid=2 block=32 zeros:f32:64
extern "C" __global__ void shared_last_block(float *out) {
    __shared__ float tile[32];
    if (blockIdx.x == 0)
        tile[threadIdx.x] = 1;
    __syncthreads();
    out[blockIdx.x * 32 + threadIdx.x] = tile[threadIdx.x]; // BUG uninitialized
}

// launch shared_halo: block=32 zeros:f32:32
extern "C" __global__ void shared_halo(float *out) {
    __shared__ float tile[34];
    tile[threadIdx.x + 1] = threadIdx.x;
    __syncthreads();
    float left = tile[threadIdx.x]; // BUG uninitialized
    float right = tile[threadIdx.x + 2]; // BUG uninitialized
    out[threadIdx.x] = left + right;
}

// launch local_unwritten: block=32 zeros:u32:32 u32:3
extern "C" __global__ void local_unwritten(unsigned *out, unsigned n) {
    unsigned digits[8];
    for (unsigned i = 0; i < n; i++)
        digits[(i + threadIdx.x) % 8] = i;
    out[threadIdx.x] = digits[n]; // BUG uninitialized
}

// launch local_written: block=32 zeros:u32:32 u32:3
extern "C" __global__ void local_written(unsigned *out, unsigned n) {
    unsigned digits[8];
    for (unsigned i = 0; i < 8; i++)
        digits[(i + threadIdx.x) % 8] = i;
    out[threadIdx.x] = digits[n];
}

// launch local_sum: block=32 zeros:f32:32 u32:5
extern "C" __global__ void local_sum(float *out, unsigned n) {
    float parts[16];
    for (unsigned i = 1; i < n; i++)
        parts[i * (threadIdx.x % 2 + 1)] = i;
    float sum = 0;
    for (unsigned i = 0; i < n; i++)
        sum += parts[i]; // BUG uninitialized
    out[threadIdx.x] = sum;
}
