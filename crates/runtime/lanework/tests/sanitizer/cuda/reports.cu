// needs sm_90
// Kernels with kinds of bugs that public bug reports describe: each wrong and right.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

#define PAIR(name, parameters, arguments)                                              \
    extern "C" __global__ void name##_bug parameters { name<false> arguments; }        \
    extern "C" __global__ void name##_right parameters { name<true> arguments; }
#define SHARED(p) ((unsigned)__cvta_generic_to_shared(p))
#define FENCE() asm volatile("fence.proxy.async.shared::cta;" ::: "memory")
#define INIT(bar, count) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(SHARED(bar)), "r"(count) : "memory")
#define ARRIVE(bar) asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(SHARED(bar)) : "memory")
#define EXPECT(bar, bytes) asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(SHARED(bar)), "r"(bytes) : "memory")
#define FETCH(to, from, bytes, bar) \
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(SHARED(to)), "l"(from), "r"(bytes), "r"(SHARED(bar)) : "memory")
#define PUT(to, from, bytes) \
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(SHARED(from)), "r"(bytes) : "memory")
#define BULK_COMMIT() asm volatile("cp.async.bulk.commit_group;" ::: "memory")
#define BULK_READ() asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory")
#define COPY(to, from) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(SHARED(to)), "l"(from) : "memory")
#define COMMIT() asm volatile("cp.async.commit_group;" ::: "memory")
#define KEEP(n) asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory")
#define WAIT(bar, parity) \
    for (unsigned done = 0; !done;) \
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(SHARED(bar)), "r"(parity) : "memory")

// A tile shuffles in a branch that only half of its threads take.
// pair tile_in_a_branch: block=32 iota:u32:32 zeros:u32:32
template <bool RIGHT> __device__ void tile_in_a_branch(const unsigned *in, unsigned *out) {
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    unsigned v = in[threadIdx.x];
    if (RIGHT || tile.thread_rank() < 8)
        v += tile.shfl_down(v, 4); // BUG inactive-lane
    out[threadIdx.x] = v;
}
PAIR(tile_in_a_branch, (const unsigned *in, unsigned *out), (in, out))

// A tile synchronizes only itself, and its threads read the results of another tile.
// pair neighbor_tile: block=64 zeros:u32:64
template <bool RIGHT> __device__ void neighbor_tile(unsigned *out) {
    __shared__ unsigned s[64];
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(block);
    s[threadIdx.x] = threadIdx.x;
    if (RIGHT)
        block.sync();
    else
        tile.sync();
    out[threadIdx.x] = s[threadIdx.x ^ 32]; // BUG race
}
PAIR(neighbor_tile, (unsigned *out), (out))

// Two smaller tiles of one warp share words, and each synchronizes only itself.
// pair tiles_of_a_warp: block=32 zeros:u32:32
template <bool RIGHT> __device__ void tiles_of_a_warp(unsigned *out) {
    __shared__ unsigned s[32];
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    s[threadIdx.x] = threadIdx.x;
    tile.sync();
    out[threadIdx.x] = s[RIGHT ? threadIdx.x ^ 4 : threadIdx.x ^ 8]; // BUG race
}
PAIR(tiles_of_a_warp, (unsigned *out), (out))

// The first wait for an empty stage uses the parity of the first full one: it never ends.
// pair first_parity: block=64 iota:u32:256 zeros:u32:32
template <bool RIGHT> __device__ void first_parity(const unsigned *in, unsigned *out) {
    __shared__ __align__(128) unsigned tile[64];
    __shared__ __align__(8) unsigned long long full, empty;
    if (threadIdx.x == 0) {
        INIT(&full, 1);
        INIT(&empty, 32);
    }
    __syncthreads();
    if (threadIdx.x >= 32) {
        for (unsigned i = 0; threadIdx.x == 32 && i < 4; i++) {
            WAIT(&empty, RIGHT ? i & 1 ^ 1 : i & 1); // MAYBE deadlock
            FENCE();
            EXPECT(&full, 256);
            FETCH(tile, in + 64 * i, 256, &full);
        }
        return;
    }
    unsigned sum = 0;
    for (unsigned i = 0; i < 4; i++) {
        WAIT(&full, i & 1); // BUG deadlock
        sum += tile[threadIdx.x] + tile[63 - threadIdx.x];
        ARRIVE(&empty);
    }
    out[threadIdx.x] = sum;
}
PAIR(first_parity, (const unsigned *in, unsigned *out), (in, out))

