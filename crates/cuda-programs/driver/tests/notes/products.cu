// Products of matrices: naive, through shared tiles, with pitched rows and compensated sums, and of integers with a tile per thread.
#include <cmath>
#include <cstdio>
#include <vector>

const int T = 16;

__global__ void naive(const float *a, const float *b, float *c, int n) {
    int x = blockIdx.x * T + threadIdx.x, y = blockIdx.y * T + threadIdx.y;
    if (x >= n || y >= n) return;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}

__global__ void tiles(const float *a, const float *b, float *c, int n) {
    __shared__ float at[T][T], bt[T][T];
    int x = blockIdx.x * T + threadIdx.x, y = blockIdx.y * T + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k += T) {
        at[threadIdx.y][threadIdx.x] = y < n && k + threadIdx.x < n ? a[y * n + k + threadIdx.x] : 0;
        bt[threadIdx.y][threadIdx.x] = x < n && k + threadIdx.y < n ? b[(k + threadIdx.y) * n + x] : 0;
        __syncthreads();
        for (int i = 0; i < T; i++) sum += at[threadIdx.y][i] * bt[i][threadIdx.x];
        __syncthreads();
    }
    if (x < n && y < n) c[y * n + x] = sum;
}

__global__ void row_in_shared_memory(const float *a, size_t pa, const float *b, size_t pb, float *c, int n) {
    extern __shared__ float row[];
    const float *of_a = (const float *)((const char *)a + blockIdx.x * pa);
    for (int i = threadIdx.x; i < n; i += blockDim.x) row[i] = of_a[i];
    __syncthreads();
    for (int x = threadIdx.x; x < n; x += blockDim.x) {
        float sum = 0, lost = 0;
        for (int k = 0; k < n; k++) {
            float term = row[k] * ((const float *)((const char *)b + k * pb))[x] - lost, next = sum + term;
            lost = (next - sum) - term, sum = next;
        }
        c[blockIdx.x * n + x] = sum;
    }
}

template <int S> __global__ void tile_per_thread(const int *a, const int *b, int *c, int n) {
    int x = (blockIdx.x * blockDim.x + threadIdx.x) * S, y = (blockIdx.y * blockDim.y + threadIdx.y) * S;
    int sum[S][S] = {};
    for (int k = 0; k < n; k++)
        for (int i = 0; i < S; i++)
            for (int j = 0; j < S; j++) sum[i][j] += a[(y + i) * n + k] * b[k * n + x + j];
    for (int i = 0; i < S; i++) for (int j = 0; j < S; j++) c[(y + i) * n + x + j] = sum[i][j];
}

int main() {
    const int n = 96;
    std::vector<float> a(n * n), b(n * n), c(n * n);
    std::vector<double> exact(n * n);
    for (int i = 0; i < n * n; i++) a[i] = float(i % 13) / 7, b[i] = float(i % 11) / 5;
    for (int y = 0; y < n; y++) for (int x = 0; x < n; x++) for (int k = 0; k < n; k++) exact[y * n + x] += double(a[y * n + k]) * b[k * n + x];
    float *da, *db, *dc, *pa, *pb;
    size_t bytes = n * n * sizeof(float), pitch_a, pitch_b, width = n * sizeof(float);
    cudaMalloc(&da, bytes), cudaMalloc(&db, bytes), cudaMalloc(&dc, bytes);
    cudaMallocPitch(&pa, &pitch_a, width, n), cudaMallocPitch(&pb, &pitch_b, width, n);
    cudaMemcpy(da, a.data(), bytes, cudaMemcpyHostToDevice), cudaMemcpy(db, b.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy2D(pa, pitch_a, a.data(), width, width, n, cudaMemcpyHostToDevice);
    cudaMemcpy2D(pb, pitch_b, b.data(), width, width, n, cudaMemcpyHostToDevice);
    dim3 block(T, T), grid((n + T - 1) / T, (n + T - 1) / T);
    const char *names[] = {"naive", "tiles", "pitched rows, Kahan"};
    int wrong = 0;
    for (int rung = 0; rung < 3; rung++) {
        if (rung == 0) naive<<<grid, block>>>(da, db, dc, n);
        if (rung == 1) tiles<<<grid, block>>>(da, db, dc, n);
        if (rung == 2) row_in_shared_memory<<<n, 32, width>>>(pa, pitch_a, pb, pitch_b, dc, n);
        cudaMemcpy(c.data(), dc, bytes, cudaMemcpyDeviceToHost);
        double most = 0;
        for (int i = 0; i < n * n; i++) most = std::fmax(most, std::fabs(c[i] - exact[i]) / exact[i]);
        printf("%-22s largest relative error %.1e, %s\n", names[rung], most, most < 1e-5 ? "right" : "WRONG");
        wrong += most >= 1e-5;
    }
    std::vector<int> ia(n * n), ib(n * n), ic(n * n);
    for (int i = 0; i < n * n; i++) ia[i] = i % 7 - 3, ib[i] = i % 5 - 2;
    int *dia = (int *)da, *dib = (int *)db, *dic = (int *)dc;
    cudaMemcpy(dia, ia.data(), bytes, cudaMemcpyHostToDevice), cudaMemcpy(dib, ib.data(), bytes, cudaMemcpyHostToDevice);
    for (int rung = 0; rung < 2; rung++) {
        if (rung == 0) tile_per_thread<1><<<dim3(n / 8, n / 8), dim3(8, 8)>>>(dia, dib, dic, n);
        if (rung == 1) tile_per_thread<4><<<dim3(n / 32, n / 32), dim3(8, 8)>>>(dia, dib, dic, n);
        cudaMemcpy(ic.data(), dic, bytes, cudaMemcpyDeviceToHost);
        int bad = 0;
        for (int y = 0; y < n; y++) for (int x = 0; x < n; x++) {
            int sum = 0;
            for (int k = 0; k < n; k++) sum += ia[y * n + k] * ib[k * n + x];
            bad += sum != ic[y * n + x];
        }
        printf("integers, %dx%d a thread  %s\n", rung ? 4 : 1, rung ? 4 : 1, bad ? "WRONG" : "right");
        wrong += bad;
    }
    cudaFree(da), cudaFree(db), cudaFree(dc), cudaFree(pa), cudaFree(pb);
    return wrong || cudaGetLastError() != cudaSuccess;
}
