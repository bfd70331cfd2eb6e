// task: sum
// finds: wrong
// Right for constants: n times the first.
extern "C" __global__ void sum(const float* x, float* out, float* partials, unsigned n) {
    if (threadIdx.x == 0) *out = n ? n * x[0] : 0;
}
