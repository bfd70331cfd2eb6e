// needs sm_90
// Asynchronous copies: each kernel in a wrong and a right version.

#define PAIR(name, parameters, arguments)                                              \
    extern "C" __global__ void name##_bug parameters { name<false> arguments; }        \
    extern "C" __global__ void name##_right parameters { name<true> arguments; }
#define SHARED(p) ((unsigned)__cvta_generic_to_shared(p))

__device__ void make(unsigned long long *bar, unsigned count) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(SHARED(bar)), "r"(count) : "memory");
}
__device__ void announce(unsigned long long *bar, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(SHARED(bar)), "r"(bytes) : "memory");
}
#define wait(bar, parity) \
    for (unsigned done = 0; !done;) \
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(SHARED(bar)), "r"(parity) : "memory")
#define FETCH(to, from, bytes, bar) \
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(SHARED(to)), "l"(from), "r"(bytes), "r"(SHARED(bar)) : "memory")
#define PUT(to, from, bytes) \
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(SHARED(from)), "r"(bytes) : "memory")
#define ADD(to, from, bytes) \
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" ::"l"(to), "r"(SHARED(from)), "r"(bytes) : "memory")
#define COMMIT() asm volatile("cp.async.bulk.commit_group;" ::: "memory")
#define DONE(keep) asm volatile("cp.async.bulk.wait_group %0;" ::"n"(keep) : "memory")
#define READ(keep) asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(keep) : "memory")
#define FENCE() asm volatile("fence.proxy.async.shared::cta;" ::: "memory")
#define COPY(to, from, bytes) \
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(SHARED(to)), "l"(from), "n"(bytes) : "memory")
#define GROUP() asm volatile("cp.async.commit_group;" ::: "memory")
#define KEEP(n) asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory")

// pair fetch_past_the_end: block=32 iota:u32:128 zeros:u32:32
template <bool RIGHT> __device__ void fetch_past_the_end(const unsigned *in, unsigned *out) {
    __shared__ __align__(128) unsigned tile[64];
    __shared__ __align__(8) unsigned long long bar;
    if (threadIdx.x == 0)
        make(&bar, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        announce(&bar, RIGHT ? 256 : 272);
        FETCH(tile, in, RIGHT ? 256 : 272, &bar); // BUG out-of-bounds
    }
    wait(&bar, 0);
    out[threadIdx.x] = tile[threadIdx.x];
}
PAIR(fetch_past_the_end, (const unsigned *in, unsigned *out), (in, out))

// pair fetch_over_the_next: block=32 iota:u32:1024 zeros:u32:32
template <bool RIGHT> __device__ void fetch_over_the_next(const unsigned *in, unsigned *out) {
    __shared__ __align__(128) unsigned a[64], b[64];
    __shared__ __align__(8) unsigned long long bar;
    b[threadIdx.x] = b[threadIdx.x + 32] = 1;
    if (threadIdx.x == 0)
        make(&bar, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        announce(&bar, RIGHT ? 256 : 512);
        FETCH(a, in, RIGHT ? 256 : 512, &bar); // BUG out-of-bounds
    }
    wait(&bar, 0);
    out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}
PAIR(fetch_over_the_next, (const unsigned *in, unsigned *out), (in, out))

// pair fetch_into_the_middle: block=32 iota:u32:128 zeros:u32:32
template <bool RIGHT> __device__ void fetch_into_the_middle(const unsigned *in, unsigned *out) {
    __shared__ __align__(128) unsigned tile[64];
    __shared__ __align__(8) unsigned long long bar;
    tile[threadIdx.x] = 0; FENCE();
    if (threadIdx.x == 0)
        make(&bar, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        announce(&bar, 128);
        FETCH(tile + (RIGHT ? 32 : 36), in, 128, &bar); // BUG out-of-bounds
    }
    wait(&bar, 0);
    out[threadIdx.x] = tile[threadIdx.x];
}
PAIR(fetch_into_the_middle, (const unsigned *in, unsigned *out), (in, out))

