// needs sm_90
// Typical pipelines of Hopper kernels: rings that one lane fills and warps empty, tickets, named barriers. Wrong and right versions.

#define PAIR(name, parameters, arguments)                                              \
    extern "C" __global__ void name##_bug parameters { name<false> arguments; }        \
    extern "C" __global__ void name##_right parameters { name<true> arguments; }

typedef unsigned long long mbarrier;
__device__ unsigned address(const void *at) { return (unsigned)__cvta_generic_to_shared(at); }
__device__ void make(mbarrier *at, unsigned count) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address(at)), "r"(count) : "memory");
}
__device__ void fence_init() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
__device__ void arrive(mbarrier *at) {
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(address(at)) : "memory");
}
__device__ void expect(mbarrier *at, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(address(at)), "r"(bytes) : "memory");
}
__device__ void wait(mbarrier *at, unsigned parity) {
    asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared.b64 p, [%0], %1; @!p bra again; }" ::"r"(address(at)),
                 "r"(parity)
                 : "memory");
}
__device__ void fetch(void *to, const void *from, unsigned bytes, mbarrier *bar) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(address(to)),
                 "l"(from), "r"(bytes), "r"(address(bar))
                 : "memory");
}
__device__ bool elected() {
    unsigned is;
    asm volatile("{ .reg .pred p; elect.sync _|p, -1; selp.u32 %0, 1, 0, p; }" : "=r"(is));
    return is;
}
__device__ void sync(unsigned number, unsigned threads) {
    asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
}
__device__ void come(unsigned number, unsigned threads) {
    asm volatile("bar.arrive %0, %1;" ::"r"(number), "r"(threads) : "memory");
}

// A ring of two stages: the elected lane of the last warp fills it, two warps empty it. Consumers arrive once per warp.
enum { STAGES = 2, TILES = 6, WIDTH = 64 };
struct Ring {
    __align__(128) float tile[STAGES][WIDTH];
    mbarrier full[STAGES], empty[STAGES];
};
__device__ void start(Ring &ring, unsigned consumers) {
    if (threadIdx.x == 0)
        for (int s = 0; s < STAGES; s++)
            make(&ring.full[s], 1), make(&ring.empty[s], consumers);
    fence_init();
    __syncthreads();
}
template <bool WAITS> __device__ void fill(Ring &ring, const float *in) {
    if (!elected())
        return;
    for (int i = 0; i < TILES; i++) {
        int s = i % STAGES;
        if (WAITS || i < STAGES)
            wait(&ring.empty[s], i / STAGES % 2 ^ 1);
        expect(&ring.full[s], WIDTH * 4);
        fetch(ring.tile[s], in + i * WIDTH, WIDTH * 4, &ring.full[s]);
    }
}

// pair filled_by_elected: block=96 iota:f32:384 zeros:f32:64
template <bool RIGHT> __device__ void filled_by_elected(const float *in, float *out) {
    __shared__ Ring ring;
    start(ring, 64);
    if (threadIdx.x >= 64) {
        fill<RIGHT>(ring, in); // BUG barrier-divergence
        return;
    }
    float sum = 0;
    for (int i = 0; i < TILES; i++) {
        int s = i % STAGES;
        wait(&ring.full[s], i / STAGES % 2);
        sum += ring.tile[s][63 - threadIdx.x]; // MAYBE async-order
        arrive(&ring.empty[s]);
    }
    out[threadIdx.x] = sum;
}
PAIR(filled_by_elected, (const float *in, float *out), (in, out))

// pair emptied_by_warp: block=96 iota:f32:384 zeros:f32:64
template <bool RIGHT> __device__ void emptied_by_warp(const float *in, float *out) {
    __shared__ Ring ring;
    start(ring, 2);
    if (threadIdx.x >= 64) {
        fill<true>(ring, in);
        return;
    }
    float sum = 0;
    for (int i = 0; i < TILES; i++) {
        int s = i % STAGES;
        wait(&ring.full[s], i / STAGES % 2);
        sum += ring.tile[s][63 - threadIdx.x]; // BUG warp-synchronous
        if (RIGHT)
            __syncwarp();
        if (threadIdx.x % 32 == 0)
            arrive(&ring.empty[s]);
    }
    out[threadIdx.x] = sum;
}
PAIR(emptied_by_warp, (const float *in, float *out), (in, out))

