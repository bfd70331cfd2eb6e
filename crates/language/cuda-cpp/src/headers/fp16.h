// Half precision: types, conversions, arithmetic, comparisons. Each operation is the PTX instruction that CUDA documents.
struct __align__(2) __half_raw { unsigned short x; };
struct __align__(2) __half {
    unsigned short __x;
    __half() = default;
    __device__ constexpr __half(const __half_raw &raw) : __x(raw.x) {}
    __device__ __half(float value);
    __device__ __half(double value);
    __device__ __half(int value);
    __device__ __half(unsigned value);
    __device__ __half(short value);
    __device__ __half(unsigned short value);
    __device__ __half(long value);
    __device__ __half(unsigned long value);
    __device__ __half(long long value);
    __device__ __half(unsigned long long value);
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
    __device__ operator __half_raw() const { __half_raw raw; raw.x = __x; return raw; }
    __device__ __half &operator=(float value) { __half made(value); __x = made.__x; return *this; }
    __device__ __half &operator=(double value) { __half made(value); __x = made.__x; return *this; }
    __device__ __half &operator=(int value) { __half made(value); __x = made.__x; return *this; }
};
typedef __half half;
typedef __half nv_half;
struct __align__(4) __half2_raw { unsigned short x, y; };
struct __align__(4) __half2 {
    __half x, y;
    __half2() = default;
    __device__ constexpr __half2(const __half &a, const __half &b) : x(a), y(b) {}
};
typedef __half2 half2;
typedef __half2 nv_half2;
__PTX("cvt.rn.f16.f32 %0, %1;") unsigned short __lw_f16_from_float_rn(float value);
__device__ inline __half __float2half_rn(float value) { __half made; made.__x = __lw_f16_from_float_rn(value); return made; }
__PTX("cvt.rz.f16.f32 %0, %1;") unsigned short __lw_f16_from_float_rz(float value);
__device__ inline __half __float2half_rz(float value) { __half made; made.__x = __lw_f16_from_float_rz(value); return made; }
__PTX("cvt.rp.f16.f32 %0, %1;") unsigned short __lw_f16_from_float_ru(float value);
__device__ inline __half __float2half_ru(float value) { __half made; made.__x = __lw_f16_from_float_ru(value); return made; }
__PTX("cvt.rm.f16.f32 %0, %1;") unsigned short __lw_f16_from_float_rd(float value);
__device__ inline __half __float2half_rd(float value) { __half made; made.__x = __lw_f16_from_float_rd(value); return made; }
__device__ inline __half __float2half(float value) { return __float2half_rn(value); }
__PTX("cvt.f32.f16 %0, %1;") float __lw_f16_to_float(unsigned short value);
__PTX("cvt.rn.f16.f64 %0, %1;") unsigned short __lw_f16_from_double(double value);
__device__ inline float __half2float(__half value) { return __lw_f16_to_float(value.__x); }
__device__ inline __half __double2half(double value) { __half made; made.__x = __lw_f16_from_double(value); return made; }
__device__ inline __half::__half(float value) : __x(__lw_f16_from_float_rn(value)) {}
__device__ inline __half::__half(double value) { __x = __double2half(value).__x; }
__device__ inline __half::__half(int value) { __x = __lw_f16_from_float_rn((float)value); }
__device__ inline __half::__half(unsigned value) { __x = __lw_f16_from_float_rn((float)value); }
__device__ inline __half::__half(short value) { __x = __lw_f16_from_float_rn((float)value); }
__device__ inline __half::__half(unsigned short value) { __x = __lw_f16_from_float_rn((float)value); }
__device__ inline __half::__half(long value) { __x = __lw_f16_from_float_rn((float)value); }
__device__ inline __half::__half(unsigned long value) { __x = __lw_f16_from_float_rn((float)value); }
__device__ inline __half::__half(long long value) { __x = __lw_f16_from_float_rn((float)value); }
__device__ inline __half::__half(unsigned long long value) { __x = __lw_f16_from_float_rn((float)value); }
__device__ inline __half::operator float() const { return __half2float(*this); }
__PTX("cvt.rni.s32.f16 %0, %1;") int __lw_half2int_rn(unsigned short value);
__PTX("cvt.rn.f16.s32 %0, %1;") unsigned short __lw_int2half_rn(int value);
__device__ inline int __half2int_rn(__half value) { return __lw_half2int_rn(value.__x); }
__device__ inline __half __int2half_rn(int value) { __half made; made.__x = __lw_int2half_rn(value); return made; }
__PTX("cvt.rzi.s32.f16 %0, %1;") int __lw_half2int_rz(unsigned short value);
__PTX("cvt.rz.f16.s32 %0, %1;") unsigned short __lw_int2half_rz(int value);
__device__ inline int __half2int_rz(__half value) { return __lw_half2int_rz(value.__x); }
__device__ inline __half __int2half_rz(int value) { __half made; made.__x = __lw_int2half_rz(value); return made; }
__PTX("cvt.rpi.s32.f16 %0, %1;") int __lw_half2int_ru(unsigned short value);
__PTX("cvt.rp.f16.s32 %0, %1;") unsigned short __lw_int2half_ru(int value);
__device__ inline int __half2int_ru(__half value) { return __lw_half2int_ru(value.__x); }
__device__ inline __half __int2half_ru(int value) { __half made; made.__x = __lw_int2half_ru(value); return made; }
__PTX("cvt.rmi.s32.f16 %0, %1;") int __lw_half2int_rd(unsigned short value);
__PTX("cvt.rm.f16.s32 %0, %1;") unsigned short __lw_int2half_rd(int value);
__device__ inline int __half2int_rd(__half value) { return __lw_half2int_rd(value.__x); }
__device__ inline __half __int2half_rd(int value) { __half made; made.__x = __lw_int2half_rd(value); return made; }
__PTX("cvt.rni.u32.f16 %0, %1;") unsigned __lw_half2uint_rn(unsigned short value);
__PTX("cvt.rn.f16.u32 %0, %1;") unsigned short __lw_uint2half_rn(unsigned value);
__device__ inline unsigned __half2uint_rn(__half value) { return __lw_half2uint_rn(value.__x); }
__device__ inline __half __uint2half_rn(unsigned value) { __half made; made.__x = __lw_uint2half_rn(value); return made; }
__PTX("cvt.rzi.u32.f16 %0, %1;") unsigned __lw_half2uint_rz(unsigned short value);
__PTX("cvt.rz.f16.u32 %0, %1;") unsigned short __lw_uint2half_rz(unsigned value);
__device__ inline unsigned __half2uint_rz(__half value) { return __lw_half2uint_rz(value.__x); }
__device__ inline __half __uint2half_rz(unsigned value) { __half made; made.__x = __lw_uint2half_rz(value); return made; }
__PTX("cvt.rpi.u32.f16 %0, %1;") unsigned __lw_half2uint_ru(unsigned short value);
__PTX("cvt.rp.f16.u32 %0, %1;") unsigned short __lw_uint2half_ru(unsigned value);
__device__ inline unsigned __half2uint_ru(__half value) { return __lw_half2uint_ru(value.__x); }
__device__ inline __half __uint2half_ru(unsigned value) { __half made; made.__x = __lw_uint2half_ru(value); return made; }
__PTX("cvt.rmi.u32.f16 %0, %1;") unsigned __lw_half2uint_rd(unsigned short value);
__PTX("cvt.rm.f16.u32 %0, %1;") unsigned short __lw_uint2half_rd(unsigned value);
__device__ inline unsigned __half2uint_rd(__half value) { return __lw_half2uint_rd(value.__x); }
__device__ inline __half __uint2half_rd(unsigned value) { __half made; made.__x = __lw_uint2half_rd(value); return made; }
__PTX("cvt.rni.s16.f16 %0, %1;") short __lw_half2short_rn(unsigned short value);
__PTX("cvt.rn.f16.s16 %0, %1;") unsigned short __lw_short2half_rn(short value);
__device__ inline short __half2short_rn(__half value) { return __lw_half2short_rn(value.__x); }
__device__ inline __half __short2half_rn(short value) { __half made; made.__x = __lw_short2half_rn(value); return made; }
__PTX("cvt.rzi.s16.f16 %0, %1;") short __lw_half2short_rz(unsigned short value);
__PTX("cvt.rz.f16.s16 %0, %1;") unsigned short __lw_short2half_rz(short value);
__device__ inline short __half2short_rz(__half value) { return __lw_half2short_rz(value.__x); }
__device__ inline __half __short2half_rz(short value) { __half made; made.__x = __lw_short2half_rz(value); return made; }
__PTX("cvt.rpi.s16.f16 %0, %1;") short __lw_half2short_ru(unsigned short value);
__PTX("cvt.rp.f16.s16 %0, %1;") unsigned short __lw_short2half_ru(short value);
__device__ inline short __half2short_ru(__half value) { return __lw_half2short_ru(value.__x); }
__device__ inline __half __short2half_ru(short value) { __half made; made.__x = __lw_short2half_ru(value); return made; }
__PTX("cvt.rmi.s16.f16 %0, %1;") short __lw_half2short_rd(unsigned short value);
__PTX("cvt.rm.f16.s16 %0, %1;") unsigned short __lw_short2half_rd(short value);
__device__ inline short __half2short_rd(__half value) { return __lw_half2short_rd(value.__x); }
__device__ inline __half __short2half_rd(short value) { __half made; made.__x = __lw_short2half_rd(value); return made; }
__PTX("cvt.rni.u16.f16 %0, %1;") unsigned short __lw_half2ushort_rn(unsigned short value);
__PTX("cvt.rn.f16.u16 %0, %1;") unsigned short __lw_ushort2half_rn(unsigned short value);
__device__ inline unsigned short __half2ushort_rn(__half value) { return __lw_half2ushort_rn(value.__x); }
__device__ inline __half __ushort2half_rn(unsigned short value) { __half made; made.__x = __lw_ushort2half_rn(value); return made; }
__PTX("cvt.rzi.u16.f16 %0, %1;") unsigned short __lw_half2ushort_rz(unsigned short value);
__PTX("cvt.rz.f16.u16 %0, %1;") unsigned short __lw_ushort2half_rz(unsigned short value);
__device__ inline unsigned short __half2ushort_rz(__half value) { return __lw_half2ushort_rz(value.__x); }
__device__ inline __half __ushort2half_rz(unsigned short value) { __half made; made.__x = __lw_ushort2half_rz(value); return made; }
__PTX("cvt.rpi.u16.f16 %0, %1;") unsigned short __lw_half2ushort_ru(unsigned short value);
__PTX("cvt.rp.f16.u16 %0, %1;") unsigned short __lw_ushort2half_ru(unsigned short value);
__device__ inline unsigned short __half2ushort_ru(__half value) { return __lw_half2ushort_ru(value.__x); }
__device__ inline __half __ushort2half_ru(unsigned short value) { __half made; made.__x = __lw_ushort2half_ru(value); return made; }
__PTX("cvt.rmi.u16.f16 %0, %1;") unsigned short __lw_half2ushort_rd(unsigned short value);
__PTX("cvt.rm.f16.u16 %0, %1;") unsigned short __lw_ushort2half_rd(unsigned short value);
__device__ inline unsigned short __half2ushort_rd(__half value) { return __lw_half2ushort_rd(value.__x); }
__device__ inline __half __ushort2half_rd(unsigned short value) { __half made; made.__x = __lw_ushort2half_rd(value); return made; }
__PTX("cvt.rni.s64.f16 %0, %1;") long long __lw_half2ll_rn(unsigned short value);
__PTX("cvt.rn.f16.s64 %0, %1;") unsigned short __lw_ll2half_rn(long long value);
__device__ inline long long __half2ll_rn(__half value) { return __lw_half2ll_rn(value.__x); }
__device__ inline __half __ll2half_rn(long long value) { __half made; made.__x = __lw_ll2half_rn(value); return made; }
__PTX("cvt.rzi.s64.f16 %0, %1;") long long __lw_half2ll_rz(unsigned short value);
__PTX("cvt.rz.f16.s64 %0, %1;") unsigned short __lw_ll2half_rz(long long value);
__device__ inline long long __half2ll_rz(__half value) { return __lw_half2ll_rz(value.__x); }
__device__ inline __half __ll2half_rz(long long value) { __half made; made.__x = __lw_ll2half_rz(value); return made; }
__PTX("cvt.rpi.s64.f16 %0, %1;") long long __lw_half2ll_ru(unsigned short value);
__PTX("cvt.rp.f16.s64 %0, %1;") unsigned short __lw_ll2half_ru(long long value);
__device__ inline long long __half2ll_ru(__half value) { return __lw_half2ll_ru(value.__x); }
__device__ inline __half __ll2half_ru(long long value) { __half made; made.__x = __lw_ll2half_ru(value); return made; }
__PTX("cvt.rmi.s64.f16 %0, %1;") long long __lw_half2ll_rd(unsigned short value);
__PTX("cvt.rm.f16.s64 %0, %1;") unsigned short __lw_ll2half_rd(long long value);
__device__ inline long long __half2ll_rd(__half value) { return __lw_half2ll_rd(value.__x); }
__device__ inline __half __ll2half_rd(long long value) { __half made; made.__x = __lw_ll2half_rd(value); return made; }
__PTX("cvt.rni.u64.f16 %0, %1;") unsigned long long __lw_half2ull_rn(unsigned short value);
__PTX("cvt.rn.f16.u64 %0, %1;") unsigned short __lw_ull2half_rn(unsigned long long value);
__device__ inline unsigned long long __half2ull_rn(__half value) { return __lw_half2ull_rn(value.__x); }
__device__ inline __half __ull2half_rn(unsigned long long value) { __half made; made.__x = __lw_ull2half_rn(value); return made; }
__PTX("cvt.rzi.u64.f16 %0, %1;") unsigned long long __lw_half2ull_rz(unsigned short value);
__PTX("cvt.rz.f16.u64 %0, %1;") unsigned short __lw_ull2half_rz(unsigned long long value);
__device__ inline unsigned long long __half2ull_rz(__half value) { return __lw_half2ull_rz(value.__x); }
__device__ inline __half __ull2half_rz(unsigned long long value) { __half made; made.__x = __lw_ull2half_rz(value); return made; }
__PTX("cvt.rpi.u64.f16 %0, %1;") unsigned long long __lw_half2ull_ru(unsigned short value);
__PTX("cvt.rp.f16.u64 %0, %1;") unsigned short __lw_ull2half_ru(unsigned long long value);
__device__ inline unsigned long long __half2ull_ru(__half value) { return __lw_half2ull_ru(value.__x); }
__device__ inline __half __ull2half_ru(unsigned long long value) { __half made; made.__x = __lw_ull2half_ru(value); return made; }
__PTX("cvt.rmi.u64.f16 %0, %1;") unsigned long long __lw_half2ull_rd(unsigned short value);
__PTX("cvt.rm.f16.u64 %0, %1;") unsigned short __lw_ull2half_rd(unsigned long long value);
__device__ inline unsigned long long __half2ull_rd(__half value) { return __lw_half2ull_rd(value.__x); }
__device__ inline __half __ull2half_rd(unsigned long long value) { __half made; made.__x = __lw_ull2half_rd(value); return made; }
__device__ inline unsigned __lw_f16_word(__half2 value) { return (unsigned)value.y.__x << 16 | value.x.__x; }
__device__ inline __half2 __lw_f16_pair(unsigned word) { __half2 made; made.x.__x = (unsigned short)word; made.y.__x = (unsigned short)(word >> 16); return made; }
__device__ inline __half __lw_f16_make(unsigned short bits) { __half made; made.__x = bits; return made; }
__device__ inline __half2 __halves2half2(__half a, __half b) { __half2 made; made.x = a; made.y = b; return made; }
__device__ inline __half2 make_half2(__half a, __half b) { __half2 made; made.x = a; made.y = b; return made; }
__device__ inline __half2 __half2half2(__half a) { __half2 made; made.x = a; made.y = a; return made; }
__device__ inline __half2 __floats2half2_rn(float a, float b) { __half2 made; made.x = __float2half_rn(a); made.y = __float2half_rn(b); return made; }
__device__ inline __half2 __float2half2_rn(float a) { return __floats2half2_rn(a, a); }
__device__ inline __half2 __float22half2_rn(float2 a) { return __floats2half2_rn(a.x, a.y); }
__device__ inline float2 __half22float2(__half2 a) { return float2{__half2float(a.x), __half2float(a.y)}; }
__device__ inline __half __low2half(__half2 a) { return a.x; }
__device__ inline __half __high2half(__half2 a) { return a.y; }
__device__ inline float __low2float(__half2 a) { return __half2float(a.x); }
__device__ inline float __high2float(__half2 a) { return __half2float(a.y); }
__device__ inline __half2 __low2half2(__half2 a) { return __half2half2(a.x); }
__device__ inline __half2 __high2half2(__half2 a) { return __half2half2(a.y); }
__device__ inline __half2 __lowhigh2highlow(__half2 a) { return __halves2half2(a.y, a.x); }
__device__ inline __half2 __lows2half2(__half2 a, __half2 b) { return __halves2half2(a.x, b.x); }
__device__ inline __half2 __highs2half2(__half2 a, __half2 b) { return __halves2half2(a.y, b.y); }
__device__ inline short __half_as_short(__half a) { return (short)a.__x; }
__device__ inline unsigned short __half_as_ushort(__half a) { return a.__x; }
__device__ inline __half __short_as_half(short a) { return __lw_f16_make((unsigned short)a); }
__device__ inline __half __ushort_as_half(unsigned short a) { return __lw_f16_make(a); }
#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7C00U)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7BFFU)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000U)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000U)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3C00U)
__PTX("neg.f16 %0, %1;") unsigned short __lw_f16_neg(unsigned short a);
__device__ inline __half __hneg(__half a) { return __lw_f16_make(__lw_f16_neg(a.__x)); }
__PTX("neg.f16x2 %0, %1;") unsigned __lw_f16_neg2(unsigned a);
__device__ inline __half2 __hneg2(__half2 a) { return __lw_f16_pair(__lw_f16_neg2(__lw_f16_word(a))); }
__PTX("abs.f16 %0, %1;") unsigned short __lw_f16_abs(unsigned short a);
__device__ inline __half __habs(__half a) { return __lw_f16_make(__lw_f16_abs(a.__x)); }
__PTX("abs.f16x2 %0, %1;") unsigned __lw_f16_abs2(unsigned a);
__device__ inline __half2 __habs2(__half2 a) { return __lw_f16_pair(__lw_f16_abs2(__lw_f16_word(a))); }
__PTX("add.f16 %0, %1, %2;") unsigned short __lw_f16_add(unsigned short a, unsigned short b);
__device__ inline __half __hadd(__half a, __half b) { return __lw_f16_make(__lw_f16_add(a.__x, b.__x)); }
__PTX("add.f16x2 %0, %1, %2;") unsigned __lw_f16_add2(unsigned a, unsigned b);
__device__ inline __half2 __hadd2(__half2 a, __half2 b) { return __lw_f16_pair(__lw_f16_add2(__lw_f16_word(a), __lw_f16_word(b))); }
__PTX("sub.f16 %0, %1, %2;") unsigned short __lw_f16_sub(unsigned short a, unsigned short b);
__device__ inline __half __hsub(__half a, __half b) { return __lw_f16_make(__lw_f16_sub(a.__x, b.__x)); }
__PTX("sub.f16x2 %0, %1, %2;") unsigned __lw_f16_sub2(unsigned a, unsigned b);
__device__ inline __half2 __hsub2(__half2 a, __half2 b) { return __lw_f16_pair(__lw_f16_sub2(__lw_f16_word(a), __lw_f16_word(b))); }
__PTX("mul.f16 %0, %1, %2;") unsigned short __lw_f16_mul(unsigned short a, unsigned short b);
__device__ inline __half __hmul(__half a, __half b) { return __lw_f16_make(__lw_f16_mul(a.__x, b.__x)); }
__PTX("mul.f16x2 %0, %1, %2;") unsigned __lw_f16_mul2(unsigned a, unsigned b);
__device__ inline __half2 __hmul2(__half2 a, __half2 b) { return __lw_f16_pair(__lw_f16_mul2(__lw_f16_word(a), __lw_f16_word(b))); }
__PTX("add.rn.f16 %0, %1, %2;") unsigned short __lw_f16_add_rn(unsigned short a, unsigned short b);
__device__ inline __half __hadd_rn(__half a, __half b) { return __lw_f16_make(__lw_f16_add_rn(a.__x, b.__x)); }
__PTX("add.rn.f16x2 %0, %1, %2;") unsigned __lw_f16_add_rn2(unsigned a, unsigned b);
__device__ inline __half2 __hadd2_rn(__half2 a, __half2 b) { return __lw_f16_pair(__lw_f16_add_rn2(__lw_f16_word(a), __lw_f16_word(b))); }
__PTX("sub.rn.f16 %0, %1, %2;") unsigned short __lw_f16_sub_rn(unsigned short a, unsigned short b);
__device__ inline __half __hsub_rn(__half a, __half b) { return __lw_f16_make(__lw_f16_sub_rn(a.__x, b.__x)); }
__PTX("sub.rn.f16x2 %0, %1, %2;") unsigned __lw_f16_sub_rn2(unsigned a, unsigned b);
__device__ inline __half2 __hsub2_rn(__half2 a, __half2 b) { return __lw_f16_pair(__lw_f16_sub_rn2(__lw_f16_word(a), __lw_f16_word(b))); }
__PTX("mul.rn.f16 %0, %1, %2;") unsigned short __lw_f16_mul_rn(unsigned short a, unsigned short b);
__device__ inline __half __hmul_rn(__half a, __half b) { return __lw_f16_make(__lw_f16_mul_rn(a.__x, b.__x)); }
__PTX("mul.rn.f16x2 %0, %1, %2;") unsigned __lw_f16_mul_rn2(unsigned a, unsigned b);
__device__ inline __half2 __hmul2_rn(__half2 a, __half2 b) { return __lw_f16_pair(__lw_f16_mul_rn2(__lw_f16_word(a), __lw_f16_word(b))); }
__PTX("add.sat.f16 %0, %1, %2;") unsigned short __lw_f16_add_sat(unsigned short a, unsigned short b);
__device__ inline __half __hadd_sat(__half a, __half b) { return __lw_f16_make(__lw_f16_add_sat(a.__x, b.__x)); }
__PTX("add.sat.f16x2 %0, %1, %2;") unsigned __lw_f16_add_sat2(unsigned a, unsigned b);
__device__ inline __half2 __hadd2_sat(__half2 a, __half2 b) { return __lw_f16_pair(__lw_f16_add_sat2(__lw_f16_word(a), __lw_f16_word(b))); }
__PTX("sub.sat.f16 %0, %1, %2;") unsigned short __lw_f16_sub_sat(unsigned short a, unsigned short b);
__device__ inline __half __hsub_sat(__half a, __half b) { return __lw_f16_make(__lw_f16_sub_sat(a.__x, b.__x)); }
__PTX("sub.sat.f16x2 %0, %1, %2;") unsigned __lw_f16_sub_sat2(unsigned a, unsigned b);
__device__ inline __half2 __hsub2_sat(__half2 a, __half2 b) { return __lw_f16_pair(__lw_f16_sub_sat2(__lw_f16_word(a), __lw_f16_word(b))); }
__PTX("mul.sat.f16 %0, %1, %2;") unsigned short __lw_f16_mul_sat(unsigned short a, unsigned short b);
__device__ inline __half __hmul_sat(__half a, __half b) { return __lw_f16_make(__lw_f16_mul_sat(a.__x, b.__x)); }
__PTX("mul.sat.f16x2 %0, %1, %2;") unsigned __lw_f16_mul_sat2(unsigned a, unsigned b);
__device__ inline __half2 __hmul2_sat(__half2 a, __half2 b) { return __lw_f16_pair(__lw_f16_mul_sat2(__lw_f16_word(a), __lw_f16_word(b))); }
__PTX("min.f16 %0, %1, %2;") unsigned short __lw_f16_min(unsigned short a, unsigned short b);
__device__ inline __half __hmin(__half a, __half b) { return __lw_f16_make(__lw_f16_min(a.__x, b.__x)); }
__PTX("min.f16x2 %0, %1, %2;") unsigned __lw_f16_min2(unsigned a, unsigned b);
__device__ inline __half2 __hmin2(__half2 a, __half2 b) { return __lw_f16_pair(__lw_f16_min2(__lw_f16_word(a), __lw_f16_word(b))); }
__PTX("min.NaN.f16 %0, %1, %2;") unsigned short __lw_f16_min_nan(unsigned short a, unsigned short b);
__device__ inline __half __hmin_nan(__half a, __half b) { return __lw_f16_make(__lw_f16_min_nan(a.__x, b.__x)); }
__PTX("min.NaN.f16x2 %0, %1, %2;") unsigned __lw_f16_min_nan2(unsigned a, unsigned b);
__device__ inline __half2 __hmin2_nan(__half2 a, __half2 b) { return __lw_f16_pair(__lw_f16_min_nan2(__lw_f16_word(a), __lw_f16_word(b))); }
__PTX("max.f16 %0, %1, %2;") unsigned short __lw_f16_max(unsigned short a, unsigned short b);
__device__ inline __half __hmax(__half a, __half b) { return __lw_f16_make(__lw_f16_max(a.__x, b.__x)); }
__PTX("max.f16x2 %0, %1, %2;") unsigned __lw_f16_max2(unsigned a, unsigned b);
__device__ inline __half2 __hmax2(__half2 a, __half2 b) { return __lw_f16_pair(__lw_f16_max2(__lw_f16_word(a), __lw_f16_word(b))); }
__PTX("max.NaN.f16 %0, %1, %2;") unsigned short __lw_f16_max_nan(unsigned short a, unsigned short b);
__device__ inline __half __hmax_nan(__half a, __half b) { return __lw_f16_make(__lw_f16_max_nan(a.__x, b.__x)); }
__PTX("max.NaN.f16x2 %0, %1, %2;") unsigned __lw_f16_max_nan2(unsigned a, unsigned b);
__device__ inline __half2 __hmax2_nan(__half2 a, __half2 b) { return __lw_f16_pair(__lw_f16_max_nan2(__lw_f16_word(a), __lw_f16_word(b))); }
__PTX("fma.rn.f16 %0, %1, %2, %3;") unsigned short __lw_f16_fma(unsigned short a, unsigned short b, unsigned short c);
__device__ inline __half __hfma(__half a, __half b, __half c) { return __lw_f16_make(__lw_f16_fma(a.__x, b.__x, c.__x)); }
__PTX("fma.rn.f16x2 %0, %1, %2, %3;") unsigned __lw_f16_fma2(unsigned a, unsigned b, unsigned c);
__device__ inline __half2 __hfma2(__half2 a, __half2 b, __half2 c) { return __lw_f16_pair(__lw_f16_fma2(__lw_f16_word(a), __lw_f16_word(b), __lw_f16_word(c))); }
__PTX("fma.rn.sat.f16 %0, %1, %2, %3;") unsigned short __lw_f16_fma_sat(unsigned short a, unsigned short b, unsigned short c);
__device__ inline __half __hfma_sat(__half a, __half b, __half c) { return __lw_f16_make(__lw_f16_fma_sat(a.__x, b.__x, c.__x)); }
__PTX("fma.rn.sat.f16x2 %0, %1, %2, %3;") unsigned __lw_f16_fma_sat2(unsigned a, unsigned b, unsigned c);
__device__ inline __half2 __hfma2_sat(__half2 a, __half2 b, __half2 c) { return __lw_f16_pair(__lw_f16_fma_sat2(__lw_f16_word(a), __lw_f16_word(b), __lw_f16_word(c))); }
__PTX("fma.rn.relu.f16 %0, %1, %2, %3;") unsigned short __lw_f16_fma_relu(unsigned short a, unsigned short b, unsigned short c);
__device__ inline __half __hfma_relu(__half a, __half b, __half c) { return __lw_f16_make(__lw_f16_fma_relu(a.__x, b.__x, c.__x)); }
__PTX("fma.rn.relu.f16x2 %0, %1, %2, %3;") unsigned __lw_f16_fma_relu2(unsigned a, unsigned b, unsigned c);
__device__ inline __half2 __hfma2_relu(__half2 a, __half2 b, __half2 c) { return __lw_f16_pair(__lw_f16_fma_relu2(__lw_f16_word(a), __lw_f16_word(b), __lw_f16_word(c))); }
__device__ inline __half __hdiv(__half a, __half b) { return __float2half_rn(__half2float(a) / __half2float(b)); }
__device__ inline __half2 __h2div(__half2 a, __half2 b) { return __halves2half2(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }
__device__ inline bool __heq(__half a, __half b) { float x = __half2float(a), y = __half2float(b); return x == y; }
__device__ inline bool __hequ(__half a, __half b) { float x = __half2float(a), y = __half2float(b); return x == y || x != x || y != y; }
__device__ inline __half2 __heq2(__half2 a, __half2 b) { return __floats2half2_rn(__heq(a.x, b.x) ? 1.0f : 0.0f, __heq(a.y, b.y) ? 1.0f : 0.0f); }
__device__ inline bool __hbeq2(__half2 a, __half2 b) { return __heq(a.x, b.x) && __heq(a.y, b.y); }
__device__ inline bool operator==(const __half &a, const __half &b) { return __half2float(a) == __half2float(b); }
__device__ inline bool __hne(__half a, __half b) { float x = __half2float(a), y = __half2float(b); return x != y && x == x && y == y; }
__device__ inline bool __hneu(__half a, __half b) { float x = __half2float(a), y = __half2float(b); return x != y || x != x || y != y; }
__device__ inline __half2 __hne2(__half2 a, __half2 b) { return __floats2half2_rn(__hne(a.x, b.x) ? 1.0f : 0.0f, __hne(a.y, b.y) ? 1.0f : 0.0f); }
__device__ inline bool __hbne2(__half2 a, __half2 b) { return __hne(a.x, b.x) && __hne(a.y, b.y); }
__device__ inline bool operator!=(const __half &a, const __half &b) { return __half2float(a) != __half2float(b); }
__device__ inline bool __hlt(__half a, __half b) { float x = __half2float(a), y = __half2float(b); return x < y; }
__device__ inline bool __hltu(__half a, __half b) { float x = __half2float(a), y = __half2float(b); return x < y || x != x || y != y; }
__device__ inline __half2 __hlt2(__half2 a, __half2 b) { return __floats2half2_rn(__hlt(a.x, b.x) ? 1.0f : 0.0f, __hlt(a.y, b.y) ? 1.0f : 0.0f); }
__device__ inline bool __hblt2(__half2 a, __half2 b) { return __hlt(a.x, b.x) && __hlt(a.y, b.y); }
__device__ inline bool operator<(const __half &a, const __half &b) { return __half2float(a) < __half2float(b); }
__device__ inline bool __hle(__half a, __half b) { float x = __half2float(a), y = __half2float(b); return x <= y; }
__device__ inline bool __hleu(__half a, __half b) { float x = __half2float(a), y = __half2float(b); return x <= y || x != x || y != y; }
__device__ inline __half2 __hle2(__half2 a, __half2 b) { return __floats2half2_rn(__hle(a.x, b.x) ? 1.0f : 0.0f, __hle(a.y, b.y) ? 1.0f : 0.0f); }
__device__ inline bool __hble2(__half2 a, __half2 b) { return __hle(a.x, b.x) && __hle(a.y, b.y); }
__device__ inline bool operator<=(const __half &a, const __half &b) { return __half2float(a) <= __half2float(b); }
__device__ inline bool __hgt(__half a, __half b) { float x = __half2float(a), y = __half2float(b); return x > y; }
__device__ inline bool __hgtu(__half a, __half b) { float x = __half2float(a), y = __half2float(b); return x > y || x != x || y != y; }
__device__ inline __half2 __hgt2(__half2 a, __half2 b) { return __floats2half2_rn(__hgt(a.x, b.x) ? 1.0f : 0.0f, __hgt(a.y, b.y) ? 1.0f : 0.0f); }
__device__ inline bool __hbgt2(__half2 a, __half2 b) { return __hgt(a.x, b.x) && __hgt(a.y, b.y); }
__device__ inline bool operator>(const __half &a, const __half &b) { return __half2float(a) > __half2float(b); }
__device__ inline bool __hge(__half a, __half b) { float x = __half2float(a), y = __half2float(b); return x >= y; }
__device__ inline bool __hgeu(__half a, __half b) { float x = __half2float(a), y = __half2float(b); return x >= y || x != x || y != y; }
__device__ inline __half2 __hge2(__half2 a, __half2 b) { return __floats2half2_rn(__hge(a.x, b.x) ? 1.0f : 0.0f, __hge(a.y, b.y) ? 1.0f : 0.0f); }
__device__ inline bool __hbge2(__half2 a, __half2 b) { return __hge(a.x, b.x) && __hge(a.y, b.y); }
__device__ inline bool operator>=(const __half &a, const __half &b) { return __half2float(a) >= __half2float(b); }
__device__ inline bool __hisnan(__half a) { float x = __half2float(a); return x != x; }
__device__ inline int __hisinf(__half a) { float x = __half2float(a); return x == INFINITY ? 1 : x == -INFINITY ? -1 : 0; }
__device__ inline __half operator+(const __half &a, const __half &b) { return __hadd(a, b); }
__device__ inline __half &operator+=(__half &a, const __half &b) { a = __hadd(a, b); return a; }
__device__ inline __half2 operator+(const __half2 &a, const __half2 &b) { return __hadd2(a, b); }
__device__ inline __half2 &operator+=(__half2 &a, const __half2 &b) { a = __hadd2(a, b); return a; }
__device__ inline __half operator-(const __half &a, const __half &b) { return __hsub(a, b); }
__device__ inline __half &operator-=(__half &a, const __half &b) { a = __hsub(a, b); return a; }
__device__ inline __half2 operator-(const __half2 &a, const __half2 &b) { return __hsub2(a, b); }
__device__ inline __half2 &operator-=(__half2 &a, const __half2 &b) { a = __hsub2(a, b); return a; }
__device__ inline __half operator*(const __half &a, const __half &b) { return __hmul(a, b); }
__device__ inline __half &operator*=(__half &a, const __half &b) { a = __hmul(a, b); return a; }
__device__ inline __half2 operator*(const __half2 &a, const __half2 &b) { return __hmul2(a, b); }
__device__ inline __half2 &operator*=(__half2 &a, const __half2 &b) { a = __hmul2(a, b); return a; }
__device__ inline __half operator/(const __half &a, const __half &b) { return __hdiv(a, b); }
__device__ inline __half &operator/=(__half &a, const __half &b) { a = __hdiv(a, b); return a; }
__device__ inline __half2 operator/(const __half2 &a, const __half2 &b) { return __h2div(a, b); }
__device__ inline __half operator-(const __half &a) { return __hneg(a); }
__device__ inline __half2 operator-(const __half2 &a) { return __hneg2(a); }
__device__ inline __half operator+(const __half &a) { return a; }
__device__ inline __half hexp(__half a) { return __float2half_rn(expf(__half2float(a))); }
__device__ inline __half2 h2exp(__half2 a) { return __halves2half2(hexp(a.x), hexp(a.y)); }
__device__ inline __half hexp2(__half a) { return __float2half_rn(exp2f(__half2float(a))); }
__device__ inline __half2 h2exp2(__half2 a) { return __halves2half2(hexp2(a.x), hexp2(a.y)); }
__device__ inline __half hexp10(__half a) { return __float2half_rn(exp10f(__half2float(a))); }
__device__ inline __half2 h2exp10(__half2 a) { return __halves2half2(hexp10(a.x), hexp10(a.y)); }
__device__ inline __half hlog(__half a) { return __float2half_rn(logf(__half2float(a))); }
__device__ inline __half2 h2log(__half2 a) { return __halves2half2(hlog(a.x), hlog(a.y)); }
__device__ inline __half hlog2(__half a) { return __float2half_rn(log2f(__half2float(a))); }
__device__ inline __half2 h2log2(__half2 a) { return __halves2half2(hlog2(a.x), hlog2(a.y)); }
__device__ inline __half hlog10(__half a) { return __float2half_rn(log10f(__half2float(a))); }
__device__ inline __half2 h2log10(__half2 a) { return __halves2half2(hlog10(a.x), hlog10(a.y)); }
__device__ inline __half hsin(__half a) { return __float2half_rn(sinf(__half2float(a))); }
__device__ inline __half2 h2sin(__half2 a) { return __halves2half2(hsin(a.x), hsin(a.y)); }
__device__ inline __half hcos(__half a) { return __float2half_rn(cosf(__half2float(a))); }
__device__ inline __half2 h2cos(__half2 a) { return __halves2half2(hcos(a.x), hcos(a.y)); }
__device__ inline __half hsqrt(__half a) { return __float2half_rn(sqrtf(__half2float(a))); }
__device__ inline __half2 h2sqrt(__half2 a) { return __halves2half2(hsqrt(a.x), hsqrt(a.y)); }
__device__ inline __half hrsqrt(__half a) { return __float2half_rn(rsqrtf(__half2float(a))); }
__device__ inline __half2 h2rsqrt(__half2 a) { return __halves2half2(hrsqrt(a.x), hrsqrt(a.y)); }
__device__ inline __half hrcp(__half a) { return __float2half_rn(1.0f / (__half2float(a))); }
__device__ inline __half2 h2rcp(__half2 a) { return __halves2half2(hrcp(a.x), hrcp(a.y)); }
__device__ inline __half hfloor(__half a) { return __float2half_rn(floorf(__half2float(a))); }
__device__ inline __half2 h2floor(__half2 a) { return __halves2half2(hfloor(a.x), hfloor(a.y)); }
__device__ inline __half hceil(__half a) { return __float2half_rn(ceilf(__half2float(a))); }
__device__ inline __half2 h2ceil(__half2 a) { return __halves2half2(hceil(a.x), hceil(a.y)); }
__device__ inline __half htrunc(__half a) { return __float2half_rn(truncf(__half2float(a))); }
__device__ inline __half2 h2trunc(__half2 a) { return __halves2half2(htrunc(a.x), htrunc(a.y)); }
__device__ inline __half hrint(__half a) { return __float2half_rn(rintf(__half2float(a))); }
__device__ inline __half2 h2rint(__half2 a) { return __halves2half2(hrint(a.x), hrint(a.y)); }
__device__ inline __half htanh(__half a) { return __float2half_rn(tanhf(__half2float(a))); }
__device__ inline __half2 h2tanh(__half2 a) { return __halves2half2(htanh(a.x), htanh(a.y)); }
__device__ inline __half __shfl_sync(unsigned mask, __half a, int lane, int width = 32) { return __lw_f16_make((unsigned short)__shfl_sync(mask, (unsigned)a.__x, lane, width)); }
__device__ inline __half2 __shfl_sync(unsigned mask, __half2 a, int lane, int width = 32) { return __lw_f16_pair(__shfl_sync(mask, __lw_f16_word(a), lane, width)); }
__device__ inline __half __shfl_up_sync(unsigned mask, __half a, unsigned lane, int width = 32) { return __lw_f16_make((unsigned short)__shfl_up_sync(mask, (unsigned)a.__x, lane, width)); }
__device__ inline __half2 __shfl_up_sync(unsigned mask, __half2 a, unsigned lane, int width = 32) { return __lw_f16_pair(__shfl_up_sync(mask, __lw_f16_word(a), lane, width)); }
__device__ inline __half __shfl_down_sync(unsigned mask, __half a, unsigned lane, int width = 32) { return __lw_f16_make((unsigned short)__shfl_down_sync(mask, (unsigned)a.__x, lane, width)); }
__device__ inline __half2 __shfl_down_sync(unsigned mask, __half2 a, unsigned lane, int width = 32) { return __lw_f16_pair(__shfl_down_sync(mask, __lw_f16_word(a), lane, width)); }
__device__ inline __half __shfl_xor_sync(unsigned mask, __half a, int lane, int width = 32) { return __lw_f16_make((unsigned short)__shfl_xor_sync(mask, (unsigned)a.__x, lane, width)); }
__device__ inline __half2 __shfl_xor_sync(unsigned mask, __half2 a, int lane, int width = 32) { return __lw_f16_pair(__shfl_xor_sync(mask, __lw_f16_word(a), lane, width)); }
__device__ inline __half __ldcg(const __half *a) { return __lw_f16_make(__ldcg((const unsigned short *)a)); }
__device__ inline __half2 __ldcg(const __half2 *a) { return __lw_f16_pair(__ldcg((const unsigned *)a)); }
__device__ inline __half __ldca(const __half *a) { return __lw_f16_make(__ldca((const unsigned short *)a)); }
__device__ inline __half2 __ldca(const __half2 *a) { return __lw_f16_pair(__ldca((const unsigned *)a)); }
__device__ inline __half __ldcs(const __half *a) { return __lw_f16_make(__ldcs((const unsigned short *)a)); }
__device__ inline __half2 __ldcs(const __half2 *a) { return __lw_f16_pair(__ldcs((const unsigned *)a)); }
__device__ inline __half __ldlu(const __half *a) { return __lw_f16_make(__ldlu((const unsigned short *)a)); }
__device__ inline __half2 __ldlu(const __half2 *a) { return __lw_f16_pair(__ldlu((const unsigned *)a)); }
__device__ inline __half __ldcv(const __half *a) { return __lw_f16_make(__ldcv((const unsigned short *)a)); }
__device__ inline __half2 __ldcv(const __half2 *a) { return __lw_f16_pair(__ldcv((const unsigned *)a)); }
__device__ inline void __stwb(__half *a, __half value) { __stwb((unsigned short *)a, *(unsigned short *)&value); }
__device__ inline void __stwb(__half2 *a, __half2 value) { __stwb((unsigned *)a, *(unsigned *)&value); }
__device__ inline void __stcg(__half *a, __half value) { __stcg((unsigned short *)a, *(unsigned short *)&value); }
__device__ inline void __stcg(__half2 *a, __half2 value) { __stcg((unsigned *)a, *(unsigned *)&value); }
__device__ inline void __stcs(__half *a, __half value) { __stcs((unsigned short *)a, *(unsigned short *)&value); }
__device__ inline void __stcs(__half2 *a, __half2 value) { __stcs((unsigned *)a, *(unsigned *)&value); }
__device__ inline void __stwt(__half *a, __half value) { __stwt((unsigned short *)a, *(unsigned short *)&value); }
__device__ inline void __stwt(__half2 *a, __half2 value) { __stwt((unsigned *)a, *(unsigned *)&value); }
__device__ inline __half __ldg(const __half *a) { return __lw_f16_make(__ldg((const unsigned short *)a)); }
__device__ inline __half2 __ldg(const __half2 *a) { return __lw_f16_pair(__ldg((const unsigned *)a)); }
__PTX_ORDERED("atom.add.noftz.f16 %0, [%1], %2;") unsigned short __lw_f16_atomic(__half *address, unsigned short value);
__PTX_ORDERED("atom.add.noftz.f16x2 %0, [%1], %2;") unsigned __lw_f16_atomic2(__half2 *address, unsigned value);
__device__ inline __half atomicAdd(__half *address, __half value) { return __lw_f16_make(__lw_f16_atomic(address, value.__x)); }
__device__ inline __half2 atomicAdd(__half2 *address, __half2 value) { return __lw_f16_pair(__lw_f16_atomic2(address, __lw_f16_word(value))); }