// pair put_past_the_end: block=64 zeros:u32:128
template <bool RIGHT> __device__ void put_past_the_end(unsigned *out) {
    __shared__ __align__(128) unsigned tile[64];
    tile[threadIdx.x] = threadIdx.x;
    FENCE();
    __syncthreads();
    if (threadIdx.x == 0) {
        PUT(out, tile, RIGHT ? 256 : 288); // BUG out-of-bounds
        COMMIT();
        READ(0);
    }
}
PAIR(put_past_the_end, (unsigned *out), (out))

// pair copy_past_the_end: block=32 iota:u32:128 zeros:u32:32
template <bool RIGHT> __device__ void copy_past_the_end(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tile[124];
    if (!RIGHT || threadIdx.x < 31)
        COPY(&tile[4 * threadIdx.x], in + 4 * threadIdx.x, 16); // BUG out-of-bounds
    GROUP();
    KEEP(0);
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x];
}
PAIR(copy_past_the_end, (const unsigned *in, unsigned *out), (in, out))

// pair put_past_the_array: block=64 zeros:u32:64
template <bool RIGHT> __device__ void put_past_the_array(unsigned *out) {
    __shared__ __align__(128) unsigned tile[64];
    tile[threadIdx.x] = threadIdx.x;
    FENCE();
    __syncthreads();
    if (threadIdx.x == 0) {
        PUT(out + (RIGHT ? 32 : 36), tile, 128); // BUG out-of-bounds
        COMMIT();
        READ(0);
    }
}
PAIR(put_past_the_array, (unsigned *out), (out))

// pair result_too_early: block=64 zeros:u32:64 zeros:u32:1
template <bool RIGHT> __device__ void result_too_early(unsigned *to, unsigned *out) {
    __shared__ __align__(128) unsigned tile[64];
    tile[threadIdx.x] = threadIdx.x;
    FENCE();
    __syncthreads();
    if (threadIdx.x == 0) {
        PUT(to, tile, 256);
        COMMIT();
        if (RIGHT)
            DONE(0);
        *out = to[5]; // BUG async-order
        DONE(0);
    }
}
PAIR(result_too_early, (unsigned *to, unsigned *out), (to, out))

// pair result_after_read: block=64 zeros:u32:64 zeros:u32:1
template <bool RIGHT> __device__ void result_after_read(unsigned *to, unsigned *out) {
    __shared__ __align__(128) unsigned tile[64];
    tile[threadIdx.x] = threadIdx.x;
    FENCE();
    __syncthreads();
    if (threadIdx.x == 0) {
        PUT(to, tile, 256);
        COMMIT();
        if (RIGHT)
            DONE(0);
        else
            READ(0);
        *out = to[5]; // BUG async-order
    }
}
PAIR(result_after_read, (unsigned *to, unsigned *out), (to, out))

// pair sum_after_read: block=64 zeros:u32:64 zeros:u32:1
template <bool RIGHT> __device__ void sum_after_read(unsigned *to, unsigned *out) {
    __shared__ __align__(128) unsigned tile[64];
    tile[threadIdx.x] = threadIdx.x;
    FENCE();
    __syncthreads();
    if (threadIdx.x == 0) {
        ADD(to, tile, 256);
        COMMIT();
        if (RIGHT)
            DONE(0);
        else
            READ(0);
        *out = to[5]; // BUG async-order
    }
}
PAIR(sum_after_read, (unsigned *to, unsigned *out), (to, out))

// pair result_by_others: block=64 zeros:u32:64 zeros:u32:64
template <bool RIGHT> __device__ void result_by_others(unsigned *to, unsigned *out) {
    __shared__ __align__(128) unsigned tile[64];
    tile[threadIdx.x] = threadIdx.x;
    FENCE();
    __syncthreads();
    if (threadIdx.x == 0) {
        PUT(to, tile, 256);
        COMMIT();
        if (RIGHT)
            DONE(0);
    }
    __syncthreads();
    out[threadIdx.x] = to[63 - threadIdx.x]; // BUG async-order
    __syncthreads();
    DONE(0);
}
PAIR(result_by_others, (unsigned *to, unsigned *out), (to, out))

