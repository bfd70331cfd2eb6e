// C = A B through 16x16 local tiles; the OpenCL twin of sgemm_tiled.cu. With int indices, or with the
// inner loop unrolled, PoCL takes 3.4 times as long.
#define T 16
__kernel void sgemm_tiled(int n, __global const float *restrict a, __global const float *restrict b, __global float *restrict c) {
    __local float tile_a[T][T];
    __local float tile_b[T][T];
    size_t x = get_local_id(0), y = get_local_id(1);
    size_t column = get_group_id(0) * T + x;
    size_t row = get_group_id(1) * T + y;
    float sum = 0.0f;
    for (size_t k = 0; k < n; k += T) {
        tile_a[y][x] = a[row * n + k + x];
        tile_b[y][x] = b[(k + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (size_t i = 0; i < T; i++) {
            sum += tile_a[y][i] * tile_b[i][x];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}
