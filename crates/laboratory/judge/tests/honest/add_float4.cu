// task: add
// judge: grid = ["ceil_div(n, 512)"]
// judge: block = [128]
extern "C" __global__ void add(const float* __restrict__ a, const float* __restrict__ b, float* c, unsigned n) {
    unsigned i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 3 < n) {
        float4 x = *(const float4*)(a + i), y = *(const float4*)(b + i);
        *(float4*)(c + i) = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
    } else {
        for (; i < n; ++i) c[i] = a[i] + b[i];
    }
}
