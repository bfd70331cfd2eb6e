// Adds two vectors: allocate, copy, launch, copy back, compare. Press Run, then Check, then Measure.
#include <cstdio>
#include <vector>

__global__ void add(const float *x, const float *y, float *z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}

int main() {
    const int n = 100000;
    const size_t bytes = n * sizeof(float);
    std::vector<float> x(n), y(n), z(n);
    for (int i = 0; i < n; i++) {
        x[i] = 0.5f * i;
        y[i] = 2.0f * i;
    }
    float *dx, *dy, *dz;
    cudaMalloc(&dx, bytes);
    cudaMalloc(&dy, bytes);
    cudaMalloc(&dz, bytes);
    cudaMemcpy(dx, x.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), bytes, cudaMemcpyHostToDevice);
    add<<<(n + 255) / 256, 256>>>(dx, dy, dz, n);
    cudaMemcpy(z.data(), dz, bytes, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < n; i++) wrong += z[i] != x[i] + y[i];
    printf("z[99999] = %g, %d wrong elements\n", z[n - 1], wrong);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaFree(dx);
    cudaFree(dy);
    cudaFree(dz);
    return wrong;
}
