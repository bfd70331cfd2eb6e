// needs sm_90
// Clusters of two blocks that use each other's shared memory.

#define PAIR extern "C" __global__ void __cluster_dims__(2, 1, 1)
#define SHARED(p) ((unsigned)__cvta_generic_to_shared(p))
#define SYNC() \
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory")

__device__ unsigned rank() {
    unsigned r;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return r;
}
__device__ unsigned there(const void *p, unsigned rank) {
    unsigned at;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(SHARED(p)), "r"(rank));
    return at;
}
#define READ(value, at) asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(at) : "memory")
#define WRITE(at, value) asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(at), "r"(value) : "memory")
#define ADD(at, value) asm volatile("red.shared::cluster.add.u32 [%0], %1;" ::"r"(at), "r"(value) : "memory")
#define MAKE(bar, count) \
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(SHARED(bar)), "r"(count) : "memory")
#define ANNOUNCE(bar, bytes) \
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(SHARED(bar)), "r"(bytes) : "memory")
#define ARRIVE(at) \
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(at) : "memory")
#define WAIT(bar, parity) \
    for (unsigned done = 0; !done;) \
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(SHARED(bar)), "r"(parity) : "memory")
#define FETCH_BOTH(to, from, bytes, bar) \
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(SHARED(to)), "l"(from), "r"(bytes), "r"(SHARED(bar)), "h"((unsigned short)3) : "memory")

// launch pair_right: grid=4 block=64 zeros:u32:256
PAIR pair_right(unsigned *out) {
    __shared__ unsigned tile[64];
    unsigned value;
    tile[threadIdx.x] = threadIdx.x + blockIdx.x;
    SYNC();
    READ(value, there(&tile[63 - threadIdx.x], 1 - rank()));
    SYNC();
    out[blockIdx.x * 64 + threadIdx.x] = value;
}

// launch pair_no_first_sync: grid=2 block=64 zeros:u32:128
PAIR pair_no_first_sync(unsigned *out) {
    __shared__ unsigned tile[64];
    unsigned value;
    tile[threadIdx.x] = threadIdx.x; // SEEN
    __syncthreads();
    READ(value, there(&tile[63 - threadIdx.x], 1 - rank())); // BUG race
    SYNC();
    out[blockIdx.x * 64 + threadIdx.x] = value;
}

// launch pair_no_last_sync: grid=2 block=64 zeros:u32:128
PAIR pair_no_last_sync(unsigned *out) {
    __shared__ unsigned tile[64];
    unsigned value;
    tile[threadIdx.x] = threadIdx.x;
    SYNC();
    READ(value, there(&tile[63 - threadIdx.x], 1 - rank())); // BUG use-after-free
    out[blockIdx.x * 64 + threadIdx.x] = value;
}

// launch pair_over_readers: grid=2 block=64 zeros:u32:128
PAIR pair_over_readers(unsigned *out) {
    __shared__ unsigned tile[64];
    unsigned value;
    tile[threadIdx.x] = threadIdx.x;
    SYNC();
    READ(value, there(&tile[63 - threadIdx.x], 1 - rank())); // MAYBE race
    __syncthreads();
    tile[threadIdx.x] = value; // BUG race
    SYNC();
    out[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x];
}

// launch pair_unwritten: grid=2 block=64 zeros:u32:128
PAIR pair_unwritten(unsigned *out) {
    __shared__ unsigned tile[64];
    unsigned value;
    if (rank() == 0)
        tile[threadIdx.x] = threadIdx.x;
    SYNC();
    READ(value, there(&tile[63 - threadIdx.x], 1 - rank())); // BUG uninitialized
    SYNC();
    out[blockIdx.x * 64 + threadIdx.x] = value;
}

// launch pair_too_far: grid=2 block=64 zeros:u32:128
PAIR pair_too_far(unsigned *out) {
    __shared__ unsigned tile[64], more[64];
    unsigned value;
    tile[threadIdx.x] = threadIdx.x;
    more[threadIdx.x] = threadIdx.x;
    SYNC();
    READ(value, there(&tile[threadIdx.x + 1], 1 - rank())); // BUG out-of-bounds
    SYNC();
    out[blockIdx.x * 64 + threadIdx.x] = value + more[63 - threadIdx.x];
}

// launch pair_writes_one: grid=2 block=32 zeros:u32:64
PAIR pair_writes_one(unsigned *out) {
    __shared__ unsigned tile[32];
    unsigned value;
    SYNC();
    WRITE(there(&tile[threadIdx.x], 0), rank() + 1); // BUG race
    SYNC();
    READ(value, there(&tile[threadIdx.x], 0));
    SYNC();
    out[blockIdx.x * 32 + threadIdx.x] = value;
}

// launch pair_counts: grid=2 block=64 zeros:u32:128
PAIR pair_counts(unsigned *out) {
    __shared__ unsigned counts[8];
    if (threadIdx.x < 8)
        counts[threadIdx.x] = 0;
    SYNC();
    ADD(there(&counts[threadIdx.x % 8], threadIdx.x / 8 % 2), 1);
    SYNC();
    out[blockIdx.x * 64 + threadIdx.x] = counts[threadIdx.x % 8];
}

