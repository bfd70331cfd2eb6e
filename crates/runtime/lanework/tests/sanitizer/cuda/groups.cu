// Collectives of cooperative groups with more than a warp, which exchange values in shared memory that CUDA reserves:
// each kernel in a wrong and a right version.

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

#define PAIR(name, parameters, arguments)                                              \
    extern "C" __global__ void name##_bug parameters { name<false> arguments; }        \
    extern "C" __global__ void name##_right parameters { name<true> arguments; }

// Values go to another warp of the tile, which only the tile's barrier orders.
// pair group_exchange: block=128 iota:f32:128 zeros:f32:128
template <bool RIGHT> __device__ void group_exchange(const float *in, float *out) {
    __shared__ float values[128];
    auto tile = cg::tiled_partition<64>(cg::this_thread_block());
    unsigned t = threadIdx.x;
    float value = in[t];
#pragma unroll 1
    for (int round = 0; round < 3; round++) {
        value += cg::reduce(tile, value, cg::plus<float>());
        value += tile.shfl(value, 40);
        if (tile.any(value < 0))
            value = 0;
        values[t] = value;
        tile.sync();
        value += values[t ^ 32]; // BUG race
        if (RIGHT)
            tile.sync();
        else
            asm volatile("" ::: "memory");
        values[t] = value;
        tile.sync();
    }
    out[t] = values[t];
}
PAIR(group_exchange, (const float *in, float *out), (in, out))

// Lanes of a warp exchange values between two collectives.
// pair group_lanes: block=128 iota:f32:128 zeros:f32:128
template <bool RIGHT> __device__ void group_lanes(const float *in, float *out) {
    __shared__ float values[128];
    auto tile = cg::tiled_partition<128>(cg::this_thread_block());
    unsigned t = threadIdx.x;
    float sum = cg::reduce(tile, in[t], cg::plus<float>());
    values[t] = in[t] / sum;
    if (RIGHT)
        __syncwarp();
    else
        asm volatile("" ::: "memory");
    float other = values[t ^ 1]; // BUG race
    out[t] = other + cg::reduce(tile, other, cg::greater<float>());
}
PAIR(group_lanes, (const float *in, float *out), (in, out))

// Tiles of tiles, each with its own barrier.
// pair group_halves: block=256 iota:f32:256 zeros:f32:256
template <bool RIGHT> __device__ void group_halves(const float *in, float *out) {
    __shared__ float values[256];
    auto tile = cg::tiled_partition<128>(cg::this_thread_block());
    auto half = cg::tiled_partition<64>(tile);
    unsigned t = threadIdx.x;
    values[t] = cg::reduce(half, in[t], cg::plus<float>());
    if (RIGHT)
        tile.sync();
    else
        half.sync();
    out[t] = values[t ^ 64] + cg::reduce(tile, values[t], cg::less<float>()); // BUG race
}
PAIR(group_halves, (const float *in, float *out), (in, out))
