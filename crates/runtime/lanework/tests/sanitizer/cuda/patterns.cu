// needs sm_90
// Patterns of published kernels, each in a right version and with a bug that was reported for a similar kernel.

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/semaphore>
namespace cg = cooperative_groups;
#pragma nv_diag_suppress 20054

#define PAIR(name, parameters, arguments)                                              \
    extern "C" __global__ void name##_bug parameters { name<false> arguments; }        \
    extern "C" __global__ void name##_right parameters { name<true> arguments; }
#define T threadIdx.x
#define B blockIdx.x
#define SH(p) ((unsigned)__cvta_generic_to_shared(p))
#define INIT(b, n) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(SH(b)), "r"(n) : "memory")
#define ARRIVE(b) asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(SH(b)) : "memory")
#define EXPECT(b, n) asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(SH(b)), "r"(n) : "memory")
#define WAIT(b, ph) for (unsigned ok = 0; !ok;) asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(ok) : "r"(SH(b)), "r"(ph) : "memory")
#define BULK(to, from, n, b) asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(SH(to)), "l"(from), "r"(n), "r"(SH(b)) : "memory")
#define ASYNC(to, from) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(SH(to)), "l"(from) : "memory")
#define COMMIT() asm volatile("cp.async.commit_group;" ::: "memory")
#define WAIT_GROUPS(n) asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory")

// Double and multiple buffering

// pair stages_commit_late: grid=1 block=64 iota:u32:512 zeros:u32:64
template <bool RIGHT> __device__ void stages_commit_late(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[4][64];
    for (int i = 0; i < 3; i++) {
        ASYNC(&s[i][T], in + 64 * i + T);
        COMMIT();
    }
    unsigned sum = 0;
    for (int i = 0; i < 8; i++) {
        if (RIGHT) {
            WAIT_GROUPS(2);
            __syncthreads();
        }
        sum += s[i % 4][63 - T]; // BUG race async-order
        if (i + 3 < 8)
            ASYNC(&s[(i + 3) % 4][T], in + 64 * (i + 3) + T); // MAYBE race async-order
        if (RIGHT)
            COMMIT();
        else {
            WAIT_GROUPS(2);
            COMMIT();
            __syncthreads();
        }
    }
    out[T] = sum;
}
PAIR(stages_commit_late, (const unsigned *in, unsigned *out), (in, out))

// pair ring_too_short: grid=1 block=64 iota:u32:512 zeros:u32:64
template <bool RIGHT> __device__ void ring_too_short(const unsigned *in, unsigned *out) {
    const int N = RIGHT ? 3 : 2;
    __shared__ unsigned s[3][64];
    ASYNC(&s[0][T], in + T);
    COMMIT();
    unsigned sum = 0;
    for (int i = 0; i < 8; i++) {
        if (i + 1 < 8)
            ASYNC(&s[(i + 1) % N][T], in + 64 * (i + 1) + T); // BUG race
        COMMIT();
        WAIT_GROUPS(1);
        __syncthreads();
        sum += s[i % N][63 - T]; // MAYBE race async-order
    }
    out[T] = sum;
}
PAIR(ring_too_short, (const unsigned *in, unsigned *out), (in, out))

// pair double_buffer: grid=1 block=64 iota:u32:512 zeros:u32:64
template <bool RIGHT> __device__ void double_buffer(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[2][64];
    unsigned sum = 0, next = in[T];
    for (int i = 0; i < 8; i++) {
        s[RIGHT ? i & 1 : 0][T] = next; // BUG race
        if (i + 1 < 8)
            next = in[64 * (i + 1) + T];
        __syncthreads();
        sum += s[RIGHT ? i & 1 : 0][63 - T]; // MAYBE race
    }
    out[T] = sum;
}
PAIR(double_buffer, (const unsigned *in, unsigned *out), (in, out))

// pair pipeline_release: grid=1 block=64 iota:u32:512 zeros:u32:64
template <bool RIGHT> __device__ void pipeline_release(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[2][64];
    auto pipe = cuda::make_pipeline();
    unsigned sum = 0;
    pipe.producer_acquire();
    cuda::memcpy_async(&s[0][T], in + T, 4, pipe);
    pipe.producer_commit();
    for (int i = 0; i < 8; i++) {
        pipe.producer_acquire();
        if (i + 1 < 8)
            cuda::memcpy_async(&s[(i + 1) & 1][T], in + 64 * (i + 1) + T, 4, pipe); // MAYBE race async-order
        pipe.producer_commit();
        if (RIGHT)
            cuda::pipeline_consumer_wait_prior<1>(pipe);
        else
            cuda::pipeline_consumer_wait_prior<2>(pipe);
        __syncthreads();
        sum += s[i & 1][63 - T]; // BUG async-order
        __syncthreads();
        pipe.consumer_release();
    }
    out[T] = sum;
}
PAIR(pipeline_release, (const unsigned *in, unsigned *out), (in, out))

