// Programs with one bug each of asynchronous copies, mbarriers, matrices, clusters and tiles, and their repaired
// versions: see `reported.h`.

#include "reported.h"

// The thread announces more bytes than the copy brings, as if the tile had no ragged edge.
// expect bulk_announced: error[deadlock] | 768 bytes outstanding | as many bytes as `expect_tx` announces
template <bool R> __global__ void announced(const int *x, int *y, int n) {
    __shared__ alignas(128) int s[256];
    __shared__ uint64_t b;
    if (T == 0) { init(&b, 1); ready(); }
    __syncthreads();
    if (T == 0) { expect(&b, R ? 4 * n : 1024); load(s, x, 4 * n, &b); }
    wait(&b, 0);
    if ((int)T < n) y[T] = s[T];
}
void bulk_announced(bool right) { RUN(announced, 1, 64, device<int>(256), device<int>(256), 64); }

// The source of a bulk copy starts one element late.
// expect bulk_aligned: error[misaligned] | bulk copy | is not a multiple of 16
template <bool R> __global__ void aligned(const int *x, int *y) {
    __shared__ alignas(128) int s[64];
    __shared__ uint64_t b;
    if (T == 0) { init(&b, 1); ready(); }
    __syncthreads();
    if (T == 0) { expect(&b, 256); load(s, x + (R ? 4 : 1), 256, &b); }
    wait(&b, 0);
    y[T] = s[T];
}
void bulk_aligned(bool right) { RUN(aligned, 1, 64, device<int>(256), device<int>(256)); }

// The last block copies a whole tile although the array ends before.
// expect bulk_ends: error[out-of-bounds] | global copy: 256 bytes | is 384 bytes
template <bool R> __global__ void ends(const int *x, int *y, int n) {
    __shared__ alignas(128) int s[64];
    __shared__ uint64_t b;
    int first = 64 * blockIdx.x, bytes = R ? 4 * min(64, n - first) : 256;
    if (T == 0) { init(&b, 1); ready(); }
    __syncthreads();
    if (T == 0) { expect(&b, bytes); load(s, x + first, bytes, &b); }
    wait(&b, 0);
    if (first + (int)T < n) y[first + T] = s[T];
}
void bulk_ends(bool right) { RUN(ends, 2, 64, device<int>(96), device<int>(96), 96); }

// The stage of a bulk copy is shorter than the tile.
// expect bulk_stage: error[out-of-bounds] | `s` is 256 bytes | declare `s` with at least 512 bytes
template <bool R> __global__ void stages(const int *x, int *y) {
    __shared__ alignas(128) int s[R ? 128 : 64];
    __shared__ alignas(128) int other[64];
    __shared__ uint64_t b;
    other[T] = T;
    if (T == 0) { init(&b, 1); ready(); }
    __syncthreads();
    if (T == 0) { expect(&b, 512); load(s, x, 512, &b); }
    wait(&b, 0);
    y[T] = s[T] + other[63 - T];
}
void bulk_stage(bool right) { RUN(stages, 1, 64, device<int>(256), device<int>(256)); }

// The producer fills the only stage again before the consumers have read it.
// expect stage_overwritten: error[async-order] | shared read of 4 bytes at s+0
template <bool R> __global__ void producer(const int *x, int *y) {
    __shared__ alignas(128) int s[32];
    __shared__ uint64_t full, empty;
    if (T == 0) { init(&full, 1); init(&empty, 32); ready(); }
    __syncthreads();
    if (T < 32) {
        if (T == 0)
            for (int i = 0; i < 4; ++i) {
                if (R && i > 0) wait(&empty, (i - 1) & 1);
                expect(&full, 128);
                load(s, x + 32 * i, 128, &full);
                if (!R) wait(&full, i & 1);
            }
    } else {
        for (int i = 0; i < 4; ++i) {
            wait(&full, i & 1);
            y[32 * i + T - 32] = s[T - 32];
            arrive(&empty);
        }
    }
}
void stage_overwritten(bool right) { RUN(producer, 1, 64, device<int>(256), device<int>(256)); }

// The consumers give the stage back before they read it.
// expect early_release: error[race] | `cp.async.bulk | arrive at an mbarrier after the read at line 104 | or put a barrier
template <bool R> __global__ void consumer(const int *x, int *y) {
    __shared__ alignas(128) int s[32];
    __shared__ uint64_t full, empty;
    if (T == 0) { init(&full, 1); init(&empty, 32); ready(); }
    __syncthreads();
    if (T < 32) {
        if (T == 0)
            for (int i = 0; i < 4; ++i) {
                if (i > 0) wait(&empty, (i - 1) & 1);
                expect(&full, 128);
                load(s, x + 32 * i, 128, &full);
            }
    } else {
        for (int i = 0; i < 4; ++i) {
            wait(&full, i & 1);
            if (!R) arrive(&empty);
            int v = s[T - 32];
            y[32 * i + T - 32] = v;
            if (R) arrive(&empty);
        }
    }
}
void early_release(bool right) { RUN(consumer, 1, 64, device<int>(256), device<int>(256)); }

