// A program that tests itself: sums of blocks through shared memory. Without the barrier, `lanework exec --check` finds a race.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void sums(const float *in, float *out) {
    __shared__ float tile[64];
    tile[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        float sum = 0;
        for (int i = 0; i < 64; i++) sum += tile[i];
        out[blockIdx.x] = sum;
    }
}

int main() {
    float in[256], out[4], *x, *y;
    for (int i = 0; i < 256; i++) in[i] = float(i % 64);
    cudaMalloc(&x, sizeof in);
    cudaMalloc(&y, sizeof out);
    cudaMemcpy(x, in, sizeof in, cudaMemcpyHostToDevice);
    sums<<<4, 64>>>(x, y);
    cudaMemcpy(out, y, sizeof out, cudaMemcpyDeviceToHost);
    for (float sum : out) {
        if (sum != 2016) {
            printf("wrong sum %g\n", sum);
            return 1;
        }
    }
    printf("passed\n");
    return 0;
}