// `ldmatrix` is one load of the whole warp: no lane has its result before all rows are read, so one lane may release the stage.
// launch emptied_by_matrices: block=96 iota:f32:384 zeros:f32:64
extern "C" __global__ void emptied_by_matrices(const float *in, float *out) {
    __shared__ Ring ring;
    start(ring, 2);
    if (threadIdx.x >= 64) {
        fill<true>(ring, in);
        return;
    }
    unsigned sum = 0;
    for (int i = 0; i < TILES; i++) {
        int s = i % STAGES;
        unsigned a, b;
        wait(&ring.full[s], i / STAGES % 2);
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(address(&ring.tile[s][threadIdx.x % 16 * 4])) : "memory");
        sum += a + b;
        if (threadIdx.x % 32 == 0)
            arrive(&ring.empty[s]);
    }
    out[threadIdx.x] = sum;
}

// Only one lane of a warp waits for the stage.
// pair one_lane_waits_full: block=96 iota:f32:384 zeros:f32:64
template <bool RIGHT> __device__ void one_lane_waits_full(const float *in, float *out) {
    __shared__ Ring ring;
    start(ring, 64);
    if (threadIdx.x >= 64) {
        fill<true>(ring, in);
        return;
    }
    float sum = 0;
    for (int i = 0; i < TILES; i++) {
        int s = i % STAGES;
        if (threadIdx.x % 32 == 0)
            wait(&ring.full[s], i / STAGES % 2);
        if (RIGHT)
            __syncwarp();
        sum += ring.tile[s][63 - threadIdx.x]; // BUG warp-synchronous
        arrive(&ring.empty[s]);
    }
    out[threadIdx.x] = sum;
}
PAIR(one_lane_waits_full, (const float *in, float *out), (in, out))

// A divergent branch: some lanes read, another one arrives. Nothing orders the reads before the arrival.
// pair sides_of_a_branch: block=96 iota:f32:384 zeros:f32:64
template <bool RIGHT> __device__ void sides_of_a_branch(const float *in, float *out) {
    __shared__ Ring ring;
    start(ring, 2);
    if (threadIdx.x >= 64) {
        fill<true>(ring, in);
        return;
    }
    float sum = 0;
    for (int i = 0; i < TILES; i++) {
        int s = i % STAGES;
        wait(&ring.full[s], i / STAGES % 2);
        if (threadIdx.x % 32 != 31)
            sum += ring.tile[s][63 - threadIdx.x]; // BUG race
        else if (!RIGHT)
            arrive(&ring.empty[s]);
        if (RIGHT) {
            __syncwarp();
            if (threadIdx.x % 32 == 31)
                arrive(&ring.empty[s]);
        }
    }
    out[threadIdx.x] = sum;
}
PAIR(sides_of_a_branch, (const float *in, float *out), (in, out))

// Tickets: one thread takes a ticket, and all threads read it from shared memory between two named barriers.
// pair ticket_in_shared: grid=3 block=64 zeros:u32:1 zeros:u32:512
template <bool RIGHT> __device__ void ticket_in_shared(unsigned *count, unsigned *out) {
    __shared__ unsigned ticket;
    for (;;) {
        if (threadIdx.x == 0)
            ticket = atomicAdd(count, 1); // BUG race
        sync(1, 64); // MAYBE deadlock
        unsigned tile = ticket;
        if (RIGHT)
            sync(2, 64);
        if (tile >= 8)
            return;
        out[64 * tile + threadIdx.x] = tile;
    }
}
PAIR(ticket_in_shared, (unsigned *count, unsigned *out), (count, out))

// A ticket per warp, passed on by a shuffle: each warp writes only its own elements, so no memory order is needed.
// launch ticket_by_shuffle: grid=3 block=64 zeros:u32:1 zeros:u32:512
extern "C" __global__ void ticket_by_shuffle(unsigned *count, unsigned *out) {
    for (;;) {
        unsigned ticket = 0;
        if (threadIdx.x % 32 == 0)
            ticket = atomicAdd(count, 1);
        ticket = __shfl_sync(~0u, ticket, 0);
        if (ticket >= 16)
            return;
        out[32 * ticket + threadIdx.x % 32] = ticket;
    }
}

// The scheduler warp writes a tile number and signals it by named barriers at which one side only arrives.
// pair tile_by_scheduler: block=96 zeros:u32:512
template <bool RIGHT> __device__ void tile_by_scheduler(unsigned *out) {
    __shared__ unsigned tile;
    if (threadIdx.x >= 64) {
        for (unsigned i = 0; i < 9; i++) {
            if (i > 0 && RIGHT)
                sync(2, 96);
            if (i > 0 && !RIGHT)
                __syncwarp();
            if (threadIdx.x == 64)
                tile = i; // BUG race
            come(1, 96); // MAYBE barrier-divergence deadlock
        }
        return;
    }
    for (;;) {
        sync(1, 96); // MAYBE barrier-divergence deadlock
        unsigned mine = tile;
        if (mine == 8)
            return;
        if (RIGHT)
            come(2, 96);
        out[64 * mine + threadIdx.x] = mine;
    }
}
PAIR(tile_by_scheduler, (unsigned *out), (out))