// A consumer does not flip the parity when the ring wraps around: it reads a stage before its data, or waits forever.
// pair parity_of_the_ring: block=64 iota:u32:512 zeros:u32:32
template <bool RIGHT> __device__ void parity_of_the_ring(const unsigned *in, unsigned *out) {
    __shared__ __align__(128) unsigned tile[2][64];
    __shared__ __align__(8) unsigned long long full[2], empty[2];
    if (threadIdx.x == 0)
        for (int s = 0; s < 2; s++) {
            INIT(&full[s], 1);
            INIT(&empty[s], 32);
        }
    __syncthreads();
    if (threadIdx.x >= 32) {
        for (unsigned i = 0; threadIdx.x == 32 && i < 4; i++) {
            WAIT(&empty[i % 2], i / 2 & 1 ^ 1); // BUG deadlock
            FENCE();
            EXPECT(&full[i % 2], 256);
            FETCH(tile[i % 2], in + 64 * i, 256, &full[i % 2]);
        }
        return;
    }
    unsigned sum = 0;
    for (unsigned i = 0; i < 4; i++) {
        WAIT(&full[i % 2], RIGHT ? i / 2 & 1 : 0); // MAYBE deadlock
        sum += tile[i % 2][threadIdx.x] + tile[i % 2][63 - threadIdx.x]; // MAYBE async-order
        ARRIVE(&empty[i % 2]);
    }
    out[threadIdx.x] = sum;
}
PAIR(parity_of_the_ring, (const unsigned *in, unsigned *out), (in, out))

// A barrier counts one warp of two: the second one ends another phase.
// pair counts_one_warp: block=96 zeros:u32:32
template <bool RIGHT> __device__ void counts_one_warp(unsigned *out) {
    __shared__ unsigned s[64];
    __shared__ __align__(8) unsigned long long bar;
    if (threadIdx.x == 0)
        INIT(&bar, RIGHT ? 64 : 32);
    __syncthreads();
    if (threadIdx.x < 64) {
        s[threadIdx.x] = threadIdx.x;
        ARRIVE(&bar); // MAYBE barrier-divergence
    } else {
        WAIT(&bar, 0); // BUG deadlock
        out[threadIdx.x - 64] = s[threadIdx.x - 64] + s[threadIdx.x - 32]; // MAYBE race
    }
}
PAIR(counts_one_warp, (unsigned *out), (out))

// An mbarrier is initialized again for the next use while others still wait for it.
// pair initialized_twice: block=64 zeros:u32:64
template <bool RIGHT> __device__ void initialized_twice(unsigned *out) {
    __shared__ __align__(8) unsigned long long bar;
    if (threadIdx.x == 0)
        INIT(&bar, 64);
    __syncthreads();
    ARRIVE(&bar);
    WAIT(&bar, 0); // MAYBE race
    if (RIGHT)
        __syncthreads();
    if (threadIdx.x == 0)
        INIT(&bar, 64); // BUG race
    __syncthreads();
    ARRIVE(&bar);
    WAIT(&bar, 0);
    out[threadIdx.x] = 1;
}
PAIR(initialized_twice, (unsigned *out), (out))

