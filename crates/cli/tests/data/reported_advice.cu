// Programs whose finding names one change of the code, and their repaired versions: see `reported.h`.

#include <cub/cub.cuh>
#include "reported.h"

// A tree of sums across warps, although most of its steps are within one warp.
// expect tree: error[race] | by another warp | `__syncthreads()` (`sync_threads`) at the end of the loop: after | branches
template <bool R> __global__ void trees(int *x) {
    __shared__ int s[128];
    s[T] = x[T];
    __syncthreads();
    for (int o = 64; o > 0; o >>= 1) {
        if (T < o) s[T] += s[T + o];
        if constexpr (R) __syncthreads();
    }
    x[T] = s[0] * (T == 0);
}
void tree(bool right) { RUN(trees, 1, 128, device<int>(128)); }

// Blocks take tasks from a counter: the atomic passes nothing from a warp to another.
// expect tasks: error[race] | `__syncthreads()` (`sync_threads`) at the end of the loop: after the read at line 27
template <bool R> __global__ void take(int *next, int *out) {
    __shared__ int id;
    while (true) {
        if (T == 0) id = atomicAdd(next, 1);
        __syncthreads();
        if (id >= 8) break;
        out[id * 64 + T] = id;
        if constexpr (R) __syncthreads();
    }
}
void tasks(bool right) { RUN(take, 2, 64, device<int>(1), device<int>(512)); }

// The condition of the loop reads what the next pass overwrites.
// expect condition: error[race] | `__syncthreads()` (`sync_threads`) at the head of the loop: before the write at line 41
template <bool R> __global__ void repeat(int *x) {
    __shared__ int changed;
    x[T] = T % 5;
    do {
        if constexpr (R) __syncthreads();
        if (T == 0) changed = 0;
        __syncthreads();
        if (x[T] > 0) x[T]--, changed = 1;
        __syncthreads();
    } while (changed);
}
void condition(bool right) { RUN(repeat, 1, 64, device<int>(64)); }

// A statement that a loop repeats.
// expect exchange: error[race] | at the end of the loop: after the write at line 57 of
template <bool R> __global__ void sort(int *x) {
    __shared__ int s[128];
    s[2 * T] = 128 - 2 * T, s[2 * T + 1] = 127 - 2 * T;
    __syncthreads();
    for (int p = 0; p < 128; p++) {
        int i = 2 * T + (p & 1), a, b;
        if (i + 1 < 128 && s[i] > s[i + 1]) a = s[i], b = s[i + 1], s[i] = b, s[i + 1] = a;
        if constexpr (R) __syncthreads();
    }
    __syncthreads();
    x[T] = s[2 * T];
}
void exchange(bool right) { RUN(sort, 1, 64, device<int>(64)); }

// A stencil in place: no barrier of a block or warp repairs it.
// expect in_place: error[race] | by another block | help: write to a second array at line 69
__global__ void smooth(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + T;
    if (i > 0 && i < n - 1) out[i] = (in[i - 1] + in[i] + in[i + 1]) / 3;
}
void in_place(bool right) {
    float *x = device<float>(256), *y = device<float>(256);
    smooth<<<4, 64>>>(x, right ? y : x, 256);
    cudaDeviceSynchronize();
}

// A loop that has a barrier of the grid needs a second one.
// expect grid_loop: error[race] | a barrier of the grid (`cooperative_groups::this_grid().sync()`) at the end of the loop: after the write at line 84
template <bool R> __global__ void passes(int *x, int *sums, int n) {
    auto grid = cg::this_grid();
    for (int pass = 0; pass < n; pass++) {
        sums[grid.thread_rank()] += x[255 - grid.thread_rank()];
        grid.sync();
        x[grid.thread_rank()] = pass;
        if constexpr (R) grid.sync();
    }
}
void grid_loop(bool right) {
    int *x = device<int>(256), *y = device<int>(256), n = 3;
    void *arguments[] = {&x, &y, &n}, *kernel = right ? (void *)passes<true> : (void *)passes<false>;
    cudaLaunchCooperativeKernel(kernel, dim3(4), dim3(64), arguments, 0, 0);
    cudaDeviceSynchronize();
}

