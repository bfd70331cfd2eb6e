// Prefix sums: by steps and by a tree in shared memory, by shuffles, and over a grid in one pass; and algorithms that use them: stream
// compaction and run lengths.

// Every step adds the value `offset` to the left (Hillis and Steele), between two halves of a buffer.
extern "C" __global__ void scan_steps(const int *in, int *out, unsigned n) {
    extern __shared__ int buffer[];
    unsigned t = threadIdx.x, from = 0, to = blockDim.x;
    buffer[t] = t < n ? in[t] : 0;
    __syncthreads();
    for (unsigned offset = 1; offset < blockDim.x; offset *= 2) {
        buffer[to + t] = buffer[from + t] + (t >= offset ? buffer[from + t - offset] : 0);
        unsigned swap = from;
        from = to;
        to = swap;
        __syncthreads();
    }
    if (t < n) out[t] = buffer[from + t];
}

// Up a tree and down again (Blelloch), exclusive, two values per thread, padded against conflicts.
extern "C" __global__ void scan_tree(const int *in, int *out, int *sums) {
    __shared__ int tree[512 + 16];
    auto at = [](unsigned i) { return i + i / 32; };
    unsigned t = threadIdx.x, base = blockIdx.x * 512;
    tree[at(t)] = in[base + t];
    tree[at(t + 256)] = in[base + t + 256];
    unsigned stride = 1;
    for (unsigned active = 256; active > 0; active /= 2, stride *= 2) {
        __syncthreads();
        if (t < active) tree[at(stride * (2 * t + 2) - 1)] += tree[at(stride * (2 * t + 1) - 1)];
    }
    if (t == 0) {
        sums[blockIdx.x] = tree[at(511)];
        tree[at(511)] = 0;
    }
    for (unsigned active = 1; active <= 256; active *= 2) {
        stride /= 2;
        __syncthreads();
        if (t < active) {
            unsigned left = at(stride * (2 * t + 1) - 1), right = at(stride * (2 * t + 2) - 1);
            int kept = tree[left];
            tree[left] = tree[right];
            tree[right] += kept;
        }
    }
    __syncthreads();
    out[base + t] = tree[at(t)];
    out[base + t + 256] = tree[at(t + 256)];
}

// Adds to each block's values the sum of the blocks before.
extern "C" __global__ void scan_add(int *out, const int *sums) {
    int before = 0;
    for (unsigned b = 0; b < blockIdx.x; b++) before += sums[b];
    out[blockIdx.x * 512 + threadIdx.x] += before;
    out[blockIdx.x * 512 + threadIdx.x + 256] += before;
}

template <typename T> __device__ T warp_scan(T value) {
    unsigned lane = threadIdx.x % 32;
    for (unsigned offset = 1; offset < 32; offset *= 2) {
        T left = __shfl_up_sync(0xffffffffu, value, offset);
        if (lane >= offset) value += left;
    }
    return value;
}

template <typename T> __device__ T block_scan(T value, T *totals) {
    value = warp_scan(value);
    if (threadIdx.x % 32 == 31) totals[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x < 32) totals[threadIdx.x] = warp_scan(threadIdx.x < blockDim.x / 32 ? totals[threadIdx.x] : T(0));
    __syncthreads();
    if (threadIdx.x >= 32) value += totals[threadIdx.x / 32 - 1];
    return value;
}

extern "C" __global__ void scan_shuffle(const long long *in, long long *out) {
    __shared__ long long totals[32];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = block_scan(in[i], totals);
}

// One pass: each block publishes its own sum, then its inclusive prefix, and walks back over its
// predecessors until one has published a prefix. Blocks take their tiles in the order they start.
struct Tile {
    volatile unsigned long long word; // state in the high half, value in the low
};
__device__ unsigned next_tile = 0;
extern "C" __global__ void scan_look_back(const unsigned *in, unsigned *out, Tile *tiles, unsigned n) {
    const unsigned long long SUM = 1ull << 32, PREFIX = 2ull << 32;
    __shared__ unsigned totals[32], my_tile, before;
    if (threadIdx.x == 0) my_tile = atomicAdd(&next_tile, 1);
    __syncthreads();
    unsigned tile = my_tile, i = tile * blockDim.x + threadIdx.x;
    unsigned value = block_scan(i < n ? in[i] : 0u, totals);
    if (threadIdx.x == blockDim.x - 1) {
        tiles[tile].word = (tile == 0 ? PREFIX : SUM) | value;
        unsigned sum = 0;
        for (int p = (int)tile - 1; p >= 0;) {
            unsigned long long word = tiles[p].word;
            if (word >> 32 == 0) continue;
            sum += (unsigned)word;
            if (word & PREFIX) break;
            p--;
        }
        if (tile > 0) tiles[tile].word = PREFIX | (sum + value);
        before = sum;
    }
    __syncthreads();
    if (i < n) out[i] = value + before;
}

// Keeps the values that a predicate picks, in order, within a block.
extern "C" __global__ void compact_ordered(const int *in, int *out, unsigned *counts, unsigned n) {
    __shared__ unsigned totals[32];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = i < n ? in[i] : 0;
    unsigned keep = i < n && value % 3 == 0;
    unsigned place = block_scan(keep, totals);
    if (keep) out[blockIdx.x * blockDim.x + place - 1] = value;
    if (threadIdx.x == blockDim.x - 1) counts[blockIdx.x] = place;
}

// The same over the grid in any order: one atomic per warp for the lanes that keep.
extern "C" __global__ void compact_aggregated(const int *in, int *out, unsigned *count, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int value = in[i];
    if (value % 3 == 0) {
        unsigned active = __activemask(), lane = threadIdx.x % 32;
        unsigned leader = __ffs(active) - 1, base = 0;
        if (lane == leader) base = atomicAdd(count, __popc(active));
        base = __shfl_sync(active, base, leader);
        out[base + __popc(active & ((1u << lane) - 1))] = value;
    }
}

// Sums by segment: a pair of a flag and a value is scanned.
extern "C" __global__ void scan_segments(const int *in, const unsigned char *heads, int *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    int value = in[i];
    unsigned first = __ballot_sync(0xffffffffu, heads[i] != 0);
    first |= 1;
    unsigned mine = 31 - __clz(first & (0xffffffffu >> (31 - lane)));
    for (unsigned offset = 1; offset < 32; offset *= 2) {
        int left = __shfl_up_sync(0xffffffffu, value, offset);
        if (lane >= mine + offset) value += left;
    }
    out[i] = value;
}
