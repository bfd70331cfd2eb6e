// task: add
// finds: out-of-bounds
// Loads whole float4 at a ragged end.
extern "C" __global__ void add(const float* a, const float* b, float* c, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    i *= 4;
    if (i < n) {
        float4 x = *(const float4*)(a + i), y = *(const float4*)(b + i);
        float z[4] = {x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w};
        for (int j = 0; j < 4 && i + j < n; ++j) c[i + j] = z[j];
    }
}
