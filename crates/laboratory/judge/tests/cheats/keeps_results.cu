// task: add_stateful
// finds: stale
// Returns a cached result, in a task that allows variables to change.
__device__ float kept[70001];
extern "C" __global__ void add(const float* a, const float* b, float* c, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (kept[i] == 0) kept[i] = a[i] + b[i];
    c[i] = kept[i];
}
