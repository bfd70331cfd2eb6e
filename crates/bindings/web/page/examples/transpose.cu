// Transposes a matrix. The first kernel writes columns; the second goes through shared memory, whose rows have one more word, so that a
// column is in 32 banks. Measure one, keep it as A, choose the other one, measure again, and compare.
__global__ void transpose(const float *x, float *y, int n) {
    int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    y[column * n + row] = x[row * n + column];
}

__global__ void transpose_tiled(const float *x, float *y, int n) {
    __shared__ float tile[32][33];
    int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = x[row * n + column];
    __syncthreads();
    column = blockIdx.y * 32 + threadIdx.x;
    row = blockIdx.x * 32 + threadIdx.y;
    y[row * n + column] = tile[threadIdx.x][threadIdx.y];
}
