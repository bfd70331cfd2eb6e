// C = A B with unsigned indices; the OpenCL twin of sgemm_naive_u32.cu.
__kernel void sgemm_naive_u32(uint n, __global const float *restrict a, __global const float *restrict b, __global float *restrict c) {
    uint column = get_group_id(0) * get_local_size(0) + get_local_id(0);
    uint row = get_group_id(1) * get_local_size(1) + get_local_id(1);
    float sum = 0.0f;
    for (uint k = 0; k < n; k++) {
        sum += a[row * n + k] * b[k * n + column];
    }
    c[row * n + column] = sum;
}
