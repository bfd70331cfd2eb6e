// task: saxpy
// judge: grid = [3]
// judge: block = [64]
extern "C" __global__ void saxpy(float alpha, const float* x, float* y, unsigned n) {
    for (unsigned long long i = blockIdx.x * 64ull + threadIdx.x; i < n; i += 64ull * gridDim.x)
        y[i] = __fadd_rn(__fmul_rn(alpha, x[i]), y[i]);
}
