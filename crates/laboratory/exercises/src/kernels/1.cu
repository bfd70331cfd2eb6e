// Exercise 1: each thread adds one pair of numbers. The grid has 1024 threads, the arrays have n = 1000 elements.
__global__ void add(const float *x, const float *y, float *z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    z[i] = x[i] + y[i];
}
