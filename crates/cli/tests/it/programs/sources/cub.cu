#include <cstdio>
#include <cub/cub.cuh>
__global__ void sums(const float *x, float *out, int n) {
    typedef cub::BlockReduce<float, 128> Reduce;
    __shared__ typename Reduce::TempStorage storage;
    float s = Reduce(storage).Sum(x[threadIdx.x]);
    if (threadIdx.x == 0) out[0] = s;
    __syncthreads();
    float most = Reduce(storage).Reduce(x[threadIdx.x], cub::Max(), n);
    if (threadIdx.x == 0) out[1] = most;
    using Warp = cub::WarpReduce<double>;
    __shared__ Warp::TempStorage warps[4];
    double w = Warp(warps[threadIdx.x / 32]).Sum((double)x[threadIdx.x]);
    if (threadIdx.x % 32 == 0) out[2 + threadIdx.x / 32] = (float)w;
}
__global__ void scans(int *x) {
    using Scan = cub::BlockScan<int, 64, cub::BLOCK_SCAN_WARP_SCANS>;
    using Load = cub::BlockLoad<int, 64, 4>;
    using Store = cub::BlockStore<int, 64, 4>;
    __shared__ union { Scan::TempStorage scan; Load::TempStorage load; Store::TempStorage store; } storage;
    int items[4], all;
    Load(storage.load).Load(x, items);
    __syncthreads();
    Scan(storage.scan).ExclusiveSum(items, items, all);
    __syncthreads();
    Store(storage.store).Store(x, items);
    int one;
    Scan(storage.scan).InclusiveSum((int)threadIdx.x, one);
    x[256 + threadIdx.x] = one;
    if (threadIdx.x == 0) x[320] = all;
}
int main() {
    float *x, *out; int *y;
    cudaMallocManaged(&x, 512); cudaMallocManaged(&out, 64); cudaMallocManaged(&y, 2048);
    for (int i = 0; i < 128; i++) x[i] = (i * 37) % 101;
    for (int i = 0; i < 256; i++) y[i] = i % 7;
    sums<<<1, 128>>>(x, out, 50);
    scans<<<1, 64>>>(y);
    printf("%d\n", cudaDeviceSynchronize());
    double s = 0, w = 0; float m = 0;
    for (int i = 0; i < 128; i++) { s += x[i]; if (i < 50 && x[i] > m) m = x[i]; if (i >= 32 && i < 64) w += x[i]; }
    printf("%d %d %d\n", out[0] == (float)s, out[1] == m, out[3] == (float)w);
    int sum = 0, bad = 0;
    for (int i = 0; i < 256; i++) { bad += y[i] != sum; sum += i % 7; }
    for (int i = 0, t = 0; i < 64; i++) { t += i; bad += y[256 + i] != t; }
    printf("%d %d\n", bad, y[320] == sum);
}
