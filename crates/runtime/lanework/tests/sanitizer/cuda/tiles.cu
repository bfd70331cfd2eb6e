// Blocks that share tiles, and grids that share arrays: each kernel in a wrong and a right version.

#define PAIR(name, parameters, arguments)                                              \
    extern "C" __global__ void name##_bug parameters { name<false> arguments; }        \
    extern "C" __global__ void name##_right parameters { name<true> arguments; }

template <bool SYNC> __device__ void block() {
    if (SYNC)
        __syncthreads();
    else
        asm volatile("" ::: "memory");
}

// pair block_tree: block=128 iota:f32:128 zeros:f32:1
template <bool RIGHT> __device__ void block_tree(const float *in, float *out) {
    __shared__ float sums[128];
    unsigned t = threadIdx.x;
    sums[t] = in[t];
    __syncthreads();
    for (unsigned step = 64; step > 0; step /= 2) {
        if (t < step)
            sums[t] += sums[t + step]; // BUG race
        block<RIGHT>();
    }
    if (t == 0)
        *out = sums[0];
}
PAIR(block_tree, (const float *in, float *out), (in, out))

// pair broadcast_sum: block=64 iota:f32:64 zeros:f32:64
template <bool RIGHT> __device__ void broadcast_sum(const float *in, float *out) {
    __shared__ float sum;
    if (threadIdx.x == 0) {
        float all = 0;
        for (int i = 0; i < 64; i++)
            all += in[i];
        sum = all;
    }
    block<RIGHT>();
    out[threadIdx.x] = in[threadIdx.x] / sum; // BUG race
}
PAIR(broadcast_sum, (const float *in, float *out), (in, out))

// pair halo: grid=2 block=64 iota:f32:128 zeros:f32:128
template <bool RIGHT> __device__ void halo(const float *in, float *out) {
    __shared__ float tile[66];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    tile[t + 1] = in[i];
    if (t == 0)
        tile[0] = i > 0 ? in[i - 1] : 0;
    if (t == 63)
        tile[65] = i < 127 ? in[i + 1] : 0;
    block<RIGHT>();
    out[i] = tile[t] + tile[t + 1] + tile[t + 2]; // BUG race
}
PAIR(halo, (const float *in, float *out), (in, out))

// pair tile_loop: block=16x16 iota:f32:1024 zeros:f32:256
template <bool RIGHT> __device__ void tile_loop(const float *in, float *out) {
    __shared__ float tile[16][17];
    float sum = 0;
    for (int k = 0; k < 4; k++) {
        tile[threadIdx.y][threadIdx.x] = in[256 * k + 16 * threadIdx.y + threadIdx.x]; // BUG race
        __syncthreads();
        for (int i = 0; i < 16; i++)
            sum += tile[i][threadIdx.y];
        block<RIGHT>();
    }
    out[16 * threadIdx.y + threadIdx.x] = sum;
}
PAIR(tile_loop, (const float *in, float *out), (in, out))

// pair flip: block=16x16 iota:f32:256 zeros:f32:256
template <bool RIGHT> __device__ void flip(const float *in, float *out) {
    __shared__ float tile[16][17];
    tile[threadIdx.y][threadIdx.x] = in[16 * threadIdx.y + threadIdx.x];
    block<RIGHT>();
    out[16 * threadIdx.y + threadIdx.x] = tile[threadIdx.x][threadIdx.y]; // BUG race
}
PAIR(flip, (const float *in, float *out), (in, out))

// pair two_buffers: block=64 iota:f32:256 zeros:f32:64
template <bool RIGHT> __device__ void two_buffers(const float *in, float *out) {
    __shared__ float tile[2][64];
    float sum = 0;
    for (int k = 0; k < 4; k++) {
        int at = RIGHT ? k % 2 : 0;
        tile[at][threadIdx.x] = in[64 * k + threadIdx.x]; // BUG race
        __syncthreads();
        sum += tile[at][63 - threadIdx.x];
    }
    out[threadIdx.x] = sum;
}
PAIR(two_buffers, (const float *in, float *out), (in, out))

// pair block_scan: block=64 zeros:u32:64
template <bool RIGHT> __device__ void block_scan(unsigned *out) {
    __shared__ unsigned tile[64];
    unsigned t = threadIdx.x;
    tile[t] = t;
    __syncthreads();
    for (unsigned step = 1; step < 64; step *= 2) {
        unsigned before = t >= step ? tile[t - step] : 0;
        block<RIGHT>();
        tile[t] += before; // BUG race
        __syncthreads();
    }
    out[t] = tile[t];
}
PAIR(block_scan, (unsigned *out), (out))

