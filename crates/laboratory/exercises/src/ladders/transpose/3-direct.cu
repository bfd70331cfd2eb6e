// Idea: threadIdx.x selects the column, so a warp loads along rows; each number then goes straight to its transposed place.
// 思路：threadIdx.x 选择列，使 warp 沿行加载；随后每个数直接写到转置后的位置。
__global__ void transpose(const float *in, float *out, int n) {
    __shared__ float tile[32][32 + 1];
    int row = blockIdx.y * 32 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
    if (row < n && column < n) tile[threadIdx.y][threadIdx.x] = in[row * n + column];
    __syncthreads();
    if (row < n && column < n) out[column * n + row] = tile[threadIdx.y][threadIdx.x];
}
