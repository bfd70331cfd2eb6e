// Floating point: rounding, conversions, functions, half precision.
#include <cuda_fp16.h>

extern "C" __global__ void float_exact(const float *in, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i], y = in[i ^ 1], z = in[i ^ 2];
    float *o = out + i * 24;
    o[0] = __fadd_rn(x, y);
    o[1] = __fadd_rz(x, y);
    o[2] = __fadd_ru(x, y);
    o[3] = __fadd_rd(x, y);
    o[4] = __fmul_rz(x, y);
    o[5] = __fmul_ru(x, y);
    o[6] = __fmaf_rn(x, y, z);
    o[7] = __fmaf_rd(x, y, z);
    o[8] = __fdiv_rn(x, y);
    o[9] = __fdiv_ru(x, y);
    o[10] = __fsqrt_rn(fabsf(x));
    o[11] = __fsqrt_rd(fabsf(x));
    o[12] = __frcp_rn(x);
    o[13] = __frcp_rz(x);
    o[14] = floorf(x) + ceilf(y) * 4;
    o[15] = truncf(x) - roundf(y);
    o[16] = rintf(x);
    o[17] = fminf(x, y) - fmaxf(x, z);
    o[18] = copysignf(x, y);
    o[19] = fmodf(x, y);
    o[20] = __saturatef(x);
    o[21] = ldexpf(x, 3) + scalbnf(y, -2);
    int e;
    o[22] = frexpf(x, &e);
    o[22] += e;
    o[23] = remainderf(x, y);
}

extern "C" __global__ void conversions(const double *in, int *out, long long *wide, float *narrow) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double x = in[i];
    float f = (float)x;
    int *o = out + i * 12;
    o[0] = (int)f;
    o[1] = (unsigned)f;
    o[2] = __float2int_rn(f);
    o[3] = __float2int_ru(f);
    o[4] = __float2uint_rd(f);
    o[5] = (int)x;
    o[6] = __double2int_rn(x);
    o[7] = __double2uint_ru(x);
    o[8] = (signed char)(int)f;
    o[9] = __float2half_rn(f) == __float2half_rz(f);
    o[10] = __half2int_rn(__float2half(f));
    o[11] = __double2hiint(x) ^ __double2loint(x);
    long long *w = wide + i * 4;
    w[0] = (long long)x;
    w[1] = (unsigned long long)f;
    w[2] = __double2ll_ru(x);
    w[3] = llrint(x) + lroundf(f);
    float *n = narrow + i * 5;
    n[0] = __double2float_rz(x);
    n[1] = __double2float_ru(x);
    n[2] = __ll2float_rd(w[0] * 1000003);
    n[3] = __ull2float_rn(w[0] << 20);
    n[4] = (float)(short)o[0] + (float)(unsigned char)o[1];
}

extern "C" __global__ void double_functions(const double *in, double *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double x = in[i];
    double *o = out + i * 20;
    o[0] = exp(x);
    o[1] = log(fabs(x));
    o[2] = sin(x);
    o[3] = cos(x);
    o[4] = tan(x);
    o[5] = atan(x);
    o[6] = sinh(x);
    o[7] = tanh(x);
    o[8] = cbrt(x);
    o[9] = erf(x);
    o[10] = pow(fabs(x), 2.7);
    o[11] = asin(x / 8);
    o[12] = hypot(x, 3.0);
    o[13] = exp2(x);
    o[14] = log2(fabs(x));
    o[15] = expm1(x);
    o[16] = atan2(x, -2.0);
    o[17] = sqrt(fabs(x)) + 1 / x;
    o[18] = fma(x, x, -1.0) + rsqrt(fabs(x));
    o[19] = floor(x) + rint(x) * 10 + fmod(x, 0.7);
}

extern "C" __global__ void double_special(const double *in, double *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double x = fabs(in[i]) + 0.25;
    double *o = out + i * 7;
    o[0] = tgamma(x);
    o[1] = lgamma(x);
    o[2] = erfc(x / 2);
    o[3] = j0(x);
    o[4] = normcdf(x - 2);
    o[5] = acosh(x + 1);
    o[6] = erfinv(x / 10);
}

extern "C" __global__ void float_functions(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = in[i];
    float *o = out + i * 14;
    o[0] = expf(x);
    o[1] = logf(fabsf(x));
    o[2] = sinf(x * 1000);
    o[3] = cosf(x);
    o[4] = tanf(x);
    o[5] = atanf(x);
    o[6] = sinhf(x);
    o[7] = powf(fabsf(x), 1.7f);
    o[8] = cbrtf(x);
    o[9] = erfcf(x);
    o[10] = log2f(fabsf(x)) + exp2f(x);
    o[11] = asinf(x / 8) + acosf(x / 9);
    o[12] = atan2f(x, 0.5f);
    o[13] = log10f(fabsf(x)) + exp10f(x);
}

// Fast functions, whose last bits depend on the GPU.
extern "C" __global__ void float_fast(const float *in, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    float *o = out + i * 8;
    o[0] = __expf(x);
    o[1] = __logf(fabsf(x));
    o[2] = __sinf(x);
    o[3] = __cosf(x);
    o[4] = __powf(fabsf(x), 1.5f);
    o[5] = __fdividef(1.0f, x);
    o[6] = rsqrtf(fabsf(x));
    o[7] = __tanf(x);
}

extern "C" __global__ void halves(const __half2 *in, __half2 *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __half2 x = in[i], y = in[i ^ 1];
    __half2 *o = out + i * 12;
    o[0] = __hadd2(x, y);
    o[1] = __hmul2(x, y);
    o[2] = __hfma2(x, y, x);
    o[3] = __hsub2(x, y);
    o[4] = __habs2(__hneg2(x));
    o[5] = __hgt2(x, y);
    o[6] = __lows2half2(x, y);
    o[7] = __h2div(x, y);
    o[8] = __halves2half2(__hmax(x.x, y.x), __hmin(x.y, y.y));
    o[9] = __halves2half2(__float2half(__half2float(x.x) * 3), __int2half_rn(__half2int_rz(y.y)));
    o[10] = __halves2half2(__hle(x.x, y.x) ? x.y : y.y, hsqrt(__habs(x.x)));
    o[11] = h2floor(x);
}

// Half-precision storage, single-precision sums: a row per warp.
extern "C" __global__ void half_rows(const __half *m, const __half *x, float *y, int cols) {
    float sum = 0;
    const __half2 *row = (const __half2 *)(m + blockIdx.x * cols), *v = (const __half2 *)x;
    for (int i = threadIdx.x; i < cols / 2; i += 32) {
        float2 a = __half22float2(row[i]), b = __half22float2(v[i]);
        sum += a.x * b.x + a.y * b.y;
    }
    for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
    if (threadIdx.x == 0) y[blockIdx.x] = sum;
}

// Compensated sums: Kahan's, and double-double.
extern "C" __global__ void careful_sums(const float *in, float *kahan, double *pair, int n) {
    float sum = 0, lost = 0;
    double high = 0, low = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float y = __fsub_rn(in[i], lost), t = __fadd_rn(sum, y);
        lost = __fsub_rn(__fsub_rn(t, sum), y);
        sum = t;
        double d = in[i] * 1e10, s = __dadd_rn(high, d), b = __dsub_rn(s, high);
        low = __dadd_rn(low, __dadd_rn(__dsub_rn(high, __dsub_rn(s, b)), __dsub_rn(d, b)));
        high = s;
    }
    kahan[threadIdx.x] = sum;
    pair[2 * threadIdx.x] = high;
    pair[2 * threadIdx.x + 1] = low;
}