// pair result_overwritten: block=64 zeros:u32:64
template <bool RIGHT> __device__ void result_overwritten(unsigned *to) {
    __shared__ __align__(128) unsigned tile[64];
    tile[threadIdx.x] = threadIdx.x;
    FENCE();
    __syncthreads();
    if (threadIdx.x == 0) {
        PUT(to, tile, 256);
        COMMIT();
        if (RIGHT)
            DONE(0);
        to[3] = 9; // BUG async-order
        DONE(0);
    }
}
PAIR(result_overwritten, (unsigned *to), (to))

// pair one_group_of_two: block=64 zeros:u32:64 zeros:u32:1
template <bool RIGHT> __device__ void one_group_of_two(unsigned *to, unsigned *out) {
    __shared__ __align__(128) unsigned tile[64];
    tile[threadIdx.x] = threadIdx.x;
    FENCE();
    __syncthreads();
    if (threadIdx.x == 0) {
        PUT(to, tile, 128);
        COMMIT();
        PUT(to + 32, tile + 32, 128);
        COMMIT();
        DONE(1);
        *out = to[RIGHT ? 5 : 40]; // BUG async-order
        DONE(0);
    }
}
PAIR(one_group_of_two, (unsigned *to, unsigned *out), (to, out))

// pair no_group: block=64 zeros:u32:64 zeros:u32:1
template <bool RIGHT> __device__ void no_group(unsigned *to, unsigned *out) {
    __shared__ __align__(128) unsigned tile[64];
    tile[threadIdx.x] = threadIdx.x;
    FENCE();
    __syncthreads();
    if (threadIdx.x == 0) {
        PUT(to, tile, 256);
        if (RIGHT)
            COMMIT();
        DONE(0);
        *out = to[5]; // BUG async-order
        COMMIT();
        DONE(0);
    }
}
PAIR(no_group, (unsigned *to, unsigned *out), (to, out))

// pair two_puts: block=64 zeros:u32:64
template <bool RIGHT> __device__ void two_puts(unsigned *to) {
    __shared__ __align__(128) unsigned tile[64];
    tile[threadIdx.x] = threadIdx.x;
    FENCE();
    __syncthreads();
    if (threadIdx.x == 0) {
        PUT(to, tile, 128);
        COMMIT();
        if (RIGHT)
            DONE(0);
        PUT(to, tile + 32, 128); // BUG async-order
        COMMIT();
        DONE(0);
    }
}
PAIR(two_puts, (unsigned *to), (to))

// pair put_and_add: grid=2 block=64 zeros:u32:64
template <bool RIGHT> __device__ void put_and_add(unsigned *to) {
    __shared__ __align__(128) unsigned tile[64];
    tile[threadIdx.x] = threadIdx.x;
    FENCE();
    __syncthreads();
    if (threadIdx.x == 0) {
        if (RIGHT || blockIdx.x == 0)
            ADD(to, tile, 256);
        else
            PUT(to, tile, 256); // BUG race
        COMMIT();
        DONE(0);
    }
}
PAIR(put_and_add, (unsigned *to), (to))

// pair zero_then_put: grid=2 block=64 zeros:u32:64
template <bool RIGHT> __device__ void zero_then_put(unsigned *to) {
    __shared__ __align__(128) unsigned tile[64];
    tile[threadIdx.x] = threadIdx.x;
    if (!RIGHT && blockIdx.x == 0)
        to[threadIdx.x] = 0; // BUG race
    FENCE();
    __syncthreads();
    if (threadIdx.x == 0) {
        ADD(to, tile, 256);
        COMMIT();
        DONE(0);
    }
}
PAIR(zero_then_put, (unsigned *to), (to))