// Asynchronous copies of threads (cp.async) that arrive at an mbarrier on completion.
#define COPY16(to, from) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address(to)), "l"(from) : "memory")

// pair copies_arrive: block=64 iota:f32:512 zeros:f32:32
template <bool RIGHT> __device__ void copies_arrive(const float *in, float *out) {
    __shared__ __align__(16) float tile[2][128];
    __shared__ mbarrier full[2], empty[2];
    if (threadIdx.x == 0)
        for (int s = 0; s < 2; s++)
            make(&full[s], 32), make(&empty[s], 32);
    __syncthreads();
    unsigned lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        for (int i = 0; i < 4; i++) {
            wait(&empty[i % 2], i / 2 % 2 ^ 1);
            COPY16(&tile[i % 2][4 * lane], in + 128 * i + 4 * lane); // MAYBE async-order race
            if (RIGHT)
                asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(address(&full[i % 2])) : "memory");
            else
                arrive(&full[i % 2]);
        }
        asm volatile("cp.async.wait_all;" ::: "memory");
        return;
    }
    float sum = 0;
    for (int i = 0; i < 4; i++) {
        wait(&full[i % 2], i / 2 % 2);
        for (int j = 0; j < 4; j++)
            sum += tile[i % 2][(4 * lane + j + 64) % 128]; // BUG async-order
        arrive(&empty[i % 2]);
    }
    out[lane] = sum;
}
PAIR(copies_arrive, (const float *in, float *out), (in, out))

// Without `.noinc`, this arrival raises the pending count first, so the barrier's count includes only the threads' own arrivals.
// pair copies_arrive_counted: block=64 iota:f32:256 zeros:f32:64
template <bool RIGHT> __device__ void copies_arrive_counted(const float *in, float *out) {
    __shared__ __align__(16) float tile[256];
    __shared__ mbarrier full;
    if (threadIdx.x == 0)
        make(&full, 64);
    __syncthreads();
    COPY16(&tile[4 * threadIdx.x], in + 4 * threadIdx.x); // MAYBE race
    if (RIGHT)
        asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(address(&full)) : "memory");
    arrive(&full);
    wait(&full, 0);
    out[threadIdx.x] = tile[255 - 4 * threadIdx.x]; // BUG async-order
    asm volatile("cp.async.wait_all;" ::: "memory");
}
PAIR(copies_arrive_counted, (const float *in, float *out), (in, out))