// Producer and consumer warps with bulk copies

// pair tma_ring: grid=1 block=96 iota:u32:512 zeros:u32:64
template <bool RIGHT> __device__ void tma_ring(const unsigned *in, unsigned *out) {
    __shared__ __align__(128) unsigned s[2][64];
    __shared__ unsigned long long full[2], empty[2];
    if (T == 0)
        for (int i = 0; i < 2; i++) {
            INIT(&full[i], 1);
            INIT(&empty[i], 64);
        }
    __syncthreads();
    if (T >= 64) {
        if (T == 64)
            for (int i = 0; i < 8; i++) {
                // Waiting for the phase that has already completed.
                if (RIGHT || i < 2)
                    WAIT(&empty[i & 1], (i >> 1 & 1) ^ 1);
                EXPECT(&full[i & 1], 256); // BUG barrier-divergence
                BULK(s[i & 1], in + 64 * i, 256, &full[i & 1]); // MAYBE race async-order
            }
    } else {
        unsigned sum = 0;
        for (int i = 0; i < 8; i++) {
            WAIT(&full[i & 1], i >> 1 & 1); // MAYBE deadlock
            sum += s[i & 1][63 - T]; // MAYBE race async-order
            ARRIVE(&empty[i & 1]);
        }
        out[T] = sum;
    }
}
PAIR(tma_ring, (const unsigned *in, unsigned *out), (in, out))

// pair one_mbarrier_for_two: grid=1 block=64 iota:u32:512 zeros:u32:64
template <bool RIGHT> __device__ void one_mbarrier_for_two(const unsigned *in, unsigned *out) {
    __shared__ __align__(128) unsigned s[2][64];
    __shared__ unsigned long long bar[2];
    if (T == 0) {
        INIT(&bar[0], 1);
        INIT(&bar[1], 1);
    }
    __syncthreads();
    unsigned sum = 0;
    for (int i = 0; i < 4; i++) {
        if (T == 0) {
            EXPECT(&bar[0], 256);
            BULK(s[0], in + 128 * i, 256, &bar[0]);
            EXPECT(&bar[1], 256);
            BULK(s[1], in + 128 * i + 64, 256, &bar[1]); // MAYBE async-order race
        }
        WAIT(&bar[0], i & 1);
        // The wrong version always waits for parity 1, although this barrier completes a phase in each iteration.
        WAIT(&bar[1], RIGHT ? i & 1 : 1); // BUG deadlock
        sum += s[0][63 - T] + s[1][63 - T]; // MAYBE async-order race
        __syncthreads();
    }
    out[T] = sum;
}
PAIR(one_mbarrier_for_two, (const unsigned *in, unsigned *out), (in, out))

