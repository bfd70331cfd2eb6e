// needs sm_90
// Mbarriers, bulk copies and the fence between proxies.

#define SHARED(p) ((unsigned)__cvta_generic_to_shared(p))

__device__ void make(unsigned long long *bar, unsigned count) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(SHARED(bar)), "r"(count) : "memory");
}
__device__ void announce(unsigned long long *bar, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(SHARED(bar)), "r"(bytes) : "memory");
}
__device__ void arrive(unsigned long long *bar) {
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(SHARED(bar)) : "memory");
}
#define wait(bar, parity) \
    for (unsigned done = 0; !done;) \
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(SHARED(bar)), "r"(parity) : "memory")
#define FETCH(to, from, bytes, bar) \
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(SHARED(to)), "l"(from), "r"(bytes), "r"(SHARED(bar)) : "memory")
#define PUT(to, from, bytes) \
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(SHARED(from)), "r"(bytes) : "memory")
#define ARRIVE(bar, count) \
    asm volatile("mbarrier.arrive.shared.b64 _, [%0], %1;" ::"r"(SHARED(bar)), "r"(count) : "memory")
#define FENCE() asm volatile("fence.proxy.async.shared::cta;" ::: "memory")

// launch fetch_right: block=64 iota:f32:64 zeros:f32:64
extern "C" __global__ void fetch_right(const float *in, float *out) {
    __shared__ __align__(128) float tile[64];
    __shared__ __align__(8) unsigned long long bar;
    if (threadIdx.x == 0)
        make(&bar, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        announce(&bar, 256);
        FETCH(tile, in, 256, &bar);
    }
    wait(&bar, 0);
    out[threadIdx.x] = tile[63 - threadIdx.x];
}

// launch fetch_no_wait: block=64 iota:f32:64 zeros:f32:64
extern "C" __global__ void fetch_no_wait(const float *in, float *out) {
    __shared__ __align__(128) float tile[64];
    __shared__ __align__(8) unsigned long long bar;
    if (threadIdx.x == 0)
        make(&bar, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        announce(&bar, 256);
        FETCH(tile, in, 256, &bar); // SEEN
    }
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x]; // BUG async-order
    wait(&bar, 0);
}

// launch fetch_one_waits: block=64 iota:f32:64 zeros:f32:64
extern "C" __global__ void fetch_one_waits(const float *in, float *out) {
    __shared__ __align__(128) float tile[64];
    __shared__ __align__(8) unsigned long long bar;
    if (threadIdx.x == 0)
        make(&bar, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        announce(&bar, 256);
        FETCH(tile, in, 256, &bar); // SEEN
        wait(&bar, 0);
    }
    out[threadIdx.x] = tile[63 - threadIdx.x]; // BUG async-order
}

// launch fetch_one_waits_right: block=64 iota:f32:64 zeros:f32:64
extern "C" __global__ void fetch_one_waits_right(const float *in, float *out) {
    __shared__ __align__(128) float tile[64];
    __shared__ __align__(8) unsigned long long bar;
    if (threadIdx.x == 0)
        make(&bar, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        announce(&bar, 256);
        FETCH(tile, in, 256, &bar);
        wait(&bar, 0);
    }
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x];
}

// launch fetch_over_readers: block=64 iota:f32:128 zeros:f32:64
extern "C" __global__ void fetch_over_readers(const float *in, float *out) {
    __shared__ __align__(128) float tile[64];
    __shared__ __align__(8) unsigned long long bar;
    if (threadIdx.x == 0)
        make(&bar, 1);
    __syncthreads();
    float sum = 0;
    for (int round = 0; round < 2; round++) {
        if (threadIdx.x == 0) {
            announce(&bar, 256);
            FETCH(tile, in + 64 * round, 256, &bar); // BUG race
        }
        wait(&bar, round);
        sum += tile[63 - threadIdx.x]; // MAYBE async-order
    }
    out[threadIdx.x] = sum;
}

// launch fetch_pipeline: block=64 iota:f32:256 zeros:f32:64
extern "C" __global__ void fetch_pipeline(const float *in, float *out) {
    __shared__ __align__(128) float tile[2][64];
    __shared__ __align__(8) unsigned long long full[2], empty[2];
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < 2; stage++) {
            make(&full[stage], 1);
            make(&empty[stage], 32);
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 0; i < 4; i++) {
            if (i >= 2)
                wait(&empty[i % 2], 0);
            announce(&full[i % 2], 256);
            FETCH(tile[i % 2], in + 64 * i, 256, &full[i % 2]);
        }
    } else if (threadIdx.x >= 32) {
        float sum = 0;
        for (int i = 0; i < 4; i++) {
            wait(&full[i % 2], i / 2);
            sum += tile[i % 2][63 - threadIdx.x] + tile[i % 2][threadIdx.x];
            arrive(&empty[i % 2]);
        }
        out[threadIdx.x] = sum;
    }
}

// launch hand_over: block=64 zeros:f32:32
extern "C" __global__ void hand_over(float *out) {
    __shared__ float tile[32];
    __shared__ __align__(8) unsigned long long bar;
    if (threadIdx.x == 0)
        make(&bar, 32);
    __syncthreads();
    if (threadIdx.x < 32) {
        tile[threadIdx.x] = threadIdx.x;
        arrive(&bar);
    } else {
        wait(&bar, 0);
        out[threadIdx.x - 32] = tile[63 - threadIdx.x];
    }
}