// pair bitonic: block=64 zeros:u32:64
template <bool RIGHT> __device__ void bitonic(unsigned *out) {
    __shared__ unsigned keys[64];
    unsigned t = threadIdx.x;
    keys[t] = t * 37 % 64;
    __syncthreads();
    for (unsigned size = 2; size <= 64; size *= 2)
        for (unsigned step = size / 2; step > 0; step /= 2) {
            unsigned other = t ^ step;
            if (other > t) {
                bool up = (t & size) == 0;
                unsigned a = keys[t], b = keys[other];
                if ((a > b) == up) {
                    keys[t] = b;     // BUG race
                    keys[other] = a; // BUG race
                }
            }
            block<RIGHT>();
        }
    out[t] = keys[t]; // MAYBE race
}
PAIR(bitonic, (unsigned *out), (out))

// pair hands: block=128 zeros:u32:64
template <bool RIGHT> __device__ void hands(unsigned *out) {
    __shared__ unsigned tile[64];
    unsigned t = threadIdx.x % 64;
    unsigned sum = 0;
    for (int round = 0; round < 2; round++) {
        if (threadIdx.x < 64) {
            tile[t] = round + t; // BUG race
            asm volatile("bar.arrive 1, 128;" ::: "memory");
            if (RIGHT)
                asm volatile("bar.sync 2, 128;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 128;" ::: "memory");
            sum += tile[63 - t];
            if (RIGHT)
                asm volatile("bar.arrive 2, 128;" ::: "memory");
        }
    }
    if (threadIdx.x >= 64)
        out[t] = sum;
}
PAIR(hands, (unsigned *out), (out))

// pair carve: block=64 shared=512 zeros:u32:64
template <bool RIGHT> __device__ void carve(unsigned *out) {
    extern __shared__ unsigned room[];
    unsigned *a = room, *b = room + (RIGHT ? 64 : 60);
    a[threadIdx.x] = threadIdx.x; // BUG race
    b[threadIdx.x] = 2 * threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = a[63 - threadIdx.x] + b[threadIdx.x];
}
PAIR(carve, (unsigned *out), (out))

// pair byte_bits: block=64 zeros:u32:64
template <bool RIGHT> __device__ void byte_bits(unsigned *out) {
    __shared__ unsigned char seen[64];
    seen[threadIdx.x] = 0;
    __syncthreads();
    if (RIGHT)
        seen[threadIdx.x] = 1;
    else
        seen[threadIdx.x / 8] |= 1 << threadIdx.x % 8; // BUG race
    __syncthreads();
    out[threadIdx.x] = seen[threadIdx.x];
}
PAIR(byte_bits, (unsigned *out), (out))

// pair all_say: block=64 zeros:u32:64
template <bool RIGHT> __device__ void all_say(unsigned *out) {
    __shared__ unsigned word;
    word = RIGHT ? 5 : threadIdx.x; // BUG race
    __syncthreads();
    out[threadIdx.x] = word;
}
PAIR(all_say, (unsigned *out), (out))

// pair in_place_shift: block=64 iota:u32:65
template <bool RIGHT> __device__ void in_place_shift(unsigned *a) {
    unsigned next = a[threadIdx.x + 1];
    block<RIGHT>();
    a[threadIdx.x] = next; // BUG race
}
PAIR(in_place_shift, (unsigned *a), (a))

// pair in_place_stencil: grid=4 block=32 iota:u32:128 zeros:u32:128
template <bool RIGHT> __device__ void in_place_stencil(unsigned *a, unsigned *b) {
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    unsigned left = i > 0 ? a[i - 1] : 0;
    __syncthreads();
    (RIGHT ? b : a)[i] = left; // BUG race
}
PAIR(in_place_stencil, (unsigned *a, unsigned *b), (a, b))

// pair grid_stride: grid=4 block=32 zeros:u32:256
template <bool RIGHT> __device__ void grid_stride(unsigned *out) {
    for (unsigned i = blockIdx.x * 32 + threadIdx.x; i < 256; i += 128)
        out[RIGHT ? i : i / 2] = i; // BUG race
}
PAIR(grid_stride, (unsigned *out), (out))

