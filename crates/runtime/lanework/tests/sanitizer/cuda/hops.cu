// needs sm_90
// Clusters that pass data without full barriers: relaxed arrivals, stores that complete an mbarrier, arrivals at other blocks: each
// kernel wrong and right.

#define PAIR(name, parameters, arguments)                                                                      \
    extern "C" __global__ void __cluster_dims__(2, 1, 1) name##_bug parameters { name<false> arguments; }      \
    extern "C" __global__ void __cluster_dims__(2, 1, 1) name##_right parameters { name<true> arguments; }

typedef unsigned long long mbarrier;
__device__ unsigned address(const void *at) { return (unsigned)__cvta_generic_to_shared(at); }
__device__ unsigned rank() {
    unsigned r;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return r;
}
__device__ unsigned there(const void *p) {
    unsigned at;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(address(p)), "r"(1 - rank()));
    return at;
}
__device__ void make(mbarrier *at, unsigned count) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address(at)), "r"(count) : "memory");
}
__device__ void fence_init() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
__device__ void expect(mbarrier *at, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(address(at)), "r"(bytes) : "memory");
}
__device__ void wait(mbarrier *at, unsigned parity) {
    asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], %1; @!p bra again; }" ::"r"(address(at)),
                 "r"(parity)
                 : "memory");
}
__device__ void sync() { asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory"); }
__device__ void sync_relaxed() { asm volatile("barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory"); }
__device__ void write(unsigned at, unsigned value) { asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(at), "r"(value) : "memory"); }

// A relaxed arrival makes fenced mbarrier initializations visible to the cluster.
// pair relaxed_after_init: grid=2 block=64 zeros:u32:128
template <bool RIGHT> __device__ void relaxed_after_init(unsigned *out) {
    __shared__ unsigned word[64];
    __shared__ mbarrier full;
    if (threadIdx.x == 0)
        make(&full, 64); // BUG race
    if (RIGHT)
        fence_init();
    sync_relaxed();
    write(there(&word[threadIdx.x]), threadIdx.x + rank());
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(there(&full)) : "memory");
    wait(&full, 0);
    out[64 * blockIdx.x + threadIdx.x] = word[63 - threadIdx.x];
    sync();
}
PAIR(relaxed_after_init, (unsigned *out), (out))

// A relaxed arrival makes no other writes visible.
// pair relaxed_after_write: grid=2 block=64 zeros:u32:128
template <bool RIGHT> __device__ void relaxed_after_write(unsigned *out) {
    __shared__ unsigned word[64];
    write(there(&word[threadIdx.x]), threadIdx.x + rank()); // BUG race
    if (RIGHT)
        sync();
    else {
        fence_init();
        sync_relaxed();
    }
    out[64 * blockIdx.x + threadIdx.x] = word[63 - threadIdx.x]; // MAYBE uninitialized
    sync();
}
PAIR(relaxed_after_write, (unsigned *out), (out))

// With a cluster-scope fence before it, a relaxed arrival also publishes earlier writes.
// pair fenced_and_relaxed: grid=2 block=64 zeros:u32:128
template <bool RIGHT> __device__ void fenced_and_relaxed(unsigned *out) {
    __shared__ unsigned word[64];
    write(there(&word[threadIdx.x]), threadIdx.x + rank()); // BUG race
    if (RIGHT)
        asm volatile("fence.acq_rel.cluster;" ::: "memory");
    else
        asm volatile("fence.acq_rel.cta;" ::: "memory");
    sync_relaxed();
    out[64 * blockIdx.x + threadIdx.x] = word[63 - threadIdx.x];
    sync();
}
PAIR(fenced_and_relaxed, (unsigned *out), (out))

// A relaxed arrival does not keep the other block's shared memory alive: an earlier read of it may not be complete.
// pair ends_after_relaxed: grid=2 block=64 zeros:u32:128
template <bool RIGHT> __device__ void ends_after_relaxed(unsigned *out) {
    __shared__ unsigned word[64];
    word[threadIdx.x] = threadIdx.x;
    sync();
    unsigned value;
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(there(&word[63 - threadIdx.x])) : "memory"); // BUG use-after-free
    out[64 * blockIdx.x + threadIdx.x] = value;
    if (RIGHT)
        sync();
    else
        sync_relaxed();
}
PAIR(ends_after_relaxed, (unsigned *out), (out))

// Values that threads send to the other block, whose mbarrier counts their bytes.
// pair sent: grid=2 block=64 zeros:u32:128
template <bool RIGHT> __device__ void sent(unsigned *out) {
    __shared__ unsigned word[64];
    __shared__ mbarrier full;
    if (threadIdx.x == 0) {
        make(&full, 1);
        fence_init();
        expect(&full, 256);
    }
    sync();
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(there(&word[threadIdx.x])), "r"(threadIdx.x), "r"(there(&full)) : "memory"); // MAYBE async-order race
    if (RIGHT || threadIdx.x < 32)
        wait(&full, 0);
    out[64 * blockIdx.x + threadIdx.x] = word[63 - threadIdx.x]; // BUG async-order
    sync();
}
PAIR(sent, (unsigned *out), (out))

// Sends to the same word several times: the receiver must signal that it has read the previous value.
// pair sent_again: grid=2 block=64 zeros:u32:128
template <bool RIGHT> __device__ void sent_again(unsigned *out) {
    __shared__ unsigned word[64];
    __shared__ mbarrier full;
    if (threadIdx.x == 0) {
        make(&full, 1);
        fence_init();
    }
    sync();
    unsigned sum = 0;
    for (unsigned i = 0; i < 3; i++) {
        if (threadIdx.x == 0)
            expect(&full, 256);
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(there(&word[threadIdx.x])), "r"(i + threadIdx.x), "r"(there(&full)) : "memory"); // BUG async-order
        wait(&full, i % 2);
        sum += word[63 - threadIdx.x]; // MAYBE async-order
        if (RIGHT)
            sync();
    }
    out[64 * blockIdx.x + threadIdx.x] = sum;
    sync();
}
PAIR(sent_again, (unsigned *out), (out))

// Threads of the other block add to the same words concurrently.
// pair added: grid=2 block=64 zeros:u32:128
template <bool RIGHT> __device__ void added(unsigned *out) {
    __shared__ unsigned word[8];
    __shared__ mbarrier full;
    if (threadIdx.x == 0) {
        make(&full, 1);
        fence_init();
        expect(&full, 256);
    }
    if (threadIdx.x < 8)
        word[threadIdx.x] = 0; // MAYBE async-order race
    sync();
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];" ::"r"(there(&word[threadIdx.x % 8])), "r"(threadIdx.x), "r"(there(&full)) : "memory"); // MAYBE async-order race
    if (RIGHT)
        wait(&full, 0);
    out[64 * blockIdx.x + threadIdx.x] = word[threadIdx.x % 8]; // BUG async-order
    wait(&full, 0);
    sync();
}
PAIR(added, (unsigned *out), (out))
