// Numbers from the sciences: bodies, fractals, spectra, random numbers, integrals.

extern "C" __global__ void nbody(const float4 *body, float4 *force, int n, float softening) {
    __shared__ float4 tile[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = i < n ? body[i] : make_float4(0, 0, 0, 0);
    float3 f = {0, 0, 0};
    for (int t = 0; t < n; t += 64) {
        tile[threadIdx.x] = t + threadIdx.x < n ? body[t + threadIdx.x] : make_float4(0, 0, 0, 0);
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < 64; j++) {
            float4 other = tile[j];
            float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
            float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + softening), s = other.w * inverse * inverse * inverse;
            f.x += dx * s;
            f.y += dy * s;
            f.z += dz * s;
        }
        __syncthreads();
    }
    if (i < n) force[i] = make_float4(f.x, f.y, f.z, 0);
}

// Products and sums are rounded separately (no FMA), so that the host gets the same numbers of steps.
extern "C" __global__ void mandelbrot(unsigned short *steps, int w, int h, float left, float top, float step) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float cr = __fadd_rn(left, __fmul_rn(x, step)), ci = __fadd_rn(top, __fmul_rn(y, step)), zr = 0, zi = 0;
    int n = 0;
    while (n < 200) {
        float rr = __fmul_rn(zr, zr), ii = __fmul_rn(zi, zi);
        if (__fadd_rn(rr, ii) > 4.0f) break;
        zi = __fadd_rn(__fmul_rn(2.0f * zr, zi), ci);
        zr = __fadd_rn(__fadd_rn(rr, -ii), cr);
        n++;
    }
    steps[y * w + x] = n;
}

extern "C" __global__ void julia_double(unsigned char *steps, int w, double cr, double ci) {
    int x = threadIdx.x, y = blockIdx.x;
    double zr = __dadd_rn(__dmul_rn(x, 3.0 / 64), -1.5), zi = __dadd_rn(__dmul_rn(y, 3.0 / 64), -1.5);
    int n = 0;
    for (; n < 100 && __dadd_rn(__dmul_rn(zr, zr), __dmul_rn(zi, zi)) <= 4.0; n++) {
        double r = __dadd_rn(__dadd_rn(__dmul_rn(zr, zr), -__dmul_rn(zi, zi)), cr);
        zi = __dadd_rn(__dmul_rn(2.0 * zr, zi), ci);
        zr = r;
    }
    steps[y * w + x] = n;
}

// Stockham's FFT of 256 points per block in shared memory.
extern "C" __global__ void fft(const float2 *in, float2 *out) {
    __shared__ float2 a[256], b[256];
    float2 *from = a, *to = b;
    unsigned t = threadIdx.x;
    a[t] = in[blockIdx.x * 256 + t];
    a[t + 128] = in[blockIdx.x * 256 + t + 128];
    __syncthreads();
    for (unsigned half = 1; half < 256; half *= 2) {
        unsigned k = t % half;
        float s, c;
        sincospif(-(float)k / half, &s, &c);
        float2 u = from[t], v = from[t + 128];
        float2 w = make_float2(v.x * c - v.y * s, v.x * s + v.y * c);
        unsigned at = (t - k) * 2 + k;
        to[at] = make_float2(u.x + w.x, u.y + w.y);
        to[at + half] = make_float2(u.x - w.x, u.y - w.y);
        float2 *swap = from;
        from = to;
        to = swap;
        __syncthreads();
    }
    out[blockIdx.x * 256 + t] = from[t];
    out[blockIdx.x * 256 + t + 128] = from[t + 128];
}

// Number-theoretic transform modulo 2^64 - 2^32 + 1, by its definition.
__device__ unsigned long long mulmod(unsigned long long a, unsigned long long b) {
    const unsigned long long P = 0xffffffff00000001ull;
    unsigned __int128 product = (unsigned __int128)a * b;
    unsigned long long low = (unsigned long long)product, high = (unsigned long long)(product >> 64), top = high >> 32, mid = high & 0xffffffffu;
    unsigned long long r = low - top;
    if (low < top) r += P;
    unsigned long long s = (mid << 32) - mid, sum = r + s;
    if (sum < r) sum -= P;
    return sum >= P ? sum - P : sum;
}
extern "C" __global__ void number_transform(const unsigned long long *in, unsigned long long *out, unsigned long long root) {
    const unsigned long long P = 0xffffffff00000001ull;
    unsigned long long step = 1, power = 1, sum = 0;
    for (unsigned i = 0; i < threadIdx.x; i++) step = mulmod(step, root);
    for (unsigned i = 0; i < blockDim.x; i++) {
        unsigned long long term = mulmod(in[i], power), next = sum + term;
        sum = next < sum || next >= P ? next - P : next;
        power = mulmod(power, step);
    }
    out[threadIdx.x] = sum;
}