// pair tma_store: grid=1 block=64 zeros:u32:64 zeros:u32:64
template <bool RIGHT> __device__ void tma_store(unsigned *a, unsigned *b) {
    __shared__ __align__(128) unsigned s[64];
    for (int i = 0; i < 2; i++) {
        s[T] = T + i; // BUG async-order
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (T == 0) {
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" ::"l"(i ? b : a), "r"(SH(s)) : "memory"); // MAYBE async-order race
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
            if (RIGHT)
                asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        }
        __syncthreads();
    }
    if (T == 0)
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
PAIR(tma_store, (unsigned *a, unsigned *b), (a, b))

// pair named_barriers: grid=1 block=128 iota:u32:512 zeros:u32:64
template <bool RIGHT> __device__ void named_barriers(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[64];
    if (T < 64) {
        for (int i = 0; i < 4; i++) {
            if (RIGHT)
                asm volatile("bar.sync 2, 128;" ::: "memory");
            s[T] = in[64 * i + T]; // BUG race
            asm volatile("bar.arrive 1, 128;" ::: "memory");
        }
    } else {
        unsigned sum = 0;
        if (RIGHT)
            asm volatile("bar.arrive 2, 128;" ::: "memory");
        for (int i = 0; i < 4; i++) {
            asm volatile("bar.sync 1, 128;" ::: "memory");
            sum += s[127 - T]; // MAYBE race
            if (RIGHT && i < 3)
                asm volatile("bar.arrive 2, 128;" ::: "memory");
        }
        out[T - 64] = sum;
    }
}
PAIR(named_barriers, (const unsigned *in, unsigned *out), (in, out))

// Reductions and scans of blocks

// pair block_reduce: grid=1 block=128 iota:u32:128 zeros:u32:2
template <bool RIGHT> __device__ void block_reduce(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[4];
    for (int round = 0; round < 2; round++) {
        unsigned v = in[T] + round;
        for (int d = 16; d; d /= 2)
            v += __shfl_down_sync(~0u, v, d);
        if (T % 32 == 0)
            s[T / 32] = v; // BUG race
        __syncthreads();
        unsigned all = s[0] + s[1] + s[2] + s[3]; // MAYBE race
        if (T == 0)
            out[round] = all;
        if (RIGHT)
            __syncthreads();
    }
}
PAIR(block_reduce, (const unsigned *in, unsigned *out), (in, out))

// pair tree_reduce: grid=1 block=128 iota:u32:128 zeros:u32:1
template <bool RIGHT> __device__ void tree_reduce(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[128];
    s[T] = in[T];
    __syncthreads();
    for (int d = 64; d > 32; d /= 2) {
        if (T < d)
            s[T] += s[T + d];
        __syncthreads();
    }
    if (T < 32) {
        unsigned v = s[T] + s[T + 32];
        for (int d = 16; d; d /= 2) {
            if (RIGHT) {
                v += __shfl_down_sync(~0u, v, d);
            } else {
                s[T] = v; // BUG race
                v += s[(T + d) % 32]; // MAYBE race
            }
        }
        if (T == 0)
            *out = v;
    }
}
PAIR(tree_reduce, (const unsigned *in, unsigned *out), (in, out))

// pair scan_hillis: grid=1 block=128 iota:u32:128 zeros:u32:128
template <bool RIGHT> __device__ void scan_hillis(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[128];
    s[T] = in[T];
    __syncthreads();
    for (int d = 1; d < 128; d *= 2) {
        unsigned v = T >= d ? s[T - d] : 0; // MAYBE race
        if (RIGHT)
            __syncthreads();
        s[T] += v; // BUG race
        __syncthreads();
    }
    out[T] = s[T];
}
PAIR(scan_hillis, (const unsigned *in, unsigned *out), (in, out))

// pair last_thread_sums: grid=1 block=128 iota:u32:128 zeros:u32:128
template <bool RIGHT> __device__ void last_thread_sums(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[128], total;
    s[T] = in[T];
    __syncthreads();
    if (T == 127) {
        unsigned sum = 0;
        for (int i = 0; i < 128; i++)
            sum += s[i];
        total = sum; // BUG race
    }
    if (RIGHT)
        __syncthreads();
    out[T] = total; // MAYBE race uninitialized
}
PAIR(last_thread_sums, (const unsigned *in, unsigned *out), (in, out))

// pair histogram: grid=2 block=64 iota:u32:256 zeros:u32:16
template <bool RIGHT> __device__ void histogram(const unsigned *in, unsigned *out) {
    __shared__ unsigned bins[16];
    if (T < 16)
        bins[T] = 0; // MAYBE race
    if (RIGHT)
        __syncthreads();
    for (int i = T; i < 128; i += 64)
        atomicAdd(&bins[in[128 * B + i] % 16], 1); // BUG race
    __syncthreads();
    if (T < 16)
        atomicAdd(out + T, bins[T]);
}
PAIR(histogram, (const unsigned *in, unsigned *out), (in, out))

// pair dynamic_reuse: grid=1 block=64 shared=512 iota:u32:64 zeros:f32:64
template <bool RIGHT> __device__ void dynamic_reuse(const unsigned *in, float *out) {
    extern __shared__ unsigned raw[];
    raw[T] = in[T];
    __syncthreads();
    unsigned v = raw[63 - T]; // MAYBE race
    if (RIGHT)
        __syncthreads();
    float *f = (float *)raw;
    f[T] = v; // BUG race
    __syncthreads();
    out[T] = f[(T + 1) % 64];
}
PAIR(dynamic_reuse, (const unsigned *in, float *out), (in, out))

// pair dynamic_parts: grid=1 block=64 shared=512 iota:u32:64 zeros:f32:64
template <bool RIGHT> __device__ void dynamic_parts(const unsigned *in, float *out) {
    extern __shared__ unsigned raw[];
    // The second part begins inside the first.
    float *f = (float *)(raw + (RIGHT ? 64 : 32));
    raw[T] = in[T]; // BUG race
    f[T] = 2 * in[T]; // MAYBE race
    __syncthreads();
    out[T] = f[63 - T] + raw[63 - T];
}
PAIR(dynamic_parts, (const unsigned *in, float *out), (in, out))

// Decoupled look-back, tickets, queues, locks

// pair look_back: grid=4 block=32 iota:u32:128 zeros:u64:4 zeros:u32:128
template <bool RIGHT> __device__ void look_back(const unsigned *in, unsigned long long *state, unsigned *out) {
    unsigned v = in[32 * B + T];
    for (int d = 1; d < 32; d *= 2) {
        unsigned o = __shfl_up_sync(~0u, v, d);
        if (T >= d)
            v += o;
    }
    unsigned before = 0;
    if (T == 31) {
        if (B > 0) {
            unsigned long long s;
            do {
                if (RIGHT)
                    asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(s) : "l"(state + B - 1) : "memory");
                else
                    s = *(state + B - 1 + (unsigned long long)(clock() & 0)); // BUG race
            } while (s >> 32 == 0 && RIGHT);
            before = (unsigned)s;
        }
        unsigned long long mine = 1ull << 32 | (before + v);
        if (RIGHT)
            asm volatile("st.relaxed.gpu.u64 [%0], %1;" ::"l"(state + B), "l"(mine) : "memory");
        else
            state[B] = mine; // MAYBE race
    }
    before = __shfl_sync(~0u, before, 31);
    out[32 * B + T] = before + v;
}
PAIR(look_back, (const unsigned *in, unsigned long long *state, unsigned *out), (in, state, out))

