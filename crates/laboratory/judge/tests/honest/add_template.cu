// task: add
// judge: grid = ["ceil_div(n, 512)"]
// judge: block = [128]
struct Plus { __device__ float operator()(float x, float y) const { return x + y; } };
template <int Items, class Op>
__device__ void zip(const float* a, const float* b, float* c, unsigned n, Op op) {
#pragma unroll
    for (int item = 0; item < Items; ++item) {
        unsigned i = (blockIdx.x * Items + item) * blockDim.x + threadIdx.x;
        if (i < n) c[i] = op(a[i], b[i]);
    }
}
extern "C" __global__ void add(const float* a, const float* b, float* c, unsigned n) { zip<4>(a, b, c, n, Plus()); }
