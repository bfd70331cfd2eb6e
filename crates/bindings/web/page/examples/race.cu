// Sums 256 numbers per block. The result may look right, yet the kernel has a race: press Check.
#include <cstdio>

__global__ void sum(const int *x, int *total) {
    __shared__ int part[256];
    int i = threadIdx.x;
    part[i] = x[blockIdx.x * 256 + i];
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (i < half) part[i] += part[i + half];
        // A barrier belongs here: the next step reads what this one writes.
    }
    if (i == 0) atomicAdd(total, part[0]);
}

int main() {
    const int n = 1024;
    int *x, *total;
    cudaMallocManaged(&x, n * sizeof(int));
    cudaMallocManaged(&total, sizeof(int));
    for (int i = 0; i < n; i++) x[i] = i;
    *total = 0;
    sum<<<n / 256, 256>>>(x, total);
    cudaDeviceSynchronize();
    printf("%d, should be %d\n", *total, n * (n - 1) / 2);
    return 0;
}
