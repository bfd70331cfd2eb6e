// C = A B, one work-item per element of C; the OpenCL twin of sgemm_naive.cu.
__kernel void sgemm_naive(int n, __global const float *restrict a, __global const float *restrict b, __global float *restrict c) {
    size_t column = get_group_id(0) * get_local_size(0) + get_local_id(0);
    size_t row = get_group_id(1) * get_local_size(1) + get_local_id(1);
    float sum = 0.0f;
    for (size_t k = 0; k < n; k++) {
        sum += a[row * n + k] * b[k * n + column];
    }
    c[row * n + column] = sum;
}
