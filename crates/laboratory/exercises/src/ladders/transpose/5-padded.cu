// Idea: one unused column per tile row puts the numbers of a column into different banks.
// 思路：tile 每行多留一个不用的列，使一列的数落在不同的 bank。
__global__ void transpose(const float *in, float *out, int n) {
    __shared__ float tile[32][32 + 1];
    int row = blockIdx.y * 32 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
    if (row < n && column < n) tile[threadIdx.y][threadIdx.x] = in[row * n + column];
    __syncthreads();
    row = blockIdx.x * 32 + threadIdx.y, column = blockIdx.y * 32 + threadIdx.x;
    if (row < n && column < n) out[row * n + column] = tile[threadIdx.x][threadIdx.y];
}
