// needs sm_90a
// Products of warpgroups: what they read of shared memory, and their registers.

#define SHARED(p) ((unsigned)__cvta_generic_to_shared(p))
#define FENCE_PROXY() asm volatile("fence.proxy.async.shared::cta;" ::: "memory")
#define FENCE() asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
#define COMMIT() asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory")
#define WAIT(n) asm volatile("wgmma.wait_group.sync.aligned " #n ";" ::: "memory")
// 64 x 16 times 16 x 8, both with K contiguous, in core matrices of 128 bytes.
#define PRODUCT(d, a, b) \
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(a), "l"(b) : "memory")

__device__ unsigned long long matrix(const void *start, unsigned stride) {
    unsigned long long leading = 128 >> 4;
    return SHARED(start) >> 4 | leading << 16 | (unsigned long long)(stride >> 4) << 32;
}

__device__ void fill(unsigned *tile, unsigned words) {
    for (unsigned i = threadIdx.x; i < words; i += 128)
        tile[i] = 0x3c003c00;
}

__device__ void make(unsigned long long *bar) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(SHARED(bar)) : "memory");
}
#define FETCH(to, from, bytes, bar) \
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(SHARED(bar)), "r"(bytes) : "memory"); \
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(SHARED(to)), "l"(from), "r"(bytes), "r"(SHARED(bar)) : "memory")
#define wait(bar, parity) \
    for (unsigned done = 0; !done;) \
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(SHARED(bar)), "r"(parity) : "memory")

// launch product_right: block=128 zeros:f32:128
extern "C" __global__ void product_right(float *out) {
    __shared__ __align__(128) unsigned a[512], b[64];
    fill(a, 512);
    fill(b, 64);
    FENCE_PROXY();
    __syncthreads();
    float d[4] = {};
    FENCE();
    PRODUCT(d, matrix(a, 256), matrix(b, 256));
    COMMIT();
    WAIT(0);
    out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}

// launch product_no_proxy_fence: block=128 zeros:f32:128
extern "C" __global__ void product_no_proxy_fence(float *out) {
    __shared__ __align__(128) unsigned a[512], b[64];
    fill(a, 512); // SEEN
    fill(b, 64);
    __syncthreads();
    float d[4] = {};
    FENCE();
    PRODUCT(d, matrix(a, 256), matrix(b, 256)); // BUG async-order
    COMMIT();
    WAIT(0);
    out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}

// launch product_no_barrier: block=128 zeros:f32:128
extern "C" __global__ void product_no_barrier(float *out) {
    __shared__ __align__(128) unsigned a[512], b[64];
    for (unsigned i = threadIdx.x; i < 512; i += 128)
        a[i] = 0x3c003c00; // MAYBE async-order
    b[threadIdx.x / 2] = 0x3c003c00; // MAYBE async-order
    FENCE_PROXY();
    float d[4] = {};
    FENCE();
    PRODUCT(d, matrix(a, 256), matrix(b, 256)); // BUG race
    COMMIT();
    WAIT(0);
    out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}

// launch product_unwritten: block=128 zeros:f32:128
extern "C" __global__ void product_unwritten(float *out) {
    __shared__ __align__(128) unsigned a[512], b[64];
    fill(a, 512);
    fill(b, 63);
    FENCE_PROXY();
    __syncthreads();
    float d[4] = {};
    FENCE();
    PRODUCT(d, matrix(a, 256), matrix(b, 256)); // BUG uninitialized
    COMMIT();
    WAIT(0);
    out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}

// launch product_too_far: block=128 zeros:f32:128
extern "C" __global__ void product_too_far(float *out) {
    __shared__ __align__(128) unsigned a[512], b[64];
    fill(a, 512);
    fill(b, 64);
    FENCE_PROXY();
    __syncthreads();
    float d[4] = {};
    FENCE();
    PRODUCT(d, matrix(a, 384), matrix(b, 256)); // BUG out-of-bounds
    COMMIT();
    WAIT(0);
    out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}

// launch product_overwritten: block=128 zeros:f32:128
extern "C" __global__ void product_overwritten(float *out) {
    __shared__ __align__(128) unsigned a[512], b[64];
    fill(a, 512);
    fill(b, 64);
    FENCE_PROXY();
    __syncthreads();
    float d[4] = {};
    FENCE();
    PRODUCT(d, matrix(a, 256), matrix(b, 256));
    COMMIT();
    __syncthreads();
    a[threadIdx.x] = 0; // BUG async-order
    WAIT(0);
    out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}

