// task: scan
// finds: race
// Looks back at totals without waiting for them.
// judge: grid = ["max(1, ceil_div(n, 256))"]
// judge: block = [1]
extern "C" __global__ void scan(const int* x, int* y, int* totals, unsigned n) {
    int before = blockIdx.x ? totals[blockIdx.x - 1] : 0;
    for (unsigned i = blockIdx.x * 256; i < n && i < blockIdx.x * 256 + 256; ++i) y[i] = before += x[i];
    totals[blockIdx.x] = before;
}
