// Idea: adjacent threads read adjacent numbers, so a warp's loads coalesce: they share sectors.
// 思路：相邻的线程读相邻的数，使一个 warp 的加载成为合并访问：各次加载共用扇区。
__global__ void sum_squares(const int *x, int *sums, int n) {
    int sum = 0;
    for (int i = threadIdx.x; i < n; i += 256) sum += x[i] * x[i];
    sums[threadIdx.x] = sum;
}
