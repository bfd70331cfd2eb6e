// task: sgemm
// judge: grid = ["n", "m"]
// judge: block = [32]
extern "C" __global__ void sgemm(unsigned m, unsigned n, unsigned k, float alpha, const float* a, const float* b, float beta, float* c) {
    unsigned lane = threadIdx.x, col = blockIdx.x, row = blockIdx.y;
    float sum = 0;
    for (unsigned p = lane; p < k; p += 32) sum = fmaf(a[row * k + p], b[p * n + col], sum);
    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffff, sum, distance);
    if (lane == 0) c[row * n + col] = beta == 0 ? alpha * sum : alpha * sum + beta * c[row * n + col];
}
