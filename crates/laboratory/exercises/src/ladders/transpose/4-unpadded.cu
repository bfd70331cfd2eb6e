// Idea: blocks and threads swap: each block writes the mirrored tile, along its rows, and reads shared memory along columns instead.
// 思路：交换线程块和线程的位置：每个线程块沿行写出镜像位置的 tile，改为沿列读共享内存。
__global__ void transpose(const float *in, float *out, int n) {
    __shared__ float tile[32][32];
    int row = blockIdx.y * 32 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
    if (row < n && column < n) tile[threadIdx.y][threadIdx.x] = in[row * n + column];
    __syncthreads();
    row = blockIdx.x * 32 + threadIdx.y, column = blockIdx.y * 32 + threadIdx.x;
    if (row < n && column < n) out[row * n + column] = tile[threadIdx.x][threadIdx.y];
}
