// Kernels of the tests. kernels.ptx is this file compiled by
//   nvcc 13.0.88 -arch=sm_80 -ptx kernels.cu -o kernels.ptx
// One kernel per property of the engine: affine addresses, shared memory, addresses that are not
// affine, divergent lanes.

extern "C" __global__ void sgemm_naive(int n, const float *a, const float *b, float *c) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n && col < n) {
        float sum = 0.0f;
        for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
        c[row * n + col] = sum;
    }
}

extern "C" __global__ void sgemm_tiled(int n, const float *a, const float *b, float *c) {
    __shared__ float ta[16][16], tb[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
    float sum = 0.0f;
    for (int t = 0; t < n; t += 16) {
        ta[y][x] = a[row * n + t + x];
        tb[y][x] = b[(t + y) * n + col];
        __syncthreads();
        for (int k = 0; k < 16; ++k) sum += ta[y][k] * tb[k][x];
        __syncthreads();
    }
    c[row * n + col] = sum;
}

extern "C" __global__ void transpose_naive(int n, const float *src, float *dst) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n) dst[x * n + y] = src[y * n + x];
}

extern "C" __global__ void transpose_unpadded(int n, const float *src, float *dst) {
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = src[y * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    dst[y * n + x] = tile[threadIdx.x][threadIdx.y];
}

extern "C" __global__ void transpose_padded(int n, const float *src, float *dst) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = src[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) dst[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" __global__ void saxpy(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

// Addresses from data: each thread follows its own chain.
extern "C" __global__ void chase(int n, int steps, const unsigned *next, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, at = i, sum = 0;
    for (int s = 0; s < steps; ++s) {
        at = next[at];
        sum += at * 3u ^ (sum >> 1);
    }
    out[i] = sum;
}

// Lanes diverge at every step and loop different numbers of times.
extern "C" __global__ void collatz(int n, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = i + 1, steps = 0;
    while (x != 1) {
        if (x & 1) x = 3 * x + 1; else x >>= 1;
        ++steps;
    }
    if (i < n) out[i] = steps;
}

extern "C" __global__ void block_sum(int n, const int *in, int *out) {
    __shared__ int part[256];
    int t = threadIdx.x, sum = 0;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) sum += in[i] * in[i];
    part[t] = sum;
    for (int half = 128; half > 0; half >>= 1) {
        __syncthreads();
        if (t < half) part[t] += part[t + half];
    }
    if (t == 0) out[blockIdx.x] = part[0];
}