// The barrier counts a thread that never arrives.
// expect barrier_count: error[deadlock] | 1 of 33 arrivals pending | all its arrivals
template <bool R> __global__ void counted(int *y) {
    __shared__ int s[32];
    __shared__ uint64_t b;
    if (T == 0) { init(&b, R ? 32 : 33); ready(); }
    __syncthreads();
    s[T] = T;
    arrive(&b);
    wait(&b, 0);
    y[T] = s[31 - T];
}
void barrier_count(bool right) { RUN(counted, 1, 32, device<int>(32)); }

// Nothing initializes the second barrier.
// expect barrier_initialized: error[uninitialized] | not initialized | let one thread run `mbarrier.init`
template <bool R> __global__ void initialized(int *y) {
    __shared__ uint64_t b[2];
    if (T == 0) { init(&b[0], 32); if (R) init(&b[1], 32); ready(); }
    __syncthreads();
    arrive(&b[1]);
    wait(&b[1], 0);
    y[T] = T;
}
void barrier_initialized(bool right) { RUN(initialized, 1, 32, device<int>(32)); }

// The consumer waits twice for the same phase.
// expect same_phase: error[async-order] | 4 bytes at s+128 while an asynchronous copy of this thread
template <bool R> __global__ void phases(const int *x, int *y) {
    __shared__ alignas(128) int s[2][32];
    __shared__ uint64_t b;
    if (T == 0) { init(&b, 1); ready(); }
    __syncthreads();
    for (int i = 0; i < 2; ++i) {
        if (T == 0) { expect(&b, 128); load(s[i], x + 32 * i, 128, &b); }
        wait(&b, R ? i : 0);
        y[32 * i + T] = s[i][T];
        __syncthreads();
    }
}
void same_phase(bool right) { RUN(phases, 1, 32, device<int>(64), device<int>(64)); }

// The rank of the neighbor is not taken modulo the size of the cluster.
// expect cluster_rank: error[out-of-bounds] | of the block of rank 2 of the cluster | a block must be of this cluster
template <bool R> __global__ void __cluster_dims__(2, 1, 1) neighbors(int *y) {
    __shared__ int s[32];
    uint32_t rank, at;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    s[T] = rank;
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
    uint32_t other = R ? (rank + 1) % 2 : rank + 1;
    int v;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(shared(&s[T])), "r"(other));
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(at) : "memory");
    y[32 * blockIdx.x + T] = v;
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
void cluster_rank(bool right) { RUN(neighbors, 2, 32, device<int>(64)); }

// The sender names a mbarrier of its own block instead of the receiver's.
// expect remote_bytes: error[deadlock] | 128 bytes outstanding
template <bool R> __global__ void __cluster_dims__(2, 1, 1) senders(int *y) {
    __shared__ int s[32];
    __shared__ uint64_t b;
    uint32_t rank, at, bar;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (T == 0) { init(&b, 1); ready(); expect(&b, R ? 128 : 256); }
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(shared(&s[T])), "r"(rank ^ 1));
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(bar) : "r"(shared(&b)), "r"(rank ^ 1));
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(at), "r"(T), "r"(bar) : "memory");
    wait(&b, 0);
    y[32 * blockIdx.x + T] = s[T];
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
void remote_bytes(bool right) { RUN(senders, 2, 32, device<int>(64)); }

// The rows of the matrix end before the last lane's row.
// expect matrix_rows: error[out-of-bounds] | 16 bytes at s+384, `s` is 384 bytes | declare `s` with at least 512 bytes
template <bool R> __global__ void matrices(int *y) {
    __shared__ alignas(16) uint16_t s[R ? 32 : 24][8];
    for (int i = T; i < (int)sizeof(s) / 2; i += 32) ((uint16_t *)s)[i] = i;
    __syncwarp();
    int a, b, c, d;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(shared(s) + 16 * T) : "memory");
    y[T] = a + b + c + d;
}
void matrix_rows(bool right) { RUN(matrices, 1, 32, device<int>(32)); }

// Rows of 20 bytes do not start at multiples of 16.
// expect matrix_padding: error[misaligned] | 16 bytes at 0x14, not a multiple of 16 (s+20)
template <bool R> __global__ void padded(int *y) {
    constexpr int W = R ? 16 : 10;
    __shared__ alignas(16) uint16_t s[8][W];
    for (int i = T; i < 8 * W; i += 32) ((uint16_t *)s)[i] = i;
    __syncwarp();
    int a;
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(a) : "r"(shared(s) + 2 * W * (T & 7)) : "memory");
    y[T] = a;
}
void matrix_padding(bool right) { RUN(padded, 1, 32, device<int>(32)); }

