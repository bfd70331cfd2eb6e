// Warp operations: shuffles, votes, and groups of lanes that are active together.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

extern "C" __global__ void shuffles(const int *in, int *out) {
    int lane = threadIdx.x, v = in[lane];
    out[0 * 32 + lane] = __shfl_sync(~0u, v, (lane * 7 + 3) % 32);
    out[1 * 32 + lane] = __shfl_up_sync(~0u, v, 5);
    out[2 * 32 + lane] = __shfl_down_sync(~0u, v, 9);
    out[3 * 32 + lane] = __shfl_xor_sync(~0u, v, 21);
    out[4 * 32 + lane] = __shfl_sync(~0u, v, lane, 8);
    out[5 * 32 + lane] = __shfl_up_sync(~0u, v, 3, 8);
    out[6 * 32 + lane] = __shfl_down_sync(~0u, v, 3, 16);
    out[7 * 32 + lane] = __shfl_xor_sync(~0u, v, 12, 16);
    out[8 * 32 + lane] = __shfl_sync(~0u, v, 35);
    int old = -1;
    if (lane % 2) old = __shfl_sync(0xaaaaaaaau, v, 1, 4);
    out[9 * 32 + lane] = old;
}

extern "C" __global__ void shuffles_wide(const double *in, double *out, const long long *in64, long long *out64) {
    int lane = threadIdx.x;
    out[lane] = __shfl_xor_sync(~0u, in[lane], 1) - __shfl_down_sync(~0u, in[lane], 16);
    out64[lane] = __shfl_sync(~0u, in64[lane], 31 - lane) ^ __shfl_up_sync(~0u, in64[lane], 1);
}

extern "C" __global__ void votes(const int *in, unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
    unsigned *mine = out + i * 6;
    mine[0] = __ballot_sync(~0u, v > 0);
    mine[1] = __any_sync(~0u, v > 90);
    mine[2] = __all_sync(~0u, v > -90);
    mine[3] = v & 1 ? __activemask() : 0;
    mine[4] = __match_any_sync(~0u, v % 5);
    int agree;
    unsigned same = __match_all_sync(~0u, v / 1000, &agree);
    mine[5] = same ^ agree;
    __syncwarp();
}

extern "C" __global__ void block_votes(const int *in, int *out) {
    int v = in[threadIdx.x];
    int a = __syncthreads_count(v > 0), b = __syncthreads_and(v > -200), c = __syncthreads_or(v > 200);
    out[threadIdx.x] = a * 100 + b * 10 + c;
}

// Lanes on the same side of a branch add with one atomic.
extern "C" __global__ void coalesced(const int *in, int *sums, int *ranks) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
    if (v % 3 == 0) {
        cg::coalesced_group group = cg::coalesced_threads();
        int sum = cg::reduce(group, v, cg::plus<int>());
        if (group.thread_rank() == 0) atomicAdd(&sums[0], sum);
        ranks[i] = group.thread_rank() * 100 + group.size();
    } else {
        cg::coalesced_group group = cg::coalesced_threads();
        int most = cg::reduce(group, v, cg::greater<int>());
        ranks[i] = most;
    }
}

extern "C" __global__ void labeled(const unsigned char *label, int *out) {
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    auto group = cg::labeled_partition(warp, label[block.thread_rank()]);
    int count = cg::reduce(group, 1, cg::plus<int>());
    int least = cg::reduce(group, (int)block.thread_rank(), cg::less<int>());
    auto halves = cg::binary_partition(warp, label[block.thread_rank()] > 2);
    out[block.thread_rank()] = count + 100 * least + 100000 * halves.size();
}

extern "C" __global__ void tiles(const int *in, int *out) {
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    int v = in[block.thread_rank()];
    int *mine = out + block.thread_rank() * 6;
    mine[0] = cg::reduce(tile, v, cg::plus<int>());
    mine[1] = cg::inclusive_scan(tile, v, cg::plus<int>());
    mine[2] = cg::exclusive_scan(tile, v, cg::plus<int>());
    mine[3] = cg::reduce(tile, v, cg::bit_xor<int>());
    mine[4] = tile.shfl(v, 3) + tile.any(v > 90) * 1000;
    mine[5] = tile.meta_group_rank() * 10 + __popc(tile.ballot(v > 0));
    tile.sync();
}

// Each thread stores its position and its block's shape in three dimensions.
extern "C" __global__ void shape(unsigned *out) {
    auto block = cg::this_thread_block();
    auto grid = cg::this_grid();
    unsigned rank = block.thread_rank();
    unsigned *mine = out + (grid.block_rank() * block.num_threads() + rank) * 4;
    dim3 at = block.thread_index(), where = block.group_index(), size = block.dim_threads();
    mine[0] = at.x | at.y << 8 | at.z << 16;
    mine[1] = where.x | where.y << 8 | where.z << 16;
    mine[2] = size.x * size.y * size.z;
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    mine[3] = lane * 1000 + rank / 32;
    block.sync();
}

// Specialized warps with named barriers: half produce, half consume.
extern "C" __global__ void named_barriers(const int *in, int *out, int rounds) {
    __shared__ int slot[64];
    bool producer = threadIdx.x < 64;
    int t = threadIdx.x % 64;
    for (int r = 0; r < rounds; r++) {
        if (producer) {
            slot[t] = in[r * 64 + t] * 2;
            asm volatile("bar.arrive 1, 128;" ::: "memory");
            asm volatile("bar.sync 2, 128;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 128;" ::: "memory");
            out[r * 64 + t] = slot[63 - t] + 1;
            asm volatile("bar.arrive 2, 128;" ::: "memory");
        }
    }
}
