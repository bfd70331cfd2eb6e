// Programs with one bug each in the protocols of clusters, mbarriers and asynchronous copies, and their repaired
// versions: see `reported.h`.

#include "reported.h"

struct Cluster { // cooperative_groups::this_cluster(), in PTX
    __device__ static void sync() { asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory"); }
    __device__ static unsigned block_rank() {
        unsigned rank;
        asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
        return rank;
    }
    template <class V> __device__ static V *map_shared_rank(V *at, unsigned rank) {
        unsigned long long mapped;
        asm("mapa.u64 %0, %1, %2;" : "=l"(mapped) : "l"(at), "r"(rank));
        return (V *)mapped;
    }
};

// A block leaves while its neighbor still reads its shared memory.
// expect dsm_left: error[use-after-free] | after that block has exited
template <bool R> __global__ void __cluster_dims__(2) left(int *y) {
    __shared__ int s[32];
    Cluster c;
    s[T] = T;
    c.sync();
    y[32 * blockIdx.x + T] = c.map_shared_rank(s, c.block_rank() ^ 1)[31 - T];
    if (R) c.sync();
}
void dsm_left(bool right) { RUN(left, 2, 32, device<int>(64)); }

// A barrier of the block in place of the cluster's.
// expect dsm_narrow: error[race] | by another block
template <bool R> __global__ void __cluster_dims__(2) narrow(int *y) {
    __shared__ int s[32];
    Cluster c;
    s[T] = T;
    if (R) c.sync(); else __syncthreads();
    y[32 * blockIdx.x + T] = c.map_shared_rank(s, c.block_rank() ^ 1)[31 - T];
    c.sync();
}
void dsm_narrow(bool right) { RUN(narrow, 2, 32, device<int>(64)); }

// A relaxed arrival at the cluster's barrier releases nothing.
// expect dsm_relaxed: error[race] | by another block
template <bool R> __global__ void __cluster_dims__(2) relaxed(int *y) {
    __shared__ int s[32];
    Cluster c;
    s[T] = T;
    if (R) asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    else asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    y[32 * blockIdx.x + T] = c.map_shared_rank(s, c.block_rank() ^ 1)[31 - T];
    c.sync();
}
void dsm_relaxed(bool right) { RUN(relaxed, 2, 32, device<int>(64)); }

// An arrival at the other block's mbarrier before that block has initialized it.
// expect remote_arrival: error[race] | unordered with its initialization
template <bool R> __global__ void __cluster_dims__(2) remote(int *y) {
    __shared__ uint64_t b;
    Cluster c;
    if (T == 0) { init(&b, 32); ready(); }
    if (R) c.sync(); else __syncthreads();
    uint32_t at;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(shared(&b)), "r"(c.block_rank() ^ 1));
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(at) : "memory");
    wait(&b, 0);
    y[32 * blockIdx.x + T] = T;
    c.sync();
}
void remote_arrival(bool right) { RUN(remote, 2, 32, device<int>(64)); }

// Data for the other block, announced at its mbarrier by an arrival that only has the block's scope.
// expect remote_release: error[race] | read of 4 bytes at s+124 | by another block
template <bool R> __global__ void __cluster_dims__(2) scoped(int *y) {
    __shared__ uint64_t b;
    __shared__ int s[32];
    Cluster c;
    if (T == 0) { init(&b, 32); ready(); }
    c.sync();
    c.map_shared_rank(s, c.block_rank() ^ 1)[T] = T;
    uint32_t at;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(shared(&b)), "r"(c.block_rank() ^ 1));
    if (R) asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(at) : "memory");
    else asm volatile("mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%0];" ::"r"(at) : "memory");
    asm volatile("{\n.reg .pred p;\nAGAIN:\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], 0;\n@p bra DONE;\nbra AGAIN;\nDONE:\n}" ::"r"(shared(&b)) : "memory");
    y[32 * blockIdx.x + T] = s[31 - T];
    c.sync();
}
void remote_release(bool right) { RUN(scoped, 2, 32, device<int>(64)); }

// A multicast fills both blocks, but only the sender's mbarrier expects bytes.
// expect multicast_bytes: error[async-order] | copies bring 128 bytes | 0 bytes were announced
template <bool R> __global__ void __cluster_dims__(2) casted(const int *x, int *y) {
    __shared__ alignas(128) int s[32];
    __shared__ uint64_t b;
    Cluster c;
    if (T == 0) { init(&b, 1); ready(); }
    c.sync();
    if (T == 0) {
        if (R || c.block_rank() == 0) expect(&b, 128); else arrive(&b);
        if (c.block_rank() == 0)
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 128, [%2], %3;" ::"r"(shared(s)), "l"(x), "r"(shared(&b)), "h"((uint16_t)3) : "memory");
    }
    wait(&b, 0);
    y[32 * blockIdx.x + T] = s[T];
    c.sync();
}
void multicast_bytes(bool right) { RUN(casted, 2, 32, device<int>(32), device<int>(64)); }

