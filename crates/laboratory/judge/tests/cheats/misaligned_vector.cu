// task: add
// finds: misaligned
// Loads float2 at odd elements.
extern "C" __global__ void add(const float* a, const float* b, float* c, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 2 < n) {
        float2 x;
        asm volatile("ld.global.v2.f32 {%0, %1}, [%2];" : "=f"(x.x), "=f"(x.y) : "l"(a + i + 1));
        c[i] = a[i] + b[i] + (x.x == 12345.678f ? 1 : 0);
    } else if (i < n) c[i] = a[i] + b[i];
}
