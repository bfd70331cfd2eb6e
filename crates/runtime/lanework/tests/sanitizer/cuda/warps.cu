// Lanes that share memory: each kernel in a wrong and a right version.

#define PAIR(name, parameters, arguments)                                              \
    extern "C" __global__ void name##_bug parameters { name<false> arguments; }        \
    extern "C" __global__ void name##_right parameters { name<true> arguments; }

template <bool SYNC> __device__ void lanes() {
    if (SYNC)
        __syncwarp();
    else
        asm volatile("" ::: "memory");
}

// pair tree: block=32 iota:f32:32 zeros:f32:1
template <bool RIGHT> __device__ void tree(const float *in, float *out) {
    __shared__ float sums[32];
    unsigned t = threadIdx.x;
    sums[t] = in[t];
    __syncwarp();
    for (unsigned step = 16; step > 0; step /= 2) {
        float other = sums[(t + step) % 32]; // BUG race
        lanes<RIGHT>();
        sums[t] += other; // MAYBE race
        lanes<RIGHT>();
    }
    *out = sums[0]; // MAYBE race
}
PAIR(tree, (const float *in, float *out), (in, out))

// pair volatile_tree: block=64 iota:f32:64 zeros:f32:1
template <bool RIGHT> __device__ void volatile_tree(const float *in, float *out) {
    __shared__ volatile float sums[64];
    unsigned t = threadIdx.x;
    sums[t] = in[t];
    __syncthreads();
    if (t >= 32)
        return;
    sums[t] += sums[t + 32];
    lanes<RIGHT>();
    if (t < 16)
        sums[t] += sums[t + 16]; // BUG warp-synchronous
    lanes<RIGHT>();
    if (t < 8)
        sums[t] += sums[t + 8]; // BUG warp-synchronous
    lanes<RIGHT>();
    if (t < 4)
        sums[t] += sums[t + 4]; // BUG warp-synchronous
    if (t == 0)
        *out = sums[0];
}
PAIR(volatile_tree, (const float *in, float *out), (in, out))

// pair volatile_across_warps: block=64 iota:f32:64 zeros:f32:64
template <bool RIGHT> __device__ void volatile_across_warps(const float *in, float *out) {
    __shared__ volatile float tile[64];
    tile[threadIdx.x] = in[threadIdx.x];
    if (RIGHT)
        __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x]; // BUG race
}
PAIR(volatile_across_warps, (const float *in, float *out), (in, out))

// pair volatile_one_place: block=32 zeros:u32:32
template <bool RIGHT> __device__ void volatile_one_place(unsigned *out) {
    __shared__ volatile unsigned word[32];
    word[RIGHT ? threadIdx.x : 0] = threadIdx.x; // BUG race
    __syncwarp();
    out[threadIdx.x] = word[0];
}
PAIR(volatile_one_place, (unsigned *out), (out))

// pair from_lane_zero: block=32 zeros:u32:32
template <bool RIGHT> __device__ void from_lane_zero(unsigned *out) {
    __shared__ unsigned word;
    if (threadIdx.x == 0)
        word = 7 + out[0];
    lanes<RIGHT>();
    out[threadIdx.x] = word; // BUG race
}
PAIR(from_lane_zero, (unsigned *out), (out))

// pair neighbours: block=64 zeros:u32:64
template <bool RIGHT> __device__ void neighbours(unsigned *out) {
    __shared__ unsigned tile[64];
    unsigned base = threadIdx.x & 32;
    tile[threadIdx.x] = threadIdx.x;
    lanes<RIGHT>();
    out[threadIdx.x] = tile[base + (threadIdx.x + 1) % 32]; // BUG race
}
PAIR(neighbours, (unsigned *out), (out))

// pair half_a_mask: block=32 zeros:u32:32
template <bool RIGHT> __device__ void half_a_mask(unsigned *out) {
    __shared__ unsigned tile[32];
    tile[threadIdx.x] = threadIdx.x;
    __syncwarp(threadIdx.x < 16 ? 0xffffu : 0xffff0000u);
    out[threadIdx.x] = tile[threadIdx.x ^ (RIGHT ? 8 : 16)]; // BUG race
}
PAIR(half_a_mask, (unsigned *out), (out))

// pair branch_writes: block=32 zeros:u32:32
template <bool RIGHT> __device__ void branch_writes(unsigned *out) {
    __shared__ unsigned tile[32];
    if (threadIdx.x < 16)
        tile[threadIdx.x] = 1;
    else
        tile[threadIdx.x] = 2;
    lanes<RIGHT>();
    out[threadIdx.x] = tile[31 - threadIdx.x]; // BUG race
}
PAIR(branch_writes, (unsigned *out), (out))

// pair shuffle_is_no_fence: block=32 zeros:u32:32
template <bool RIGHT> __device__ void shuffle_is_no_fence(unsigned *out) {
    __shared__ unsigned tile[32];
    tile[threadIdx.x] = threadIdx.x;
    unsigned by = __shfl_sync(0xffffffffu, threadIdx.x, 1);
    lanes<RIGHT>();
    out[threadIdx.x] = tile[threadIdx.x ^ by]; // BUG race
}
PAIR(shuffle_is_no_fence, (unsigned *out), (out))

