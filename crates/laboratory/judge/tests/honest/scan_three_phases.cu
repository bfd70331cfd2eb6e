// task: scan
// judge: grid = [3]
// judge: block = [64]
// judge: cooperative = true
#include <cooperative_groups.h>
extern "C" __global__ void scan(const int* x, int* y, int* totals, unsigned n) {
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    unsigned chunks = (n + 255) / 256;
    for (unsigned chunk = grid.thread_rank(); chunk < chunks; chunk += grid.size()) {
        int sum = 0;
        for (unsigned i = chunk * 256; i < n && i < chunk * 256 + 256; ++i) y[i] = sum += x[i];
        totals[chunk + 1] = sum;
    }
    if (grid.thread_rank() == 0) totals[0] = 0;
    grid.sync();
    if (grid.thread_rank() == 0) for (unsigned c = 1; c <= chunks; ++c) totals[c] += totals[c - 1];
    grid.sync();
    for (unsigned i = grid.thread_rank(); i < n; i += grid.size()) y[i] += totals[i / 256];
}
