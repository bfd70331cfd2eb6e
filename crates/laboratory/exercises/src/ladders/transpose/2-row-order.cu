// Idea: a block moves a tile of 32 x 32 numbers through shared memory. Here threadIdx.x selects the row, so a warp still walks along columns of global memory: a tile alone gains nothing.
// 思路：线程块经共享内存搬运 32 x 32 的 tile。这里 threadIdx.x 选择行，所以 warp 仍沿全局内存的列走：只用 tile 没有收益。
__global__ void transpose(const float *in, float *out, int n) {
    __shared__ float tile[32][32 + 1];
    int row = blockIdx.y * 32 + threadIdx.x, column = blockIdx.x * 32 + threadIdx.y;
    if (row < n && column < n) tile[threadIdx.x][threadIdx.y] = in[row * n + column];
    __syncthreads();
    row = blockIdx.x * 32 + threadIdx.x, column = blockIdx.y * 32 + threadIdx.y;
    if (row < n && column < n) out[row * n + column] = tile[threadIdx.y][threadIdx.x];
}
