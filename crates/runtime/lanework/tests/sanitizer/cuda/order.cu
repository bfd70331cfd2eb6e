// Barriers, lanes and asynchronous copies.

// launch barrier_in_branch: block=32 zeros:f32:32
extern "C" __global__ void barrier_in_branch(float *out) {
    if (threadIdx.x < 16) {
        out[threadIdx.x] = 1;
        asm volatile("bar.sync 0;"); // BUG barrier-divergence
        out[threadIdx.x] = 2;
    } else {
        out[threadIdx.x] = 3;
    }
}

// launch barrier_by_warp: block=64 zeros:f32:64
extern "C" __global__ void barrier_by_warp(float *out) {
    if (threadIdx.x < 32) {
        out[threadIdx.x] = 1;
        asm volatile("bar.sync 1, 32;");
    }
    out[threadIdx.x] = 2;
}

// launch barrier_in_loop: block=32 zeros:f32:32
extern "C" __global__ void barrier_in_loop(float *out) {
    for (int i = 0; i < (int)threadIdx.x; i++) {
        out[threadIdx.x] += i;
        asm volatile("bar.sync 0;" ::: "memory"); // BUG barrier-divergence
    }
}

// launch barrier_on_both_paths: block=32 zeros:f32:32
extern "C" __global__ void barrier_on_both_paths(float *out) {
    if (threadIdx.x % 2 == 0) {
        out[threadIdx.x] = 1;
        asm volatile("bar.sync 0;" ::: "memory"); // BUG barrier-divergence
        out[threadIdx.x] = 3;
    } else {
        out[threadIdx.x] = 2;
        asm volatile("bar.sync 0;" ::: "memory"); // MAYBE barrier-divergence
        out[threadIdx.x] = 4;
    }
}

// launch barrier_odd_count: block=64 zeros:f32:64
extern "C" __global__ void barrier_odd_count(float *out) {
    asm volatile("bar.sync 1, %0;" ::"r"(48 + (int)out[0])); // BUG barrier-divergence
    out[threadIdx.x] = 1;
}

// launch barrier_counts_differ: block=128 zeros:f32:128
extern "C" __global__ void barrier_counts_differ(float *out) {
    unsigned count = threadIdx.x < 32 ? 128 : 64;
    asm volatile("bar.sync 1, %0;" ::"r"(count) : "memory"); // BUG barrier-divergence
    out[threadIdx.x] = 1;
}

// launch barrier_sixteen: block=64 zeros:f32:64 u32:16
extern "C" __global__ void barrier_sixteen(float *out, unsigned number) {
    asm volatile("bar.sync %0;" ::"r"(number)); // BUG barrier-divergence
    out[threadIdx.x] = 1;
}

