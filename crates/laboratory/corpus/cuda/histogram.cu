// Histograms: with global, shared, warp-aggregated and private counters.

extern "C" __global__ void histogram_global(const unsigned char *in, unsigned *bins, unsigned n) {
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[in[i]], 1u);
}

extern "C" __global__ void histogram_shared(const uchar4 *in, unsigned *bins, unsigned n4) {
    __shared__ unsigned local[256];
    for (unsigned i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
        uchar4 v = in[i];
        atomicAdd(&local[v.x], 1u);
        atomicAdd(&local[v.y], 1u);
        atomicAdd(&local[v.z], 1u);
        atomicAdd(&local[v.w], 1u);
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < 256; i += blockDim.x)
        if (local[i]) atomicAdd(&bins[i], local[i]);
}

// Lanes with the same value elect one of them to count for all.
extern "C" __global__ void histogram_matched(const unsigned char *in, unsigned *bins, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned within = __ballot_sync(0xffffffffu, i < n);
    if (i >= n) return;
    unsigned value = in[i] & 15;
    unsigned same = __match_any_sync(within, value);
    if (__ffs(same) - 1 == threadIdx.x % 32) atomicAdd(&bins[value], __popc(same));
}

// Private counters: each thread counts in bytes of shared memory that no other thread touches.
extern "C" __global__ void histogram_private(const unsigned *in, unsigned *bins, unsigned per_thread) {
    __shared__ unsigned char counts[16][128];
    for (int b = 0; b < 16; b++) counts[b][threadIdx.x] = 0;
    const unsigned *mine = in + (blockIdx.x * blockDim.x + threadIdx.x) * per_thread;
    for (unsigned i = 0; i < per_thread; i++) counts[mine[i] >> 28][threadIdx.x]++;
    __syncthreads();
    if (threadIdx.x < 16) {
        unsigned sum = 0;
        for (unsigned t = 0; t < blockDim.x; t++) sum += counts[threadIdx.x][(t + threadIdx.x) % blockDim.x];
        atomicAdd(&bins[threadIdx.x], sum);
    }
}

// A histogram of floats between bounds; floats outside are counted separately.
extern "C" __global__ void histogram_ranges(const float *in, unsigned *bins, unsigned n, float low, float high, unsigned count) {
    extern __shared__ unsigned local[];
    for (unsigned i = threadIdx.x; i < count + 2; i += blockDim.x) local[i] = 0;
    __syncthreads();
    float scale = count / (high - low);
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float x = in[i];
        unsigned bin = x < low ? count : x >= high ? count + 1 : (unsigned)((x - low) * scale);
        atomicAdd(&local[bin], 1u);
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < count + 2; i += blockDim.x) atomicAdd(&bins[i], local[i]);
}
