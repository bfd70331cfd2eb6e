// Out-of-bounds accesses. A launch comment precedes each kernel; `BUG kind` marks the line that must be reported.

// launch global_read: block=32 zeros:f32:32 zeros:f32:32
extern "C" __global__ void global_read(const float *in, float *out) {
    int i = threadIdx.x;
    out[i] = in[i + 1]; // BUG out-of-bounds
}

// launch global_read_right: block=32 zeros:f32:33 zeros:f32:32
extern "C" __global__ void global_read_right(const float *in, float *out) {
    int i = threadIdx.x;
    out[i] = in[i + 1];
}

// launch global_write: grid=2 block=64 zeros:u32:100 u32:7
extern "C" __global__ void global_write(unsigned *out, unsigned value) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = value + i; // BUG out-of-bounds
}

// launch global_write_right: grid=2 block=64 zeros:u32:100 u32:7 u32:100
extern "C" __global__ void global_write_right(unsigned *out, unsigned value, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = value + i;
}

// launch global_atomic: block=32 zeros:u32:16 u32:1
extern "C" __global__ void global_atomic(unsigned *bins, unsigned value) {
    atomicAdd(&bins[threadIdx.x], value); // BUG out-of-bounds
}

// launch before_start: block=32 zeros:f32:32 zeros:f32:32
extern "C" __global__ void before_start(const float *in, float *out) {
    int i = threadIdx.x;
    out[i] = in[i - 1]; // BUG out-of-bounds
}

// launch vector_tail: block=8 zeros:f32:30 zeros:f32:32
extern "C" __global__ void vector_tail(const float4 *in, float4 *out) {
    out[threadIdx.x] = in[threadIdx.x]; // BUG out-of-bounds
}

// launch far_away: block=32 zeros:f32:32 zeros:f32:32 i32:100000000
extern "C" __global__ void far_away(const float *in, float *out, int step) {
    long i = threadIdx.x;
    out[i] = in[i * step]; // BUG out-of-bounds
}

// launch other_buffer: block=32 zeros:f32:32 zeros:f32:4096 u32:100
extern "C" __global__ void other_buffer(float *a, float *b, unsigned past) {
    a[threadIdx.x + past] = b[threadIdx.x]; // BUG out-of-bounds
}

// launch padding_byte: block=64 zeros:u8:33 u8:1
extern "C" __global__ void padding_byte(unsigned char *out, unsigned char value) {
    if (threadIdx.x < 34)
        out[threadIdx.x] = value; // BUG out-of-bounds
}

// launch tail_unguarded: grid=4 block=32 zeros:f32:100 zeros:f32:128
extern "C" __global__ void tail_unguarded(const float *in, float *out) {
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    float x = in[i]; // BUG out-of-bounds
    out[i] = x * 2;
}

// launch row_pitch: block=8x8 zeros:f32:60 zeros:f32:64 u32:8
extern "C" __global__ void row_pitch(const float *in, float *out, unsigned pitch) {
    unsigned at = threadIdx.y * pitch + threadIdx.x;
    out[at] = in[at]; // BUG out-of-bounds
}

// launch null_read: block=32 u64:0 zeros:f32:32
extern "C" __global__ void null_read(const float *in, float *out) {
    out[threadIdx.x] = in[threadIdx.x]; // BUG out-of-bounds
}

// launch wild_write: block=32 u64:4096000000000
extern "C" __global__ void wild_write(float *out) {
    out[threadIdx.x] = 1; // BUG out-of-bounds
}

// launch double_tail: block=32 zeros:f64:31
extern "C" __global__ void double_tail(double *x) {
    x[threadIdx.x] = threadIdx.x; // BUG out-of-bounds
}

// launch loop_end: block=1 zeros:f32:10 zeros:f32:1 i32:10
extern "C" __global__ void loop_end(const float *in, float *out, int n) {
    float sum = 0;
    for (int i = 0; i <= n; i++)
        sum += in[i]; // BUG out-of-bounds
    *out = sum;
}

