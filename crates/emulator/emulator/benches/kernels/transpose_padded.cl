// Transposes through a padded 32x32 tile; the OpenCL twin of transpose_padded.cu.
#define T 32
#define ROWS 8
__kernel void transpose_padded(int n, __global const float *restrict src, __global float *restrict dst) {
    __local float tile[T][T + 1];
    int tx = get_local_id(0), ty = get_local_id(1);
    int x = get_group_id(0) * T + tx;
    int y = get_group_id(1) * T + ty;
    #pragma unroll
    for (int j = 0; j < T; j += ROWS) {
        tile[ty + j][tx] = src[(y + j) * n + x];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    x = get_group_id(1) * T + tx;
    y = get_group_id(0) * T + ty;
    #pragma unroll
    for (int j = 0; j < T; j += ROWS) {
        dst[(y + j) * n + x] = tile[tx][ty + j];
    }
}
