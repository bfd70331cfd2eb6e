// bfloat16: types, conversions, arithmetic, comparisons. Each operation is the PTX instruction that CUDA documents.
struct __align__(2) __nv_bfloat16_raw { unsigned short x; };
struct __align__(2) __nv_bfloat16 {
    unsigned short __x;
    __nv_bfloat16() = default;
    __device__ constexpr __nv_bfloat16(const __nv_bfloat16_raw &raw) : __x(raw.x) {}
    __device__ __nv_bfloat16(float value);
    __device__ __nv_bfloat16(double value);
    __device__ __nv_bfloat16(int value);
    __device__ __nv_bfloat16(unsigned value);
    __device__ __nv_bfloat16(short value);
    __device__ __nv_bfloat16(unsigned short value);
    __device__ __nv_bfloat16(long value);
    __device__ __nv_bfloat16(unsigned long value);
    __device__ __nv_bfloat16(long long value);
    __device__ __nv_bfloat16(unsigned long long value);
    __device__ operator float() const;
    __device__ explicit operator double() const { return (double)(float)*this; }
    __device__ explicit operator int() const { return (int)(float)*this; }
    __device__ explicit operator unsigned() const { return (unsigned)(float)*this; }
    __device__ explicit operator short() const { return (short)(float)*this; }
    __device__ explicit operator unsigned short() const { return (unsigned short)(float)*this; }
    __device__ explicit operator long() const { return (long)(float)*this; }
    __device__ explicit operator long long() const { return (long long)(float)*this; }
    __device__ explicit operator unsigned long long() const { return (unsigned long long)(float)*this; }
    __device__ explicit operator char() const { return (char)(float)*this; }
    __device__ explicit operator bool() const { return (bool)(float)*this; }
    __device__ operator __nv_bfloat16_raw() const { __nv_bfloat16_raw raw; raw.x = __x; return raw; }
    __device__ __nv_bfloat16 &operator=(float value) { __nv_bfloat16 made(value); __x = made.__x; return *this; }
    __device__ __nv_bfloat16 &operator=(double value) { __nv_bfloat16 made(value); __x = made.__x; return *this; }
    __device__ __nv_bfloat16 &operator=(int value) { __nv_bfloat16 made(value); __x = made.__x; return *this; }
};
typedef __nv_bfloat16 nv_bfloat16;
struct __align__(4) __nv_bfloat162_raw { unsigned short x, y; };
struct __align__(4) __nv_bfloat162 {
    __nv_bfloat16 x, y;
    __nv_bfloat162() = default;
    __device__ constexpr __nv_bfloat162(const __nv_bfloat16 &a, const __nv_bfloat16 &b) : x(a), y(b) {}
};
typedef __nv_bfloat162 nv_bfloat162;
__PTX("cvt.rn.bf16.f32 %0, %1;") unsigned short __lw_bf16_from_float_rn(float value);
__device__ inline __nv_bfloat16 __float2bfloat16_rn(float value) { __nv_bfloat16 made; made.__x = __lw_bf16_from_float_rn(value); return made; }
__PTX("cvt.rz.bf16.f32 %0, %1;") unsigned short __lw_bf16_from_float_rz(float value);
__device__ inline __nv_bfloat16 __float2bfloat16_rz(float value) { __nv_bfloat16 made; made.__x = __lw_bf16_from_float_rz(value); return made; }
// Truncates after adding 0xffff to the bits, which rounds up if the value is positive, and rounds down if it is negative.
__device__ inline __nv_bfloat16 __lw_bf16_away(float value, bool negative) {
    unsigned bits = __float_as_uint(value);
    __nv_bfloat16 made;
    if (value != value) return __float2bfloat16_rn(value);
    made.__x = (unsigned short)((bits + (bits >> 31 == (unsigned)negative ? 0xffffu : 0u)) >> 16);
    return made;
}
__device__ inline __nv_bfloat16 __float2bfloat16_ru(float value) { return __lw_bf16_away(value, false); }
__device__ inline __nv_bfloat16 __float2bfloat16_rd(float value) { return __lw_bf16_away(value, true); }
__device__ inline __nv_bfloat16 __float2bfloat16(float value) { return __float2bfloat16_rn(value); }
__device__ inline float __bfloat162float(__nv_bfloat16 value) { return __uint_as_float((unsigned)value.__x << 16); }
__device__ inline __nv_bfloat16 __double2bfloat16(double value) { return __float2bfloat16_rn((float)value); }
__device__ inline __nv_bfloat16::__nv_bfloat16(float value) : __x(__lw_bf16_from_float_rn(value)) {}
__device__ inline __nv_bfloat16::__nv_bfloat16(double value) { __x = __double2bfloat16(value).__x; }
__device__ inline __nv_bfloat16::__nv_bfloat16(int value) { __x = __lw_bf16_from_float_rn((float)value); }
__device__ inline __nv_bfloat16::__nv_bfloat16(unsigned value) { __x = __lw_bf16_from_float_rn((float)value); }
__device__ inline __nv_bfloat16::__nv_bfloat16(short value) { __x = __lw_bf16_from_float_rn((float)value); }
__device__ inline __nv_bfloat16::__nv_bfloat16(unsigned short value) { __x = __lw_bf16_from_float_rn((float)value); }
__device__ inline __nv_bfloat16::__nv_bfloat16(long value) { __x = __lw_bf16_from_float_rn((float)value); }
__device__ inline __nv_bfloat16::__nv_bfloat16(unsigned long value) { __x = __lw_bf16_from_float_rn((float)value); }
__device__ inline __nv_bfloat16::__nv_bfloat16(long long value) { __x = __lw_bf16_from_float_rn((float)value); }
__device__ inline __nv_bfloat16::__nv_bfloat16(unsigned long long value) { __x = __lw_bf16_from_float_rn((float)value); }
__device__ inline __nv_bfloat16::operator float() const { return __bfloat162float(*this); }
__device__ inline int __bfloat162int_rn(__nv_bfloat16 value) { return __float2int_rn(__bfloat162float(value)); }
__device__ inline __nv_bfloat16 __int2bfloat16_rn(int value) { return __float2bfloat16_rn((float)value); }
__device__ inline int __bfloat162int_rz(__nv_bfloat16 value) { return __float2int_rz(__bfloat162float(value)); }
__device__ inline __nv_bfloat16 __int2bfloat16_rz(int value) { return __float2bfloat16_rn((float)value); }
__device__ inline int __bfloat162int_ru(__nv_bfloat16 value) { return __float2int_ru(__bfloat162float(value)); }
__device__ inline __nv_bfloat16 __int2bfloat16_ru(int value) { return __float2bfloat16_rn((float)value); }
__device__ inline int __bfloat162int_rd(__nv_bfloat16 value) { return __float2int_rd(__bfloat162float(value)); }
__device__ inline __nv_bfloat16 __int2bfloat16_rd(int value) { return __float2bfloat16_rn((float)value); }
__device__ inline unsigned __bfloat162uint_rn(__nv_bfloat16 value) { return __float2uint_rn(__bfloat162float(value)); }
__device__ inline __nv_bfloat16 __uint2bfloat16_rn(unsigned value) { return __float2bfloat16_rn((float)value); }
__device__ inline unsigned __bfloat162uint_rz(__nv_bfloat16 value) { return __float2uint_rz(__bfloat162float(value)); }
__device__ inline __nv_bfloat16 __uint2bfloat16_rz(unsigned value) { return __float2bfloat16_rn((float)value); }
__device__ inline unsigned __bfloat162uint_ru(__nv_bfloat16 value) { return __float2uint_ru(__bfloat162float(value)); }
__device__ inline __nv_bfloat16 __uint2bfloat16_ru(unsigned value) { return __float2bfloat16_rn((float)value); }
__device__ inline unsigned __bfloat162uint_rd(__nv_bfloat16 value) { return __float2uint_rd(__bfloat162float(value)); }
__device__ inline __nv_bfloat16 __uint2bfloat16_rd(unsigned value) { return __float2bfloat16_rn((float)value); }
__device__ inline long long __bfloat162ll_rn(__nv_bfloat16 value) { return __float2ll_rn(__bfloat162float(value)); }
__device__ inline __nv_bfloat16 __ll2bfloat16_rn(long long value) { return __float2bfloat16_rn((float)value); }
__device__ inline long long __bfloat162ll_rz(__nv_bfloat16 value) { return __float2ll_rz(__bfloat162float(value)); }
__device__ inline __nv_bfloat16 __ll2bfloat16_rz(long long value) { return __float2bfloat16_rn((float)value); }
__device__ inline long long __bfloat162ll_ru(__nv_bfloat16 value) { return __float2ll_ru(__bfloat162float(value)); }
__device__ inline __nv_bfloat16 __ll2bfloat16_ru(long long value) { return __float2bfloat16_rn((float)value); }
__device__ inline long long __bfloat162ll_rd(__nv_bfloat16 value) { return __float2ll_rd(__bfloat162float(value)); }
__device__ inline __nv_bfloat16 __ll2bfloat16_rd(long long value) { return __float2bfloat16_rn((float)value); }
__device__ inline unsigned long long __bfloat162ull_rn(__nv_bfloat16 value) { return __float2ull_rn(__bfloat162float(value)); }
__device__ inline __nv_bfloat16 __ull2bfloat16_rn(unsigned long long value) { return __float2bfloat16_rn((float)value); }
__device__ inline unsigned long long __bfloat162ull_rz(__nv_bfloat16 value) { return __float2ull_rz(__bfloat162float(value)); }
__device__ inline __nv_bfloat16 __ull2bfloat16_rz(unsigned long long value) { return __float2bfloat16_rn((float)value); }
__device__ inline unsigned long long __bfloat162ull_ru(__nv_bfloat16 value) { return __float2ull_ru(__bfloat162float(value)); }
__device__ inline __nv_bfloat16 __ull2bfloat16_ru(unsigned long long value) { return __float2bfloat16_rn((float)value); }
__device__ inline unsigned long long __bfloat162ull_rd(__nv_bfloat16 value) { return __float2ull_rd(__bfloat162float(value)); }
__device__ inline __nv_bfloat16 __ull2bfloat16_rd(unsigned long long value) { return __float2bfloat16_rn((float)value); }
__device__ inline unsigned __lw_bf16_word(__nv_bfloat162 value) { return (unsigned)value.y.__x << 16 | value.x.__x; }
__device__ inline __nv_bfloat162 __lw_bf16_pair(unsigned word) { __nv_bfloat162 made; made.x.__x = (unsigned short)word; made.y.__x = (unsigned short)(word >> 16); return made; }
__device__ inline __nv_bfloat16 __lw_bf16_make(unsigned short bits) { __nv_bfloat16 made; made.__x = bits; return made; }
__device__ inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { __nv_bfloat162 made; made.x = a; made.y = b; return made; }
__device__ inline __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { __nv_bfloat162 made; made.x = a; made.y = b; return made; }
__device__ inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { __nv_bfloat162 made; made.x = a; made.y = a; return made; }
__device__ inline __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { __nv_bfloat162 made; made.x = __float2bfloat16_rn(a); made.y = __float2bfloat16_rn(b); return made; }
__device__ inline __nv_bfloat162 __float2bfloat162_rn(float a) { return __floats2bfloat162_rn(a, a); }
__device__ inline __nv_bfloat162 __float22bfloat162_rn(float2 a) { return __floats2bfloat162_rn(a.x, a.y); }
__device__ inline float2 __bfloat1622float2(__nv_bfloat162 a) { return float2{__bfloat162float(a.x), __bfloat162float(a.y)}; }
__device__ inline __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
__device__ inline __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
__device__ inline float __low2float(__nv_bfloat162 a) { return __bfloat162float(a.x); }
__device__ inline float __high2float(__nv_bfloat162 a) { return __bfloat162float(a.y); }
__device__ inline __nv_bfloat162 __low2bfloat162(__nv_bfloat162 a) { return __bfloat162bfloat162(a.x); }
__device__ inline __nv_bfloat162 __high2bfloat162(__nv_bfloat162 a) { return __bfloat162bfloat162(a.y); }
__device__ inline __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 a) { return __halves2bfloat162(a.y, a.x); }
__device__ inline __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __halves2bfloat162(a.x, b.x); }
__device__ inline __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __halves2bfloat162(a.y, b.y); }
__device__ inline short __bfloat16_as_short(__nv_bfloat16 a) { return (short)a.__x; }
__device__ inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) { return a.__x; }
__device__ inline __nv_bfloat16 __short_as_bfloat16(short a) { return __lw_bf16_make((unsigned short)a); }
__device__ inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short a) { return __lw_bf16_make(a); }
#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7F80U)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7F7FU)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000U)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000U)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3F80U)
__PTX("neg.bf16 %0, %1;") unsigned short __lw_bf16_neg(unsigned short a);
__device__ inline __nv_bfloat16 __hneg(__nv_bfloat16 a) { return __lw_bf16_make(__lw_bf16_neg(a.__x)); }
__PTX("neg.bf16x2 %0, %1;") unsigned __lw_bf16_neg2(unsigned a);
__device__ inline __nv_bfloat162 __hneg2(__nv_bfloat162 a) { return __lw_bf16_pair(__lw_bf16_neg2(__lw_bf16_word(a))); }
__PTX("abs.bf16 %0, %1;") unsigned short __lw_bf16_abs(unsigned short a);
__device__ inline __nv_bfloat16 __habs(__nv_bfloat16 a) { return __lw_bf16_make(__lw_bf16_abs(a.__x)); }
__PTX("abs.bf16x2 %0, %1;") unsigned __lw_bf16_abs2(unsigned a);
__device__ inline __nv_bfloat162 __habs2(__nv_bfloat162 a) { return __lw_bf16_pair(__lw_bf16_abs2(__lw_bf16_word(a))); }
__PTX("{ .reg .b16 c; mov.b16 c, 0x3F80; fma.rn.bf16 %0, %1, c, %2; }") unsigned short __lw_bf16_add(unsigned short a, unsigned short b);
__device__ inline __nv_bfloat16 __hadd(__nv_bfloat16 a, __nv_bfloat16 b) { return __lw_bf16_make(__lw_bf16_add(a.__x, b.__x)); }
__PTX("{ .reg .b32 c; mov.b32 c, 0x3F803F80; fma.rn.bf16x2 %0, %1, c, %2; }") unsigned __lw_bf16_add2(unsigned a, unsigned b);
__device__ inline __nv_bfloat162 __hadd2(__nv_bfloat162 a, __nv_bfloat162 b) { return __lw_bf16_pair(__lw_bf16_add2(__lw_bf16_word(a), __lw_bf16_word(b))); }
__PTX("{ .reg .b16 c; mov.b16 c, 0xBF80; fma.rn.bf16 %0, %2, c, %1; }") unsigned short __lw_bf16_sub(unsigned short a, unsigned short b);
__device__ inline __nv_bfloat16 __hsub(__nv_bfloat16 a, __nv_bfloat16 b) { return __lw_bf16_make(__lw_bf16_sub(a.__x, b.__x)); }
__PTX("{ .reg .b32 c; mov.b32 c, 0xBF80BF80; fma.rn.bf16x2 %0, %2, c, %1; }") unsigned __lw_bf16_sub2(unsigned a, unsigned b);
__device__ inline __nv_bfloat162 __hsub2(__nv_bfloat162 a, __nv_bfloat162 b) { return __lw_bf16_pair(__lw_bf16_sub2(__lw_bf16_word(a), __lw_bf16_word(b))); }
__PTX("{ .reg .b16 c; mov.b16 c, 0x8000; fma.rn.bf16 %0, %1, %2, c; }") unsigned short __lw_bf16_mul(unsigned short a, unsigned short b);
__device__ inline __nv_bfloat16 __hmul(__nv_bfloat16 a, __nv_bfloat16 b) { return __lw_bf16_make(__lw_bf16_mul(a.__x, b.__x)); }
__PTX("{ .reg .b32 c; mov.b32 c, 0x80008000; fma.rn.bf16x2 %0, %1, %2, c; }") unsigned __lw_bf16_mul2(unsigned a, unsigned b);
__device__ inline __nv_bfloat162 __hmul2(__nv_bfloat162 a, __nv_bfloat162 b) { return __lw_bf16_pair(__lw_bf16_mul2(__lw_bf16_word(a), __lw_bf16_word(b))); }
__PTX("min.bf16 %0, %1, %2;") unsigned short __lw_bf16_min(unsigned short a, unsigned short b);
__device__ inline __nv_bfloat16 __hmin(__nv_bfloat16 a, __nv_bfloat16 b) { return __lw_bf16_make(__lw_bf16_min(a.__x, b.__x)); }
__PTX("min.bf16x2 %0, %1, %2;") unsigned __lw_bf16_min2(unsigned a, unsigned b);
__device__ inline __nv_bfloat162 __hmin2(__nv_bfloat162 a, __nv_bfloat162 b) { return __lw_bf16_pair(__lw_bf16_min2(__lw_bf16_word(a), __lw_bf16_word(b))); }
__PTX("min.NaN.bf16 %0, %1, %2;") unsigned short __lw_bf16_min_nan(unsigned short a, unsigned short b);
__device__ inline __nv_bfloat16 __hmin_nan(__nv_bfloat16 a, __nv_bfloat16 b) { return __lw_bf16_make(__lw_bf16_min_nan(a.__x, b.__x)); }
__PTX("min.NaN.bf16x2 %0, %1, %2;") unsigned __lw_bf16_min_nan2(unsigned a, unsigned b);
__device__ inline __nv_bfloat162 __hmin2_nan(__nv_bfloat162 a, __nv_bfloat162 b) { return __lw_bf16_pair(__lw_bf16_min_nan2(__lw_bf16_word(a), __lw_bf16_word(b))); }
__PTX("max.bf16 %0, %1, %2;") unsigned short __lw_bf16_max(unsigned short a, unsigned short b);
__device__ inline __nv_bfloat16 __hmax(__nv_bfloat16 a, __nv_bfloat16 b) { return __lw_bf16_make(__lw_bf16_max(a.__x, b.__x)); }
__PTX("max.bf16x2 %0, %1, %2;") unsigned __lw_bf16_max2(unsigned a, unsigned b);
__device__ inline __nv_bfloat162 __hmax2(__nv_bfloat162 a, __nv_bfloat162 b) { return __lw_bf16_pair(__lw_bf16_max2(__lw_bf16_word(a), __lw_bf16_word(b))); }
__PTX("max.NaN.bf16 %0, %1, %2;") unsigned short __lw_bf16_max_nan(unsigned short a, unsigned short b);
__device__ inline __nv_bfloat16 __hmax_nan(__nv_bfloat16 a, __nv_bfloat16 b) { return __lw_bf16_make(__lw_bf16_max_nan(a.__x, b.__x)); }
__PTX("max.NaN.bf16x2 %0, %1, %2;") unsigned __lw_bf16_max_nan2(unsigned a, unsigned b);
__device__ inline __nv_bfloat162 __hmax2_nan(__nv_bfloat162 a, __nv_bfloat162 b) { return __lw_bf16_pair(__lw_bf16_max_nan2(__lw_bf16_word(a), __lw_bf16_word(b))); }
__PTX("fma.rn.bf16 %0, %1, %2, %3;") unsigned short __lw_bf16_fma(unsigned short a, unsigned short b, unsigned short c);
__device__ inline __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) { return __lw_bf16_make(__lw_bf16_fma(a.__x, b.__x, c.__x)); }
__PTX("fma.rn.bf16x2 %0, %1, %2, %3;") unsigned __lw_bf16_fma2(unsigned a, unsigned b, unsigned c);
__device__ inline __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) { return __lw_bf16_pair(__lw_bf16_fma2(__lw_bf16_word(a), __lw_bf16_word(b), __lw_bf16_word(c))); }
__PTX("fma.rn.relu.bf16 %0, %1, %2, %3;") unsigned short __lw_bf16_fma_relu(unsigned short a, unsigned short b, unsigned short c);
__device__ inline __nv_bfloat16 __hfma_relu(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) { return __lw_bf16_make(__lw_bf16_fma_relu(a.__x, b.__x, c.__x)); }
__PTX("fma.rn.relu.bf16x2 %0, %1, %2, %3;") unsigned __lw_bf16_fma_relu2(unsigned a, unsigned b, unsigned c);
__device__ inline __nv_bfloat162 __hfma2_relu(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) { return __lw_bf16_pair(__lw_bf16_fma_relu2(__lw_bf16_word(a), __lw_bf16_word(b), __lw_bf16_word(c))); }
__device__ inline __nv_bfloat16 __hdiv(__nv_bfloat16 a, __nv_bfloat16 b) { return __float2bfloat16_rn(__bfloat162float(a) / __bfloat162float(b)); }
__device__ inline __nv_bfloat162 __h2div(__nv_bfloat162 a, __nv_bfloat162 b) { return __halves2bfloat162(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }
__device__ inline bool __heq(__nv_bfloat16 a, __nv_bfloat16 b) { float x = __bfloat162float(a), y = __bfloat162float(b); return x == y; }
__device__ inline bool __hequ(__nv_bfloat16 a, __nv_bfloat16 b) { float x = __bfloat162float(a), y = __bfloat162float(b); return x == y || x != x || y != y; }
__device__ inline __nv_bfloat162 __heq2(__nv_bfloat162 a, __nv_bfloat162 b) { return __floats2bfloat162_rn(__heq(a.x, b.x) ? 1.0f : 0.0f, __heq(a.y, b.y) ? 1.0f : 0.0f); }
__device__ inline bool __hbeq2(__nv_bfloat162 a, __nv_bfloat162 b) { return __heq(a.x, b.x) && __heq(a.y, b.y); }
__device__ inline bool operator==(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return __bfloat162float(a) == __bfloat162float(b); }
__device__ inline bool __hne(__nv_bfloat16 a, __nv_bfloat16 b) { float x = __bfloat162float(a), y = __bfloat162float(b); return x != y && x == x && y == y; }
__device__ inline bool __hneu(__nv_bfloat16 a, __nv_bfloat16 b) { float x = __bfloat162float(a), y = __bfloat162float(b); return x != y || x != x || y != y; }
__device__ inline __nv_bfloat162 __hne2(__nv_bfloat162 a, __nv_bfloat162 b) { return __floats2bfloat162_rn(__hne(a.x, b.x) ? 1.0f : 0.0f, __hne(a.y, b.y) ? 1.0f : 0.0f); }
__device__ inline bool __hbne2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hne(a.x, b.x) && __hne(a.y, b.y); }
__device__ inline bool operator!=(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return __bfloat162float(a) != __bfloat162float(b); }
__device__ inline bool __hlt(__nv_bfloat16 a, __nv_bfloat16 b) { float x = __bfloat162float(a), y = __bfloat162float(b); return x < y; }
__device__ inline bool __hltu(__nv_bfloat16 a, __nv_bfloat16 b) { float x = __bfloat162float(a), y = __bfloat162float(b); return x < y || x != x || y != y; }
__device__ inline __nv_bfloat162 __hlt2(__nv_bfloat162 a, __nv_bfloat162 b) { return __floats2bfloat162_rn(__hlt(a.x, b.x) ? 1.0f : 0.0f, __hlt(a.y, b.y) ? 1.0f : 0.0f); }
__device__ inline bool __hblt2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hlt(a.x, b.x) && __hlt(a.y, b.y); }
__device__ inline bool operator<(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return __bfloat162float(a) < __bfloat162float(b); }
__device__ inline bool __hle(__nv_bfloat16 a, __nv_bfloat16 b) { float x = __bfloat162float(a), y = __bfloat162float(b); return x <= y; }
__device__ inline bool __hleu(__nv_bfloat16 a, __nv_bfloat16 b) { float x = __bfloat162float(a), y = __bfloat162float(b); return x <= y || x != x || y != y; }
__device__ inline __nv_bfloat162 __hle2(__nv_bfloat162 a, __nv_bfloat162 b) { return __floats2bfloat162_rn(__hle(a.x, b.x) ? 1.0f : 0.0f, __hle(a.y, b.y) ? 1.0f : 0.0f); }
__device__ inline bool __hble2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hle(a.x, b.x) && __hle(a.y, b.y); }
__device__ inline bool operator<=(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return __bfloat162float(a) <= __bfloat162float(b); }
__device__ inline bool __hgt(__nv_bfloat16 a, __nv_bfloat16 b) { float x = __bfloat162float(a), y = __bfloat162float(b); return x > y; }
__device__ inline bool __hgtu(__nv_bfloat16 a, __nv_bfloat16 b) { float x = __bfloat162float(a), y = __bfloat162float(b); return x > y || x != x || y != y; }
__device__ inline __nv_bfloat162 __hgt2(__nv_bfloat162 a, __nv_bfloat162 b) { return __floats2bfloat162_rn(__hgt(a.x, b.x) ? 1.0f : 0.0f, __hgt(a.y, b.y) ? 1.0f : 0.0f); }
__device__ inline bool __hbgt2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hgt(a.x, b.x) && __hgt(a.y, b.y); }
__device__ inline bool operator>(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return __bfloat162float(a) > __bfloat162float(b); }
__device__ inline bool __hge(__nv_bfloat16 a, __nv_bfloat16 b) { float x = __bfloat162float(a), y = __bfloat162float(b); return x >= y; }
__device__ inline bool __hgeu(__nv_bfloat16 a, __nv_bfloat16 b) { float x = __bfloat162float(a), y = __bfloat162float(b); return x >= y || x != x || y != y; }
__device__ inline __nv_bfloat162 __hge2(__nv_bfloat162 a, __nv_bfloat162 b) { return __floats2bfloat162_rn(__hge(a.x, b.x) ? 1.0f : 0.0f, __hge(a.y, b.y) ? 1.0f : 0.0f); }
__device__ inline bool __hbge2(__nv_bfloat162 a, __nv_bfloat162 b) { return __hge(a.x, b.x) && __hge(a.y, b.y); }
__device__ inline bool operator>=(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return __bfloat162float(a) >= __bfloat162float(b); }
__device__ inline bool __hisnan(__nv_bfloat16 a) { float x = __bfloat162float(a); return x != x; }
__device__ inline int __hisinf(__nv_bfloat16 a) { float x = __bfloat162float(a); return x == INFINITY ? 1 : x == -INFINITY ? -1 : 0; }
__device__ inline __nv_bfloat16 operator+(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return __hadd(a, b); }
__device__ inline __nv_bfloat16 &operator+=(__nv_bfloat16 &a, const __nv_bfloat16 &b) { a = __hadd(a, b); return a; }
__device__ inline __nv_bfloat162 operator+(const __nv_bfloat162 &a, const __nv_bfloat162 &b) { return __hadd2(a, b); }
__device__ inline __nv_bfloat162 &operator+=(__nv_bfloat162 &a, const __nv_bfloat162 &b) { a = __hadd2(a, b); return a; }
__device__ inline __nv_bfloat16 operator-(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return __hsub(a, b); }
__device__ inline __nv_bfloat16 &operator-=(__nv_bfloat16 &a, const __nv_bfloat16 &b) { a = __hsub(a, b); return a; }
__device__ inline __nv_bfloat162 operator-(const __nv_bfloat162 &a, const __nv_bfloat162 &b) { return __hsub2(a, b); }
__device__ inline __nv_bfloat162 &operator-=(__nv_bfloat162 &a, const __nv_bfloat162 &b) { a = __hsub2(a, b); return a; }
__device__ inline __nv_bfloat16 operator*(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return __hmul(a, b); }
__device__ inline __nv_bfloat16 &operator*=(__nv_bfloat16 &a, const __nv_bfloat16 &b) { a = __hmul(a, b); return a; }
__device__ inline __nv_bfloat162 operator*(const __nv_bfloat162 &a, const __nv_bfloat162 &b) { return __hmul2(a, b); }
__device__ inline __nv_bfloat162 &operator*=(__nv_bfloat162 &a, const __nv_bfloat162 &b) { a = __hmul2(a, b); return a; }
__device__ inline __nv_bfloat16 operator/(const __nv_bfloat16 &a, const __nv_bfloat16 &b) { return __hdiv(a, b); }
__device__ inline __nv_bfloat16 &operator/=(__nv_bfloat16 &a, const __nv_bfloat16 &b) { a = __hdiv(a, b); return a; }
__device__ inline __nv_bfloat162 operator/(const __nv_bfloat162 &a, const __nv_bfloat162 &b) { return __h2div(a, b); }
__device__ inline __nv_bfloat16 operator-(const __nv_bfloat16 &a) { return __hneg(a); }
__device__ inline __nv_bfloat162 operator-(const __nv_bfloat162 &a) { return __hneg2(a); }
__device__ inline __nv_bfloat16 operator+(const __nv_bfloat16 &a) { return a; }
__device__ inline __nv_bfloat16 hexp(__nv_bfloat16 a) { return __float2bfloat16_rn(expf(__bfloat162float(a))); }
__device__ inline __nv_bfloat162 h2exp(__nv_bfloat162 a) { return __halves2bfloat162(hexp(a.x), hexp(a.y)); }
__device__ inline __nv_bfloat16 hexp2(__nv_bfloat16 a) { return __float2bfloat16_rn(exp2f(__bfloat162float(a))); }
__device__ inline __nv_bfloat162 h2exp2(__nv_bfloat162 a) { return __halves2bfloat162(hexp2(a.x), hexp2(a.y)); }
__device__ inline __nv_bfloat16 hexp10(__nv_bfloat16 a) { return __float2bfloat16_rn(exp10f(__bfloat162float(a))); }
__device__ inline __nv_bfloat162 h2exp10(__nv_bfloat162 a) { return __halves2bfloat162(hexp10(a.x), hexp10(a.y)); }
__device__ inline __nv_bfloat16 hlog(__nv_bfloat16 a) { return __float2bfloat16_rn(logf(__bfloat162float(a))); }
__device__ inline __nv_bfloat162 h2log(__nv_bfloat162 a) { return __halves2bfloat162(hlog(a.x), hlog(a.y)); }
__device__ inline __nv_bfloat16 hlog2(__nv_bfloat16 a) { return __float2bfloat16_rn(log2f(__bfloat162float(a))); }
__device__ inline __nv_bfloat162 h2log2(__nv_bfloat162 a) { return __halves2bfloat162(hlog2(a.x), hlog2(a.y)); }
__device__ inline __nv_bfloat16 hlog10(__nv_bfloat16 a) { return __float2bfloat16_rn(log10f(__bfloat162float(a))); }
__device__ inline __nv_bfloat162 h2log10(__nv_bfloat162 a) { return __halves2bfloat162(hlog10(a.x), hlog10(a.y)); }
__device__ inline __nv_bfloat16 hsin(__nv_bfloat16 a) { return __float2bfloat16_rn(sinf(__bfloat162float(a))); }
__device__ inline __nv_bfloat162 h2sin(__nv_bfloat162 a) { return __halves2bfloat162(hsin(a.x), hsin(a.y)); }
__device__ inline __nv_bfloat16 hcos(__nv_bfloat16 a) { return __float2bfloat16_rn(cosf(__bfloat162float(a))); }
__device__ inline __nv_bfloat162 h2cos(__nv_bfloat162 a) { return __halves2bfloat162(hcos(a.x), hcos(a.y)); }
__device__ inline __nv_bfloat16 hsqrt(__nv_bfloat16 a) { return __float2bfloat16_rn(sqrtf(__bfloat162float(a))); }
__device__ inline __nv_bfloat162 h2sqrt(__nv_bfloat162 a) { return __halves2bfloat162(hsqrt(a.x), hsqrt(a.y)); }
__device__ inline __nv_bfloat16 hrsqrt(__nv_bfloat16 a) { return __float2bfloat16_rn(rsqrtf(__bfloat162float(a))); }
__device__ inline __nv_bfloat162 h2rsqrt(__nv_bfloat162 a) { return __halves2bfloat162(hrsqrt(a.x), hrsqrt(a.y)); }
__device__ inline __nv_bfloat16 hrcp(__nv_bfloat16 a) { return __float2bfloat16_rn(1.0f / (__bfloat162float(a))); }
__device__ inline __nv_bfloat162 h2rcp(__nv_bfloat162 a) { return __halves2bfloat162(hrcp(a.x), hrcp(a.y)); }
__device__ inline __nv_bfloat16 hfloor(__nv_bfloat16 a) { return __float2bfloat16_rn(floorf(__bfloat162float(a))); }
__device__ inline __nv_bfloat162 h2floor(__nv_bfloat162 a) { return __halves2bfloat162(hfloor(a.x), hfloor(a.y)); }
__device__ inline __nv_bfloat16 hceil(__nv_bfloat16 a) { return __float2bfloat16_rn(ceilf(__bfloat162float(a))); }
__device__ inline __nv_bfloat162 h2ceil(__nv_bfloat162 a) { return __halves2bfloat162(hceil(a.x), hceil(a.y)); }
__device__ inline __nv_bfloat16 htrunc(__nv_bfloat16 a) { return __float2bfloat16_rn(truncf(__bfloat162float(a))); }
__device__ inline __nv_bfloat162 h2trunc(__nv_bfloat162 a) { return __halves2bfloat162(htrunc(a.x), htrunc(a.y)); }
__device__ inline __nv_bfloat16 hrint(__nv_bfloat16 a) { return __float2bfloat16_rn(rintf(__bfloat162float(a))); }
__device__ inline __nv_bfloat162 h2rint(__nv_bfloat162 a) { return __halves2bfloat162(hrint(a.x), hrint(a.y)); }
__device__ inline __nv_bfloat16 htanh(__nv_bfloat16 a) { return __float2bfloat16_rn(tanhf(__bfloat162float(a))); }
__device__ inline __nv_bfloat162 h2tanh(__nv_bfloat162 a) { return __halves2bfloat162(htanh(a.x), htanh(a.y)); }
__device__ inline __nv_bfloat16 __shfl_sync(unsigned mask, __nv_bfloat16 a, int lane, int width = 32) { return __lw_bf16_make((unsigned short)__shfl_sync(mask, (unsigned)a.__x, lane, width)); }
__device__ inline __nv_bfloat162 __shfl_sync(unsigned mask, __nv_bfloat162 a, int lane, int width = 32) { return __lw_bf16_pair(__shfl_sync(mask, __lw_bf16_word(a), lane, width)); }
__device__ inline __nv_bfloat16 __shfl_up_sync(unsigned mask, __nv_bfloat16 a, unsigned lane, int width = 32) { return __lw_bf16_make((unsigned short)__shfl_up_sync(mask, (unsigned)a.__x, lane, width)); }
__device__ inline __nv_bfloat162 __shfl_up_sync(unsigned mask, __nv_bfloat162 a, unsigned lane, int width = 32) { return __lw_bf16_pair(__shfl_up_sync(mask, __lw_bf16_word(a), lane, width)); }
__device__ inline __nv_bfloat16 __shfl_down_sync(unsigned mask, __nv_bfloat16 a, unsigned lane, int width = 32) { return __lw_bf16_make((unsigned short)__shfl_down_sync(mask, (unsigned)a.__x, lane, width)); }
__device__ inline __nv_bfloat162 __shfl_down_sync(unsigned mask, __nv_bfloat162 a, unsigned lane, int width = 32) { return __lw_bf16_pair(__shfl_down_sync(mask, __lw_bf16_word(a), lane, width)); }
__device__ inline __nv_bfloat16 __shfl_xor_sync(unsigned mask, __nv_bfloat16 a, int lane, int width = 32) { return __lw_bf16_make((unsigned short)__shfl_xor_sync(mask, (unsigned)a.__x, lane, width)); }
__device__ inline __nv_bfloat162 __shfl_xor_sync(unsigned mask, __nv_bfloat162 a, int lane, int width = 32) { return __lw_bf16_pair(__shfl_xor_sync(mask, __lw_bf16_word(a), lane, width)); }
__device__ inline __nv_bfloat16 __ldcg(const __nv_bfloat16 *a) { return __lw_bf16_make(__ldcg((const unsigned short *)a)); }
__device__ inline __nv_bfloat162 __ldcg(const __nv_bfloat162 *a) { return __lw_bf16_pair(__ldcg((const unsigned *)a)); }
__device__ inline __nv_bfloat16 __ldca(const __nv_bfloat16 *a) { return __lw_bf16_make(__ldca((const unsigned short *)a)); }
__device__ inline __nv_bfloat162 __ldca(const __nv_bfloat162 *a) { return __lw_bf16_pair(__ldca((const unsigned *)a)); }
__device__ inline __nv_bfloat16 __ldcs(const __nv_bfloat16 *a) { return __lw_bf16_make(__ldcs((const unsigned short *)a)); }
__device__ inline __nv_bfloat162 __ldcs(const __nv_bfloat162 *a) { return __lw_bf16_pair(__ldcs((const unsigned *)a)); }
__device__ inline __nv_bfloat16 __ldlu(const __nv_bfloat16 *a) { return __lw_bf16_make(__ldlu((const unsigned short *)a)); }
__device__ inline __nv_bfloat162 __ldlu(const __nv_bfloat162 *a) { return __lw_bf16_pair(__ldlu((const unsigned *)a)); }
__device__ inline __nv_bfloat16 __ldcv(const __nv_bfloat16 *a) { return __lw_bf16_make(__ldcv((const unsigned short *)a)); }
__device__ inline __nv_bfloat162 __ldcv(const __nv_bfloat162 *a) { return __lw_bf16_pair(__ldcv((const unsigned *)a)); }
__device__ inline void __stwb(__nv_bfloat16 *a, __nv_bfloat16 value) { __stwb((unsigned short *)a, *(unsigned short *)&value); }
__device__ inline void __stwb(__nv_bfloat162 *a, __nv_bfloat162 value) { __stwb((unsigned *)a, *(unsigned *)&value); }
__device__ inline void __stcg(__nv_bfloat16 *a, __nv_bfloat16 value) { __stcg((unsigned short *)a, *(unsigned short *)&value); }
__device__ inline void __stcg(__nv_bfloat162 *a, __nv_bfloat162 value) { __stcg((unsigned *)a, *(unsigned *)&value); }
__device__ inline void __stcs(__nv_bfloat16 *a, __nv_bfloat16 value) { __stcs((unsigned short *)a, *(unsigned short *)&value); }
__device__ inline void __stcs(__nv_bfloat162 *a, __nv_bfloat162 value) { __stcs((unsigned *)a, *(unsigned *)&value); }
__device__ inline void __stwt(__nv_bfloat16 *a, __nv_bfloat16 value) { __stwt((unsigned short *)a, *(unsigned short *)&value); }
__device__ inline void __stwt(__nv_bfloat162 *a, __nv_bfloat162 value) { __stwt((unsigned *)a, *(unsigned *)&value); }
__device__ inline __nv_bfloat16 __ldg(const __nv_bfloat16 *a) { return __lw_bf16_make(__ldg((const unsigned short *)a)); }
__device__ inline __nv_bfloat162 __ldg(const __nv_bfloat162 *a) { return __lw_bf16_pair(__ldg((const unsigned *)a)); }
__PTX_ORDERED("atom.add.noftz.bf16 %0, [%1], %2;") unsigned short __lw_bf16_atomic(__nv_bfloat16 *address, unsigned short value);
__PTX_ORDERED("atom.add.noftz.bf16x2 %0, [%1], %2;") unsigned __lw_bf16_atomic2(__nv_bfloat162 *address, unsigned value);
#if __CUDA_ARCH__ >= 900
__device__ inline __nv_bfloat16 atomicAdd(__nv_bfloat16 *address, __nv_bfloat16 value) { return __lw_bf16_make(__lw_bf16_atomic(address, value.__x)); }
__device__ inline __nv_bfloat162 atomicAdd(__nv_bfloat162 *address, __nv_bfloat162 value) { return __lw_bf16_pair(__lw_bf16_atomic2(address, __lw_bf16_word(value))); }
#else
__device__ inline __nv_bfloat16 atomicAdd(__nv_bfloat16 *address, __nv_bfloat16 value) {
    unsigned short seen, old = *(volatile unsigned short *)address;
    do {
        seen = old;
        old = atomicCAS((unsigned short *)address, seen, (__lw_bf16_make(seen) + value).__x);
    } while (old != seen);
    return __lw_bf16_make(old);
}
__device__ inline __nv_bfloat162 atomicAdd(__nv_bfloat162 *address, __nv_bfloat162 value) {
    unsigned seen, old = *(volatile unsigned *)address;
    do {
        seen = old;
        old = atomicCAS((unsigned *)address, seen, __lw_bf16_word(__lw_bf16_pair(seen) + value));
    } while (old != seen);
    return __lw_bf16_pair(old);
}
#endif
