// task: sum
// judge: grid = [4]
// judge: block = [64]
// judge: cooperative = true
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void sum(const float* x, float* out, float* partials, unsigned n) {
    cg::grid_group grid = cg::this_grid();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());
    float own = 0;
    for (unsigned i = grid.thread_rank(); i < n; i += grid.size()) own += x[i];
    for (int distance = 16; distance > 0; distance /= 2) own += warp.shfl_down(own, distance);
    unsigned warps = grid.size() / 32;
    if (warp.thread_rank() == 0) partials[grid.thread_rank() / 32] = own;
    grid.sync();
    if (grid.thread_rank() == 0) {
        float total = 0;
        for (unsigned i = 0; i < warps; ++i) total += partials[i];
        *out = total;
    }
}