// launch product_overwritten_late: block=128 zeros:f32:128
extern "C" __global__ void product_overwritten_late(float *out) {
    __shared__ __align__(128) unsigned a[512], b[64];
    fill(a, 512);
    fill(b, 64);
    FENCE_PROXY();
    __syncthreads();
    float d[4] = {};
    for (unsigned i = 0; i < 3; i++) {
        FENCE();
        PRODUCT(d, matrix(a, 256), matrix(b, 256));
        COMMIT();
        WAIT(0);
        __syncthreads();
        b[threadIdx.x % 64] = 0x3c003c00 + i;
        FENCE_PROXY();
        __syncthreads();
    }
    out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}

// launch product_without_fence: block=128 zeros:f32:128
extern "C" __global__ void product_without_fence(float *out) {
    __shared__ __align__(128) unsigned a[512], b[64];
    fill(a, 512);
    fill(b, 64);
    FENCE_PROXY();
    __syncthreads();
    float d[4] = {};
    PRODUCT(d, matrix(a, 256), matrix(b, 256)); // BUG wgmma-registers
    COMMIT();
    WAIT(0);
    out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}

// launch product_scaled_without_fence: block=128 zeros:f32:128
extern "C" __global__ void product_scaled_without_fence(float *out) {
    __shared__ __align__(128) unsigned a[512], b[64];
    fill(a, 512);
    fill(b, 64);
    FENCE_PROXY();
    __syncthreads();
    float d[4] = {};
    FENCE();
    PRODUCT(d, matrix(a, 256), matrix(b, 256));
    COMMIT();
    WAIT(0);
    for (int i = 0; i < 4; i++)
        d[i] *= out[threadIdx.x];
    PRODUCT(d, matrix(a, 256), matrix(b, 256)); // BUG wgmma-registers
    COMMIT();
    WAIT(0);
    out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}

// launch product_read_early: block=128 zeros:f32:128
extern "C" __global__ void product_read_early(float *out) {
    __shared__ __align__(128) unsigned a[512], b[64];
    fill(a, 512);
    fill(b, 64);
    FENCE_PROXY();
    __syncthreads();
    float d[4] = {};
    FENCE();
    PRODUCT(d, matrix(a, 256), matrix(b, 256));
    COMMIT();
    out[threadIdx.x] = d[0] + d[1] + d[2] + d[3]; // BUG wgmma-registers
    WAIT(0);
}

// launch product_of_copies: block=128 iota:u32:512 iota:u32:64 zeros:f32:128
extern "C" __global__ void product_of_copies(const unsigned *x, const unsigned *y, float *out) {
    __shared__ __align__(128) unsigned a[512], b[64];
    __shared__ __align__(8) unsigned long long bar[2];
    if (threadIdx.x == 0) {
        make(&bar[0]);
        make(&bar[1]);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        FETCH(a, x, 2048, &bar[0]);
        FETCH(b, y, 256, &bar[1]);
    }
    wait(&bar[0], 0);
    wait(&bar[1], 0);
    float d[4] = {};
    FENCE();
    PRODUCT(d, matrix(a, 256), matrix(b, 256));
    COMMIT();
    WAIT(0);
    out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}

// launch product_of_copies_early: block=128 iota:u32:512 iota:u32:64 zeros:f32:128
extern "C" __global__ void product_of_copies_early(const unsigned *x, const unsigned *y, float *out) {
    __shared__ __align__(128) unsigned a[512], b[64];
    __shared__ __align__(8) unsigned long long bar[2];
    if (threadIdx.x == 0) {
        make(&bar[0]);
        make(&bar[1]);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        FETCH(a, x, 2048, &bar[0]);
        FETCH(b, y, 256, &bar[1]); // SEEN
    }
    wait(&bar[0], 0);
    float d[4] = {};
    FENCE();
    PRODUCT(d, matrix(a, 256), matrix(b, 256)); // BUG async-order
    COMMIT();
    WAIT(0);
    wait(&bar[1], 0);
    out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}

// launch product_copied_over: block=128 iota:u32:512 iota:u32:64 zeros:f32:128
extern "C" __global__ void product_copied_over(const unsigned *x, const unsigned *y, float *out) {
    __shared__ __align__(128) unsigned a[512], b[64];
    __shared__ __align__(8) unsigned long long bar[2];
    if (threadIdx.x == 0) {
        make(&bar[0]);
        make(&bar[1]);
    }
    __syncthreads();
    float d[4] = {};
    for (unsigned i = 0; i < 2; i++) {
        if (threadIdx.x == 0) {
            FETCH(a, x, 2048, &bar[0]);
            FETCH(b, y, 256, &bar[1]); // BUG async-order
        }
        wait(&bar[0], i);
        wait(&bar[1], i);
        FENCE();
        PRODUCT(d, matrix(a, 256), matrix(b, 256)); // MAYBE async-order
        COMMIT();
        WAIT(1);
    }
    WAIT(0);
    out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}