// Blocks run in turn, but one thread gives the turn away before the others have written.
// expect turns: error[race] | put `__syncthreads()` (`sync_threads`) between the write at line 103 of
template <bool R> __global__ void in_turn(int *x, int *turn) {
    if (T == 0) {
        while (atomicAdd(turn, 0) < blockIdx.x) {}
        __threadfence();
    }
    __syncthreads();
    x[T] += 1;
    if constexpr (R) __syncthreads();
    if (T == 0) {
        __threadfence();
        atomicExch(turn, blockIdx.x + 1);
    }
}
void turns(bool right) { RUN(in_turn, 4, 128, device<int>(128), device<int>(1)); }

// A flag that is set before the data.
// expect announced: error[race] | move the write at line 124 of | before the atomic at line 122 of | `__threadfence()`
template <bool R> __global__ void chain(int *sums, int *flags) {
    int before = 0;
    if (blockIdx.x > 0) {
        while (atomicAdd(&flags[blockIdx.x - 1], 0) == 0) {}
        __threadfence();
        before = sums[blockIdx.x - 1];
    }
    if constexpr (!R) {
        atomicExch(&flags[blockIdx.x], 1);
        __threadfence();
        sums[blockIdx.x] = before + 1;
    } else {
        sums[blockIdx.x] = before + 1;
        __threadfence();
        atomicExch(&flags[blockIdx.x], 1);
    }
}
void announced(bool right) { RUN(chain, 8, 1, device<int>(8), device<int>(8)); }

// CUB: the storage of a collective is used again.
// expect scans: error[race] | `__syncthreads()` (`sync_threads`) at the end of the loop: after the read at line 138
template <bool R> __global__ void scan(int *x, int n) {
    __shared__ typename cub::BlockScan<int, 128>::TempStorage storage;
    for (int i = 0; i < n; i++) {
        cub::BlockScan<int, 128>(storage).ExclusiveSum(x[T], x[T]);
        if constexpr (R) __syncthreads();
    }
}
void scans(bool right) { RUN(scan, 1, 128, device<int>(128), 3); }

// expect transposed: error[race] | put `__syncthreads()` (`sync_threads`) between the read at line 150 of | and the write at line 152 of
template <bool R> __global__ void transpose(int *x) {
    typedef cub::BlockLoad<int, 64, 4, cub::BLOCK_LOAD_TRANSPOSE> Load;
    typedef cub::BlockStore<int, 64, 4, cub::BLOCK_STORE_TRANSPOSE> Store;
    __shared__ union { typename Load::TempStorage load; typename Store::TempStorage store; } storage;
    int v[4];
    Load(storage.load).Load(x, v);
    if constexpr (R) __syncthreads();
    Store(storage.store).Store(x, v);
}
void transposed(bool right) { RUN(transpose, 1, 64, device<int>(256)); }

// expect exchanged: error[race] | put `__syncwarp()` (`sync_warp`) between the read at line 161 of | and the write at line 163 of
template <bool R> __global__ void warps(int *x) {
    typedef cub::WarpExchange<int, 4, 32> Exchange;
    __shared__ typename Exchange::TempStorage storage[2];
    int v[4] = {x[T], x[T + 64], x[T + 128], x[T + 192]};
    Exchange(storage[T / 32]).BlockedToStriped(v, v);
    if constexpr (R) __syncwarp();
    Exchange(storage[T / 32]).StripedToBlocked(v, v);
    x[T] = v[0];
}
void exchanged(bool right) { RUN(warps, 1, 64, device<int>(256)); }

// expect sorted: error[race] | put `__syncthreads()` (`sync_threads`) between the read at line 174 of | and the write at line 176 of
template <bool R> __global__ void radix(int *x) {
    typedef cub::BlockRadixSort<int, 64, 2> Sort;
    typedef cub::BlockScan<int, 64> Scan;
    __shared__ union { typename Sort::TempStorage sort; typename Scan::TempStorage scan; } storage;
    int v[2] = {x[2 * T], x[2 * T + 1]};
    Sort(storage.sort).Sort(v);
    if constexpr (R) __syncthreads();
    Scan(storage.scan).InclusiveSum(v, v);
    x[2 * T] = v[0], x[2 * T + 1] = v[1];
}
void sorted(bool right) { RUN(radix, 1, 64, device<int>(128)); }

