// C = A B through 16x16 shared tiles, row-major n x n with n a multiple of 16. Blocks of 16x16.
#define T 16
extern "C" __global__ void sgemm_tiled(int n, const float *a, const float *b, float *c) {
    __shared__ float tile_a[T][T];
    __shared__ float tile_b[T][T];
    int x = threadIdx.x, y = threadIdx.y;
    int column = blockIdx.x * T + x;
    int row = blockIdx.y * T + y;
    float sum = 0.0f;
    for (int k = 0; k < n; k += T) {
        tile_a[y][x] = a[row * n + k + x];
        tile_b[y][x] = b[(k + y) * n + column];
        __syncthreads();
        for (int i = 0; i < T; i++) {
            sum += tile_a[y][i] * tile_b[i][x];
        }
        __syncthreads();
    }
    c[row * n + column] = sum;
}
