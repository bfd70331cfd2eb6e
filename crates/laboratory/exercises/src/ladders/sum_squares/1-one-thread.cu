// Idea: one thread reads every number, as a CPU would.
// 思路：像 CPU 那样，由一个线程依次读取所有的数。
__global__ void sum_squares(const int *x, int *sums, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    sums[0] = sum;
}