// A thread waits for the bulk groups of another thread.
// pair group_of_another: block=64 zeros:u32:128
template <bool RIGHT> __device__ void group_of_another(unsigned *out) {
    __shared__ __align__(128) unsigned tile[64];
    for (unsigned i = 0; i < 2; i++) {
        tile[threadIdx.x] = threadIdx.x + i; // BUG async-order
        FENCE();
        __syncthreads();
        if (threadIdx.x == 0) {
            PUT(out + 64 * i, tile, 256);
            BULK_COMMIT();
        }
        if (threadIdx.x == (RIGHT ? 0 : 32))
            BULK_READ();
        __syncthreads();
    }
}
PAIR(group_of_another, (unsigned *out), (out))

// The commit is missing, so the wait has no group to wait for.
// pair no_commit: block=64 zeros:u32:128
template <bool RIGHT> __device__ void no_commit(unsigned *out) {
    __shared__ __align__(128) unsigned tile[64];
    for (unsigned i = 0; i < 2; i++) {
        tile[threadIdx.x] = threadIdx.x + i; // BUG async-order
        FENCE();
        __syncthreads();
        if (threadIdx.x == 0) {
            PUT(out + 64 * i, tile, 256);
            if (RIGHT)
                BULK_COMMIT();
            BULK_READ();
        }
        __syncthreads();
    }
}
PAIR(no_commit, (unsigned *out), (out))

// The last tile of a pipeline still waits as if another one followed.
// pair last_of_the_pipeline: block=32 iota:u32:128 zeros:u32:32
template <bool RIGHT> __device__ void last_of_the_pipeline(const unsigned *in, unsigned *out) {
    __shared__ unsigned tile[2][32];
    unsigned sum = 0;
    COPY(&tile[0][threadIdx.x], in + threadIdx.x);
    COMMIT();
    for (unsigned i = 0; i < 4; i++) {
        if (i < 3) {
            COPY(&tile[i + 1 & 1][threadIdx.x], in + 32 * (i + 1) + threadIdx.x);
            COMMIT();
        }
        if (RIGHT && i == 3)
            KEEP(0);
        else
            KEEP(1);
        __syncthreads();
        sum += tile[i & 1][31 - threadIdx.x]; // BUG async-order
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}
PAIR(last_of_the_pipeline, (const unsigned *in, unsigned *out), (in, out))

// Each thread waits for its own copies only.
// pair copies_of_others: block=64 iota:u32:64 zeros:u32:64
template <bool RIGHT> __device__ void copies_of_others(const unsigned *in, unsigned *out) {
    __shared__ unsigned tile[64];
    COPY(&tile[threadIdx.x], in + threadIdx.x);
    COMMIT();
    KEEP(0);
    if (RIGHT)
        __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x]; // BUG race
}
PAIR(copies_of_others, (const unsigned *in, unsigned *out), (in, out))

// Groups of warps share a named barrier that each of them meant for itself.
// pair shared_number: block=128 zeros:u32:128
template <bool RIGHT> __device__ void shared_number(unsigned *out) {
    __shared__ unsigned s[128];
    unsigned group = threadIdx.x / 64;
    s[threadIdx.x] = threadIdx.x;
    if (group == 0 || RIGHT)
        asm volatile("bar.sync %0, 64;" ::"r"(1 + (RIGHT ? group : 0)) : "memory");
    else if (threadIdx.x < 96)
        asm volatile("bar.sync 1, 64;" ::: "memory"); // MAYBE deadlock barrier-divergence
    out[threadIdx.x] = s[threadIdx.x ^ 32]; // BUG race
}
PAIR(shared_number, (unsigned *out), (out))

// A flag in shared memory hands data from one warp to another, without a fence.
// pair flag_between_warps: block=64 zeros:u32:32
template <bool RIGHT> __device__ void flag_between_warps(unsigned *out) {
    __shared__ unsigned data[32];
    __shared__ volatile unsigned flag;
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        data[threadIdx.x] = threadIdx.x;
        __syncwarp();
        if (RIGHT)
            __threadfence_block();
        if (threadIdx.x == 0)
            flag = 1;
    } else {
        while (flag == 0) {
        }
        if (RIGHT)
            __threadfence_block();
        out[threadIdx.x - 32] = data[63 - threadIdx.x]; // BUG race
    }
}
PAIR(flag_between_warps, (unsigned *out), (out))

