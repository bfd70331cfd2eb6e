// task: scan
extern "C" __global__ void scan(const int* x, int* y, int* totals, unsigned n) {
    __shared__ int tile[2][256];
    int before = 0;
    for (unsigned start = 0; start < n; start += 256) {
        unsigned i = start + threadIdx.x;
        int side = 0;
        tile[0][threadIdx.x] = i < n ? x[i] : 0;
        __syncthreads();
        for (unsigned distance = 1; distance < 256; distance *= 2, side ^= 1) {
            int value = tile[side][threadIdx.x];
            if (threadIdx.x >= distance) value += tile[side][threadIdx.x - distance];
            tile[side ^ 1][threadIdx.x] = value;
            __syncthreads();
        }
        if (i < n) y[i] = before + tile[side][threadIdx.x];
        before += tile[side][255];
        __syncthreads();
    }
}