// Xorshift per thread: points inside the circle, counted by votes.
extern "C" __global__ void circle_points(unsigned long long seed, unsigned *inside, int tries) {
    unsigned id = blockIdx.x * blockDim.x + threadIdx.x, hits = 0;
    unsigned long long state = seed + (id + 1) * 0x9e3779b97f4a7c15ull;
    for (int i = 0; i < tries; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        unsigned long long x = (unsigned)state, y = state >> 32;
        unsigned vote = __ballot_sync(~0u, (x * x >> 1) + (y * y >> 1) < 1ull << 63);
        if (threadIdx.x % 32 == 0) hits += __popc(vote);
    }
    if (hits) atomicAdd(inside, hits);
}

// Philox 4x32-10.
__device__ uint4 philox(uint4 c, uint2 k) {
    for (int i = 0; i < 10; i++) {
        unsigned h0 = __umulhi(0xd2511f53u, c.x), l0 = 0xd2511f53u * c.x, h1 = __umulhi(0xcd9e8d57u, c.z), l1 = 0xcd9e8d57u * c.z;
        c = make_uint4(h1 ^ c.y ^ k.x, l1, h0 ^ c.w ^ k.y, l0);
        k.x += 0x9e3779b9u;
        k.y += 0xbb67ae85u;
    }
    return c;
}
extern "C" __global__ void philox_numbers(uint2 key, uint4 *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = philox(make_uint4(i, 7, 8, 9), key);
}
extern "C" __global__ void philox_normal(uint2 key, float2 *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    uint4 r = philox(make_uint4(i, 0, 0, 0), key);
    float u = ((r.x >> 8) + 1) * 0x1p-24f, v = r.y * 0x1p-31f, s, c, radius = sqrtf(-2.0f * logf(u));
    sincospif(v, &s, &c);
    out[i] = make_float2(radius * c, radius * s);
}

// Runge-Kutta of fourth order for a pendulum.
extern "C" __global__ void pendulum(double *angle, double *speed, double step, int steps) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double a = angle[i], s = speed[i];
    for (int n = 0; n < steps; n++) {
        double k1a = s, k1s = -sin(a);
        double k2a = s + step / 2 * k1s, k2s = -sin(a + step / 2 * k1a);
        double k3a = s + step / 2 * k2s, k3s = -sin(a + step / 2 * k2a);
        double k4a = s + step * k3s, k4s = -sin(a + step * k3a);
        a += step / 6 * (k1a + 2 * k2a + 2 * k3a + k4a);
        s += step / 6 * (k1s + 2 * k2s + 2 * k3s + k4s);
    }
    angle[i] = a;
    speed[i] = s;
}

// Prices of options by Black and Scholes.
extern "C" __global__ void options(const float *price, const float *strike, const float *years, float *call, float *put, float rate, float volatility) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float root = sqrtf(years[i]), d1 = (logf(price[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / (volatility * root), d2 = d1 - volatility * root;
    float n1 = normcdff(d1), n2 = normcdff(d2), discount = expf(-rate * years[i]) * strike[i];
    call[i] = price[i] * n1 - discount * n2;
    put[i] = discount * (1 - n2) - price[i] * (1 - n1);
}

// K-means: each point to its nearest center, then sums by atomics.
extern "C" __global__ void nearest(const float2 *point, const float2 *centre, int *which, int2 *sums, int *counts, int n, int k) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float2 p = point[i];
    float least = INFINITY;
    int best = 0;
    for (int c = 0; c < k; c++) {
        float dx = p.x - centre[c].x, dy = p.y - centre[c].y, d = dx * dx + dy * dy;
        if (d < least) {
            least = d;
            best = c;
        }
    }
    which[i] = best;
    atomicAdd(&sums[best].x, __float2int_rn(p.x));
    atomicAdd(&sums[best].y, __float2int_rn(p.y));
    atomicAdd(&counts[best], 1);
}