// launch shared_read: block=32 zeros:f32:32 u32:1
extern "C" __global__ void shared_read(float *out, unsigned shift) {
    __shared__ float tile[32];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x + shift]; // BUG out-of-bounds
}

// launch shared_read_right: block=32 zeros:f32:32 u32:1
extern "C" __global__ void shared_read_right(float *out, unsigned shift) {
    __shared__ float tile[32];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[(threadIdx.x + shift) % 32];
}

// launch shared_next_array: block=32 zeros:f32:32 u32:32
extern "C" __global__ void shared_next_array(float *out, unsigned shift) {
    __shared__ float first[32];
    __shared__ float second[32];
    second[threadIdx.x] = 0;
    first[threadIdx.x] = 0;
    __syncthreads();
    first[threadIdx.x + shift] = 1; // BUG out-of-bounds
    __syncthreads();
    out[threadIdx.x] = second[threadIdx.x] + first[threadIdx.x];
}

// launch shared_dynamic: block=32 shared=128 zeros:f32:32 u32:8
extern "C" __global__ void shared_dynamic(float *out, unsigned shift) {
    extern __shared__ float cells[];
    cells[threadIdx.x + shift] = 1; // BUG out-of-bounds
    out[threadIdx.x] = 1;
}

// launch shared_negative: block=32 zeros:f32:32
extern "C" __global__ void shared_negative(float *out) {
    __shared__ float tile[32];
    tile[threadIdx.x] = 1;
    __syncthreads();
    int i = (int)threadIdx.x - 1;
    out[threadIdx.x] = tile[i]; // BUG out-of-bounds
}

// launch shared_atomic: block=32 zeros:u32:16 u32:1
extern "C" __global__ void shared_atomic(unsigned *out, unsigned one) {
    __shared__ unsigned bins[16];
    if (threadIdx.x < 16)
        bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], one); // BUG out-of-bounds
    __syncthreads();
    if (threadIdx.x < 16)
        out[threadIdx.x] = bins[threadIdx.x];
}

// launch local_index: block=32 zeros:u32:32 u32:4
extern "C" __global__ void local_index(unsigned *out, unsigned shift) {
    unsigned digits[8];
    for (int i = 0; i < 8; i++)
        digits[i] = i;
    for (int round = 0; round < (int)shift; round++)
        digits[(threadIdx.x + round) % 8] += round;
    out[threadIdx.x] = digits[shift + threadIdx.x % 8]; // BUG out-of-bounds
}

// launch constant_index: block=32 zeros:u32:32
__constant__ unsigned table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
extern "C" __global__ void constant_index(unsigned *out) {
    out[threadIdx.x] = table[threadIdx.x]; // BUG out-of-bounds
}

// launch constant_index_right: block=32 zeros:u32:32
extern "C" __global__ void constant_index_right(unsigned *out) {
    out[threadIdx.x] = table[threadIdx.x % 8];
}

// launch constant_written: block=4 f32:2
extern "C" __global__ void constant_written(float value) {
    float *place = (float *)table + threadIdx.x;
    asm volatile("" : "+l"(place));
    *place = value; // BUG out-of-bounds
}

// launch module_variable: block=32 zeros:u32:32
__device__ unsigned global_table[16];
extern "C" __global__ void module_variable(unsigned *out) {
    out[threadIdx.x] = global_table[threadIdx.x]; // BUG out-of-bounds
}

// launch generic_shared: block=32 zeros:f32:32 u32:24
__device__ __noinline__ void put(float *where, float value) {
    *where = value; // BUG out-of-bounds
}
extern "C" __global__ void generic_shared(float *out, unsigned shift) {
    __shared__ float tile[32];
    put(out[0] == 0 ? &tile[threadIdx.x + shift] : &out[threadIdx.x], 1);
}

// launch copy_source: block=32 zeros:f32:30 zeros:f32:32
extern "C" __global__ void copy_source(const float *in, float *out) {
    __shared__ float tile[32];
    unsigned to = (unsigned)__cvta_generic_to_shared(&tile[threadIdx.x]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + threadIdx.x)); // BUG out-of-bounds
    asm volatile("cp.async.wait_all;");
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x];
}