// The fence before a flag for another block covers the own block only.
// pair narrow_fence: grid=2 block=32 zeros:u32:64 zeros:u32:1 zeros:u32:32
template <bool RIGHT> __device__ void narrow_fence(unsigned *data, unsigned *flag, unsigned *out) {
    if (blockIdx.x == 0) {
        data[threadIdx.x] = threadIdx.x;
        __syncwarp();
        if (RIGHT)
            __threadfence();
        else
            __threadfence_block();
        if (threadIdx.x == 0)
            atomicExch(flag, 1);
    } else {
        if (threadIdx.x == 0)
            while (atomicAdd(flag, 0) == 0) {
            }
        __syncwarp();
        __threadfence();
        out[threadIdx.x] = data[31 - threadIdx.x]; // BUG race
    }
}
PAIR(narrow_fence, (unsigned *data, unsigned *flag, unsigned *out), (data, flag, out))

// The scratch memory of two reductions is the same, and nothing separates them.
// pair scratch_reused: block=64 iota:u32:64 zeros:u32:64
template <bool RIGHT> __device__ void scratch_reused(const unsigned *in, unsigned *out) {
    __shared__ unsigned sums[2];
    unsigned total = 0;
    for (unsigned round = 0; round < 2; round++) {
        unsigned v = in[threadIdx.x] + round;
        for (unsigned d = 16; d; d /= 2)
            v += __shfl_down_sync(~0u, v, d);
        if (threadIdx.x % 32 == 0)
            sums[threadIdx.x / 32] = v; // BUG race
        __syncthreads();
        total += sums[0] + sums[1]; // MAYBE race
        if (RIGHT)
            __syncthreads();
    }
    out[threadIdx.x] = total;
}
PAIR(scratch_reused, (const unsigned *in, unsigned *out), (in, out))

// A lock is released without a fence for the data that it protects.
// pair released_without_fence: grid=4 block=1 zeros:u32:1 zeros:u32:1
template <bool RIGHT> __device__ void released_without_fence(unsigned *lock, unsigned *sum) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    *sum += blockIdx.x; // BUG race
    if (RIGHT)
        __threadfence();
    atomicExch(lock, 0);
}
PAIR(released_without_fence, (unsigned *lock, unsigned *sum), (lock, sum))

// A stencil updates its array in place: blocks read what their neighbors write.
// pair in_place: grid=4 block=32 iota:u32:130 zeros:u32:130
template <bool RIGHT> __device__ void in_place(unsigned *x, unsigned *other) {
    unsigned i = blockIdx.x * 32 + threadIdx.x + 1;
    unsigned left = x[i - 1], right = x[i + 1];
    __syncthreads();
    (RIGHT ? other : x)[i] = left + right; // BUG race
}
PAIR(in_place, (unsigned *x, unsigned *other), (x, other))

// A vector load from an address that is not a multiple of its size.
// pair odd_vector: block=8 iota:u32:64 zeros:u32:8
template <bool RIGHT> __device__ void odd_vector(const unsigned *in, unsigned *out) {
    uint4 v = *(const uint4 *)(in + (RIGHT ? 4 : 5) * threadIdx.x); // BUG misaligned
    out[threadIdx.x] = v.x + v.w;
}
PAIR(odd_vector, (const unsigned *in, unsigned *out), (in, out))

