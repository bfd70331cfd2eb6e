// A planted bug: `left` takes the element at the right. PTX: nvcc 13.5 -G -ptx -arch=sm_80.
__device__ int left(int i, int n) {
    int j = i + 1;
    return j < n ? j : 0;
}
extern "C" __global__ void neighbors(const int* x, int* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int from = left(i, n);
        y[i] = x[i] - x[from];
    }
}