// pair look_back_arrays: grid=4 block=32 zeros:u32:4 zeros:u32:4 zeros:u32:4
template <bool RIGHT> __device__ void look_back_arrays(unsigned *flags, unsigned *sums, unsigned *out) {
    if (T)
        return;
    unsigned before = 0;
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> own(flags[B]);
    if (B > 0) {
        cuda::atomic_ref<unsigned, cuda::thread_scope_device> other(flags[B - 1]);
        while (other.load(cuda::memory_order_acquire) == 0) {
        }
        before = sums[B - 1]; // MAYBE race
    }
    sums[B] = before + B; // BUG race
    own.store(1, RIGHT ? cuda::memory_order_release : cuda::memory_order_relaxed);
    out[B] = before;
}
PAIR(look_back_arrays, (unsigned *flags, unsigned *sums, unsigned *out), (flags, sums, out))

// pair last_block: grid=4 block=64 iota:u32:256 zeros:u32:4 zeros:u32:1 zeros:u32:1
template <bool RIGHT> __device__ void last_block(const unsigned *in, unsigned *parts, unsigned *count, unsigned *out) {
    __shared__ bool last;
    unsigned v = in[64 * B + T];
    __shared__ unsigned sum;
    if (T == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, v);
    __syncthreads();
    if (T == 0) {
        parts[B] = sum; // BUG race
        if (RIGHT)
            __threadfence();
        last = atomicAdd(count, 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last && T == 0)
        *out = parts[0] + parts[1] + parts[2] + parts[3]; // MAYBE race
}
PAIR(last_block, (const unsigned *in, unsigned *parts, unsigned *count, unsigned *out), (in, parts, count, out))

// pair queue_slots: grid=2 block=32 zeros:u32:64 zeros:u32:64 zeros:u32:2 zeros:u32:64
template <bool RIGHT> __device__ void queue_slots(unsigned *data, unsigned *ready, unsigned *ends, unsigned *out) {
    if (B == 0) {
        unsigned at = atomicAdd(ends, 1);
        data[at] = T + 1; // BUG race
        if (RIGHT)
            __threadfence();
        atomicExch(ready + at, 1);
    } else {
        unsigned at = atomicAdd(ends + 1, 1);
        while (atomicAdd(ready + at, 0) == 0) {
        }
        __threadfence();
        out[T] = data[at]; // MAYBE race
    }
}
PAIR(queue_slots, (unsigned *data, unsigned *ready, unsigned *ends, unsigned *out), (data, ready, ends, out))

// pair ticket_lock: grid=3 block=32 zeros:u32:2 zeros:u32:1
template <bool RIGHT> __device__ void ticket_lock(unsigned *lock, unsigned *sum) {
    if (T)
        return;
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> next(lock[0]), serving(lock[1]);
    unsigned mine = next.fetch_add(1, cuda::memory_order_relaxed);
    while (serving.load(cuda::memory_order_acquire) != mine) {
    }
    *sum += B + 1; // BUG race
    serving.store(mine + 1, RIGHT ? cuda::memory_order_release : cuda::memory_order_relaxed);
}
PAIR(ticket_lock, (unsigned *lock, unsigned *sum), (lock, sum))

// pair lock_of_block: grid=1 block=128 zeros:u32:1 zeros:u32:1
template <bool RIGHT> __device__ void lock_of_block(unsigned *lock, unsigned *sum) {
    if (T % 32)
        return;
    cuda::atomic_ref<unsigned, cuda::thread_scope_block> held(*lock);
    while (held.exchange(1, cuda::memory_order_acquire)) {
    }
    *sum += T; // BUG race
    if (RIGHT)
        held.store(0, cuda::memory_order_release);
    else
        held.store(0, cuda::memory_order_relaxed);
}
PAIR(lock_of_block, (unsigned *lock, unsigned *sum), (lock, sum))

// pair scope_of_ref: grid=2 block=32 zeros:u32:1
template <bool RIGHT> __device__ void scope_of_ref(unsigned *sum) {
    if (RIGHT)
        cuda::atomic_ref<unsigned, cuda::thread_scope_device>(*sum).fetch_add(T, cuda::memory_order_relaxed);
    else
        cuda::atomic_ref<unsigned, cuda::thread_scope_block>(*sum).fetch_add(T, cuda::memory_order_relaxed); // BUG race
}
PAIR(scope_of_ref, (unsigned *sum), (sum))

// pair max_by_check: grid=2 block=32 iota:u32:64 zeros:u32:1
template <bool RIGHT> __device__ void max_by_check(const unsigned *in, unsigned *most) {
    unsigned v = in[32 * B + T];
    if (RIGHT)
        atomicMax(most, v);
    else if (v > *most) // MAYBE race
        *most = v; // BUG race
}
PAIR(max_by_check, (const unsigned *in, unsigned *most), (in, most))

// pair changed_flag: grid=2 block=64 iota:u32:128 zeros:u32:1
template <bool RIGHT> __device__ void changed_flag(const unsigned *in, unsigned *changed) {
    if (in[64 * B + T] > 3)
        *changed = RIGHT ? 1 : 1 + T; // BUG race
}
PAIR(changed_flag, (const unsigned *in, unsigned *changed), (in, changed))

// Cooperative groups and libcu++

// pair group_reduce: grid=1 block=128 iota:u32:128 zeros:u32:4
template <bool RIGHT> __device__ void group_reduce(const unsigned *in, unsigned *out) {
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    __shared__ unsigned s[4];
    unsigned sum = cg::reduce(warp, in[T], cg::plus<unsigned>());
    if (warp.thread_rank() == 0)
        s[warp.meta_group_rank()] = sum; // BUG race
    if (RIGHT)
        block.sync();
    else
        warp.sync();
    if (T < 4)
        out[T] = s[T]; // MAYBE race uninitialized
}
PAIR(group_reduce, (const unsigned *in, unsigned *out), (in, out))

// pair coalesced: grid=1 block=64 iota:u32:64 zeros:u32:65
template <bool RIGHT> __device__ void coalesced(const unsigned *in, unsigned *out) {
    if (in[T] % 3 == 0) {
        auto active = cg::coalesced_threads();
        unsigned at = 0;
        if (active.thread_rank() == 0)
            at = RIGHT ? atomicAdd(out, active.size()) : (*out += active.size()); // BUG race
        at = active.shfl(at, 0);
        out[1 + (at + active.thread_rank()) % 64] = T; // MAYBE race
    }
}
PAIR(coalesced, (const unsigned *in, unsigned *out), (in, out))

// pair barrier_token: grid=1 block=64 iota:u32:64 zeros:u32:64
template <bool RIGHT> __device__ void barrier_token(const unsigned *in, unsigned *out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ unsigned s[64];
    if (T == 0)
        init(&bar, 64);
    __syncthreads();
    unsigned v = in[T];
    if (RIGHT)
        s[T] = v;
    auto token = bar.arrive();
    if (!RIGHT)
        s[T] = v; // BUG race
    bar.wait(std::move(token));
    out[T] = s[63 - T]; // MAYBE race uninitialized
}
PAIR(barrier_token, (const unsigned *in, unsigned *out), (in, out))

// pair barrier_not_ready: grid=1 block=64 iota:u32:64 zeros:u32:64
template <bool RIGHT> __device__ void barrier_not_ready(const unsigned *in, unsigned *out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ unsigned s[64];
    if (T == 0)
        init(&bar, 64);
    if (RIGHT)
        __syncthreads();
    s[T] = in[T]; // MAYBE race
    bar.arrive_and_wait(); // BUG race
    out[T] = s[63 - T]; // MAYBE race
}
PAIR(barrier_not_ready, (const unsigned *in, unsigned *out), (in, out))

// pair memcpy_async_group: grid=1 block=64 iota:u32:64 zeros:u32:64
template <bool RIGHT> __device__ void memcpy_async_group(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[64];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, s, in, sizeof s); // MAYBE race async-order
    if (RIGHT)
        cg::wait(block);
    else
        block.sync();
    out[T] = s[63 - T]; // BUG async-order
}
PAIR(memcpy_async_group, (const unsigned *in, unsigned *out), (in, out))

