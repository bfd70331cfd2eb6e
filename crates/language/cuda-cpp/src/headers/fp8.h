// 8-bit floating point: storage and conversions.
#include "cuda_fp16.h"
#include "cuda_bf16.h"
typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned __nv_fp8x4_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };
__PTX("cvt.rn.satfinite.e4m3x2.f32 %0, 0f00000000, %1;") unsigned short __lw_e4m3(float value);
__PTX("cvt.rn.satfinite.e5m2x2.f32 %0, 0f00000000, %1;") unsigned short __lw_e5m2(float value);
__PTX("cvt.rn.f16x2.e4m3x2 %0, %1;") unsigned __lw_from_e4m3(unsigned short value);
__PTX("cvt.rn.f16x2.e5m2x2 %0, %1;") unsigned __lw_from_e5m2(unsigned short value);
#define __FP8(NAME, KIND)                                                                                             \
    struct NAME {                                                                                                     \
        unsigned char __x;                                                                                            \
        NAME() = default;                                                                                             \
        __device__ explicit NAME(float value) : __x((unsigned char)__lw_##KIND(value)) {}                             \
        __device__ explicit NAME(double value) : __x((unsigned char)__lw_##KIND((float)value)) {}                     \
        __device__ explicit NAME(int value) : NAME((float)value) {}                                                   \
        __device__ explicit NAME(unsigned value) : NAME((float)value) {}                                              \
        __device__ explicit NAME(short value) : NAME((float)value) {}                                                 \
        __device__ explicit NAME(unsigned short value) : NAME((float)value) {}                                        \
        __device__ explicit NAME(long value) : NAME((float)value) {}                                                  \
        __device__ explicit NAME(unsigned long value) : NAME((float)value) {}                                         \
        __device__ explicit NAME(long long value) : NAME((float)value) {}                                             \
        __device__ explicit NAME(unsigned long long value) : NAME((float)value) {}                                    \
        __device__ explicit NAME(__half value) : __x((unsigned char)__lw_##KIND((float)value)) {}                     \
        __device__ explicit NAME(__nv_bfloat16 value) : __x((unsigned char)__lw_##KIND((float)value)) {}              \
        __device__ explicit operator float() const {                                                                  \
            return __half2float(__ushort_as_half((unsigned short)__lw_from_##KIND(__x)));                             \
        }                                                                                                             \
        __device__ explicit operator __half() const { return __ushort_as_half((unsigned short)__lw_from_##KIND(__x)); } \
        __device__ explicit operator __nv_bfloat16() const { return __float2bfloat16((float)*this); }                 \
        __device__ explicit operator double() const { return (float)*this; }                                          \
        __device__ explicit operator int() const { return (int)(float)*this; }                                        \
        __device__ explicit operator unsigned() const { return (unsigned)(float)*this; }                              \
        __device__ explicit operator bool() const { return (__x & 0x7f) != 0; }                                       \
    };
// Pairs and groups of four; the first number is in the low byte.
#define __FP8_GROUPS(NAME, KIND)                                                                                      \
    struct __nv_fp8x2_##KIND {                                                                                        \
        unsigned short __x;                                                                                           \
        __nv_fp8x2_##KIND() = default;                                                                                \
        __device__ explicit __nv_fp8x2_##KIND(float2 v) : __x((unsigned short)(NAME(v.x).__x | NAME(v.y).__x << 8)) {} \
        __device__ explicit __nv_fp8x2_##KIND(double2 v) : __nv_fp8x2_##KIND(make_float2((float)v.x, (float)v.y)) {}  \
        __device__ explicit __nv_fp8x2_##KIND(__half2 v) : __nv_fp8x2_##KIND(__half22float2(v)) {}                    \
        __device__ explicit __nv_fp8x2_##KIND(__nv_bfloat162 v) : __nv_fp8x2_##KIND(__bfloat1622float2(v)) {}         \
        __device__ explicit operator float2() const { return __half22float2((__half2)*this); }                        \
        __device__ explicit operator __half2() const {                                                                \
            unsigned bits = __lw_from_##KIND(__x);                                                                    \
            return __halves2half2(__ushort_as_half((unsigned short)bits), __ushort_as_half((unsigned short)(bits >> 16))); \
        }                                                                                                             \
    };                                                                                                                \
    struct __nv_fp8x4_##KIND {                                                                                        \
        unsigned __x;                                                                                                 \
        __nv_fp8x4_##KIND() = default;                                                                                \
        __device__ explicit __nv_fp8x4_##KIND(float4 v)                                                               \
            : __x(__nv_fp8x2_##KIND(make_float2(v.x, v.y)).__x | (unsigned)__nv_fp8x2_##KIND(make_float2(v.z, v.w)).__x << 16) {} \
        __device__ explicit __nv_fp8x4_##KIND(__half2 low, __half2 high)                                              \
            : __x(__nv_fp8x2_##KIND(low).__x | (unsigned)__nv_fp8x2_##KIND(high).__x << 16) {}                        \
        __device__ explicit __nv_fp8x4_##KIND(__nv_bfloat162 low, __nv_bfloat162 high)                                \
            : __x(__nv_fp8x2_##KIND(low).__x | (unsigned)__nv_fp8x2_##KIND(high).__x << 16) {}                        \
        __device__ explicit operator float4() const {                                                                 \
            __nv_fp8x2_##KIND low, high;                                                                              \
            low.__x = (unsigned short)__x;                                                                            \
            high.__x = (unsigned short)(__x >> 16);                                                                   \
            float2 a = (float2)low, b = (float2)high;                                                                 \
            return make_float4(a.x, a.y, b.x, b.y);                                                                   \
        }                                                                                                             \
    };
__FP8(__nv_fp8_e4m3, e4m3)
__FP8(__nv_fp8_e5m2, e5m2)
__FP8_GROUPS(__nv_fp8_e4m3, e4m3)
__FP8_GROUPS(__nv_fp8_e5m2, e5m2)
#undef __FP8
#undef __FP8_GROUPS
__device__ inline __nv_fp8_storage_t __nv_cvt_float_to_fp8(float value, __nv_saturation_t, __nv_fp8_interpretation_t kind) {
    return (unsigned char)(kind == __NV_E4M3 ? __lw_e4m3(value) : __lw_e5m2(value));
}
__device__ inline __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t value, __nv_fp8_interpretation_t kind) {
    __half_raw raw;
    raw.x = (unsigned short)(kind == __NV_E4M3 ? __lw_from_e4m3(value) : __lw_from_e5m2(value));
    return raw;
}
__device__ inline __nv_fp8_storage_t __nv_cvt_double_to_fp8(double value, __nv_saturation_t limit, __nv_fp8_interpretation_t kind) { return __nv_cvt_float_to_fp8((float)value, limit, kind); }
__device__ inline __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw value, __nv_saturation_t limit, __nv_fp8_interpretation_t kind) { return __nv_cvt_float_to_fp8(__half2float(__ushort_as_half(value.x)), limit, kind); }
__device__ inline __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 value, __nv_saturation_t limit, __nv_fp8_interpretation_t kind) {
    return (unsigned short)(__nv_cvt_float_to_fp8(value.x, limit, kind) | __nv_cvt_float_to_fp8(value.y, limit, kind) << 8);
}
__device__ inline __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t value, __nv_fp8_interpretation_t kind) {
    unsigned bits = kind == __NV_E4M3 ? __lw_from_e4m3(value) : __lw_from_e5m2(value);
    __half2_raw raw;
    raw.x = (unsigned short)bits;
    raw.y = (unsigned short)(bits >> 16);
    return raw;
}
