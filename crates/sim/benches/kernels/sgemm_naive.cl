// C = A B, one work-item per element of C; the OpenCL twin of sgemm_naive.cu.
__kernel void sgemm_naive(int n, __global const float *a, __global const float *b, __global float *c) {
    int column = get_group_id(0) * get_local_size(0) + get_local_id(0);
    int row = get_group_id(1) * get_local_size(1) + get_local_id(1);
    float sum = 0.0f;
    for (int k = 0; k < n; k++) {
        sum = fma(a[row * n + k], b[k * n + column], sum);
    }
    c[row * n + column] = sum;
}