// Rows and columns of a tile with a padding column are swapped.
// pair swapped_indices: block=16x8 zeros:u32:128
template <bool RIGHT> __device__ void swapped_indices(unsigned *out) {
    __shared__ unsigned tile[8][17];
    if (RIGHT)
        tile[threadIdx.y][threadIdx.x] = threadIdx.x;
    else
        tile[threadIdx.x][threadIdx.y] = threadIdx.x; // BUG out-of-bounds
    __syncthreads();
    out[threadIdx.y * 16 + threadIdx.x] = RIGHT ? tile[threadIdx.y][threadIdx.x] : tile[threadIdx.x % 8][threadIdx.y];
}
PAIR(swapped_indices, (unsigned *out), (out))

// Two arrays in dynamic shared memory overlap: the offset counts elements of another size.
// pair overlapping_parts: block=32 shared=256 zeros:u32:32
template <bool RIGHT> __device__ void overlapping_parts(unsigned *out) {
    extern __shared__ unsigned char bytes[];
    unsigned *a = (unsigned *)bytes, *b = (unsigned *)(bytes + (RIGHT ? 128 : 32));
    a[threadIdx.x] = threadIdx.x;
    b[threadIdx.x] = 2 * threadIdx.x + 1; // BUG race
    __syncthreads();
    out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}
PAIR(overlapping_parts, (unsigned *out), (out))

// Some threads count by atomics, and one by a plain increment.
// pair plain_increment: block=64 zeros:u32:1
template <bool RIGHT> __device__ void plain_increment(unsigned *out) {
    __shared__ unsigned count;
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    if (threadIdx.x != 40 || RIGHT)
        atomicAdd(&count, 1); // MAYBE race
    else
        count = count + 1; // BUG race
    __syncthreads();
    if (threadIdx.x == 0)
        *out = count;
}
PAIR(plain_increment, (unsigned *out), (out))

// The second of two rounds overwrites what other blocks still read in the first one.
// pair rounds_without_barrier: grid=2 block=32 cooperative zeros:u32:64 zeros:u32:64
template <bool RIGHT> __device__ void rounds_without_barrier(unsigned *a, unsigned *b) {
    auto grid = cg::this_grid();
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    a[i] = i;
    grid.sync();
    b[i] = a[63 - i];
    if (RIGHT)
        grid.sync();
    a[i] = b[i] + 1; // BUG race
}
PAIR(rounds_without_barrier, (unsigned *a, unsigned *b), (a, b))

// A lane outside of the mask executes the vote.
// pair outside_of_the_mask: block=32 zeros:u32:32
template <bool RIGHT> __device__ void outside_of_the_mask(unsigned *out) {
    unsigned mask = __ballot_sync(~0u, threadIdx.x < 20);
    if (threadIdx.x < (RIGHT ? 20 : 24))
        out[threadIdx.x] = __any_sync(mask, threadIdx.x == 3); // BUG inactive-lane
}
PAIR(outside_of_the_mask, (unsigned *out), (out))

// An index by 32 bits overflows.
// pair index_overflow: block=1 zeros:u32:16 u32:65536
template <bool RIGHT> __device__ void index_overflow(unsigned *out, unsigned n) {
    int row = n, width = n / 2;
    long long at = RIGHT ? (long long)row * width : row * width; // 2^31: negative in 32 bits
    if (at < 16)
        out[at] = 1; // BUG out-of-bounds
}
PAIR(index_overflow, (unsigned *out, unsigned n), (out, n))

// The block that came second writes the table of the first one, without an order.
// pair double_checked: grid=2 block=32 zeros:u32:1 zeros:u32:32
template <bool RIGHT> __device__ void double_checked(unsigned *ready, unsigned *table) {
    __shared__ unsigned mine;
    if (threadIdx.x == 0)
        mine = atomicAdd(ready, 1);
    __syncthreads();
    if (mine == 0)
        table[threadIdx.x] = threadIdx.x + 1;
    if (mine == 1 && !RIGHT)
        table[31 - threadIdx.x] = 7; // BUG race
}
PAIR(double_checked, (unsigned *ready, unsigned *table), (ready, table))