// Several groups in flight: data of a group that the wait leaves pending must not be read.
// pair groups_left: block=32 iota:f32:1024 zeros:f32:32
template <bool RIGHT> __device__ void groups_left(const float *in, float *out) {
    __shared__ __align__(16) float tile[3][128];
    float sum = 0;
    for (int i = 0; i < 2; i++) {
        COPY16(&tile[i][4 * threadIdx.x], in + 128 * i + 4 * threadIdx.x); // MAYBE async-order
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    for (int i = 0; i < 8; i++) {
        if (i + 2 < 8)
            COPY16(&tile[(i + 2) % 3][4 * threadIdx.x], in + 128 * (i + 2) + 4 * threadIdx.x); // MAYBE async-order
        asm volatile("cp.async.commit_group;" ::: "memory");
        if (RIGHT)
            asm volatile("cp.async.wait_group 2;" ::: "memory");
        else
            asm volatile("cp.async.wait_group 3;" ::: "memory");
        __syncwarp();
        sum += tile[i % 3][127 - 4 * threadIdx.x]; // BUG async-order
        __syncwarp();
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    out[threadIdx.x] = sum;
}
PAIR(groups_left, (const float *in, float *out), (in, out))

// An epilogue: all threads write the tile, fence and wait at a barrier, then an elected lane stores it. The tile is reused.
#define STORE(to, from, bytes) \
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2; cp.async.bulk.commit_group;" ::"l"(to), "r"(address(from)), "r"(bytes) : "memory")

// pair epilogue_reuses: block=64 zeros:f32:256
template <bool RIGHT> __device__ void epilogue_reuses(float *out) {
    __shared__ __align__(128) float tile[64];
    bool stores = threadIdx.x < 32 && elected();
    for (int i = 0; i < 4; i++) {
        if (stores && RIGHT)
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        sync(1, 64);
        tile[threadIdx.x] = i + threadIdx.x; // BUG async-order
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        sync(1, 64);
        if (stores)
            STORE(out + 64 * i, tile, 256);
    }
    if (stores)
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
PAIR(epilogue_reuses, (float *out), (out))

// pair epilogue_fences: block=64 zeros:f32:64
template <bool RIGHT> __device__ void epilogue_fences(float *out) {
    __shared__ __align__(128) float tile[64];
    bool stores = threadIdx.x < 32 && elected();
    tile[threadIdx.x] = threadIdx.x; // BUG async-order
    if (RIGHT)
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    sync(1, 64);
    if (stores) {
        STORE(out, tile, 256);
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}
PAIR(epilogue_fences, (float *out), (out))

// pair epilogue_two_stages: block=64 zeros:f32:512
template <bool RIGHT> __device__ void epilogue_two_stages(float *out) {
    __shared__ __align__(128) float tile[2][64];
    bool stores = threadIdx.x < 32 && elected();
    for (int i = 0; i < 8; i++) {
        tile[i % 2][threadIdx.x] = i + threadIdx.x; // BUG async-order
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        sync(1, 64);
        if (stores) {
            STORE(out + 64 * i, tile[i % 2], 256);
            if (RIGHT)
                asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
            else
                asm volatile("cp.async.bulk.wait_group.read 2;" ::: "memory");
        }
        sync(1, 64);
    }
    if (stores)
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
PAIR(epilogue_two_stages, (float *out), (out))

// Split-K: the blocks of a tile add their sums in turn. One thread of each block polls and advances the semaphore.
__device__ unsigned acquired(const unsigned *at) {
    unsigned value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    return value;
}
// pair turns_by_semaphore: grid=3 block=64 zeros:u32:1 zeros:u32:64
template <bool RIGHT> __device__ void turns_by_semaphore(unsigned *turn, unsigned *sums) {
    unsigned seen = 0;
    if (threadIdx.x == 0)
        seen = acquired(turn);
    while (__syncthreads_and(seen != blockIdx.x))
        if (threadIdx.x == 0)
            seen = acquired(turn);
    __syncthreads();
    unsigned sum = sums[threadIdx.x]; // BUG race
    sums[threadIdx.x] = sum + blockIdx.x; // MAYBE race warp-synchronous
    if (RIGHT)
        __syncthreads();
    if (threadIdx.x == 0)
        asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(turn), "r"(blockIdx.x + 1) : "memory");
}
PAIR(turns_by_semaphore, (unsigned *turn, unsigned *sums), (turn, sums))

// Look-back by a warp over packed states: value and flag are one word, so no memory order is needed.
// launch look_back_by_warp: grid=40 block=32 zeros:u64:40 zeros:u32:40
extern "C" __global__ void look_back_by_warp(unsigned long long *states, unsigned *out) {
    unsigned lane = threadIdx.x, block = blockIdx.x;
    if (lane == 0)
        asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(states + block), "l"((block == 0 ? 2ull : 1ull) << 32 | block) : "memory");
    unsigned sum = 0;
    for (int first = (int)block - 1; first >= 0; first -= 32) {
        int at = first - (int)lane;
        unsigned long long state = 2ull << 32;
        do
            if (at >= 0)
                asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(state) : "l"(states + at) : "memory");
        while (__any_sync(~0u, state >> 32 == 0));
        unsigned done = __ballot_sync(~0u, state >> 32 == 2);
        unsigned last = done ? __ffs(done) - 1 : 31;
        sum += __reduce_add_sync(~0u, lane <= last && at >= 0 ? (unsigned)state : 0);
        if (done)
            break;
    }
    if (lane == 0) {
        asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(states + block), "l"(2ull << 32 | (sum + block)) : "memory");
        out[block] = sum;
    }
}

// The same, but value and flag are separate words.
// pair look_back_two_words: grid=6 block=32 zeros:u32:6 zeros:u32:6 zeros:u32:6
template <bool RIGHT> __device__ void look_back_two_words(unsigned *flags, unsigned *values, unsigned *out) {
    unsigned lane = threadIdx.x, block = blockIdx.x;
    if (lane == 0) {
        values[block] = block; // BUG race
        if (RIGHT)
            __threadfence();
        asm volatile("st.relaxed.gpu.global.u32 [%0], 1;" ::"l"(flags + block) : "memory");
    }
    unsigned value = 0;
    if (lane < block) {
        unsigned seen;
        do
            asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(flags + lane) : "memory");
        while (seen == 0);
        __threadfence();
        value = values[lane];
    }
    __syncwarp();
    unsigned sum = __reduce_add_sync(~0u, value);
    if (lane == 0)
        out[block] = sum;
}
PAIR(look_back_two_words, (unsigned *flags, unsigned *values, unsigned *out), (flags, values, out))