// pair grid_sync: grid=4 block=32 cooperative zeros:u32:128 zeros:u32:128
template <bool RIGHT> __device__ void grid_sync(unsigned *a, unsigned *b) {
    auto grid = cg::this_grid();
    unsigned i = grid.thread_rank();
    a[i] = i; // BUG race
    if (RIGHT)
        grid.sync();
    else
        __syncthreads();
    b[i] = a[127 - i]; // MAYBE race
}
PAIR(grid_sync, (unsigned *a, unsigned *b), (a, b))

// pair stencil_in_place: grid=4 block=32 cooperative iota:u32:128 zeros:u32:128
template <bool RIGHT> __device__ void stencil_in_place(unsigned *a, unsigned *b) {
    auto grid = cg::this_grid();
    unsigned i = grid.thread_rank();
    for (int step = 0; step < 3; step++) {
        unsigned *from = RIGHT && step % 2 ? b : a, *to = RIGHT && step % 2 ? a : RIGHT ? b : a;
        to[i] = from[i] + from[(i + 1) % 128]; // BUG race
        grid.sync();
    }
}
PAIR(stencil_in_place, (unsigned *a, unsigned *b), (a, b))

// pair semaphore_order: grid=1 block=64 zeros:u32:2
template <bool RIGHT> __device__ void semaphore_order(unsigned *sum) {
    __shared__ cuda::binary_semaphore<cuda::thread_scope_block> turn;
    if (T == 0)
        new (&turn) cuda::binary_semaphore<cuda::thread_scope_block>(1);
    __syncthreads();
    if (T % 32 == 0) {
        if (RIGHT)
            turn.acquire();
        *sum += T + 1; // BUG race
        if (RIGHT)
            turn.release();
    }
}
PAIR(semaphore_order, (unsigned *sum), (sum))

