// Exercise 8: counts 1024 numbers from 0 to 1 in 8 bins. All threads of the grid add to the same 8 words of global memory.
__global__ void count(const float *x, float *bins) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int bin = (int)(x[i] * x[i] * 8) & 7;
    atomicAdd(&bins[bin], 1.0f);
}