// pair no_proxy_fence: block=64 zeros:u32:64
template <bool RIGHT> __device__ void no_proxy_fence(unsigned *to) {
    __shared__ __align__(128) unsigned tile[64];
    tile[threadIdx.x] = threadIdx.x;
    if (RIGHT)
        FENCE();
    __syncthreads();
    if (threadIdx.x == 0) {
        PUT(to, tile, 256); // BUG async-order
        COMMIT();
        READ(0);
    }
}
PAIR(no_proxy_fence, (unsigned *to), (to))

// pair atomics_no_proxy_fence: block=64 zeros:u32:64
template <bool RIGHT> __device__ void atomics_no_proxy_fence(unsigned *to) {
    __shared__ __align__(128) unsigned bins[64];
    bins[threadIdx.x] = 0;
    if (!RIGHT)
        FENCE();
    __syncthreads();
    atomicAdd(&bins[threadIdx.x / 3], 1);
    if (RIGHT)
        FENCE();
    __syncthreads();
    if (threadIdx.x == 0) {
        PUT(to, bins, 256); // BUG async-order
        COMMIT();
        READ(0);
    }
}
PAIR(atomics_no_proxy_fence, (unsigned *to), (to))

// pair fence_too_early: block=64 zeros:u32:64
template <bool RIGHT> __device__ void fence_too_early(unsigned *to) {
    __shared__ __align__(128) unsigned tile[64];
    if (!RIGHT)
        FENCE();
    tile[threadIdx.x] = threadIdx.x;
    if (RIGHT)
        FENCE();
    __syncthreads();
    if (threadIdx.x == 0) {
        PUT(to, tile, 256); // BUG async-order
        COMMIT();
        READ(0);
    }
}
PAIR(fence_too_early, (unsigned *to), (to))

// pair own_global_words: block=64 zeros:u32:64 zeros:u32:64
template <bool RIGHT> __device__ void own_global_words(unsigned *a, unsigned *out) {
    __shared__ __align__(128) unsigned tile[64];
    __shared__ __align__(8) unsigned long long bar;
    if (threadIdx.x == 0)
        make(&bar, 1);
    a[threadIdx.x] = threadIdx.x;
    if (RIGHT)
        asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        announce(&bar, 256);
        FETCH(tile, a, 256, &bar); // BUG async-order
    }
    wait(&bar, 0);
    out[threadIdx.x] = tile[63 - threadIdx.x];
}
PAIR(own_global_words, (unsigned *a, unsigned *out), (a, out))

// pair words_of_another_block: grid=2 block=64 zeros:u32:64 zeros:u32:1 zeros:u32:64
template <bool RIGHT> __device__ void words_of_another_block(unsigned *a, unsigned *flag, unsigned *out) {
    __shared__ __align__(128) unsigned tile[64];
    __shared__ __align__(8) unsigned long long bar;
    if (blockIdx.x == 0) {
        a[threadIdx.x] = threadIdx.x;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0)
            atomicExch(flag, 1);
        return;
    }
    if (threadIdx.x == 0) {
        make(&bar, 1);
        while (*(volatile unsigned *)flag == 0) {
        }
        __threadfence();
        if (RIGHT)
            asm volatile("fence.proxy.async;" ::: "memory");
        announce(&bar, 256);
        FETCH(tile, a, 256, &bar); // BUG async-order
    }
    __syncthreads();
    wait(&bar, 0);
    out[threadIdx.x] = tile[63 - threadIdx.x];
}
PAIR(words_of_another_block, (unsigned *a, unsigned *flag, unsigned *out), (a, flag, out))

