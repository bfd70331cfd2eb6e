// z = a x + y, out of place; the OpenCL twin of saxpy.cu.
__kernel void saxpy(int n, float a, __global const float *x, __global const float *y, __global float *z) {
    int i = get_group_id(0) * get_local_size(0) + get_local_id(0);
    if (i < n) {
        z[i] = fma(a, x[i], y[i]);
    }
}