// The reduction's result is read after a wait for its source only.
// expect bulk_reduced: error[async-order] | may still be writing them
template <bool R> __global__ void reduced(int *x, int *y) {
    __shared__ alignas(128) int s[32];
    s[T] = T;
    proxy();
    __syncthreads();
    if (T == 0) {
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], 128;" ::"l"(x), "r"(shared(s)) : "memory");
        commit();
        if (R) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
        else asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        asm volatile("fence.proxy.async;" ::: "memory");
        y[0] = x[5];
    }
}
void bulk_reduced(bool right) { RUN(reduced, 1, 32, device<int>(32), device<int>(1)); }

// The store is not committed, so the wait for its group ends at once.
// expect bulk_uncommitted: error[async-order] | may still be reading them
template <bool R> __global__ void uncommitted(int *x) {
    __shared__ alignas(128) int s[32];
    for (int i = 0; i < 2; ++i) {
        s[T] = T + i;
        proxy();
        __syncthreads();
        if (T == 0) {
            store(x + 32 * i, s, 128);
            if (R) commit();
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        }
        __syncthreads();
    }
    if (T == 0) { commit(); asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }
}
void bulk_uncommitted(bool right) { RUN(uncommitted, 1, 32, device<int>(64)); }

// The same with cp.async: its group is never committed.
// expect copy_uncommitted: error[async-order] | may still be writing them
template <bool R> __global__ void ungrouped(const int *x, int *y) {
    __shared__ int s[32];
    copy4(&s[T], &x[T]);
    if (R) committed();
    waited<0>();
    __syncthreads();
    y[T] = s[31 - T];
}
void copy_uncommitted(bool right) { RUN(ungrouped, 1, 32, device<int>(32), device<int>(32)); }

// The result of a test of the phase is ignored.
// expect test_ignored: error[async-order] | may still be writing them
template <bool R> __global__ void tests(const int *x, int *y) {
    __shared__ alignas(128) int s[32];
    __shared__ uint64_t b;
    if (T == 0) { init(&b, 1); ready(); }
    __syncthreads();
    if (T == 0) { expect(&b, 128); load(s, x, 128, &b); }
    if (R) while (!tested(&b, 0)) {}
    else tested(&b, 0);
    y[T] = s[T];
}
void test_ignored(bool right) { RUN(tests, 1, 32, device<int>(32), device<int>(32)); }

// An mbarrier becomes data without `mbarrier.inval`, and data becomes an mbarrier without a barrier.
// expect barrier_reused: error[uninitialized] | mbarrier
template <bool R> __global__ void reused(int *y) {
    __shared__ uint64_t b;
    if (T == 0) init(&b, 32);
    __syncthreads();
    arrive(&b);
    if (T < 16 || R) wait(&b, 0);
    if (R) __syncthreads();
    if (T == 0) { asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(shared(&b)) : "memory"); b = 5; }
    __syncthreads();
    if (T >= 16 && !R) wait(&b, 0);
    y[T] = b;
}
void barrier_reused(bool right) { RUN(reused, 1, 32, device<int>(32)); }

// Two stages, but the phase changes with each tile instead of each round.
// expect stage_phase: error[async-order] | may still be writing them
template <bool R> __global__ void rounds(const int *x, int *y) {
    __shared__ alignas(128) int s[2][32];
    __shared__ uint64_t full[2];
    if (T == 0) { init(&full[0], 1); init(&full[1], 1); ready(); }
    __syncthreads();
    for (int i = 0; i < 6; ++i) {
        int at = i % 2;
        if (T == 0) { expect(&full[at], 128); load(s[at], x + 32 * i, 128, &full[at]); }
        wait(&full[at], (R ? i / 2 : i) & 1);
        y[32 * i + T] = s[at][T];
        __syncthreads();
    }
}
void stage_phase(bool right) { RUN(rounds, 1, 32, device<int>(192), device<int>(192)); }

const Program all[] = {
    {"dsm_left", dsm_left},
    {"dsm_narrow", dsm_narrow},
    {"dsm_relaxed", dsm_relaxed},
    {"remote_arrival", remote_arrival},
    {"remote_release", remote_release},
    {"multicast_bytes", multicast_bytes},
    {"bulk_reduced", bulk_reduced},
    {"bulk_uncommitted", bulk_uncommitted},
    {"copy_uncommitted", copy_uncommitted},
    {"test_ignored", test_ignored},
    {"barrier_reused", barrier_reused},
    {"stage_phase", stage_phase},
};

int main(int count, char **arguments) { return run(all, count, arguments); }
