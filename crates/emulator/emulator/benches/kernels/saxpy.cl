// z = a x + y, out of place; the OpenCL twin of saxpy.cu.
__kernel void saxpy(int n, float a, __global const float *restrict x, __global const float *restrict y, __global float *restrict z) {
    size_t i = get_group_id(0) * get_local_size(0) + get_local_id(0);
    if (i < n) {
        z[i] = a * x[i] + y[i];
    }
}
