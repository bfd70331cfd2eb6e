// C = A B through 16x16 local tiles; the OpenCL twin of sgemm_tiled.cu.
#define T 16
__kernel void sgemm_tiled(int n, __global const float *a, __global const float *b, __global float *c) {
    __local float tile_a[T][T];
    __local float tile_b[T][T];
    int x = get_local_id(0), y = get_local_id(1);
    int column = get_group_id(0) * T + x;
    int row = get_group_id(1) * T + y;
    float sum = 0.0f;
    for (int k = 0; k < n; k += T) {
        tile_a[y][x] = a[row * n + k + x];
        tile_b[y][x] = b[(k + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < T; i++) {
            sum = fma(tile_a[y][i], tile_b[i][x], sum);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}