// launch early_exit: block=64 zeros:f32:64 u32:40
extern "C" __global__ void early_exit(float *out, unsigned n) {
    __shared__ float tile[64];
    if (threadIdx.x >= n)
        return;
    tile[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = tile[n - 1 - threadIdx.x];
}

// launch too_few: block=64 zeros:f32:64
extern "C" __global__ void too_few(float *out) {
    asm volatile("bar.sync 1, 96;"); // BUG deadlock
    out[threadIdx.x] = 1;
}

// launch different_barriers: block=64 zeros:f32:64
extern "C" __global__ void different_barriers(float *out) {
    if (threadIdx.x < 32) {
        out[threadIdx.x] = 1;
        asm volatile("bar.sync 1, 64;"); // BUG deadlock
    } else {
        out[threadIdx.x] = 2;
        asm volatile("bar.sync 2, 64;"); // MAYBE deadlock
    }
}

// launch nobody_arrives: block=64 zeros:f32:64
extern "C" __global__ void nobody_arrives(float *out) {
    if (threadIdx.x >= 32) {
        asm volatile("bar.sync 3, 64;"); // BUG deadlock
        out[threadIdx.x] = 1;
    }
}

// launch crossed_barriers: block=64 zeros:f32:64
extern "C" __global__ void crossed_barriers(float *out) {
    if (threadIdx.x < 32) {
        asm volatile("bar.sync 1, 64;" ::: "memory"); // BUG deadlock
        asm volatile("bar.sync 2, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 2, 64;" ::: "memory"); // MAYBE deadlock
        asm volatile("bar.sync 1, 64;" ::: "memory");
    }
    out[threadIdx.x] = 1;
}

// launch one_round_more: block=64 zeros:f32:64
extern "C" __global__ void one_round_more(float *out) {
    int rounds = threadIdx.x < 32 ? 2 : 3;
    for (int i = 0; i < rounds; i++) {
        out[threadIdx.x] += i;
        asm volatile("bar.sync 1, 64;" ::: "memory"); // BUG deadlock
    }
}

// launch shuffle_in_branch: block=32 zeros:u32:32
extern "C" __global__ void shuffle_in_branch(unsigned *out) {
    if (threadIdx.x < 16) {
        unsigned x = __shfl_sync(0xffffffffu, threadIdx.x, 20); // BUG inactive-lane
        out[threadIdx.x] = x;
    } else {
        out[threadIdx.x] = 0;
    }
    asm volatile("" ::: "memory");
    out[threadIdx.x] += 5;
}

// launch shuffle_right: block=32 zeros:u32:32
extern "C" __global__ void shuffle_right(unsigned *out) {
    if (threadIdx.x < 16)
        out[threadIdx.x] = __shfl_sync(0xffffu, threadIdx.x, 3);
    else
        out[threadIdx.x] = 0;
}

// launch shuffle_lacks_itself: block=32 zeros:u32:32 u32:65535
extern "C" __global__ void shuffle_lacks_itself(unsigned *out, unsigned mask) {
    out[threadIdx.x] = __shfl_sync(mask, threadIdx.x, 3); // BUG inactive-lane
}

// launch shuffle_of_the_gone: block=32 zeros:u32:32
extern "C" __global__ void shuffle_of_the_gone(unsigned *out) {
    if (threadIdx.x >= 24)
        return;
    out[threadIdx.x] = __shfl_down_sync(0xffffffffu, threadIdx.x, 8); // BUG inactive-lane
}

// launch shuffle_small_block: block=16 zeros:u32:16
extern "C" __global__ void shuffle_small_block(unsigned *out) {
    out[threadIdx.x] = __shfl_xor_sync(0xffffffffu, threadIdx.x, 16); // BUG inactive-lane
}

// launch shuffle_narrow: block=16 zeros:u32:16
extern "C" __global__ void shuffle_narrow(unsigned *out) {
    out[threadIdx.x] = __shfl_xor_sync(0xffffu, threadIdx.x, 8, 16);
}

// launch shuffle_outside_mask: block=32 zeros:u32:32
extern "C" __global__ void shuffle_outside_mask(unsigned *out) {
    unsigned mask = threadIdx.x < 16 ? 0xffffu : 0xffff0000u;
    out[threadIdx.x] = __shfl_xor_sync(mask, threadIdx.x, 16); // BUG inactive-lane
}

// launch ballot_in_branch: block=32 zeros:u32:32
extern "C" __global__ void ballot_in_branch(unsigned *out) {
    if (threadIdx.x % 2 == 0) {
        unsigned votes = __ballot_sync(0xffffffffu, out[threadIdx.x] == 0); // BUG inactive-lane
        out[threadIdx.x] = votes;
    } else {
        out[threadIdx.x] = 7;
    }
    asm volatile("" ::: "memory");
    out[threadIdx.x] += 5;
}

// launch ballot_right: block=32 zeros:u32:32
extern "C" __global__ void ballot_right(unsigned *out) {
    unsigned mask = __ballot_sync(0xffffffffu, threadIdx.x % 2 == 0);
    if (threadIdx.x % 2 == 0)
        out[threadIdx.x] = __ballot_sync(mask, out[threadIdx.x] == 0);
}

// launch reduce_in_branch: block=32 zeros:u32:32
extern "C" __global__ void reduce_in_branch(unsigned *out) {
    if (threadIdx.x < 8) {
        unsigned sum = __reduce_add_sync(0xffffu, threadIdx.x); // BUG inactive-lane
        out[threadIdx.x] = sum;
    } else {
        out[threadIdx.x] = 1;
    }
    asm volatile("" ::: "memory");
    out[threadIdx.x] += 5;
}

// launch sync_lacks_itself: block=32 zeros:u32:32 u32:255
extern "C" __global__ void sync_lacks_itself(unsigned *out, unsigned mask) {
    out[threadIdx.x] = 1;
    __syncwarp(mask); // BUG inactive-lane
    out[threadIdx.x] = 2;
}

// launch match_in_branch: block=32 zeros:u32:32
extern "C" __global__ void match_in_branch(unsigned *out) {
    if (threadIdx.x >= 20) {
        unsigned same = __match_any_sync(0xffffffffu, threadIdx.x / 4); // BUG inactive-lane
        out[threadIdx.x] = same;
    } else {
        out[threadIdx.x] = 1;
    }
    asm volatile("" ::: "memory");
    out[threadIdx.x] += 5;
}

#define COPY(to, from, bytes) \
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from), "n"(bytes) : "memory")
#define COMMIT() asm volatile("cp.async.commit_group;" ::: "memory")
#define WAIT(keep) asm volatile("cp.async.wait_group %0;" ::"n"(keep) : "memory")

