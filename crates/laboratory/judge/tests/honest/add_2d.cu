// task: add
// judge: grid = [8, "ceil_div(n, 2048)"]
// judge: block = [32, 8]
extern "C" __global__ __launch_bounds__(256) void add(const float* a, const float* b, float* c, unsigned n) {
    unsigned block = blockIdx.y * gridDim.x + blockIdx.x;
    unsigned i = block * 256 + threadIdx.y * 32 + threadIdx.x;
    if (i < n) c[i] = __fadd_rn(a[i], b[i]);
}
