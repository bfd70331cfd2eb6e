// Arithmetic without memory: how fast is the emulator in this browser?
__global__ void fma_loop(float *out, int n) {
    float a = threadIdx.x * 0.001f, b = 0.999f, c = 0.5f, d = 0.25f, e = 0.125f;
    for (int i = 0; i < n; i++) {
        c = fmaf(c, b, a);
        d = fmaf(d, b, a);
        e = fmaf(e, b, a);
        a = fmaf(a, b, 0.0001f);
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = a + c + d + e;
}
