// needs sm_90
// Accesses by threads to shared memory that a bulk copy reads or overwrites later, with and without a proxy fence.

#define PAIR(name, parameters, arguments)                                              \
    extern "C" __global__ void name##_bug parameters { name<false> arguments; }        \
    extern "C" __global__ void name##_right parameters { name<true> arguments; }
#define SHARED(p) ((unsigned)__cvta_generic_to_shared(p))
#define FENCE() asm volatile("fence.proxy.async.shared::cta;" ::: "memory")
#define ARRIVE(bar) asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(SHARED(bar)) : "memory")
#define FETCH(to, from, bytes, bar) \
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%3], %2; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(SHARED(to)), "l"(from), "r"(bytes), "r"(SHARED(bar)) : "memory")
#define PUT(to, from, bytes) \
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2; cp.async.bulk.commit_group;" ::"l"(to), "r"(SHARED(from)), "r"(bytes) : "memory")
#define WAIT(bar, parity) \
    for (unsigned done = 0; !done;) \
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(SHARED(bar)), "r"(parity) : "memory")

__device__ void make(unsigned long long *bar, unsigned count) {
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(SHARED(bar)), "r"(count) : "memory");
    __syncthreads();
}

// A tile that all threads read, and that one thread fills again.
// pair refilled_tile: block=64 proxy-fences iota:u32:256 zeros:u32:64
template <bool RIGHT> __device__ void refilled_tile(const unsigned *in, unsigned *out) {
    __shared__ __align__(128) unsigned tile[64];
    __shared__ __align__(8) unsigned long long bar;
    make(&bar, 1);
    unsigned sum = 0;
    for (unsigned i = 0; i < 4; i++) {
        if (threadIdx.x == 0)
            FETCH(tile, in + 64 * i, 256, &bar); // BUG proxy-fence
        WAIT(&bar, i & 1);
        sum += tile[63 - threadIdx.x];
        if (RIGHT)
            FENCE();
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}
PAIR(refilled_tile, (const unsigned *in, unsigned *out), (in, out))

// A producer warp and two consumer warps with mbarriers in both directions.
// pair released_stage: block=96 proxy-fences iota:u32:384 zeros:u32:64
template <bool RIGHT> __device__ void released_stage(const unsigned *in, unsigned *out) {
    __shared__ __align__(128) unsigned tile[2][64];
    __shared__ __align__(8) unsigned long long full[2], empty[2];
    make(&full[0], 1), make(&full[1], 1), make(&empty[0], 64), make(&empty[1], 64);
    if (threadIdx.x >= 64) {
        for (unsigned i = 0; threadIdx.x == 64 && i < 6; i++) {
            WAIT(&empty[i % 2], i / 2 & 1 ^ 1);
            FETCH(tile[i % 2], in + 64 * i, 256, &full[i % 2]); // BUG proxy-fence
        }
        return;
    }
    unsigned sum = 0;
    for (unsigned i = 0; i < 6; i++) {
        WAIT(&full[i % 2], i / 2 & 1);
        sum += tile[i % 2][63 - threadIdx.x];
        if (RIGHT)
            FENCE();
        ARRIVE(&empty[i % 2]);
    }
    out[threadIdx.x] = sum;
}
PAIR(released_stage, (const unsigned *in, unsigned *out), (in, out))

// Zeros that threads store, and that a copy replaces.
// pair cleared_before: block=64 iota:u32:64 zeros:u32:64
template <bool RIGHT> __device__ void cleared_before(const unsigned *in, unsigned *out) {
    __shared__ __align__(128) unsigned tile[64];
    __shared__ __align__(8) unsigned long long bar;
    tile[threadIdx.x] = 0;
    if (RIGHT)
        FENCE();
    make(&bar, 1);
    if (threadIdx.x == 0)
        FETCH(tile, in, 256, &bar); // BUG async-order
    WAIT(&bar, 0);
    out[threadIdx.x] = tile[63 - threadIdx.x];
}
PAIR(cleared_before, (const unsigned *in, unsigned *out), (in, out))

// The fence of a third thread between the writers and the copy.
// pair fenced_by_another: block=96 zeros:u32:96
template <bool RIGHT> __device__ void fenced_by_another(unsigned *out) {
    __shared__ __align__(128) unsigned tile[96];
    tile[threadIdx.x] = threadIdx.x;
    if (!RIGHT && threadIdx.x == 32)
        FENCE(); // before the barrier: for its own write only
    __syncthreads();
    if (RIGHT && threadIdx.x == 32)
        FENCE();
    __syncthreads();
    if (threadIdx.x == 64) {
        PUT(out, tile, 384); // BUG async-order
        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
}
PAIR(fenced_by_another, (unsigned *out), (out))

// Copies in both directions: the asynchronous proxy alone reads the tile.
// launch moved_by_copies: block=32 proxy-fences iota:u32:256 zeros:u32:256
extern "C" __global__ void moved_by_copies(const unsigned *in, unsigned *out) {
    __shared__ __align__(128) unsigned tile[64];
    __shared__ __align__(8) unsigned long long bar;
    make(&bar, 1);
    for (unsigned i = 0; threadIdx.x == 0 && i < 4; i++) {
        FETCH(tile, in + 64 * i, 256, &bar);
        WAIT(&bar, i & 1);
        PUT(out + 64 * i, tile, 256);
        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
