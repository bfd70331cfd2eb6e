// task: add
// finds: wrong
// Flushes subnormal numbers to zero.
extern "C" __global__ void add(const float* a, const float* b, float* c, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { float x; asm("add.ftz.f32 %0, %1, %2;" : "=f"(x) : "f"(a[i]), "f"(b[i])); c[i] = x; }
}