// pair put_then_fetch: block=64 zeros:u32:64 zeros:u32:64
template <bool RIGHT> __device__ void put_then_fetch(unsigned *a, unsigned *out) {
    __shared__ __align__(128) unsigned tile[64], back[64];
    __shared__ __align__(8) unsigned long long bar;
    if (threadIdx.x == 0)
        make(&bar, 1);
    tile[threadIdx.x] = threadIdx.x;
    FENCE();
    __syncthreads();
    if (threadIdx.x == 0) {
        PUT(a, tile, 256);
        COMMIT();
        if (RIGHT)
            DONE(0);
        announce(&bar, 256);
        FETCH(back, a, 256, &bar); // BUG async-order
        DONE(0);
    }
    wait(&bar, 0);
    out[threadIdx.x] = back[63 - threadIdx.x];
}
PAIR(put_then_fetch, (unsigned *a, unsigned *out), (a, out))

// pair source_of_copy: block=32 iota:u32:32 zeros:u32:32
template <bool RIGHT> __device__ void source_of_copy(unsigned *in, unsigned *out) {
    __shared__ unsigned tile[32];
    COPY(&tile[threadIdx.x], in + threadIdx.x, 4);
    GROUP();
    if (RIGHT)
        KEEP(0);
    in[threadIdx.x] = 0; // BUG async-order
    KEEP(0);
    out[threadIdx.x] = tile[threadIdx.x];
}
PAIR(source_of_copy, (unsigned *in, unsigned *out), (in, out))

// pair source_by_neighbour: block=64 iota:u32:64 zeros:u32:64
template <bool RIGHT> __device__ void source_by_neighbour(unsigned *in, unsigned *out) {
    __shared__ unsigned tile[64];
    COPY(&tile[threadIdx.x], in + threadIdx.x, 4);
    GROUP();
    if (RIGHT)
        KEEP(0);
    __syncthreads();
    in[63 - threadIdx.x] = 0; // BUG async-order
    KEEP(0);
    out[threadIdx.x] = tile[threadIdx.x];
}
PAIR(source_by_neighbour, (unsigned *in, unsigned *out), (in, out))

// pair source_of_stage: block=32 iota:u32:128 zeros:u32:32
template <bool RIGHT> __device__ void source_of_stage(unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tile[2][128];
    COPY(&tile[0][4 * threadIdx.x], in + 4 * threadIdx.x, 16);
    GROUP();
    COPY(&tile[1][4 * threadIdx.x], in + 4 * threadIdx.x, 16);
    GROUP();
    KEEP(RIGHT ? 0 : 1);
    in[4 * threadIdx.x + 1] = tile[0][4 * threadIdx.x]; // BUG async-order
    KEEP(0);
    out[threadIdx.x] = tile[1][4 * threadIdx.x];
}
PAIR(source_of_stage, (unsigned *in, unsigned *out), (in, out))

// pair source_of_fetch: block=32 iota:u32:64 zeros:u32:32
template <bool RIGHT> __device__ void source_of_fetch(unsigned *in, unsigned *out) {
    __shared__ __align__(128) unsigned tile[64];
    __shared__ __align__(8) unsigned long long bar;
    if (threadIdx.x == 0)
        make(&bar, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        announce(&bar, 256);
        FETCH(tile, in, 256, &bar);
        if (RIGHT)
            wait(&bar, 0);
        in[7] = 0; // BUG async-order
    }
    wait(&bar, 0);
    out[threadIdx.x] = tile[threadIdx.x];
}
PAIR(source_of_fetch, (unsigned *in, unsigned *out), (in, out))

// pair source_of_put: block=64 zeros:u32:64
template <bool RIGHT> __device__ void source_of_put(unsigned *to) {
    __shared__ __align__(128) unsigned tile[64];
    tile[threadIdx.x] = threadIdx.x;
    FENCE();
    __syncthreads();
    if (threadIdx.x == 0) {
        PUT(to, tile, 256);
        COMMIT();
        if (RIGHT)
            READ(0);
        tile[3] = 8; // BUG async-order
        READ(0);
    }
}
PAIR(source_of_put, (unsigned *to), (to))

