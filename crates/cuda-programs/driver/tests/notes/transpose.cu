// A transpose straight through global memory, through a padded shared tile, and through one without the padding.
#include <cstdio>
#include <vector>

const int T = 16;

__global__ void direct(const float *a, float *b, int n) {
    int x = blockIdx.x * T + threadIdx.x, y = blockIdx.y * T + threadIdx.y;
    if (x < n && y < n) b[x * n + y] = a[y * n + x];
}

template <int PADDING> __global__ void tiled(const float *a, float *b, int n) {
    __shared__ float tile[T][T + PADDING];
    int x = blockIdx.x * T + threadIdx.x, y = blockIdx.y * T + threadIdx.y;
    if (x < n && y < n) tile[threadIdx.y][threadIdx.x] = a[y * n + x];
    __syncthreads();
    x = blockIdx.y * T + threadIdx.x, y = blockIdx.x * T + threadIdx.y;
    if (x < n && y < n) b[y * n + x] = tile[threadIdx.x][threadIdx.y];
}

int main() {
    int n = 250, wrong = 0;
    std::vector<float> host(n * n), back(n * n);
    for (int i = 0; i < n * n; i++) host[i] = float(i);
    float *a, *b;
    cudaMalloc(&a, n * n * sizeof(float)), cudaMalloc(&b, n * n * sizeof(float));
    cudaMemcpy(a, host.data(), n * n * sizeof(float), cudaMemcpyHostToDevice);
    dim3 block(T, T), grid((n + T - 1) / T, (n + T - 1) / T);
    const char *names[] = {"global", "padded tile", "tile without padding"};
    for (int rung = 0; rung < 3; rung++) {
        cudaMemset(b, 0, n * n * sizeof(float));
        if (rung == 0) direct<<<grid, block>>>(a, b, n);
        if (rung == 1) tiled<1><<<grid, block>>>(a, b, n);
        if (rung == 2) tiled<0><<<grid, block>>>(a, b, n);
        cudaMemcpy(back.data(), b, n * n * sizeof(float), cudaMemcpyDeviceToHost);
        int bad = 0;
        for (int y = 0; y < n; y++) for (int x = 0; x < n; x++) bad += back[x * n + y] != host[y * n + x];
        printf("%-22s %s\n", names[rung], bad ? "WRONG" : "right");
        wrong += bad;
    }
    cudaFree(a), cudaFree(b);
    return wrong != 0;
}
