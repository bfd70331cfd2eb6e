// <curand_kernel.h>: XORWOW, Philox and Sobol. Words and uniform numbers are those of NVIDIA's generators.
#define CURAND_KERNEL_H_
#define QUALIFIERS static __forceinline__ __device__
#define CURAND_2POW32_INV (2.3283064e-10f)
struct curandStateXORWOW { unsigned d, v[5]; int boxmuller_flag, boxmuller_flag_double; float boxmuller_extra; double boxmuller_extra_double; };
typedef curandStateXORWOW curandStateXORWOW_t;
typedef curandStateXORWOW curandState_t;
typedef curandStateXORWOW curandState;
struct curandStatePhilox4_32_10 {
    uint4 ctr, output;
    uint2 key;
    unsigned STATE;
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
// Powers of the step of XORWOW's shift register, as polynomials modulo its characteristic polynomial: steps of 2^(67 + i), and of 2^i.
__device__ const unsigned __lw_xorwow_far[160] = {
    0x26294934, 0x77bbc248, 0x1a87dad0, 0x930052d4, 0x947e6dd2,
    0x5f39c379, 0x95e20ba6, 0x20e9ff72, 0x1244ce5e, 0xe8fd228f,
    0xa7474d19, 0x37c549e0, 0x140877d2, 0x24c43924, 0xcd52ebec,
    0xe0360ec5, 0xb1c96c24, 0xdbb91766, 0x666ff5dc, 0xf19a7e52,
    0xfcc8f692, 0x35aa698a, 0x04ebbf85, 0x448304b0, 0x082f3fd5,
    0x48c289bd, 0xe851cf98, 0x845ad581, 0xfd70752a, 0x2c3e63f6,
    0xe502f5b3, 0x77859d31, 0x97e1cbb3, 0xea09047a, 0x61d5f37e,
    0xb89326d0, 0x5a8655a9, 0xfb6e98f5, 0x02102162, 0x7e6fcf6f,
    0xb3a15db4, 0xc6df3330, 0x1a8be751, 0xf1e4b221, 0x6bb61c05,
    0x133de1d0, 0x361e4422, 0xc6131fcf, 0xd9719f45, 0x9658a164,
    0x19e2bee8, 0xf8974218, 0x4e65536a, 0xa2570336, 0xe9b88082,
    0x7863644b, 0x2a21ce84, 0x112e86f1, 0xed01ce0e, 0xba143e84,
    0x0e2cae2e, 0xd1011279, 0x58923768, 0x2bf650ba, 0xc985bcda,
    0x213a286a, 0x6596b510, 0x6fc10eae, 0x38a13547, 0x11c7749e,
    0x146281e7, 0xa45b4452, 0xafa8c695, 0x74a0ac94, 0x4b250e0a,
    0x2306bc52, 0x790f3b4c, 0x2fe473b9, 0xbc81d7c0, 0x093efe98,
    0x89658c8b, 0xf3914315, 0xa73fe84b, 0x3c5fadb6, 0xadba8dd6,
    0x09e49814, 0x09caf5ed, 0x6b2460d9, 0x1b9981c1, 0x2d1fefc3,
    0x82161afc, 0x9bb13c55, 0xfd20d7fb, 0x306d90b9, 0x92bf386f,
    0x96d32350, 0x0e081864, 0x69faa798, 0xe7faecf5, 0xf1f951be,
    0x3e9058c1, 0x71da9705, 0xe2cb1f2b, 0x73456536, 0xbd6501b6,
    0x990ffc6e, 0xbfdd1b5d, 0xc83e520b, 0xe972936a, 0xac79abb9,
    0xb1321eb5, 0xb06d01a2, 0x51532012, 0x8fb59962, 0x141d3b0b,
    0x3257dfe1, 0xd8a3d601, 0x3a58c735, 0x845f36e4, 0x0112c611,
    0xa0ffe9a4, 0xf57be00e, 0xe706880c, 0x191211ef, 0xee5664fb,
    0x9a3385b8, 0xc540c30a, 0xb241d1e0, 0x00626569, 0x6b355fe9,
    0xe129d45d, 0xac3e698b, 0xd61f79fd, 0x7a72a28b, 0x7f4942be,
    0x612501bb, 0xae7b767d, 0xaa66c165, 0x09bfaf8e, 0x3e55c16d,
    0x874e26a7, 0x33bc5a47, 0xad95cba5, 0x67651c39, 0xf1f07dca,
    0xb5ed0732, 0x30e7a573, 0x5c056714, 0x2304f8fa, 0xebc584e1,
    0x4b324c2e, 0x2bdcc5a0, 0x53eb4240, 0xcac4fbc1, 0x13e529e7,
    0xe1683e38, 0xa2339994, 0x7308a647, 0xc7c3f0b1, 0x4a3dcd33,
};
__device__ const unsigned __lw_xorwow_near[160] = {
    0x00000002, 0x00000000, 0x00000000, 0x00000000, 0x00000000,
    0x00000004, 0x00000000, 0x00000000, 0x00000000, 0x00000000,
    0x00000010, 0x00000000, 0x00000000, 0x00000000, 0x00000000,
    0x00000100, 0x00000000, 0x00000000, 0x00000000, 0x00000000,
    0x00010000, 0x00000000, 0x00000000, 0x00000000, 0x00000000,
    0x00000000, 0x00000001, 0x00000000, 0x00000000, 0x00000000,
    0x00000000, 0x00000000, 0x00000001, 0x00000000, 0x00000000,
    0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000001,
    0xbebd3534, 0x7064f5bc, 0x20be29eb, 0x536d5b32, 0x063a0069,
    0x9df022be, 0x4c2ee09f, 0x0939c7c8, 0xe711c2f8, 0xc6f135ae,
    0xed64ec08, 0xafc48684, 0xd81c59ee, 0x1640314f, 0x2bf0ccef,
    0x16ade0a0, 0x3ff6a2d3, 0x4746bd83, 0x2e65a497, 0x263e40a4,
    0x9d10e028, 0xee56d79c, 0xfb1b3286, 0x0f747418, 0x26f9476d,
    0x284e9f80, 0x95328d41, 0x97ec0360, 0x1e655d95, 0x60a9306f,
    0x3f490634, 0x9ae593fc, 0x1a95bb6b, 0xda10a3fc, 0xa3abaf54,
    0xa80ecea0, 0x392ca981, 0x191e801e, 0xceb66042, 0x2f4edc3f,
    0xfb9680e9, 0xbdaba0b2, 0x3986540f, 0x23fe6ccc, 0x0994e82f,
    0x4d53badb, 0x3e30e97d, 0x19abbaf6, 0x5cd52f87, 0x98663641,
    0x32da6db4, 0x80135829, 0x3abd4734, 0x2060c3f9, 0x38b2dd97,
    0xbd3a57bd, 0x066101a8, 0x0b4f188e, 0x16890623, 0x8bf58771,
    0x0c5b636f, 0x4407a814, 0x60204515, 0x5bd4dbd2, 0x2509eeb5,
    0xa87f2bfe, 0x0143dfcb, 0x4b5142ba, 0xfd21a24b, 0x3dac4527,
    0x21e9179d, 0x2b57aa94, 0x5f06e1fc, 0x6735dc98, 0x9aa0181f,
    0x4a85a684, 0x2ff777f0, 0x8e58b0ed, 0xd4e84a39, 0x6d37f6a0,
    0x793adf2b, 0x3d3e75c8, 0x0b091758, 0x9deb3f50, 0xbcd116ec,
    0x89c7a15d, 0x43629d41, 0x8a870ba5, 0xa7916f56, 0x9db15489,
    0xfa8fc346, 0x694921b1, 0xf2bd4c48, 0x8b05ae1b, 0x2de7aee2,
    0xbc1bc6b9, 0xd73ea395, 0xfbdd753d, 0xe45dbacd, 0x7b16eae0,
    0xf144e1f3, 0xb9b4b3c4, 0x8222f622, 0x9072105a, 0x66083550,
    0xd88a6c5e, 0x9ac20a72, 0x209ef9a8, 0xe8e4fd8a, 0x1ec855a5,
    0xbd734cf1, 0x9254a905, 0xfb38236d, 0x11e62fd3, 0xf9e7d21e,
    0x8d333839, 0x69fed6df, 0x79338fde, 0xa38a8714, 0x0e538bca,
};
__host__ __device__ inline void __lw_xorwow_step(unsigned *v) {
    unsigned t = v[0] ^ (v[0] >> 2);
    v[0] = v[1];
    v[1] = v[2];
    v[2] = v[3];
    v[3] = v[4];
    v[4] = (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1));
}
__device__ inline void __lw_xorwow_jump(unsigned *v, const unsigned *powers, unsigned long long count) {
    for (int bit = 0; count; bit++, count >>= 1) {
        if (!(count & 1)) continue;
        unsigned sum[5] = {0, 0, 0, 0, 0};
        for (int i = 0; i < 160; i++) {
            unsigned mask = 0u - ((powers[(bit & 31) * 5 + i / 32] >> (i & 31)) & 1);
            for (int k = 0; k < 5; k++) sum[k] ^= v[k] & mask;
            __lw_xorwow_step(v);
        }
        for (int k = 0; k < 5; k++) v[k] = sum[k];
    }
}
__device__ inline void skipahead(unsigned long long n, curandStateXORWOW *state) {
    __lw_xorwow_jump(state->v, __lw_xorwow_near, n);
    state->d += 362437u * (unsigned)n;
}
__device__ inline void skipahead_sequence(unsigned long long n, curandStateXORWOW *state) { __lw_xorwow_jump(state->v, __lw_xorwow_far, n); }
__device__ inline void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset, curandStateXORWOW *state) {
    unsigned low = ((unsigned)seed ^ 0xaad26b49u) * 1099087573u, high = ((unsigned)(seed >> 32) ^ 0xf7dcefddu) * 2591861531u;
    state->d = 6615241u + high + low;
    state->v[0] = 123456789u + low;
    state->v[1] = 362436069u ^ low;
    state->v[2] = 521288629u + high;
    state->v[3] = 88675123u ^ high;
    state->v[4] = 5783321u + low;
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
    state->boxmuller_flag = state->boxmuller_flag_double = 0;
    state->boxmuller_extra = 0;
    state->boxmuller_extra_double = 0;
}
__device__ inline unsigned curand(curandStateXORWOW *state) {
    __lw_xorwow_step(state->v);
    state->d += 362437u;
    return state->v[4] + state->d;
}
__device__ inline uint4 __lw_philox(uint4 c, uint2 k) {
    for (int i = 0; i < 10; i++) {
        unsigned high0 = __umulhi(0xd2511f53u, c.x), low0 = 0xd2511f53u * c.x, high1 = __umulhi(0xcd9e8d57u, c.z), low1 = 0xcd9e8d57u * c.z;
        c = make_uint4(high1 ^ c.y ^ k.x, low1, high0 ^ c.w ^ k.y, low0);
        k.x += 0x9e3779b9u;
        k.y += 0xbb67ae85u;
    }
    return c;
}
__device__ inline void __lw_philox_add(uint4 *c, unsigned long long n) {
    unsigned low = (unsigned)n, high = (unsigned)(n >> 32);
    c->x += low;
    if (c->x < low) high++;
    c->y += high;
    if (high <= c->y) return;
    if (++c->z) return;
    ++c->w;
}
__device__ inline void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10 *state) {
    unsigned low = (unsigned)n, high = (unsigned)(n >> 32);
    state->ctr.z += low;
    if (state->ctr.z < low) high++;
    state->ctr.w += high;
    state->output = __lw_philox(state->ctr, state->key);
}
__device__ inline void skipahead(unsigned long long n, curandStatePhilox4_32_10 *state) {
    state->STATE += (unsigned)(n & 3);
    n /= 4;
    if (state->STATE > 3) { n++; state->STATE -= 4; }
    __lw_philox_add(&state->ctr, n);
    state->output = __lw_philox(state->ctr, state->key);
}
__device__ inline void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset, curandStatePhilox4_32_10 *state) {
    state->ctr = make_uint4(0, 0, 0, 0);
    state->key = make_uint2((unsigned)seed, (unsigned)(seed >> 32));
    state->STATE = 0;
    state->boxmuller_flag = state->boxmuller_flag_double = 0;
    state->boxmuller_extra = 0;
    state->boxmuller_extra_double = 0;
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
}
__device__ inline unsigned curand(curandStatePhilox4_32_10 *state) {
    unsigned at = state->STATE++, result = at == 0 ? state->output.x : at == 1 ? state->output.y : at == 2 ? state->output.z : state->output.w;
    if (state->STATE == 4) {
        __lw_philox_add(&state->ctr, 1);
        state->output = __lw_philox(state->ctr, state->key);
        state->STATE = 0;
    }
    return result;
}
__device__ inline uint4 curand4(curandStatePhilox4_32_10 *state) {
    uint4 a = state->output;
    __lw_philox_add(&state->ctr, 1);
    uint4 b = state->output = __lw_philox(state->ctr, state->key);
    switch (state->STATE) {
    case 1: return make_uint4(a.y, a.z, a.w, b.x);
    case 2: return make_uint4(a.z, a.w, b.x, b.y);
    case 3: return make_uint4(a.w, b.x, b.y, b.z);
    default: return a;
    }
}
__device__ inline float _curand_uniform(unsigned x) { return x * 2.3283064e-10f + (2.3283064e-10f / 2.0f); }
__device__ inline double _curand_uniform_double_hq(unsigned x, unsigned y) {
    unsigned long long z = (unsigned long long)x ^ ((unsigned long long)y << 21);
    return z * 1.1102230246251565e-16 + (1.1102230246251565e-16 / 2.0);
}
__device__ inline float2 _curand_box_muller(unsigned x, unsigned y) {
    float u = x * 2.3283064e-10f + (2.3283064e-10f / 2), v = y * 1.46291807e-09f + (1.46291807e-09f / 2), s = sqrtf(-2.0f * logf(u));
    float2 result;
    __sincosf(v, &result.x, &result.y);
    result.x *= s;
    result.y *= s;
    return result;
}
__device__ inline double2 _curand_box_muller_double(unsigned a, unsigned b, unsigned c, unsigned d) {
    unsigned long long x = (unsigned long long)a ^ ((unsigned long long)b << 21), y = (unsigned long long)c ^ ((unsigned long long)d << 21);
    double u = x * 1.1102230246251565e-16 + (1.1102230246251565e-16 / 2.0), v = y * (1.1102230246251565e-16 * 2.0) + 1.1102230246251565e-16;
    double s = sqrt(-2.0 * log(u));
    double2 result;
    sincospi(v, &result.x, &result.y);
    result.x *= s;
    result.y *= s;
    return result;
}
template <class S> __device__ inline float curand_uniform(S *state) { return _curand_uniform(curand(state)); }
// Philox makes a double of one word, XORWOW of two.
__device__ inline double curand_uniform_double(curandStatePhilox4_32_10 *state) { return curand(state) * 0x1p-32 + 0x1p-32; }
template <class S> __device__ inline double curand_uniform_double(S *state) { unsigned x = curand(state), y = curand(state); return _curand_uniform_double_hq(x, y); }
template <class S> __device__ inline float2 curand_normal2(S *state) { unsigned x = curand(state), y = curand(state); return _curand_box_muller(x, y); }
template <class S> __device__ inline float curand_normal(S *state) {
    if (state->boxmuller_flag != 1) {
        float2 both = curand_normal2(state);
        state->boxmuller_extra = both.y;
        state->boxmuller_flag = 1;
        return both.x;
    }
    state->boxmuller_flag = 0;
    return state->boxmuller_extra;
}
template <class S> __device__ inline double2 curand_normal2_double(S *state) { unsigned a = curand(state), b = curand(state), c = curand(state), d = curand(state); return _curand_box_muller_double(a, b, c, d); }
template <class S> __device__ inline double curand_normal_double(S *state) {
    if (state->boxmuller_flag_double != 1) {
        double2 both = curand_normal2_double(state);
        state->boxmuller_extra_double = both.y;
        state->boxmuller_flag_double = 1;
        return both.x;
    }
    state->boxmuller_flag_double = 0;
    return state->boxmuller_extra_double;
}
// The second number of a pair is kept for the next call of the same distribution only: flag 1 normal, 2 log-normal.
template <class S> __device__ inline float curand_log_normal(S *state, float mean, float deviation) {
    if (state->boxmuller_flag != 2) {
        float2 both = curand_normal2(state);
        state->boxmuller_extra = expf(mean + deviation * both.y);
        state->boxmuller_flag = 2;
        return expf(mean + deviation * both.x);
    }
    state->boxmuller_flag = 0;
    return state->boxmuller_extra;
}
template <class S> __device__ inline double curand_log_normal_double(S *state, double mean, double deviation) {
    if (state->boxmuller_flag_double != 2) {
        double2 both = curand_normal2_double(state);
        state->boxmuller_extra_double = exp(mean + deviation * both.y);
        state->boxmuller_flag_double = 2;
        return exp(mean + deviation * both.x);
    }
    state->boxmuller_flag_double = 0;
    return state->boxmuller_extra_double;
}
__device__ inline float4 curand_uniform4(curandStatePhilox4_32_10 *state) {
    uint4 x = curand4(state);
    return make_float4(_curand_uniform(x.x), _curand_uniform(x.y), _curand_uniform(x.z), _curand_uniform(x.w));
}
__device__ inline double2 curand_uniform2_double(curandStatePhilox4_32_10 *state) {
    uint4 x = curand4(state);
    return make_double2(_curand_uniform_double_hq(x.x, x.y), _curand_uniform_double_hq(x.z, x.w));
}
__device__ inline float4 curand_normal4(curandStatePhilox4_32_10 *state) {
    uint4 x = curand4(state);
    float2 a = _curand_box_muller(x.x, x.y), b = _curand_box_muller(x.z, x.w);
    return make_float4(a.x, a.y, b.x, b.y);
}
#include <lanework/sobol.h>