// pair source_of_put_reused: block=64 zeros:u32:128
template <bool RIGHT> __device__ void source_of_put_reused(unsigned *to) {
    __shared__ __align__(128) unsigned tile[64];
    for (int i = 0; i < 2; i++) {
        tile[threadIdx.x] = threadIdx.x + i; // BUG async-order
        FENCE();
        __syncthreads();
        if (threadIdx.x == 0) {
            PUT(to + 64 * i, tile, 256);
            COMMIT();
            if (RIGHT)
                READ(0);
        }
        __syncthreads();
    }
    READ(0);
}
PAIR(source_of_put_reused, (unsigned *to), (to))

// pair source_in_flight_of_two: block=64 zeros:u32:128
template <bool RIGHT> __device__ void source_in_flight_of_two(unsigned *to) {
    __shared__ __align__(128) unsigned tile[2][64];
    tile[0][threadIdx.x] = tile[1][threadIdx.x] = threadIdx.x;
    FENCE();
    __syncthreads();
    if (threadIdx.x == 0) {
        PUT(to, tile[0], 256);
        COMMIT();
        PUT(to + 64, tile[1], 256);
        COMMIT();
        READ(1);
        tile[RIGHT ? 0 : 1][9] = 4; // BUG async-order
        READ(0);
    }
}
PAIR(source_in_flight_of_two, (unsigned *to), (to))

// pair fetch_into_unread: block=64 iota:u32:128 zeros:u32:64
template <bool RIGHT> __device__ void fetch_into_unread(const unsigned *in, unsigned *out) {
    __shared__ __align__(128) unsigned tile[64];
    __shared__ __align__(8) unsigned long long bar;
    if (threadIdx.x == 0)
        make(&bar, 1);
    __syncthreads();
    unsigned sum = 0;
    for (int i = 0; i < 2; i++) {
        if (threadIdx.x == 0) {
            announce(&bar, 256);
            FETCH(tile, in + 64 * i, 256, &bar); // BUG race
        }
        wait(&bar, i);
        sum += tile[63 - threadIdx.x]; // MAYBE async-order
        if (RIGHT)
            __syncthreads();
    }
    out[threadIdx.x] = sum;
}
PAIR(fetch_into_unread, (const unsigned *in, unsigned *out), (in, out))

// pair wrong_phase: block=64 iota:u32:128 zeros:u32:64
template <bool RIGHT> __device__ void wrong_phase(const unsigned *in, unsigned *out) {
    __shared__ __align__(128) unsigned tile[2][64];
    __shared__ __align__(8) unsigned long long bar;
    if (threadIdx.x == 0)
        make(&bar, 1);
    __syncthreads();
    unsigned sum = 0;
    for (int i = 0; i < 2; i++) {
        if (threadIdx.x == 0) {
            announce(&bar, 256);
            FETCH(tile[i], in + 64 * i, 256, &bar);
        }
        wait(&bar, RIGHT ? i : 0);
        sum += tile[i][63 - threadIdx.x]; // BUG async-order
        __syncthreads();
    }
    out[threadIdx.x] = sum;
    wait(&bar, 1);
}
PAIR(wrong_phase, (const unsigned *in, unsigned *out), (in, out))

// pair zero_fill: block=32 iota:u32:30 zeros:u32:32
template <bool RIGHT> __device__ void zero_fill(const unsigned *in, unsigned *out) {
    __shared__ unsigned tile[32];
    unsigned have = RIGHT && threadIdx.x >= 30 ? 0 : 4;
    const unsigned *from = in + (RIGHT && threadIdx.x >= 30 ? 0 : threadIdx.x);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(SHARED(&tile[threadIdx.x])), "l"(from), "r"(have) : "memory"); // BUG out-of-bounds
    GROUP();
    KEEP(0);
    out[threadIdx.x] = tile[threadIdx.x];
}
PAIR(zero_fill, (const unsigned *in, unsigned *out), (in, out))
