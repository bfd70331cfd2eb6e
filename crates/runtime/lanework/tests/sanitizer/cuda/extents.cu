// Indices that leave their arrays, and addresses that are not aligned: each kernel in a wrong and a right version.

#define PAIR(name, parameters, arguments)                                              \
    extern "C" __global__ void name##_bug parameters { name<false> arguments; }        \
    extern "C" __global__ void name##_right parameters { name<true> arguments; }

// pair no_guard: grid=2 block=64 iota:u32:100 zeros:u32:100 u32:100
template <bool RIGHT> __device__ void no_guard(const unsigned *in, unsigned *out, unsigned n) {
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    if (!RIGHT || i < n)
        out[i] = in[i]; // BUG out-of-bounds
}
PAIR(no_guard, (const unsigned *in, unsigned *out, unsigned n), (in, out, n))

// pair guard_by_one: grid=2 block=64 zeros:u32:100 u32:100
template <bool RIGHT> __device__ void guard_by_one(unsigned *out, unsigned n) {
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    if (RIGHT ? i < n : i <= n)
        out[i] = i; // BUG out-of-bounds
}
PAIR(guard_by_one, (unsigned *out, unsigned n), (out, n))

// pair left_neighbour: block=64 iota:u32:64 zeros:u32:64
template <bool RIGHT> __device__ void left_neighbour(const unsigned *in, unsigned *out) {
    int i = threadIdx.x;
    out[i] = RIGHT && i == 0 ? 0 : in[i - 1]; // BUG out-of-bounds
}
PAIR(left_neighbour, (const unsigned *in, unsigned *out), (in, out))

// pair unsigned_wraps: block=64 iota:u32:64 zeros:u32:64 u32:2
template <bool RIGHT> __device__ void unsigned_wraps(const unsigned *in, unsigned *out, unsigned by) {
    unsigned i = threadIdx.x - by;
    out[threadIdx.x] = RIGHT && i >= 64 ? 0 : in[i]; // BUG out-of-bounds
}
PAIR(unsigned_wraps, (const unsigned *in, unsigned *out, unsigned by), (in, out, by))

// pair pitch_mixed_up: block=8x16 iota:u32:128 zeros:u32:128
template <bool RIGHT> __device__ void pitch_mixed_up(const unsigned *in, unsigned *out) {
    unsigned x = threadIdx.x, y = threadIdx.y;
    out[8 * y + x] = in[(RIGHT ? 8 : 16) * y + x]; // BUG out-of-bounds
}
PAIR(pitch_mixed_up, (const unsigned *in, unsigned *out), (in, out))

// pair fours_at_the_end: block=32 iota:f32:126 zeros:f32:32
template <bool RIGHT> __device__ void fours_at_the_end(const float *in, float *out) {
    if (RIGHT && threadIdx.x == 31) {
        out[31] = in[124] + in[125];
        return;
    }
    float4 v = ((const float4 *)in)[threadIdx.x]; // BUG out-of-bounds
    out[threadIdx.x] = v.x + v.y + v.z + v.w;
}
PAIR(fours_at_the_end, (const float *in, float *out), (in, out))

// pair fours_not_aligned: block=16 iota:f32:68 zeros:f32:16
template <bool RIGHT> __device__ void fours_not_aligned(const float *in, float *out) {
    float4 v = *(const float4 *)(in + 4 * threadIdx.x + (RIGHT ? 4 : 1)); // BUG misaligned
    out[threadIdx.x] = v.x + v.w;
}
PAIR(fours_not_aligned, (const float *in, float *out), (in, out))

// pair twos_not_aligned: block=16 zeros:u32:40
template <bool RIGHT> __device__ void twos_not_aligned(unsigned *out) {
    *(unsigned long long *)(out + 2 * threadIdx.x + (RIGHT ? 2 : 3)) = threadIdx.x; // BUG misaligned
}
PAIR(twos_not_aligned, (unsigned *out), (out))

// pair bytes_as_words: block=16 zeros:u32:17
template <bool RIGHT> __device__ void bytes_as_words(unsigned *out) {
    *(unsigned *)((char *)out + (RIGHT ? 4 : 2) * threadIdx.x) = threadIdx.x; // BUG misaligned
}
PAIR(bytes_as_words, (unsigned *out), (out))

// pair shared_not_aligned: block=16 zeros:f32:16
template <bool RIGHT> __device__ void shared_not_aligned(float *out) {
    __shared__ __align__(16) float tile[16 * 5 + 4];
    for (int i = threadIdx.x; i < 84; i += 16)
        tile[i] = i;
    __syncthreads();
    float4 v = *(float4 *)&tile[(RIGHT ? 4 : 5) * threadIdx.x]; // BUG misaligned
    out[threadIdx.x] = v.x + v.w;
}
PAIR(shared_not_aligned, (float *out), (out))