// Warps, bounds, initialization

// pair warp_transpose: grid=1 block=32 iota:u32:1024 zeros:u32:1024
template <bool RIGHT> __device__ void warp_transpose(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[32][33];
    for (int i = 0; i < 32; i++)
        s[i][T] = in[32 * i + T]; // BUG race
    if (RIGHT)
        __syncwarp();
    for (int i = 0; i < 32; i++)
        out[32 * i + T] = s[T][i]; // MAYBE race
}
PAIR(warp_transpose, (const unsigned *in, unsigned *out), (in, out))

// pair ballot_late: grid=1 block=32 iota:u32:32 zeros:u32:32
template <bool RIGHT> __device__ void ballot_late(const unsigned *in, unsigned *out) {
    unsigned v = in[T];
    unsigned members = __ballot_sync(~0u, v < 20);
    if (v < 20)
        v = __reduce_add_sync(RIGHT ? members : ~0u, v); // BUG deadlock
    out[T] = v;
    __syncwarp(); // MAYBE deadlock inactive-lane
}
PAIR(ballot_late, (const unsigned *in, unsigned *out), (in, out))

// pair vector_tail: grid=1 block=32 iota:u32:126 zeros:u32:126 u32:126
template <bool RIGHT> __device__ void vector_tail(const unsigned *in, unsigned *out, unsigned n) {
    if (RIGHT ? 4 * T + 3 < n : 4 * T < n) {
        uint4 v = ((const uint4 *)in)[T]; // MAYBE out-of-bounds
        ((uint4 *)out)[T] = v; // BUG out-of-bounds
    }
    if (RIGHT && T < n % 4)
        out[n - n % 4 + T] = in[n - n % 4 + T];
}
PAIR(vector_tail, (const unsigned *in, unsigned *out, unsigned n), (in, out, n))

