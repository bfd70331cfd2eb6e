// Transposes an n x n matrix through a 32x32 tile with one padding column; blocks of 32x8, each
// thread moves four elements. n must be a multiple of 32.
#define T 32
#define ROWS 8
extern "C" __global__ void transpose_padded(int n, const float *src, float *dst) {
    __shared__ float tile[T][T + 1];
    int x = blockIdx.x * T + threadIdx.x;
    int y = blockIdx.y * T + threadIdx.y;
    for (int j = 0; j < T; j += ROWS) {
        tile[threadIdx.y + j][threadIdx.x] = src[(y + j) * n + x];
    }
    __syncthreads();
    x = blockIdx.y * T + threadIdx.x;
    y = blockIdx.x * T + threadIdx.y;
    for (int j = 0; j < T; j += ROWS) {
        dst[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
    }
}