// Only thread 0 has the sum of the block.
// expect only_zero: error[uninitialized] | defined in thread 0 only
template <bool R> __global__ void means(float *x) {
    __shared__ typename cub::BlockReduce<float, 128>::TempStorage storage;
    __shared__ float all;
    float sum = cub::BlockReduce<float, 128>(storage).Sum(x[T]);
    if constexpr (R) {
        if (T == 0) all = sum;
        __syncthreads();
        sum = all;
    }
    x[T] -= sum / 128;
}
void only_zero(bool right) { RUN(means, 1, 128, device<float>(128)); }

// The trip count of a loop with a barrier differs between threads.
// expect trips: error[barrier-divergence] | give the loop the same number of passes in all threads
template <bool R> __global__ void strides(int *x, int n) {
    __shared__ int s[64];
    int sum = 0;
    for (int i = R ? 0 : T; i < n; i += 64) {
        s[T] = R && i + T >= n ? 0 : x[R ? i + T : i];
        __syncthreads();
        sum += s[63 - T];
        __syncthreads();
    }
    x[T] = sum;
}
void trips(bool right) { RUN(strides, 1, 64, device<int>(200), 200); }

// The third launch argument counts bytes.
// expect launch_size: error[out-of-bounds] | ask for at least 260 bytes of dynamic shared memory at the launch, which gave `words` only 256
__global__ void dynamic(int *x) {
    extern __shared__ int words[];
    words[T] = T;
    x[T] = words[T];
}
void launch_size(bool right) {
    dynamic<<<1, 256, right ? 256 * sizeof(int) : 256>>>(device<int>(256));
    cudaDeviceSynchronize();
}

// The pitch counts bytes.
// expect pitch: error[out-of-bounds] | count the pitch in bytes: the rows of this memory are 512 bytes apart
__global__ void fill_rows(float *p, size_t pitch, bool right) {
    float *row = right ? (float *)((char *)p + blockIdx.x * pitch) : p + blockIdx.x * pitch;
    if (T < 100) row[T] = T;
}
void pitch(bool right) {
    float *p;
    size_t bytes;
    cudaMallocPitch((void **)&p, &bytes, 400, 8);
    fill_rows<<<8, 128>>>(p, bytes, right);
    cudaDeviceSynchronize();
}

// The edge of a tile is too short.
// expect halo: error[out-of-bounds] | declare `tile` with at least 272 bytes
template <bool R> __global__ void tiles(int *x) {
    __shared__ int tile[R ? 68 : 66];
    tile[T + 2] = x[T];
    if (T < 2) tile[T] = tile[T + 66] = 0;
    __syncthreads();
    x[T] = tile[T] + tile[T + 4];
}
void halo(bool right) { RUN(tiles, 1, 64, device<int>(64)); }

// The second finding follows from the first: a race decides which threads repeat the loop.
// expect persistent: put `__syncthreads()` | at the end of the loop: after the read at line | repair the other findings first: the barrier at line
template <bool R> __global__ void persistent(unsigned *counters, int *out) {
    __shared__ unsigned item;
    __shared__ bool last;
    int sum = 0;
    while (true) {
        if (T == 0) item = atomicAdd(&counters[0], 1u);
        __syncthreads();
        unsigned mine = item;
        if (mine >= 20) break;
        sum += mine;
        if (R) __syncthreads();
    }
    out[blockIdx.x * blockDim.x + T] = sum;
    if (T == 0) last = atomicAdd(&counters[1], 1u) == gridDim.x - 1;
    __syncthreads();
    if (last) out[blockIdx.x * blockDim.x + T] += 1;
}
void repeated(bool right) { RUN(persistent, 4, 128, device<unsigned>(2), device<int>(512)); }

const Program all[] = {
    {"tree", tree}, {"tasks", tasks}, {"condition", condition}, {"exchange", exchange}, {"in_place", in_place},
    {"grid_loop", grid_loop}, {"turns", turns}, {"announced", announced}, {"scans", scans}, {"transposed", transposed},
    {"exchanged", exchanged}, {"sorted", sorted}, {"only_zero", only_zero}, {"trips", trips},
    {"launch_size", launch_size}, {"pitch", pitch}, {"halo", halo},
    {"persistent", repeated},
};

int main(int count, char **arguments) { return run(all, count, arguments); }
