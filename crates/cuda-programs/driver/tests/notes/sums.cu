// The sum of 2^18 squares, from one thread up: contiguous chunks, interleaved, several blocks, a tree in shared memory. Each counts its cycles.
#include <cstdio>
#include <cstdlib>

const int N = 1 << 18, THREADS = 256, BLOCKS = 32;

__global__ void one_thread(const int *x, int *sum, long long *cycles) {
    long long began = clock64();
    int s = 0;
    for (int i = 0; i < N; i++) s += x[i] * x[i];
    *sum = s;
    *cycles = clock64() - began;
}

__global__ void chunks(const int *x, int *sums, long long *cycles) {
    long long began = clock64();
    int size = N / THREADS, s = 0;
    for (int i = threadIdx.x * size; i < (threadIdx.x + 1) * size; i++) s += x[i] * x[i];
    sums[threadIdx.x] = s;
    if (threadIdx.x == 0) *cycles = clock64() - began;
}

__global__ void interleaved(const int *x, int *sums, long long *cycles) {
    long long began = clock64();
    int s = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += blockDim.x * gridDim.x) s += x[i] * x[i];
    sums[blockIdx.x * blockDim.x + threadIdx.x] = s;
    if (threadIdx.x == 0) cycles[blockIdx.x] = clock64() - began;
}

__global__ void tree(const int *x, int *sums, long long *cycles) {
    extern __shared__ int part[];
    long long began = clock64();
    int s = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += blockDim.x * gridDim.x) s += x[i] * x[i];
    part[threadIdx.x] = s;
    __syncthreads();
    for (int offset = blockDim.x / 2; offset > 0; offset /= 2) {
        if (threadIdx.x < offset) part[threadIdx.x] += part[threadIdx.x + offset];
        __syncthreads();
    }
    if (threadIdx.x == 0) { sums[blockIdx.x] = part[0]; cycles[blockIdx.x] = clock64() - began; }
}

int main() {
    int *host = (int *)malloc(N * sizeof(int)), expected = 0, wrong = 0;
    srand(42);
    for (int i = 0; i < N; i++) { host[i] = rand() % 10; expected += host[i] * host[i]; }
    int *x, *sums;
    long long *cycles, took[BLOCKS];
    cudaMalloc(&x, N * sizeof(int));
    cudaMalloc(&sums, BLOCKS * THREADS * sizeof(int));
    cudaMalloc(&cycles, BLOCKS * sizeof(long long));
    cudaMemcpy(x, host, N * sizeof(int), cudaMemcpyHostToDevice);
    const char *names[] = {"one thread", "chunks", "interleaved", "32 blocks", "tree in shared memory"};
    int counts[] = {1, THREADS, THREADS, BLOCKS * THREADS, BLOCKS};
    static int parts[BLOCKS * THREADS];
    for (int rung = 0; rung < 5; rung++) {
        if (rung == 0) one_thread<<<1, 1>>>(x, sums, cycles);
        if (rung == 1) chunks<<<1, THREADS>>>(x, sums, cycles);
        if (rung == 2) interleaved<<<1, THREADS>>>(x, sums, cycles);
        if (rung == 3) interleaved<<<BLOCKS, THREADS>>>(x, sums, cycles);
        if (rung == 4) tree<<<BLOCKS, THREADS, THREADS * sizeof(int)>>>(x, sums, cycles);
        cudaMemcpy(parts, sums, counts[rung] * sizeof(int), cudaMemcpyDeviceToHost);
        cudaMemcpy(took, cycles, sizeof(long long), cudaMemcpyDeviceToHost);
        int sum = 0;
        for (int i = 0; i < counts[rung]; i++) sum += parts[i];
        printf("%-22s %d, %s\n", names[rung], sum, sum == expected && took[0] > 0 ? "right" : "WRONG");
        wrong += sum != expected;
    }
    cudaFree(x), cudaFree(sums), cudaFree(cycles);
    return wrong || cudaGetLastError() != cudaSuccess;
}
