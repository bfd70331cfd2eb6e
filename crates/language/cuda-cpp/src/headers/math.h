// Arithmetic intrinsics and the mathematical functions that are instructions or short sequences of them.
#define __ROUNDED(SUFFIX)                                                                                             \
    __OP("fadd " #SUFFIX) float __fadd_##SUFFIX(float a, float b);                                                    \
    __OP("fsub " #SUFFIX) float __fsub_##SUFFIX(float a, float b);                                                    \
    __OP("fmul " #SUFFIX) float __fmul_##SUFFIX(float a, float b);                                                    \
    __OP("fdiv " #SUFFIX) float __fdiv_##SUFFIX(float a, float b);                                                    \
    __OP("fma " #SUFFIX) float __fmaf_##SUFFIX(float a, float b, float c);                                            \
    __OP("sqrt " #SUFFIX) float __fsqrt_##SUFFIX(float a);                                                            \
    __OP("rcp " #SUFFIX) float __frcp_##SUFFIX(float a);                                                              \
    __OP("fadd " #SUFFIX) double __dadd_##SUFFIX(double a, double b);                                                 \
    __OP("fsub " #SUFFIX) double __dsub_##SUFFIX(double a, double b);                                                 \
    __OP("fmul " #SUFFIX) double __dmul_##SUFFIX(double a, double b);                                                 \
    __OP("fdiv " #SUFFIX) double __ddiv_##SUFFIX(double a, double b);                                                 \
    __OP("fma " #SUFFIX) double __fma_##SUFFIX(double a, double b, double c);                                         \
    __OP("sqrt " #SUFFIX) double __dsqrt_##SUFFIX(double a);                                                          \
    __OP("rcp " #SUFFIX) double __drcp_##SUFFIX(double a);                                                            \
    __OP("cvt " #SUFFIX) int __float2int_##SUFFIX(float a);                                                           \
    __OP("cvt " #SUFFIX) unsigned __float2uint_##SUFFIX(float a);                                                     \
    __OP("cvt " #SUFFIX) long long __float2ll_##SUFFIX(float a);                                                      \
    __OP("cvt " #SUFFIX) unsigned long long __float2ull_##SUFFIX(float a);                                            \
    __OP("cvt " #SUFFIX) int __double2int_##SUFFIX(double a);                                                         \
    __OP("cvt " #SUFFIX) unsigned __double2uint_##SUFFIX(double a);                                                   \
    __OP("cvt " #SUFFIX) long long __double2ll_##SUFFIX(double a);                                                    \
    __OP("cvt " #SUFFIX) unsigned long long __double2ull_##SUFFIX(double a);                                          \
    __OP("cvt " #SUFFIX) float __double2float_##SUFFIX(double a);                                                     \
    __OP("cvt " #SUFFIX) float __int2float_##SUFFIX(int a);                                                           \
    __OP("cvt " #SUFFIX) float __uint2float_##SUFFIX(unsigned a);                                                     \
    __OP("cvt " #SUFFIX) float __ll2float_##SUFFIX(long long a);                                                      \
    __OP("cvt " #SUFFIX) float __ull2float_##SUFFIX(unsigned long long a);                                            \
    __OP("cvt " #SUFFIX) double __int2double_##SUFFIX(int a);                                                         \
    __OP("cvt " #SUFFIX) double __uint2double_##SUFFIX(unsigned a);                                                   \
    __OP("cvt " #SUFFIX) double __ll2double_##SUFFIX(long long a);                                                    \
    __OP("cvt " #SUFFIX) double __ull2double_##SUFFIX(unsigned long long a);
__ROUNDED(rn) __ROUNDED(rz) __ROUNDED(ru) __ROUNDED(rd)
#undef __ROUNDED
__PTX("rsqrt.approx.f32 %0, %1;") float __frsqrt_rn(float a);
__PTX("div.approx.f32 %0, %1, %2;") float __lw_div_approx(float a, float b);
__PTX("div.full.f32 %0, %1, %2;") float __lw_div_full(float a, float b);
__PTX("ex2.approx.f32 %0, %1;") float __lw_ex2(float a);
__PTX("lg2.approx.f32 %0, %1;") float __lw_lg2(float a);
__PTX("sin.approx.f32 %0, %1;") float __sinf(float a);
__PTX("cos.approx.f32 %0, %1;") float __cosf(float a);
__PTX("tanh.approx.f32 %0, %1;") float __tanhf(float a);
#ifdef __LW_HOST__
__device__ inline float rsqrtf(float a) { return 1.0f / sqrtf(a); }
#else
__PTX("rsqrt.approx.f32 %0, %1;") float rsqrtf(float a);
#endif
__PTX("rsqrt.approx.f64 %0, %1;") double __lw_rsqrt(double a);
__PTX("add.sat.f32 %0, %1, 0f00000000;") float __saturatef(float a);
__device__ inline float __fdividef(float a, float b) { return __lw_div_approx(a, b); }
__device__ inline float __expf(float a) { return __lw_ex2(__fmul_rn(a, 1.44269502f)); }
__device__ inline float __exp10f(float a) { return __lw_ex2(__fmul_rn(a, 3.32192802f)); }
__device__ inline float __logf(float a) { return __fmul_rn(__lw_lg2(a), 0.693147182f); }
__device__ inline float __log2f(float a) { return __lw_lg2(a); }
__device__ inline float __log10f(float a) { return __fmul_rn(__lw_lg2(a), 0.301029996f); }
__device__ inline float __powf(float a, float b) { return __lw_ex2(__fmul_rn(b, __lw_lg2(a))); }
__device__ inline float __tanf(float a) { return __lw_div_approx(__sinf(a), __cosf(a)); }
__device__ inline void __sincosf(float a, float *s, float *c) { *s = __sinf(a); *c = __cosf(a); }
__device__ inline double rsqrt(double a) { return __drcp_rn(__dsqrt_rn(a)); }

#define __FLOATING(NAME, OPERATION)                                                                                   \
    __OP(OPERATION) float NAME##f(float a);                                                                           \
    __OP(OPERATION) double NAME(double a);                                                                            \
    __OP(OPERATION) float NAME(float a);                                                                              \
    __device__ inline long double NAME##l(long double a) { return NAME((double)a); }                                  \
    __device__ inline long double NAME(long double a) { return NAME((double)a); }
__FLOATING(sqrt, "sqrt") __FLOATING(fabs, "fabs") __FLOATING(floor, "floor") __FLOATING(ceil, "ceil")
__FLOATING(trunc, "trunc") __FLOATING(rint, "rint") __FLOATING(nearbyint, "rint")
#undef __FLOATING
#define __FLOATING2(NAME, OPERATION)                                                                                  \
    __OP(OPERATION) float NAME##f(float a, float b);                                                                  \
    __OP(OPERATION) double NAME(double a, double b);                                                                  \
    __OP(OPERATION) float NAME(float a, float b);                                                                     \
    __device__ inline long double NAME##l(long double a, long double b) { return NAME((double)a, (double)b); }        \
    __device__ inline long double NAME(long double a, long double b) { return NAME((double)a, (double)b); }
__FLOATING2(fmin, "fmin") __FLOATING2(fmax, "fmax")
#undef __FLOATING2
__OP("fma") float fmaf(float a, float b, float c);
__OP("fma") double fma(double a, double b, double c);
__OP("fma") float fma(float a, float b, float c);
__OP("fma") float __fmaf_ieee_rn(float a, float b, float c);
// Integers, and numbers of different types, are converted to `double`.
template <bool> struct __lw_real {};
template <> struct __lw_real<true> { typedef double type; };
#define __INTEGRAL(NAME) template <class T> __device__ inline typename __lw_real<__is_integral(T)>::type NAME(T a) { return NAME((double)a); }
#define __MIXED2(NAME)                                                                                                \
    template <class A, class B> __device__ inline                                                                     \
        typename __lw_real<__is_arithmetic(A) && __is_arithmetic(B) && (__is_integral(A) || __is_integral(B) || !__is_same(A, B))>::type \
        NAME(A a, B b) { return NAME((double)a, (double)b); }
__INTEGRAL(sqrt) __INTEGRAL(floor) __INTEGRAL(ceil) __INTEGRAL(fabs) __INTEGRAL(trunc) __INTEGRAL(rint)
__MIXED2(fmin) __MIXED2(fmax) __MIXED2(pow)
__OP("abs") int abs(int a);
__OP("abs") long abs(long a);
__OP("abs") long long abs(long long a);
__OP("abs") long labs(long a);
__OP("abs") long long llabs(long long a);
__OP("fabs") float abs(float a);
__OP("fabs") double abs(double a);
#define __MINMAX(T)                                                                                                   \
    __OP("min") T min(T a, T b);                                                                                      \
    __OP("max") T max(T a, T b);
__MINMAX(int) __MINMAX(unsigned) __MINMAX(long) __MINMAX(unsigned long) __MINMAX(long long)
__MINMAX(unsigned long long)
#undef __MINMAX
__OP("fmin") float min(float a, float b);
__OP("fmax") float max(float a, float b);
__OP("fmin") double min(double a, double b);
__OP("fmax") double max(double a, double b);
#define __MIXED(A, B, T)                                                                                              \
    __device__ inline T min(A a, B b) { return min((T)a, (T)b); }                                                     \
    __device__ inline T max(A a, B b) { return max((T)a, (T)b); }
__MIXED(int, unsigned, unsigned) __MIXED(unsigned, int, unsigned) __MIXED(float, double, double)
__MIXED(double, float, double) __MIXED(long, unsigned long, unsigned long) __MIXED(unsigned long, long, unsigned long)
__MIXED(long long, unsigned long long, unsigned long long) __MIXED(unsigned long long, long long, unsigned long long)
__MIXED(int, long, long) __MIXED(long, int, long) __MIXED(int, long long, long long) __MIXED(long long, int, long long)
__MIXED(int, unsigned long, unsigned long) __MIXED(unsigned long, int, unsigned long)
__MIXED(unsigned, unsigned long, unsigned long) __MIXED(unsigned long, unsigned, unsigned long)
#undef __MIXED
__OP("popc") int __popc(unsigned a);
__OP("popc") int __popcll(unsigned long long a);
__OP("clz") int __clz(int a);
__OP("clz") int __clzll(long long a);
__OP("brev") unsigned __brev(unsigned a);
__OP("brev") unsigned long long __brevll(unsigned long long a);
__OP("mulhi") int __mulhi(int a, int b);
__OP("mulhi") unsigned __umulhi(unsigned a, unsigned b);
__OP("mulhi") long long __mul64hi(long long a, long long b);
__OP("mulhi") unsigned long long __umul64hi(unsigned long long a, unsigned long long b);
__device__ inline int __ffs(int a) { return a == 0 ? 0 : 32 - __clz(a & -a); }
__device__ inline int __ffsll(long long a) { return a == 0 ? 0 : 64 - __clzll(a & -a); }
__device__ inline int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
__device__ inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
__device__ inline int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
__device__ inline int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
__device__ inline unsigned __uhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b) >> 1); }
__PTX("sad.s32 %0, %1, %2, %3;") unsigned __sad(int a, int b, unsigned c);
__PTX("sad.u32 %0, %1, %2, %3;") unsigned __usad(unsigned a, unsigned b, unsigned c);
__PTX("prmt.b32 %0, %1, %2, %3;") unsigned __lw_byte_perm(unsigned a, unsigned b, unsigned selector);
// Bit 3 of a selector has no meaning here; in `prmt` it selects the sign of the byte.
__device__ inline unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) { return __lw_byte_perm(a, b, selector & 0x7777); }
__PTX("shf.l.wrap.b32 %0, %1, %2, %3;") unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift);
__PTX("shf.r.wrap.b32 %0, %1, %2, %3;") unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift);
__PTX("shf.l.clamp.b32 %0, %1, %2, %3;") unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift);
__PTX("shf.r.clamp.b32 %0, %1, %2, %3;") unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift);
__PTX("dp4a.s32.s32 %0, %1, %2, %3;") int __dp4a(int a, int b, int c);
__PTX("dp4a.u32.u32 %0, %1, %2, %3;") unsigned __dp4a(unsigned a, unsigned b, unsigned c);
__PTX("dp2a.lo.s32.s32 %0, %1, %2, %3;") int __dp2a_lo(int a, int b, int c);
__PTX("dp2a.hi.s32.s32 %0, %1, %2, %3;") int __dp2a_hi(int a, int b, int c);

__device__ inline unsigned long long __lw_payload(const char *t) {
    unsigned long long v = 0, base = 10;
    if (*t == '0') base = t[1] == 'x' || t[1] == 'X' ? 16 : 8;
    for (t += base == 16 ? 2 : 0; *t; t++) {
        unsigned digit = *t <= '9' ? *t - '0' : (*t | 32) - 'a' + 10;
        if (digit >= base) return 0;
        v = v * base + digit;
    }
    return v;
}
__device__ inline double nan(const char *t) { return __longlong_as_double(0x7ff8000000000000 | __lw_payload(t) & 0x7ffffffffffff); }
__device__ inline float nanf(const char *t) { return __int_as_float(0x7fc00000 | (int)(__lw_payload(t) & 0x3fffff)); }
__device__ inline constexpr bool isnan(float a) { return a != a; }
__device__ inline constexpr bool isnan(double a) { return a != a; }
__device__ inline bool isinf(float a) { return fabsf(a) == 1e39f; }
__device__ inline bool isinf(double a) { return fabs(a) == 1e309; }
__device__ inline bool isfinite(float a) { return fabsf(a) < 1e39f; }
__device__ inline bool isfinite(double a) { return fabs(a) < 1e309; }
__device__ inline bool signbit(float a) { return __float_as_int(a) < 0; }
__device__ inline constexpr bool isnan(long double a) { return a != a; }
__device__ inline bool isinf(long double a) { return isinf((double)a); }
__device__ inline bool isfinite(long double a) { return isfinite((double)a); }
__device__ inline bool signbit(double a) { return __double_as_longlong(a) < 0; }
__device__ inline float copysignf(float a, float b) {
    return __int_as_float((__float_as_int(a) & 0x7fffffff) | (__float_as_int(b) & 0x80000000));
}
__device__ inline double copysign(double a, double b) {
    return __longlong_as_double((__double_as_longlong(a) & 0x7fffffffffffffffll) | (__double_as_longlong(b) & (1ll << 63)));
}
__device__ inline float roundf(float a) { return truncf(a + copysignf(fabsf(a) < 8388608.0f ? 0.49999997f : 0.0f, a)); }
__device__ inline double round(double a) {
    return trunc(a + copysign(fabs(a) < 4503599627370496.0 ? 0.49999999999999994 : 0.0, a));
}
__device__ inline float round(float a) { return roundf(a); }
__device__ inline long lroundf(float a) { return (long)roundf(a); }
__device__ inline long lround(double a) { return (long)round(a); }
__device__ inline int __lw_rint(float a) { return __float2int_rn(a); }
__device__ inline long lrintf(float a) { return __float2ll_rn(a); }
__device__ inline long long llrintf(float a) { return __float2ll_rn(a); }
__device__ inline long long llrint(double a) { return __double2ll_rn(a); }
__device__ inline long long llroundf(float a) { return (long long)roundf(a); }
__device__ inline long long llround(double a) { return (long long)round(a); }
__device__ inline long lrint(double a) { return __double2ll_rn(a); }
__device__ inline float fdimf(float a, float b) { return a <= b ? 0.0f : a - b; }
__device__ inline double fdim(double a, double b) { return a <= b ? 0.0 : a - b; }
__device__ inline float fdividef(float a, float b) { return a / b; }
__device__ inline float frexpf(float a, int *exponent) {
    int scaled = fabsf(a) < 1.17549435e-38f ? __float_as_int(a * 16777216.0f) : __float_as_int(a);
    int bias = fabsf(a) < 1.17549435e-38f ? 150 : 126;
    if (a == 0.0f || !isfinite(a)) { *exponent = 0; return a; }
    *exponent = ((scaled >> 23) & 255) - bias;
    return __int_as_float((scaled & 0x807fffff) | 0x3f000000);
}
__device__ inline float ldexpf(float a, int exponent) {
    exponent = max(-300, min(300, exponent));
    int first = exponent / 3, second = (exponent - first) / 2, third = exponent - first - second;
    return a * __int_as_float((first + 127) << 23) * __int_as_float((second + 127) << 23) * __int_as_float((third + 127) << 23);
}
__device__ inline double ldexp(double a, int exponent) {
    exponent = max(-2200, min(2200, exponent));
    int first = exponent / 3, second = (exponent - first) / 2, third = exponent - first - second;
    return a * __hiloint2double((first + 1023) << 20, 0) * __hiloint2double((second + 1023) << 20, 0) *
           __hiloint2double((third + 1023) << 20, 0);
}
__device__ inline float scalbnf(float a, int exponent) { return ldexpf(a, exponent); }
__device__ inline float scalblnf(float a, long exponent) { return ldexpf(a, (int)max(-1000l, min(1000l, exponent))); }
__device__ inline double scalbn(double a, int exponent) { return ldexp(a, exponent); }
__device__ inline double scalbln(double a, long exponent) { return ldexp(a, (int)max(-5000l, min(5000l, exponent))); }
__device__ inline double frexp(double a, int *exponent) {
    long long word = __double_as_longlong(a);
    int bias = 1022;
    if (a == 0.0 || !isfinite(a)) { *exponent = 0; return a; }
    if (fabs(a) < 2.2250738585072014e-308) { word = __double_as_longlong(a * 18014398509481984.0); bias = 1076; }
    *exponent = (int)(word >> 52 & 2047) - bias;
    return __longlong_as_double((word & 0x800fffffffffffffll) | 0x3fe0000000000000ll);
}
__device__ inline float frexp(float a, int *exponent) { return frexpf(a, exponent); }
__device__ inline float ldexp(float a, int exponent) { return ldexpf(a, exponent); }
__device__ inline int ilogbf(float a) {
    int exponent;
    if (a == 0.0f || isnan(a)) return -2147483647 - 1;
    if (isinf(a)) return 2147483647;
    frexpf(a, &exponent);
    return exponent - 1;
}
__device__ inline int ilogb(double a) {
    int exponent;
    if (a == 0.0 || isnan(a)) return -2147483647 - 1;
    if (isinf(a)) return 2147483647;
    frexp(a, &exponent);
    return exponent - 1;
}
__device__ inline float logbf(float a) { return a == 0.0f ? -1e39f : isfinite(a) ? (float)ilogbf(a) : a * a; }
__device__ inline double logb(double a) { return a == 0.0 ? -1e309 : isfinite(a) ? (double)ilogb(a) : a * a; }
__device__ inline float nextafterf(float a, float b) {
    int word = __float_as_int(a);
    if (a != a || b != b) return a + b;
    if (a == b) return b;
    if (a == 0.0f) return copysignf(1.4e-45f, b);
    return __int_as_float(a < b == (word >= 0) ? word + 1 : word - 1);
}
__device__ inline double nextafter(double a, double b) {
    long long word = __double_as_longlong(a);
    if (a != a || b != b) return a + b;
    if (a == b) return b;
    if (a == 0.0) return copysign(4.9406564584124654e-324, b);
    return __longlong_as_double(a < b == (word >= 0) ? word + 1 : word - 1);
}
__device__ inline float modff(float a, float *whole) { *whole = truncf(a); return copysignf(a - *whole, a); }
__device__ inline double modf(double a, double *whole) { *whole = trunc(a); return copysign(a - *whole, a); }
#ifndef __LW_HOST__
#include "lanework/elementary.h"
#endif
// sin and cos of pi * x: reduces x by quarter turns, with an exact remainder in [-1/4, 1/4], and multiplies by pi in two parts.
#define __LW_TURNS(T, S, PI, REST)                                                                                    \
    __device__ inline T sinpi##S(T x) {                                                                               \
        T turn = fmod##S(x, (T)2), quarters = rint##S(turn + turn), part = fma##S(quarters, (T)-0.5, turn);           \
        int quadrant = (int)quarters & 3;                                                                             \
        if (part == 0 && (quadrant & 1) == 0) return copysign##S((T)0, x);                                            \
        T angle = fma##S(part, PI, part * REST);                                                                      \
        T value = quadrant & 1 ? cos##S(angle) : sin##S(angle);                                                       \
        return quadrant & 2 ? -value : value;                                                                         \
    }                                                                                                                 \
    __device__ inline T cospi##S(T x) {                                                                               \
        T turn = fmod##S(x, (T)2), quarters = rint##S(turn + turn), part = fma##S(quarters, (T)-0.5, turn);           \
        int quadrant = (int)quarters & 3;                                                                             \
        if (part == 0 && (quadrant & 1) == 1) return 0;                                                               \
        T angle = fma##S(part, PI, part * REST);                                                                      \
        T value = quadrant & 1 ? sin##S(angle) : cos##S(angle);                                                       \
        return quadrant == 1 || quadrant == 2 ? -value : value;                                                       \
    }                                                                                                                 \
    __device__ inline void sincospi##S(T x, T *s, T *c) { *s = sinpi##S(x); *c = cospi##S(x); }
__LW_TURNS(float, f, 3.14159274f, -8.74227766e-8f)
__LW_TURNS(double, , 3.1415926535897931, 1.2246467991473532e-16)
#undef __LW_TURNS
// erfc(-x / sqrt(2)) / 2. Corrects the quotient's rounding error by the derivative of erfc.
#define __LW_NORMAL(T, S, LAST, HALF, REST)                                                                           \
    __device__ inline T normcdf##S(T x) {                                                                             \
        x = x < -LAST ? -LAST : x > LAST ? LAST : x;                                                                  \
        T at = x * -HALF, error = fma##S(x, -HALF, -at) + x * -REST;                                                  \
        return (T)0.5 * fabs##S(erfc##S(at) - (T)1.1283791670955126 * exp##S(-at * at) * error);                      \
    }
__LW_NORMAL(float, f, 16.0f, 0.707106769f, 1.21016175e-8f)
__LW_NORMAL(double, , 40.0, 0.70710678118654757, -4.8336466567264567e-17)
#undef __LW_NORMAL
// Reduces by twice the divisor, which is exact; then at most two exact subtractions of the divisor.
#define __LW_REMAINDER(T, S, MOST)                                                                                    \
    __device__ inline T remainder##S(T x, T y) {                                                                      \
        if (!isfinite(x) || y != y) return (x - x) * y;                                                               \
        T size = fabs##S(y), rest = fabs##S(x);                                                                       \
        if (size < MOST) rest = fmod##S(rest, size + size);                                                           \
        if (rest + rest > size) {                                                                                     \
            rest -= size;                                                                                             \
            if (rest + rest >= size) rest -= size;                                                                    \
        }                                                                                                             \
        return signbit(x) ? -rest : rest;                                                                             \
    }
__LW_REMAINDER(float, f, 1.7e38f)
__LW_REMAINDER(double, , 8.9e307)
#undef __LW_REMAINDER
// Norms: squares values scaled by a power of two, so that squares neither overflow nor underflow.
#define __LW_NORMS(S, T, POWER)                                                                                       \
    __device__ inline T norm4d##S(T a, T b, T c, T d) {                                                               \
        T most = fmax##S(fmax##S(fabs##S(a), fabs##S(b)), fmax##S(fabs##S(c), fabs##S(d)));                           \
        if (most == 0 || isinf(most)) return most;                                                                    \
        T scale = most > 1 ? 1 / (T)POWER : (T)POWER;                                                                 \
        if (most < (T)POWER && most * (T)POWER > 1) scale = 1;                                                        \
        a *= scale; b *= scale; c *= scale; d *= scale;                                                               \
        return sqrt(fma##S(a, a, fma##S(b, b, fma##S(c, c, d * d)))) / scale;                                         \
    }                                                                                                                 \
    __device__ inline T norm3d##S(T a, T b, T c) { return norm4d##S(a, b, c, 0); }                                    \
    __device__ inline T rnorm3d##S(T a, T b, T c) { return 1 / norm3d##S(a, b, c); }                                  \
    __device__ inline T rnorm4d##S(T a, T b, T c, T d) { return 1 / norm4d##S(a, b, c, d); }                          \
    __device__ inline T rhypot##S(T a, T b) { return 1 / norm3d##S(a, b, 0); }                                        \
    __device__ inline T norm##S(int count, const T *list) {                                                           \
        T sum = 0;                                                                                                    \
        for (int i = 0; i < count; i++) sum = norm3d##S(sum, list[i], 0);                                             \
        return sum;                                                                                                   \
    }
__LW_NORMS(f, float, 1099511627776.0f)
__LW_NORMS(, double, 1.3407807929942597e154)
#undef __LW_NORMS
__device__ inline double rcbrt(double a) { return 1 / cbrt(a); }
__device__ inline int __fns(unsigned mask, unsigned base, int offset) {
    int step = offset < 0 ? -1 : 1, left = offset < 0 ? -offset : offset, at = (int)base;
    if (offset == 0) return mask >> base & 1 ? (int)base : -1;
    for (; at >= 0 && at < 32; at += step)
        if (mask >> at & 1 && --left == 0) return at;
    return -1;
}
namespace std {
using ::sqrt; using ::fabs; using ::floor; using ::ceil; using ::trunc; using ::rint; using ::fmin; using ::fmax;
using ::fma; using ::abs; using ::isnan; using ::isinf; using ::isfinite; using ::round; using ::printf; using ::malloc;
using ::free; using ::memcpy; using ::memset; using ::exp; using ::exp2; using ::log; using ::log2; using ::log10; using ::sin;
using ::cos; using ::tan; using ::tanh; using ::sinh; using ::cosh; using ::asin; using ::acos; using ::atan; using ::atan2;
using ::pow; using ::erf; using ::erfc; using ::cbrt; using ::hypot; using ::fmod; using ::log1p; using ::expm1;
using ::signbit; using ::copysign; using ::lround; using ::sqrtf; using ::expf; using ::logf; using ::powf; using ::tanhf;
using ::sinf; using ::cosf; using ::fabsf; using ::fmaxf; using ::fminf; using ::modf; using ::ldexp; using ::asinh;
using ::acosh; using ::atanh; using ::floorf; using ::ceilf; using ::roundf; using ::frexp; using ::nextafter; using ::scalbn;
using ::logb; using ::ilogb; using ::llround; using ::lrint; using ::remainder; using ::fdim; using ::nearbyint;
}
__device__ inline unsigned umin(unsigned a, unsigned b) { return b < a ? b : a; }
__device__ inline unsigned umax(unsigned a, unsigned b) { return a < b ? b : a; }
__device__ inline long long llmin(long long a, long long b) { return b < a ? b : a; }
__device__ inline long long llmax(long long a, long long b) { return a < b ? b : a; }
__device__ inline unsigned long long ullmin(unsigned long long a, unsigned long long b) { return b < a ? b : a; }
__device__ inline unsigned long long ullmax(unsigned long long a, unsigned long long b) { return a < b ? b : a; }
