// Idea: a block computes one row of C and keeps the row of A, which all its threads read, in shared memory.
// 思路：一个线程块计算 C 的一行，并把所有线程都要读的那一行 A 放进共享内存。
__global__ void product(const float *a, const float *b, float *c, int n, int pitch) {
    // Rows are packed: pitch equals n.
    extern __shared__ float line[];
    int row = blockIdx.x;
    for (int k = threadIdx.x; k < n; k += blockDim.x) line[k] = a[row * n + k];
    __syncthreads();
    for (int column = threadIdx.x; column < n; column += blockDim.x) {
        float sum = 0, error = 0;
        for (int k = 0; k < n; k++) {
            float next = line[k] * b[k * n + column] - error;
            float total = sum + next;
            error = (total - sum) - next;
            sum = total;
        }
        c[row * n + column] = sum;
    }
}
