// Counts letters: first with one atomic per letter in global memory, then with counters of each block in shared memory.
#include <cstdio>
#include <cstring>

__global__ void by_global(const char *text, int n, unsigned *counts) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && text[i] >= 'a' && text[i] <= 'z') atomicAdd(&counts[text[i] - 'a'], 1u);
}

__global__ void by_block(const char *text, int n, unsigned *counts) {
    __shared__ unsigned own[26];
    if (threadIdx.x < 26) own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        if (text[i] >= 'a' && text[i] <= 'z') atomicAdd(&own[text[i] - 'a'], 1u);
    __syncthreads();
    if (threadIdx.x < 26 && own[threadIdx.x]) atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
}

int main() {
    const char *line = "a warp is thirty two threads that run in lockstep; a block is made of warps. ";
    const int times = 200, length = strlen(line), n = times * length;
    char *text;
    unsigned *counts;
    cudaMallocManaged(&text, n);
    cudaMallocManaged(&counts, 2 * 26 * sizeof(unsigned));
    for (int i = 0; i < times; i++) memcpy(text + i * length, line, length);
    memset(counts, 0, 2 * 26 * sizeof(unsigned));
    by_global<<<(n + 255) / 256, 256>>>(text, n, counts);
    by_block<<<16, 256>>>(text, n, counts + 26);
    cudaDeviceSynchronize();
    for (int i = 0; i < 26; i++)
        if (counts[i]) printf("%c %5u %s\n", 'a' + i, counts[i], counts[i] == counts[26 + i] ? "" : "differs");
    return 0;
}
