// Cooperative groups: grid-wide synchronization, tiles, and cp.async through the pipeline interface.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;

extern "C" __global__ void two_phases(float *data, float *partial, int n) {
    cg::grid_group grid = cg::this_grid();
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    float total = 0;
    for (int i = grid.thread_rank(); i < n; i += grid.size()) total += data[i];
    total = cg::reduce(warp, total, cg::plus<float>());
    if (warp.thread_rank() == 0) atomicAdd(&partial[block.group_index().x], total);
    grid.sync();
    if (grid.thread_rank() == 0)
        for (int b = 1; b < gridDim.x; b++) partial[0] += partial[b];
}

extern "C" __global__ void staged_copy(const float4 *in, float4 *out, int n) {
    extern __shared__ float4 stage[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        __pipeline_memcpy_async(&stage[threadIdx.x], &in[i], sizeof(float4));
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        float4 v = stage[threadIdx.x ^ 1];
        __syncthreads();
        out[i] = v;
    }
}
