// Sums, extremes and their places: in shared memory, by shuffles, by atomics, in one pass over a grid.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// A tree in shared memory whose active threads are the first of the block.
extern "C" __global__ void reduce_tree(const int *in, int *out, unsigned n) {
    __shared__ int partial[256];
    unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    partial[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) partial[t] += partial[t + half];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = partial[0];
}

// The same tree in dynamic shared memory with interleaved threads: divergent in every warp.
extern "C" __global__ void reduce_interleaved(const int *in, int *out, unsigned n) {
    extern __shared__ int dynamic[];
    unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    dynamic[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        if (t % (2 * stride) == 0) dynamic[t] += dynamic[t + stride];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = dynamic[0];
}

template <typename T> __device__ T warp_sum(T value) {
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffffu, value, offset);
    return value;
}

// Shuffles within warps, one word of shared memory per warp, one atomic per block.
template <typename T> __global__ void reduce_shuffle(const T *in, T *out, unsigned n) {
    __shared__ T partial[32];
    T sum = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
    sum = warp_sum(sum);
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (lane == 0) partial[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        sum = lane < blockDim.x / 32 ? partial[lane] : T(0);
        sum = warp_sum(sum);
        if (lane == 0) atomicAdd(out, sum);
    }
}
template __global__ void reduce_shuffle<int>(const int *, int *, unsigned);
template __global__ void reduce_shuffle<float>(const float *, float *, unsigned);
template __global__ void reduce_shuffle<double>(const double *, double *, unsigned);

// Four values per load.
extern "C" __global__ void reduce_vectors(const float4 *in, float *out, unsigned n4) {
    float sum = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
        float4 v = in[i];
        sum += (v.x + v.y) + (v.z + v.w);
    }
    sum = warp_sum(sum);
    __shared__ float partial[8];
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        float total = 0;
        for (unsigned w = 0; w < blockDim.x / 32; w++) total += partial[w];
        out[blockIdx.x] = total;
    }
}

__device__ unsigned arrived = 0;

// The block that arrives last adds the other blocks' sums.
extern "C" __global__ void reduce_last_block(const int *in, volatile int *partial, int *out, unsigned n) {
    __shared__ bool last;
    int sum = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0) atomicAdd((int *)&partial[blockIdx.x], sum);
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int total = 0;
        for (unsigned b = 0; b < gridDim.x; b++) total += partial[b];
        *out = total;
    }
}

// The greatest value and its first place, both in one word.
extern "C" __global__ void argmax(const float *in, unsigned long long *best, unsigned n) {
    unsigned long long mine = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned bits = __float_as_uint(in[i]);
        unsigned key = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
        unsigned long long word = (unsigned long long)key << 32 | (0xffffffffu - i);
        mine = word > mine ? word : mine;
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        unsigned long long other = __shfl_xor_sync(0xffffffffu, mine, offset);
        mine = other > mine ? other : mine;
    }
    if (threadIdx.x % 32 == 0) atomicMax(best, mine);
}

// A tile of 16 threads at a time, by cooperative groups.
extern "C" __global__ void reduce_tiles(const int *in, int *out) {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
    int value = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (int offset = tile.size() / 2; offset > 0; offset /= 2) value += tile.shfl_down(value, offset);
    if (tile.thread_rank() == 0) out[blockIdx.x * tile.meta_group_size() + tile.meta_group_rank()] = value;
}
