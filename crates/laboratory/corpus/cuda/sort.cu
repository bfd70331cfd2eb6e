// Sorts: odd-even, bitonic in shared memory and over global memory, radix, merge by ranks, counting.

// Odd and even neighbors in turn.
extern "C" __global__ void sort_odd_even(int *data, unsigned n) {
    __shared__ int s[256];
    unsigned t = threadIdx.x;
    s[t] = t < n ? data[t] : 0x7fffffff;
    __syncthreads();
    for (unsigned round = 0; round < blockDim.x; round++) {
        unsigned left = 2 * t + (round & 1);
        if (left + 1 < blockDim.x && s[left] > s[left + 1]) {
            int kept = s[left];
            s[left] = s[left + 1];
            s[left + 1] = kept;
        }
        __syncthreads();
    }
    if (t < n) data[t] = s[t];
}

// Bitonic sort of a block's keys, with their values.
extern "C" __global__ void sort_bitonic(unsigned *keys, unsigned short *values) {
    __shared__ unsigned k[512];
    __shared__ unsigned short v[512];
    unsigned base = blockIdx.x * 512;
    for (unsigned i = threadIdx.x; i < 512; i += blockDim.x) {
        k[i] = keys[base + i];
        v[i] = values[base + i];
    }
    for (unsigned size = 2; size <= 512; size *= 2)
        for (unsigned stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            unsigned i = 2 * threadIdx.x - (threadIdx.x & (stride - 1)), j = i + stride;
            bool up = (i & size) == 0;
            if ((k[i] > k[j]) == up) {
                unsigned key = k[i];
                k[i] = k[j];
                k[j] = key;
                unsigned short value = v[i];
                v[i] = v[j];
                v[j] = value;
            }
        }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < 512; i += blockDim.x) {
        keys[base + i] = k[i];
        values[base + i] = v[i];
    }
}

// One step of a bitonic sort of floats in global memory.
extern "C" __global__ void sort_bitonic_step(float *data, unsigned size, unsigned stride) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, j = i ^ stride;
    if (j > i) {
        float a = data[i], b = data[j];
        if ((i & size) == 0 ? a > b : a < b) {
            data[i] = b;
            data[j] = a;
        }
    }
}

// 32 values in the registers of a warp.
extern "C" __global__ void sort_warp(long long *data) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    long long mine = data[i];
    for (unsigned size = 2; size <= 32; size *= 2)
        for (unsigned stride = size / 2; stride > 0; stride /= 2) {
            long long other = __shfl_xor_sync(0xffffffffu, mine, stride);
            bool least = ((lane & stride) == 0) == ((lane & size) == 0);
            mine = least ? min(mine, other) : max(mine, other);
        }
    data[i] = mine;
}

// Radix sort of one block's values, bit by bit, places by ballots.
extern "C" __global__ void sort_radix(unsigned *data) {
    __shared__ unsigned s[256], zeros[8];
    unsigned t = threadIdx.x, lane = t % 32, warp = t / 32;
    unsigned value = data[blockIdx.x * 256 + t];
    for (unsigned bit = 0; bit < 32; bit++) {
        unsigned is_zero = !(value >> bit & 1);
        unsigned votes = __ballot_sync(0xffffffffu, is_zero);
        if (lane == 0) zeros[warp] = __popc(votes);
        __syncthreads();
        unsigned before = 0, all = 0;
        for (unsigned w = 0; w < 8; w++) {
            if (w < warp) before += zeros[w];
            all += zeros[w];
        }
        unsigned rank = before + __popc(votes & ((1u << lane) - 1));
        s[is_zero ? rank : all + t - rank] = value;
        __syncthreads();
        value = s[t];
        __syncthreads();
    }
    data[blockIdx.x * 256 + t] = value;
}

// Merges two sorted halves: each value finds its rank in the other half.
extern "C" __global__ void merge_ranks(const int *a, unsigned na, const int *b, unsigned nb, int *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= na + nb) return;
    bool from_a = i < na;
    int value = from_a ? a[i] : b[i - na];
    const int *other = from_a ? b : a;
    unsigned low = 0, high = from_a ? nb : na;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (from_a ? other[middle] < value : other[middle] <= value) low = middle + 1;
        else high = middle;
    }
    out[(from_a ? i : i - na) + low] = value;
}

// Bytes sorted by counting them.
extern "C" __global__ void sort_counting(unsigned char *data, unsigned n) {
    __shared__ unsigned counts[256], starts[256];
    unsigned t = threadIdx.x;
    counts[t] = 0;
    __syncthreads();
    for (unsigned i = t; i < n; i += 256) atomicAdd(&counts[data[i]], 1u);
    __syncthreads();
    unsigned start = 0;
    for (unsigned v = 0; v < t; v++) start += counts[v];
    starts[t] = start;
    __syncthreads();
    for (unsigned i = 0; i < counts[t]; i++) data[starts[t] + i] = (unsigned char)t;
}