// launch copy_no_wait: block=32 iota:f32:32 zeros:f32:32
extern "C" __global__ void copy_no_wait(const float *in, float *out) {
    __shared__ float tile[32];
    COPY(&tile[threadIdx.x], in + threadIdx.x, 4); // SEEN
    COMMIT();
    out[threadIdx.x] = tile[threadIdx.x]; // BUG async-order
}

// launch copy_right: block=64 iota:f32:64 zeros:f32:64
extern "C" __global__ void copy_right(const float *in, float *out) {
    __shared__ float tile[64];
    COPY(&tile[threadIdx.x], in + threadIdx.x, 4);
    COMMIT();
    WAIT(0);
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x];
}

// launch copy_barrier_only: block=64 iota:f32:64 zeros:f32:64
extern "C" __global__ void copy_barrier_only(const float *in, float *out) {
    __shared__ float tile[64];
    COPY(&tile[threadIdx.x], in + threadIdx.x, 4); // SEEN
    COMMIT();
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x]; // BUG async-order
}

// launch copy_wait_only: block=64 iota:f32:64 zeros:f32:64
extern "C" __global__ void copy_wait_only(const float *in, float *out) {
    __shared__ float tile[64];
    COPY(&tile[threadIdx.x], in + threadIdx.x, 4); // SEEN
    COMMIT();
    WAIT(0);
    out[threadIdx.x] = tile[63 - threadIdx.x]; // BUG race
}

// launch copy_pipeline: block=32 iota:f32:128 zeros:f32:32
extern "C" __global__ void copy_pipeline(const float *in, float *out) {
    __shared__ float tile[2][32];
    float sum = 0;
    COPY(&tile[0][threadIdx.x], in + threadIdx.x, 4);
    COMMIT();
    for (int i = 0; i < 4; i++) {
        if (i < 3)
            COPY(&tile[(i + 1) % 2][threadIdx.x], in + 32 * (i + 1) + threadIdx.x, 4);
        COMMIT();
        WAIT(1);
        __syncthreads();
        sum += tile[i % 2][31 - threadIdx.x];
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}

// launch copy_pipeline_short: block=32 iota:f32:128 zeros:f32:32
extern "C" __global__ void copy_pipeline_short(const float *in, float *out) {
    __shared__ float tile[2][32];
    float sum = 0;
    COPY(&tile[0][threadIdx.x], in + threadIdx.x, 4);
    COMMIT();
    for (int i = 0; i < 4; i++) {
        if (i < 3)
            COPY(&tile[(i + 1) % 2][threadIdx.x], in + 32 * (i + 1) + threadIdx.x, 4); // MAYBE async-order
        COMMIT();
        WAIT(2);
        __syncthreads();
        sum += tile[i % 2][31 - threadIdx.x]; // BUG async-order
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}

// launch copy_not_committed: block=32 iota:f32:32 zeros:f32:32
extern "C" __global__ void copy_not_committed(const float *in, float *out) {
    __shared__ float tile[32];
    COPY(&tile[threadIdx.x], in + threadIdx.x, 4); // SEEN
    WAIT(0);
    out[threadIdx.x] = tile[threadIdx.x]; // BUG async-order
}

// launch copy_overwritten: block=32 iota:f32:32 zeros:f32:32
extern "C" __global__ void copy_overwritten(const float *in, float *out) {
    __shared__ float tile[32];
    COPY(&tile[threadIdx.x], in + threadIdx.x, 4); // SEEN
    tile[threadIdx.x] = 1; // BUG async-order
    asm volatile("cp.async.wait_all;" ::: "memory");
    out[threadIdx.x] = tile[threadIdx.x];
}

// launch copy_over_readers: block=64 iota:f32:64 zeros:f32:64
extern "C" __global__ void copy_over_readers(const float *in, float *out) {
    __shared__ float tile[64];
    tile[threadIdx.x] = 1;
    __syncthreads();
    float x = tile[63 - threadIdx.x]; // SEEN
    COPY(&tile[threadIdx.x], in + threadIdx.x, 4); // BUG race
    asm volatile("cp.async.wait_all;" ::: "memory");
    out[threadIdx.x] = x + tile[threadIdx.x];
}
