// Dense matrices: products, with a thread, a tile or a register tile per result, matrix times vector,
// transposes, a factorization.

extern "C" __global__ void sgemm_naive(int n, const float *a, const float *b, float *c) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n || col >= n) return;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}

// Tiles of any type and size in shared memory; ragged edges are filled with zeros.
template <typename T, int S> __global__ void gemm_tiled(int m, int n, int k, const T *__restrict__ a, const T *__restrict__ b, T *c, T alpha, T beta) {
    __shared__ T ta[S][S], tb[S][S + 1];
    int row = blockIdx.y * S + threadIdx.y, col = blockIdx.x * S + threadIdx.x;
    T sum = 0;
    for (int k0 = 0; k0 < k; k0 += S) {
        ta[threadIdx.y][threadIdx.x] = row < m && k0 + threadIdx.x < k ? a[row * k + k0 + threadIdx.x] : T(0);
        tb[threadIdx.y][threadIdx.x] = k0 + threadIdx.y < k && col < n ? b[(k0 + threadIdx.y) * n + col] : T(0);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < S; i++) sum += ta[threadIdx.y][i] * tb[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && col < n) c[row * n + col] = alpha * sum + beta * c[row * n + col];
}
template __global__ void gemm_tiled<float, 16>(int, int, int, const float *, const float *, float *, float, float);
template __global__ void gemm_tiled<double, 8>(int, int, int, const double *, const double *, double *, double, double);
template __global__ void gemm_tiled<long long, 16>(int, int, int, const long long *, const long long *, long long *, long long, long long);

// 64 x 64 results per block of 256 threads, 4 x 4 per thread in registers, loads of four values.
extern "C" __global__ __launch_bounds__(256, 2) void sgemm_registers(int n, const float *a, const float *b, float *c) {
    __shared__ float ta[16][64], tb[16][64];
    int t = threadIdx.x, tx = t % 16, ty = t / 16;
    float acc[4][4] = {};
    const float *pa = a + blockIdx.y * 64 * n, *pb = b + blockIdx.x * 64;
    for (int k0 = 0; k0 < n; k0 += 16) {
        float4 va = *(const float4 *)&pa[(t / 4) * n + k0 + t % 4 * 4];
        ta[t % 4 * 4 + 0][t / 4] = va.x;
        ta[t % 4 * 4 + 1][t / 4] = va.y;
        ta[t % 4 * 4 + 2][t / 4] = va.z;
        ta[t % 4 * 4 + 3][t / 4] = va.w;
        *(float4 *)&tb[t / 16][t % 16 * 4] = *(const float4 *)&pb[(k0 + t / 16) * n + t % 16 * 4];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++) {
            float ra[4], rb[4];
            *(float4 *)ra = *(float4 *)&ta[k][ty * 4];
            *(float4 *)rb = *(float4 *)&tb[k][tx * 4];
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) acc[i][j] += ra[i] * rb[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        *(float4 *)&c[(blockIdx.y * 64 + ty * 4 + i) * n + blockIdx.x * 64 + tx * 4] = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
}

// Bytes, four products at a time.
extern "C" __global__ void gemm_bytes(int n, const int *a, const int *bt, int *c) {
    int row = blockIdx.y, col = threadIdx.x, words = n / 4, sum = 0;
    for (int k = 0; k < words; k++) sum = __dp4a(a[row * words + k], bt[col * words + k], sum);
    c[row * n + col] = sum;
}

// A warp per row.
extern "C" __global__ void matvec_warp(int rows, int cols, const float *a, const float *x, float *y) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    float sum = 0;
    for (int k = threadIdx.x; k < cols; k += 32) sum = fmaf(a[row * cols + k], __ldg(&x[k]), sum);
    for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
    if (threadIdx.x == 0) y[row] = sum;
}

// A column per thread, the vector in shared memory piece by piece.
extern "C" __global__ void matvec_transposed(int rows, int cols, const double *a, const double *x, double *y) {
    __shared__ double piece[64];
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    double sum = 0;
    for (int r0 = 0; r0 < rows; r0 += 64) {
        if (threadIdx.x < 64 && r0 + threadIdx.x < rows) piece[threadIdx.x] = x[r0 + threadIdx.x];
        __syncthreads();
        if (col < cols)
            for (int r = 0; r < 64 && r0 + r < rows; r++) sum += a[(r0 + r) * cols + col] * piece[r];
        __syncthreads();
    }
    if (col < cols) y[col] = sum;
}

extern "C" __global__ void transpose_padded(int rows, int cols, const double *in, double *out) {
    __shared__ double tile[16][17];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x < cols && y < rows) tile[threadIdx.y][threadIdx.x] = in[y * cols + x];
    __syncthreads();
    x = blockIdx.y * 16 + threadIdx.x;
    y = blockIdx.x * 16 + threadIdx.y;
    if (x < rows && y < cols) out[y * rows + x] = tile[threadIdx.x][threadIdx.y];
}

// Bytes through an exclusive-or swizzle, in place of padding.
extern "C" __global__ void transpose_bytes(int n, const uchar4 *in, uchar4 *out) {
    __shared__ unsigned tile[32][8];
    int x = threadIdx.x, y = threadIdx.y; // 8 words of 4 bytes, 32 rows
    int words = n / 4;
    uchar4 v = in[(blockIdx.y * 32 + y) * words + blockIdx.x * 8 + x];
    tile[y][x ^ (y / 4)] = v.x | v.y << 8 | v.z << 16 | (unsigned)v.w << 24;
    __syncthreads();
    unsigned char b[4];
    for (int i = 0; i < 4; i++) b[i] = tile[x * 4 + i][(y / 4) ^ x] >> (y % 4 * 8);
    out[(blockIdx.x * 32 + y) * words + blockIdx.y * 8 + x] = make_uchar4(b[0], b[1], b[2], b[3]);
}

// In place, for a square: the blocks below the diagonal swap with those above.
extern "C" __global__ void transpose_in_place(int n, short *m) {
    __shared__ short upper[16][17], lower[16][17];
    if (blockIdx.x < blockIdx.y) return;
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    int tx = blockIdx.y * 16 + threadIdx.x, ty = blockIdx.x * 16 + threadIdx.y;
    upper[threadIdx.y][threadIdx.x] = m[y * n + x];
    lower[threadIdx.y][threadIdx.x] = m[ty * n + tx];
    __syncthreads();
    m[y * n + x] = lower[threadIdx.x][threadIdx.y];
    m[ty * n + tx] = upper[threadIdx.x][threadIdx.y];
}

// Cholesky of a small matrix per block.
extern "C" __global__ void cholesky(int n, double *matrices) {
    extern __shared__ double m[];
    double *mine = matrices + blockIdx.x * n * n;
    for (int i = threadIdx.x; i < n * n; i += blockDim.x) m[i] = mine[i];
    for (int k = 0; k < n; k++) {
        __syncthreads();
        if (threadIdx.x == 0) m[k * n + k] = sqrt(m[k * n + k]);
        __syncthreads();
        for (int i = k + 1 + threadIdx.x; i < n; i += blockDim.x) m[i * n + k] /= m[k * n + k];
        __syncthreads();
        for (int i = k + 1 + threadIdx.x; i < n; i += blockDim.x)
            for (int j = k + 1; j <= i; j++) m[i * n + j] -= m[i * n + k] * m[j * n + k];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n * n; i += blockDim.x) mine[i] = i % n <= i / n ? m[i] : 0.0;
}
