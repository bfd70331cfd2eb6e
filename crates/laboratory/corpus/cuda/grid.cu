// Stencils and convolutions on lines, planes and volumes.

// A line with a halo in shared memory.
extern "C" __global__ void stencil_line(const int *in, int *out, int n) {
    const int RADIUS = 3;
    __shared__ int s[128 + 2 * RADIUS];
    int i = blockIdx.x * blockDim.x + threadIdx.x, at = threadIdx.x + RADIUS;
    s[at] = i < n ? in[i] : 0;
    if (threadIdx.x < RADIUS) {
        s[at - RADIUS] = i >= RADIUS ? in[i - RADIUS] : 0;
        s[at + blockDim.x] = i + blockDim.x < n ? in[i + blockDim.x] : 0;
    }
    __syncthreads();
    int sum = 0;
#pragma unroll
    for (int d = -RADIUS; d <= RADIUS; d++) sum += s[at + d];
    if (i < n) out[i] = sum;
}

// Five points of a plane.
extern "C" __global__ void heat_plane(const double *in, double *out, int w, int h, double k) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int i = y * w + x;
    if (x == 0 || y == 0 || x == w - 1 || y == h - 1) {
        out[i] = in[i];
        return;
    }
    out[i] = in[i] + k * (in[i - 1] + in[i + 1] + in[i - w] + in[i + w] - 4 * in[i]);
}

// Seven points of a volume: a plane of threads walks along z with a queue in registers.
extern "C" __global__ void laplace_volume(const float *in, float *out, int w, int h, int d) {
    __shared__ float plane[10][34];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, lx = threadIdx.x + 1, ly = threadIdx.y + 1;
    bool inside = x < w && y < h;
    auto at = [&](int x, int y, int z) { return x >= 0 && y >= 0 && z >= 0 && x < w && y < h && z < d ? in[(z * h + y) * w + x] : 0.0f; };
    float behind = 0, here = at(x, y, 0);
    for (int z = 0; z < d; z++) {
        float ahead = at(x, y, z + 1);
        __syncthreads();
        plane[ly][lx] = here;
        if (threadIdx.x == 0) plane[ly][0] = at(x - 1, y, z);
        if (threadIdx.x == 31) plane[ly][33] = at(x + 1, y, z);
        if (threadIdx.y == 0) plane[0][lx] = at(x, y - 1, z);
        if (threadIdx.y == 7) plane[9][lx] = at(x, y + 1, z);
        __syncthreads();
        if (inside) out[(z * h + y) * w + x] = behind + ahead + plane[ly][lx - 1] + plane[ly][lx + 1] + plane[ly - 1][lx] + plane[ly + 1][lx] - 6 * here;
        behind = here;
        here = ahead;
    }
}

// Conway's life on a torus, 32 cells per word, by bitwise adders.
extern "C" __global__ void life(const unsigned *in, unsigned *out, int words, int rows) {
    int x = threadIdx.x, y = blockIdx.x;
    unsigned low = 0, middle = 0, high = 0, self = in[y * words + x];
    for (int dy = -1; dy <= 1; dy++) {
        const unsigned *row = in + (y + dy + rows) % rows * words;
        unsigned c = row[x], l = row[(x + words - 1) % words], r = row[(x + 1) % words];
        unsigned from[3] = {__funnelshift_l(l, c, 1), dy == 0 ? 0 : c, __funnelshift_r(c, r, 1)};
        for (int i = 0; i < 3; i++) {
            unsigned carry = low & from[i];
            low ^= from[i];
            high |= middle & carry;
            middle ^= carry;
        }
    }
    out[y * words + x] = ~high & middle & (low | self);
}

__constant__ float taps[9] = {1, 2, 3, 4, 5, 4, 3, 2, 1};
__constant__ int mask[5][5] = {{0, 1, 2, 1, 0}, {1, 3, 5, 3, 1}, {2, 5, 9, 5, 2}, {1, 3, 5, 3, 1}, {0, 1, 2, 1, 0}};

extern "C" __global__ void convolve_line(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int k = 0; k < 9; k++) {
        int j = i + k - 4;
        if (j >= 0 && j < n) sum += taps[k] * in[j];
    }
    out[i] = sum;
}

// A plane with a tile and its halo.
extern "C" __global__ void convolve_plane(const unsigned char *in, int *out, int w, int h) {
    __shared__ int tile[20][20];
    for (int i = threadIdx.y * 16 + threadIdx.x; i < 400; i += 256) {
        int x = min(max((int)blockIdx.x * 16 + i % 20 - 2, 0), w - 1), y = min(max((int)blockIdx.y * 16 + i / 20 - 2, 0), h - 1);
        tile[i / 20][i % 20] = in[y * w + x];
    }
    __syncthreads();
    int sum = 0;
#pragma unroll
    for (int dy = 0; dy < 5; dy++)
#pragma unroll
        for (int dx = 0; dx < 5; dx++) sum += mask[dy][dx] * tile[threadIdx.y + dy][threadIdx.x + dx];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x < w && y < h) out[y * w + x] = sum;
}

// The two passes of a separable filter.
extern "C" __global__ void blur_rows(const float *in, float *out, int w) {
    extern __shared__ float row[];
    for (int x = threadIdx.x; x < w; x += blockDim.x) row[x + 4] = in[blockIdx.x * w + x];
    if (threadIdx.x < 4) row[threadIdx.x] = row[w + 4 + threadIdx.x] = 0;
    __syncthreads();
    for (int x = threadIdx.x; x < w; x += blockDim.x) {
        float sum = 0;
        for (int k = 0; k < 9; k++) sum += taps[k] * row[x + k];
        out[blockIdx.x * w + x] = sum;
    }
}
extern "C" __global__ void blur_columns(const float *in, float *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= w) return;
    float window[9] = {};
    for (int y = -4; y < h; y++) {
#pragma unroll
        for (int k = 0; k < 8; k++) window[k] = window[k + 1];
        window[8] = y + 4 < h ? in[(y + 4) * w + x] : 0;
        float sum = 0;
#pragma unroll
        for (int k = 0; k < 9; k++) sum += taps[k] * window[k];
        if (y >= 0) out[y * w + x] = sum;
    }
}

// A convolution layer of a neural network: every output channel sums over all input channels.
extern "C" __global__ void convolve_channels(const signed char *in, const signed char *weights, int *out, int channels, int size) {
    int x = threadIdx.x, y = threadIdx.y, o = blockIdx.x, sum = 0;
    for (int c = 0; c < channels; c++)
        for (int dy = 0; dy < 3; dy++)
            for (int dx = 0; dx < 3; dx++) {
                int sx = x + dx - 1, sy = y + dy - 1;
                if ((unsigned)sx < (unsigned)size && (unsigned)sy < (unsigned)size)
                    sum += in[(c * size + sy) * size + sx] * weights[((o * channels + c) * 3 + dy) * 3 + dx];
            }
    out[(o * size + y) * size + x] = sum > 0 ? sum : 0;
}

// The median of nine, by a network of exchanges.
extern "C" __global__ void median(const unsigned short *in, unsigned short *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= w) return;
    unsigned short v[9];
    for (int i = 0; i < 9; i++) v[i] = in[min(max(y + i / 3 - 1, 0), h - 1) * w + min(max(x + i % 3 - 1, 0), w - 1)];
#pragma unroll
    for (int i = 0; i < 5; i++)
#pragma unroll
        for (int j = 8; j > i; j--)
            if (v[j] < v[j - 1]) {
                unsigned short kept = v[j];
                v[j] = v[j - 1];
                v[j - 1] = kept;
            }
    out[y * w + x] = v[4];
}