// pair block_edges: grid=4 block=32 zeros:u32:160
template <bool RIGHT> __device__ void block_edges(unsigned *out) {
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    out[i] = i; // BUG race
    if (threadIdx.x == 31)
        out[RIGHT ? 128 + blockIdx.x : i + 1] = 1;
}
PAIR(block_edges, (unsigned *out), (out))

// pair rows_and_columns: grid=2 block=32 zeros:u32:1024
template <bool RIGHT> __device__ void rows_and_columns(unsigned *out) {
    for (unsigned i = 0; i < 32; i++) {
        bool rows = RIGHT || blockIdx.x == 0;
        if (i / 16 == blockIdx.x || !RIGHT)
            out[rows ? 32 * i + threadIdx.x : 32 * threadIdx.x + i] = 7 + blockIdx.x; // BUG race
    }
}
PAIR(rows_and_columns, (unsigned *out), (out))

// pair some_at_barrier: block=64 zeros:u32:64
template <bool RIGHT> __device__ void some_at_barrier(unsigned *out) {
    __shared__ unsigned tile[64];
    tile[threadIdx.x] = threadIdx.x;
    if (RIGHT || threadIdx.x < 48)
        asm volatile("bar.sync 0;" ::: "memory"); // BUG barrier-divergence
    out[threadIdx.x] = tile[RIGHT ? 63 - threadIdx.x : threadIdx.x];
}
PAIR(some_at_barrier, (unsigned *out), (out))

// pair barrier_in_uneven_loop: block=32 zeros:u32:32 u32:3
template <bool RIGHT> __device__ void barrier_in_uneven_loop(unsigned *out, unsigned n) {
    unsigned rounds = RIGHT ? n : n + threadIdx.x % 2;
    for (unsigned i = 0; i < rounds; i++) {
        out[threadIdx.x] += i;
        asm volatile("bar.sync 0;" ::: "memory"); // BUG barrier-divergence
    }
}
PAIR(barrier_in_uneven_loop, (unsigned *out, unsigned n), (out, n))

// pair too_few_arrive: block=96 zeros:u32:96
template <bool RIGHT> __device__ void too_few_arrive(unsigned *out) {
    if (threadIdx.x < 64)
        asm volatile("bar.sync 1, %0;" ::"r"(RIGHT ? 64 : 96) : "memory"); // BUG deadlock
    out[threadIdx.x] = 1;
}
PAIR(too_few_arrive, (unsigned *out), (out))

// pair vote_barrier: block=64 zeros:u32:64
template <bool RIGHT> __device__ void vote_barrier(unsigned *out) {
    __shared__ unsigned tile[64];
    tile[threadIdx.x] = threadIdx.x;
    unsigned n = RIGHT ? __syncthreads_count(threadIdx.x % 2) : __popc(__ballot_sync(0xffffffffu, threadIdx.x % 2));
    out[threadIdx.x] = tile[63 - threadIdx.x] + n; // BUG race
}
PAIR(vote_barrier, (unsigned *out), (out))

// pair fence_is_no_barrier: block=64 zeros:u32:64
template <bool RIGHT> __device__ void fence_is_no_barrier(unsigned *out) {
    __shared__ unsigned tile[64];
    tile[threadIdx.x] = threadIdx.x;
    __threadfence_block();
    block<RIGHT>();
    out[threadIdx.x] = tile[63 - threadIdx.x]; // BUG race
}
PAIR(fence_is_no_barrier, (unsigned *out), (out))

// pair own_column: block=32x2 zeros:u32:64
template <bool RIGHT> __device__ void own_column(unsigned *out) {
    __shared__ unsigned tile[2][32];
    unsigned y = threadIdx.y, x = threadIdx.x;
    tile[y][x] = x;
    __syncwarp();
    out[32 * y + x] = tile[RIGHT ? y : 1 - y][31 - x]; // BUG race
}
PAIR(own_column, (unsigned *out), (out))

// pair swap_pointers: block=64 zeros:u32:64
template <bool RIGHT> __device__ void swap_pointers(unsigned *out) {
    __shared__ unsigned a[64], b[64];
    unsigned *from = a, *to = b;
    from[threadIdx.x] = threadIdx.x;
    __syncthreads();
    for (int i = 0; i < 3; i++) {
        to[threadIdx.x] = from[(threadIdx.x + 33) % 64]; // BUG race
        block<RIGHT>();
        unsigned *t = from;
        from = to, to = t;
    }
    out[threadIdx.x] = from[threadIdx.x];
}
PAIR(swap_pointers, (unsigned *out), (out))
