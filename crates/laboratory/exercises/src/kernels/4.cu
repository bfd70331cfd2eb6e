// Exercise 4: one block of 32 x 32 threads transposes a tile. A warp reads a column of the tile: 32 words that are 32 words
// apart, all in one of the 32 banks of shared memory.
__global__ void transpose(const float *x, float *y) {
    __shared__ float tile[32][32];
    int column = threadIdx.x, row = threadIdx.y;
    tile[row][column] = x[row * 32 + column];
    __syncthreads();
    y[row * 32 + column] = tile[column][row];
}
