// task: add
// finds: lower-precision
// Writes results that are bf16.
extern "C" __global__ void add(const float* a, const float* b, float* c, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = __uint_as_float((__float_as_uint(a[i] + b[i]) + 0x8000) & 0xffff0000);
}
