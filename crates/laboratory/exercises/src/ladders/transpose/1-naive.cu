// Idea: each thread moves one number; a warp reads along a row and writes along a column.
// 思路：每个线程搬一个数；一个 warp 沿行读、沿列写。
__global__ void transpose(const float *in, float *out, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n) out[x * n + y] = in[y * n + x];
}
