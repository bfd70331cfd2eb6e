// Idea: the 256 threads of one block share the work, each with a contiguous chunk of numbers.
// 思路：一个线程块的 256 个线程分担工作，每个线程负责一段连续的数。
__global__ void sum_squares(const int *x, int *sums, int n) {
    int chunk = n / blockDim.x, sum = 0;
    int first = threadIdx.x * chunk;
    for (int i = first; i < first + chunk; i++) sum += x[i] * x[i];
    sums[threadIdx.x] = sum;
}