// pair misaligned_vector: grid=1 block=8 iota:u32:64 zeros:u32:64 u32:1
template <bool RIGHT> __device__ void misaligned_vector(const unsigned *in, unsigned *out, unsigned skip) {
    const unsigned *from = in + (RIGHT ? 4 * skip : skip);
    uint4 v = ((const uint4 *)from)[T]; // BUG misaligned
    out[T] = v.x + v.w;
}
PAIR(misaligned_vector, (const unsigned *in, unsigned *out, unsigned skip), (in, out, skip))

// pair halo: grid=2 block=32 iota:u32:64 zeros:u32:64
template <bool RIGHT> __device__ void halo(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[34];
    unsigned i = 32 * B + T;
    s[T + 1] = in[i];
    if (T == 0)
        s[0] = i > 0 ? in[i - 1] : 0;
    if (T == 31 && (RIGHT || i + 1 < 64))
        s[33] = i + 1 < 64 ? in[i + 1] : 0;
    __syncthreads();
    out[i] = s[T] + s[T + 2]; // BUG uninitialized
}
PAIR(halo, (const unsigned *in, unsigned *out), (in, out))

// pair partial_accumulator: grid=1 block=32 iota:u32:32 zeros:u32:32
template <bool RIGHT> __device__ void partial_accumulator(const unsigned *in, unsigned *out) {
    unsigned acc[4];
    for (int i = 0; i < (RIGHT ? 4 : 3); i++)
        acc[i] = in[(T + i) % 32];
    unsigned sum = 0;
#pragma unroll 1
    for (unsigned i = 0; i < 4; i++)
        sum += acc[(i + in[0]) % 4]; // BUG uninitialized
    out[T] = sum;
}
PAIR(partial_accumulator, (const unsigned *in, unsigned *out), (in, out))

// pair pitch_in_elements: grid=1 block=32 iota:u32:256 zeros:u32:32 u32:64
template <bool RIGHT> __device__ void pitch_in_elements(const unsigned *in, unsigned *out, unsigned pitch) {
    // Rows are `pitch` bytes apart.
    const unsigned *row = RIGHT ? (const unsigned *)((const char *)in + pitch * (T / 16)) : in + pitch * (T / 4);
    out[T] = row[T % 16]; // BUG out-of-bounds
}
PAIR(pitch_in_elements, (const unsigned *in, unsigned *out, unsigned pitch), (in, out, pitch))

// pair barrier_in_loop: grid=1 block=64 iota:u32:64 zeros:u32:64 u32:50
template <bool RIGHT> __device__ void barrier_in_loop(const unsigned *in, unsigned *out, unsigned n) {
    __shared__ unsigned s[64];
    unsigned last = RIGHT ? 64 : n;
    for (unsigned i = T; i < last; i += 64) {
        s[T] = in[i];
        __syncthreads(); // BUG barrier-divergence
        out[i] = s[63 - T]; // MAYBE uninitialized race
    }
    __syncthreads();
    s[T] = 1;
    __syncthreads();
    out[T] += s[63 - T];
}
PAIR(barrier_in_loop, (const unsigned *in, unsigned *out, unsigned n), (in, out, n))

// pair cluster_peer: grid=1 block=64 iota:u32:64 zeros:u32:64
template <bool RIGHT> __device__ void cluster_peer(const unsigned *in, unsigned *out) {
    __shared__ unsigned rows[8][8];
    unsigned x = T % 8, y = T / 8;
    rows[y][x] = in[T];
    __syncthreads();
    unsigned before = rows[x][y]; // MAYBE race
    if (RIGHT)
        __syncthreads();
    rows[y][x] = before; // BUG race
    __syncthreads();
    out[T] = rows[y][x];
}
PAIR(cluster_peer, (const unsigned *in, unsigned *out), (in, out))