// pair ballot_is_no_fence: block=32 zeros:u32:32
template <bool RIGHT> __device__ void ballot_is_no_fence(unsigned *out) {
    __shared__ unsigned tile[32];
    tile[threadIdx.x] = threadIdx.x;
    unsigned by = __ballot_sync(0xffffffffu, threadIdx.x % 2);
    lanes<RIGHT>();
    out[threadIdx.x] = tile[threadIdx.x ^ (by & 3)]; // BUG race
}
PAIR(ballot_is_no_fence, (unsigned *out), (out))

// pair scan_one_sync: block=32 zeros:u32:32
template <bool RIGHT> __device__ void scan_one_sync(unsigned *out) {
    __shared__ unsigned tile[32];
    unsigned t = threadIdx.x;
    tile[t] = t;
    __syncwarp();
    for (unsigned step = 1; step < 32; step *= 2) {
        unsigned before = t >= step ? tile[t - step] : 0;
        lanes<RIGHT>();
        tile[t] += before; // BUG race
        __syncwarp();
    }
    out[t] = tile[t];
}
PAIR(scan_one_sync, (unsigned *out), (out))

// pair through_global: block=32 zeros:u32:32 zeros:u32:32
template <bool RIGHT> __device__ void through_global(unsigned *by, unsigned *out) {
    by[threadIdx.x] = threadIdx.x;
    lanes<RIGHT>();
    out[threadIdx.x] = by[31 - threadIdx.x]; // BUG race
}
PAIR(through_global, (unsigned *by, unsigned *out), (by, out))

// pair reused_in_loop: block=32 zeros:u32:32
template <bool RIGHT> __device__ void reused_in_loop(unsigned *out) {
    __shared__ unsigned word;
    unsigned sum = 0;
    for (unsigned i = 0; i < 4; i++) {
        if (threadIdx.x == i)
            word = i; // BUG race
        __syncwarp();
        sum += word;
        lanes<RIGHT>();
    }
    out[threadIdx.x] = sum;
}
PAIR(reused_in_loop, (unsigned *out), (out))

// pair warp_sync_for_block: block=64 zeros:u32:64
template <bool RIGHT> __device__ void warp_sync_for_block(unsigned *out) {
    __shared__ unsigned tile[64];
    tile[threadIdx.x] = threadIdx.x;
    __syncwarp();
    out[threadIdx.x] = tile[threadIdx.x ^ (RIGHT ? 16 : 32)]; // BUG race
}
PAIR(warp_sync_for_block, (unsigned *out), (out))

// pair leader_sums: block=64 zeros:u32:2
template <bool RIGHT> __device__ void leader_sums(unsigned *out) {
    __shared__ unsigned tile[64];
    unsigned t = threadIdx.x;
    tile[t] = t;
    lanes<RIGHT>();
    if (t % 32 == 0) {
        unsigned sum = 0;
        for (unsigned i = 0; i < 32; i++)
            sum += tile[t + i]; // BUG race
        out[t / 32] = sum;
    }
}
PAIR(leader_sums, (unsigned *out), (out))

// pair exited_lanes: block=32 zeros:u32:32
template <bool RIGHT> __device__ void exited_lanes(unsigned *out) {
    if (threadIdx.x >= 20)
        return;
    unsigned mask = RIGHT ? 0xfffffu : 0xffffffffu, from = RIGHT ? threadIdx.x / 2 : threadIdx.x + 4;
    out[threadIdx.x] = __shfl_sync(mask, threadIdx.x * 3, from); // BUG inactive-lane
}
PAIR(exited_lanes, (unsigned *out), (out))

// pair shuffle_in_loop: block=32 zeros:u32:32
template <bool RIGHT> __device__ void shuffle_in_loop(unsigned *out) {
    unsigned n = RIGHT ? 4 : threadIdx.x % 4 + 1, sum = 0;
    for (unsigned i = 0; i < n; i++) {
        asm volatile("" ::: "memory");
        sum += __shfl_xor_sync(0xffffffffu, threadIdx.x + i, 1); // BUG inactive-lane
        out[threadIdx.x] = sum;
    }
}
PAIR(shuffle_in_loop, (unsigned *out), (out))

// pair vote_of_some: block=32 zeros:u32:32
template <bool RIGHT> __device__ void vote_of_some(unsigned *out) {
    unsigned mask = __ballot_sync(0xffffffffu, threadIdx.x < 12);
    if (threadIdx.x < 12)
        out[threadIdx.x] = __any_sync(RIGHT ? mask : 0xffffffffu, threadIdx.x == 11); // BUG inactive-lane
    else
        out[threadIdx.x] = 3;
    asm volatile("" ::: "memory");
    out[threadIdx.x] += 1;
}
PAIR(vote_of_some, (unsigned *out), (out))
