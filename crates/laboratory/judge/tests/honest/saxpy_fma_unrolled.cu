// task: saxpy
// judge: grid = ["ceil_div(n, 1024)"]
// judge: block = [256]
extern "C" __global__ void saxpy(float alpha, const float* x, float* y, unsigned n) {
    unsigned start = blockIdx.x * blockDim.x * 4 + threadIdx.x;
#pragma unroll 4
    for (unsigned item = 0; item < 4; ++item) {
        unsigned i = start + item * blockDim.x;
        if (i < n) y[i] = fmaf(alpha, x[i], y[i]);
    }
}