// launch pair_counts_early: grid=2 block=64 zeros:u32:128
PAIR pair_counts_early(unsigned *out) {
    __shared__ unsigned counts[8];
    if (threadIdx.x < 8)
        counts[threadIdx.x] = 0;
    SYNC();
    ADD(there(&counts[threadIdx.x % 8], threadIdx.x / 8 % 2), 1); // MAYBE race
    __syncthreads();
    unsigned value = counts[threadIdx.x % 8]; // BUG race
    SYNC();
    out[blockIdx.x * 64 + threadIdx.x] = value;
}

// launch pair_hand_over: grid=2 block=64 zeros:u32:64
PAIR pair_hand_over(unsigned *out) {
    __shared__ unsigned tile[64];
    __shared__ __align__(8) unsigned long long bar;
    if (threadIdx.x == 0)
        MAKE(&bar, 64);
    SYNC();
    if (rank() == 1) {
        WRITE(there(&tile[threadIdx.x], 0), threadIdx.x);
        ARRIVE(there(&bar, 0));
    } else {
        WAIT(&bar, 0);
        out[threadIdx.x] = tile[63 - threadIdx.x];
    }
}

// launch pair_hand_over_late: grid=2 block=64 zeros:u32:64
PAIR pair_hand_over_late(unsigned *out) {
    __shared__ unsigned tile[64];
    __shared__ __align__(8) unsigned long long bar;
    if (threadIdx.x == 0)
        MAKE(&bar, 64);
    SYNC();
    if (rank() == 1) {
        ARRIVE(there(&bar, 0));
        WRITE(there(&tile[threadIdx.x], 0), threadIdx.x); // MAYBE race
    } else {
        WAIT(&bar, 0);
        out[threadIdx.x] = tile[63 - threadIdx.x]; // BUG race
    }
    SYNC();
}

// launch pair_barrier_not_made: grid=2 block=64 zeros:u32:64
PAIR pair_barrier_not_made(unsigned *out) {
    __shared__ __align__(8) unsigned long long bar;
    if (threadIdx.x == 0)
        MAKE(&bar, 64);
    __syncthreads();
    if (rank() == 1)
        ARRIVE(there(&bar, 0)); // BUG race
    else
        WAIT(&bar, 0);
    SYNC();
    out[threadIdx.x] = 1;
}

// launch pair_fetch: grid=2 block=64 iota:u32:64 zeros:u32:128
PAIR pair_fetch(const unsigned *in, unsigned *out) {
    __shared__ __align__(128) unsigned tile[64];
    __shared__ __align__(8) unsigned long long bar;
    if (threadIdx.x == 0) {
        MAKE(&bar, 1);
        ANNOUNCE(&bar, 256);
    }
    SYNC();
    if (rank() == 0 && threadIdx.x == 0)
        FETCH_BOTH(tile, in, 256, &bar);
    WAIT(&bar, 0);
    out[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x];
}

// launch pair_fetch_no_wait: grid=2 block=64 iota:u32:64 zeros:u32:128
PAIR pair_fetch_no_wait(const unsigned *in, unsigned *out) {
    __shared__ __align__(128) unsigned tile[64];
    __shared__ __align__(8) unsigned long long bar;
    if (threadIdx.x == 0) {
        MAKE(&bar, 1);
        ANNOUNCE(&bar, 256);
    }
    SYNC();
    if (rank() == 0 && threadIdx.x == 0)
        FETCH_BOTH(tile, in, 256, &bar); // SEEN
    SYNC();
    out[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x]; // BUG async-order
    WAIT(&bar, 0);
}

// launch pair_fetch_over: grid=2 block=64 iota:u32:128 zeros:u32:128
PAIR pair_fetch_over(const unsigned *in, unsigned *out) {
    __shared__ __align__(128) unsigned tile[64];
    __shared__ __align__(8) unsigned long long bar;
    unsigned sum = 0;
    if (threadIdx.x == 0)
        MAKE(&bar, 1);
    SYNC();
    for (unsigned i = 0; i < 2; i++) {
        if (threadIdx.x == 0)
            ANNOUNCE(&bar, 256);
        if (rank() == 0 && threadIdx.x == 0)
            FETCH_BOTH(tile, in + i * 64, 256, &bar); // BUG async-order
        WAIT(&bar, i);
        sum += tile[63 - threadIdx.x]; // MAYBE async-order
        __syncthreads();
    }
    SYNC();
    out[blockIdx.x * 64 + threadIdx.x] = sum;
}

// launch pair_through_global: grid=2 block=64 zeros:u32:128
PAIR pair_through_global(unsigned *out) {
    out[blockIdx.x * 64 + threadIdx.x] = threadIdx.x;
    SYNC();
    unsigned value = out[(1 - rank()) * 64 + threadIdx.x];
    SYNC();
    out[blockIdx.x * 64 + threadIdx.x] = value + 1;
}

// launch pair_through_global_early: grid=2 block=64 zeros:u32:128
PAIR pair_through_global_early(unsigned *out) {
    out[blockIdx.x * 64 + threadIdx.x] = threadIdx.x + 1; // MAYBE race
    __syncthreads();
    unsigned value = *(volatile unsigned *)&out[(1 - rank()) * 64 + threadIdx.x]; // BUG race
    SYNC();
    out[blockIdx.x * 64 + threadIdx.x] = value + 1;
}

// launch pairs_apart: grid=4 block=64 zeros:u32:64
PAIR pairs_apart(unsigned *out) {
    SYNC();
    out[threadIdx.x] = blockIdx.x; // BUG race
    SYNC();
}