// A store of a matrix is read by another warp's lanes without a barrier.
// expect matrix_stored: error[race] | write of 16 bytes at s+128 | put `__syncthreads()` (`sync_threads`) between
template <bool R> __global__ void stored(int *y) {
    __shared__ alignas(16) uint16_t s[2][8][8];
    int w = T / 32, v = T;
    asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(shared(s[w]) + 16 * (T & 7)), "r"(v) : "memory");
    if (R) __syncthreads();
    y[T] = s[1 - w][T % 8][T / 4 % 8];
}
void matrix_stored(bool right) { RUN(stored, 1, 64, device<int>(64)); }

// The mask of the barrier does not name the calling lanes.
// expect own_mask: error[inactive-lane] | the member mask 0xffff0000 lacks lane 0
template <bool R> __global__ void masks(int *y) {
    __shared__ int s[32];
    s[T] = T;
    if (T < 16) __syncwarp(R ? 0x0000ffff : 0xffff0000);
    else __syncwarp(0xffff0000);
    y[T] = s[T ^ 1];
}
void own_mask(bool right) { RUN(masks, 1, 32, device<int>(32)); }

// Only half of the block counts.
// expect block_count: error[barrier-divergence] | `__syncthreads_count` | the results are undefined
template <bool R> __global__ void counts(int *y) {
    int n = 0;
    if (R || T < 32) n = __syncthreads_count(T & 1);
    y[T] = n;
    __syncthreads();
}
void block_count(bool right) { RUN(counts, 1, 64, device<int>(64)); }

// Sums of half warps: the lanes rely on lockstep.
// expect half_warps: error[race] | by another lane of the warp | put `__syncwarp()` (`sync_warp`)
template <bool R> __global__ void halves(int *y) {
    __shared__ int s[64];
    s[T] = T;
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    tile.sync();
    for (int o = 8; o > 0; o /= 2) {
        int v = T % 16 < o ? s[T + o] : 0;
        if (R) tile.sync();
        s[T] += v;
        if (R) tile.sync();
    }
    y[T] = s[T / 16 * 16];
}
void half_warps(bool right) { RUN(halves, 1, 64, device<int>(64)); }

// Some lanes of a tile leave before its shuffle.
// expect partial_tile: error[inactive-lane] | lane 16 reads from lane 20, which has exited
template <bool R> __global__ void partial(int *y, int n) {
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    if (!R && (int)T >= n) return;
    int v = (int)T < n ? T : 0;
    for (int o = 4; o > 0; o /= 2) v += tile.shfl_down(v, o);
    if (tile.thread_rank() == 0 && (int)T < n) y[T / 8] = v;
}
void partial_tile(bool right) { RUN(partial, 1, 32, device<int>(8), 20); }

// The last pass of the pipeline waits for all but the newest copy.
// expect last_wait: error[async-order] | an asynchronous copy of another thread | wait for the copy first
template <bool R> __global__ void pipeline(const int *x, int *y) {
    __shared__ alignas(16) int s[2][128];
    auto fetch = [&](int i) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(shared(&s[i % 2][4 * T])), "l"(x + 128 * i + 4 * T) : "memory");
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    fetch(0);
    for (int i = 0; i < 4; ++i) {
        if (i + 1 < 4) fetch(i + 1);
        if (R && i == 3) asm volatile("cp.async.wait_group 0;" ::: "memory");
        else asm volatile("cp.async.wait_group 1;" ::: "memory");
        __syncwarp();
        for (int k = 0; k < 4; ++k) y[128 * i + 4 * T + k] = s[i % 2][127 - 4 * T - k];
        __syncwarp();
    }
}
void last_wait(bool right) { RUN(pipeline, 1, 32, device<int>(512), device<int>(512)); }

// The copies go to a row whose stride is 12 bytes.
// expect copy_stride: error[misaligned] | 16 bytes at 0xc, not a multiple of 16 (s+12)
template <bool R> __global__ void strides(const int *x, int *y) {
    constexpr int W = R ? 4 : 3;
    __shared__ alignas(16) int s[32 * 4];
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(shared(&s[W * T])), "l"(x + 4 * T) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncwarp();
    y[T] = s[W * (31 - T)];
}
void copy_stride(bool right) { RUN(strides, 1, 32, device<int>(128), device<int>(32)); }

const Program all[] = {
    {"bulk_announced", bulk_announced}, {"bulk_aligned", bulk_aligned}, {"bulk_ends", bulk_ends},
    {"bulk_stage", bulk_stage}, {"stage_overwritten", stage_overwritten},
    {"early_release", early_release}, {"barrier_count", barrier_count},
    {"barrier_initialized", barrier_initialized}, {"same_phase", same_phase},
    {"cluster_rank", cluster_rank}, {"remote_bytes", remote_bytes}, {"matrix_rows", matrix_rows},
    {"matrix_padding", matrix_padding}, {"matrix_stored", matrix_stored}, {"own_mask", own_mask},
    {"block_count", block_count}, {"half_warps", half_warps}, {"partial_tile", partial_tile},
    {"last_wait", last_wait}, {"copy_stride", copy_stride},
};

int main(int count, char **arguments) { return run(all, count, arguments); }