// pair shared_row: block=32 zeros:u32:32 u32:33
template <bool RIGHT> __device__ void shared_row(unsigned *out, unsigned pitch) {
    __shared__ unsigned tile[8 * 32];
    unsigned p = RIGHT ? pitch - 1 : pitch;
    for (unsigned y = 0; y < 8; y++)
        tile[p * y + threadIdx.x] = y; // BUG out-of-bounds
    out[threadIdx.x] = tile[threadIdx.x];
}
PAIR(shared_row, (unsigned *out, unsigned pitch), (out, pitch))

// pair next_array: block=32 zeros:u32:32 u32:32
template <bool RIGHT> __device__ void next_array(unsigned *out, unsigned n) {
    __shared__ unsigned a[32], b[32];
    a[threadIdx.x] = b[threadIdx.x] = 1;
    a[(RIGHT ? 0 : n) + threadIdx.x] = 2; // BUG out-of-bounds
    out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}
PAIR(next_array, (unsigned *out, unsigned n), (out, n))

// pair too_little_shared: block=64 shared=192 zeros:u32:64
template <bool RIGHT> __device__ void too_little_shared(unsigned *out) {
    extern __shared__ unsigned room[];
    unsigned i = RIGHT ? threadIdx.x % 48 : threadIdx.x;
    room[i] = 1; // BUG out-of-bounds
    out[threadIdx.x] = i;
}
PAIR(too_little_shared, (unsigned *out), (out))

// pair local_array: block=32 iota:u32:32 zeros:u32:32
template <bool RIGHT> __device__ void local_array(const unsigned *in, unsigned *out) {
    volatile unsigned count[8];
    for (int i = 0; i < 8; i++)
        count[i] = 0;
    unsigned x = in[threadIdx.x];
    count[RIGHT ? x % 8 : x / 3] = 1; // BUG out-of-bounds
    unsigned sum = 0;
    for (int i = 0; i < 8; i++)
        sum += count[i];
    out[threadIdx.x] = sum;
}
PAIR(local_array, (const unsigned *in, unsigned *out), (in, out))

// pair atomic_past_the_end: block=64 zeros:u32:16
template <bool RIGHT> __device__ void atomic_past_the_end(unsigned *bins) {
    atomicAdd(&bins[threadIdx.x / (RIGHT ? 4 : 3)], 1); // BUG out-of-bounds
}
PAIR(atomic_past_the_end, (unsigned *bins), (bins))

// pair last_row: block=16x16 iota:u32:256 zeros:u32:256
template <bool RIGHT> __device__ void last_row(const unsigned *in, unsigned *out) {
    unsigned x = threadIdx.x, y = threadIdx.y;
    unsigned below = RIGHT && y == 15 ? 0 : in[16 * (y + 1) + x]; // BUG out-of-bounds
    out[16 * y + x] = below;
}
PAIR(last_row, (const unsigned *in, unsigned *out), (in, out))

// pair bytes_for_words: block=32 iota:u32:32 zeros:u32:32
template <bool RIGHT> __device__ void bytes_for_words(const unsigned *in, unsigned *out) {
    out[threadIdx.x] = in[RIGHT ? threadIdx.x : 4 * threadIdx.x]; // BUG out-of-bounds
}
PAIR(bytes_for_words, (const unsigned *in, unsigned *out), (in, out))

// pair index_from_memory: block=32 iota:u32:40 zeros:u32:32
template <bool RIGHT> __device__ void index_from_memory(const unsigned *in, unsigned *out) {
    unsigned at = in[threadIdx.x + 4];
    if (!RIGHT || at < 32)
        out[at] = at; // BUG out-of-bounds
}
PAIR(index_from_memory, (const unsigned *in, unsigned *out), (in, out))

// pair through_null: block=32 zeros:u32:32 u64:0
template <bool RIGHT> __device__ void through_null(unsigned *out, unsigned *maybe) {
    if (!RIGHT || maybe)
        maybe[threadIdx.x] = 1; // BUG out-of-bounds
    out[threadIdx.x] = 1;
}
PAIR(through_null, (unsigned *out, unsigned *maybe), (out, maybe))

// pair loop_one_more: block=32 iota:u32:128 zeros:u32:32
template <bool RIGHT> __device__ void loop_one_more(const unsigned *in, unsigned *out) {
    unsigned sum = 0;
    for (unsigned i = 0; RIGHT ? i < 4 : i <= 4; i++)
        sum += in[32 * i + threadIdx.x]; // BUG out-of-bounds
    out[threadIdx.x] = sum;
}
PAIR(loop_one_more, (const unsigned *in, unsigned *out), (in, out))