// launch copy_target: block=32 zeros:f32:64 zeros:f32:32 u32:4
extern "C" __global__ void copy_target(const float *in, float *out, unsigned shift) {
    __shared__ float tile[32];
    unsigned to = (unsigned)__cvta_generic_to_shared(&tile[threadIdx.x + shift]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + threadIdx.x)); // BUG out-of-bounds
    asm volatile("cp.async.wait_all;");
    out[threadIdx.x] = 0;
}

// launch misaligned_vector: block=16 zeros:f32:68 zeros:f32:64
extern "C" __global__ void misaligned_vector(const float *in, float4 *out) {
    out[threadIdx.x] = *(const float4 *)(in + 4 * threadIdx.x + 1); // BUG misaligned
}

// launch misaligned_word: block=32 zeros:u8:200
extern "C" __global__ void misaligned_word(unsigned char *x) {
    *(unsigned *)(x + 4 * threadIdx.x + 2) = 1; // BUG misaligned
}

// launch misaligned_past_end: block=32 zeros:u8:128
extern "C" __global__ void misaligned_past_end(unsigned char *x) {
    *(unsigned *)(x + 4 * threadIdx.x + 1) = 1; // BUG misaligned
}

// launch misaligned_half: block=32 zeros:u8:200 zeros:u32:32
extern "C" __global__ void misaligned_half(unsigned char *x, unsigned *out) {
    out[threadIdx.x] = *(unsigned short *)(x + 2 * threadIdx.x + 1); // BUG misaligned
}

// launch misaligned_shared: block=16 zeros:f32:64 u32:1
extern "C" __global__ void misaligned_shared(float4 *out, unsigned shift) {
    __shared__ __align__(16) float tile[80];
    for (int i = threadIdx.x; i < 80; i += 16)
        tile[i] = i;
    __syncthreads();
    out[threadIdx.x] = *(float4 *)(tile + 4 * threadIdx.x + shift); // BUG misaligned
}

// launch misaligned_atomic: block=4 zeros:u32:16 u64:1
extern "C" __global__ void misaligned_atomic(unsigned *x, unsigned long long value) {
    atomicAdd((unsigned long long *)(x + 2 * threadIdx.x + 1), value); // BUG misaligned
}

// launch misaligned_copy: block=8 zeros:f32:64 zeros:f32:32
extern "C" __global__ void misaligned_copy(const float *in, float *out) {
    __shared__ __align__(16) float tile[32];
    unsigned to = (unsigned)__cvta_generic_to_shared(&tile[4 * threadIdx.x]);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(in + 4 * threadIdx.x + 1)); // BUG misaligned
    asm volatile("cp.async.wait_all;");
    out[threadIdx.x] = 0;
}

// launch aligned_right: block=16 zeros:f32:64 zeros:f32:64
extern "C" __global__ void aligned_right(const float *in, float4 *out) {
    out[threadIdx.x] = *(const float4 *)(in + 4 * threadIdx.x);
}

// launch freed_read: block=32 freed:f32:32 zeros:f32:32
extern "C" __global__ void freed_read(const float *in, float *out) {
    float x = in[threadIdx.x]; // BUG use-after-free
    out[threadIdx.x] = x;
}

// launch freed_write: block=32 freed:f32:32
extern "C" __global__ void freed_write(float *out) {
    out[threadIdx.x] = 1; // BUG use-after-free
}

// launch freed_atomic: block=32 freed:u32:32
extern "C" __global__ void freed_atomic(unsigned *out) {
    atomicAdd(out, threadIdx.x); // BUG use-after-free
}

// launch freed_vector: block=8 freed:f32:32 zeros:f32:32
extern "C" __global__ void freed_vector(const float4 *in, float4 *out) {
    out[threadIdx.x] = in[threadIdx.x]; // BUG use-after-free
}