// launch hand_over_late: block=64 zeros:f32:32
extern "C" __global__ void hand_over_late(float *out) {
    __shared__ float tile[32];
    __shared__ __align__(8) unsigned long long bar;
    if (threadIdx.x == 0)
        make(&bar, 32);
    __syncthreads();
    if (threadIdx.x < 32) {
        arrive(&bar);
        tile[threadIdx.x] = threadIdx.x; // SEEN
    } else {
        wait(&bar, 0);
        out[threadIdx.x - 32] = tile[63 - threadIdx.x]; // BUG race
    }
}

// launch too_many_expected: block=32 zeros:f32:32
extern "C" __global__ void too_many_expected(float *out) {
    __shared__ __align__(8) unsigned long long bar;
    if (threadIdx.x == 0)
        make(&bar, 33);
    __syncthreads();
    arrive(&bar);
    wait(&bar, 0); // BUG deadlock
    out[threadIdx.x] = 1;
}

// launch made_by_another: block=64 zeros:f32:64
extern "C" __global__ void made_by_another(float *out) {
    __shared__ __align__(8) unsigned long long bar;
    if (threadIdx.x == 0)
        make(&bar, 64);
    ARRIVE(&bar, 1); // BUG race
    wait(&bar, 0); // MAYBE race
    out[threadIdx.x] = 1;
}

// launch made_too_late: block=64 zeros:f32:64
extern "C" __global__ void made_too_late(float *out) {
    __shared__ __align__(8) unsigned long long bar;
    if (threadIdx.x == 32)
        make(&bar, 64);
    ARRIVE(&bar, 1); // BUG uninitialized
    wait(&bar, 0);
    out[threadIdx.x] = 1;
}

// launch arrives_too_often: block=32 zeros:f32:32
extern "C" __global__ void arrives_too_often(float *out) {
    __shared__ __align__(8) unsigned long long bar;
    if (threadIdx.x == 0)
        make(&bar, 8);
    __syncthreads();
    if (threadIdx.x == 0)
        ARRIVE(&bar, 9); // BUG barrier-divergence
    wait(&bar, 0);
    out[threadIdx.x] = 1;
}

// launch bytes_never_come: block=32 iota:f32:32 zeros:f32:32
extern "C" __global__ void bytes_never_come(const float *in, float *out) {
    __shared__ __align__(128) float tile[32];
    __shared__ __align__(8) unsigned long long bar;
    if (threadIdx.x == 0) {
        make(&bar, 1);
        announce(&bar, 256);
        FETCH(tile, in, 128, &bar);
    }
    __syncthreads();
    wait(&bar, 0); // BUG deadlock
    out[threadIdx.x] = tile[threadIdx.x];
}

// launch put_right: block=64 zeros:f32:64
extern "C" __global__ void put_right(float *out) {
    __shared__ __align__(128) float tile[64];
    tile[threadIdx.x] = threadIdx.x;
    FENCE();
    __syncthreads();
    if (threadIdx.x == 0) {
        PUT(out, tile, 256);
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

// launch put_no_fence: block=64 zeros:f32:64
extern "C" __global__ void put_no_fence(float *out) {
    __shared__ __align__(128) float tile[64];
    tile[threadIdx.x] = threadIdx.x; // SEEN
    __syncthreads();
    if (threadIdx.x == 0) {
        PUT(out, tile, 256); // BUG async-order
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

// launch put_no_barrier: block=64 zeros:f32:64
extern "C" __global__ void put_no_barrier(float *out) {
    __shared__ __align__(128) float tile[64];
    tile[threadIdx.x] = threadIdx.x; // BUG race
    FENCE();
    if (threadIdx.x == 0) {
        PUT(out, tile, 256); // MAYBE race
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

// launch put_overwritten: block=32 zeros:f32:32
extern "C" __global__ void put_overwritten(float *out) {
    __shared__ __align__(128) float tile[32];
    tile[threadIdx.x] = threadIdx.x;
    FENCE();
    __syncthreads();
    if (threadIdx.x == 0) {
        PUT(out, tile, 128); // SEEN
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    }
    __syncthreads();
    tile[threadIdx.x] = 0; // BUG async-order
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

// launch put_too_much: block=32 zeros:f32:24
extern "C" __global__ void put_too_much(float *out) {
    __shared__ __align__(128) float tile[32];
    tile[threadIdx.x] = threadIdx.x;
    FENCE();
    __syncthreads();
    if (threadIdx.x == 0) {
        PUT(out, tile, 128); // BUG out-of-bounds
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

// launch put_unwritten: block=32 zeros:f32:32
extern "C" __global__ void put_unwritten(float *out) {
    __shared__ __align__(128) float tile[32];
    if (threadIdx.x < 16)
        tile[threadIdx.x] = threadIdx.x;
    FENCE();
    __syncthreads();
    if (threadIdx.x == 0) {
        PUT(out, tile, 128); // BUG uninitialized
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

// launch cluster_sync: block=64 zeros:f32:64
extern "C" __global__ void cluster_sync(float *out) {
    __shared__ float tile[64];
    tile[threadIdx.x] = threadIdx.x;
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    out[threadIdx.x] = tile[63 - threadIdx.x];
}
