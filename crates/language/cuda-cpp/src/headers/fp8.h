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
        __device__ explicit NAME(__half value) : __x((unsigned char)__lw_##KIND((float)value)) {}                     \
        __device__ explicit NAME(__nv_bfloat16 value) : __x((unsigned char)__lw_##KIND((float)value)) {}              \
        __device__ explicit operator float() const {                                                                  \
            return __half2float(__ushort_as_half((unsigned short)__lw_from_##KIND(__x)));                             \
        }                                                                                                             \
        __device__ explicit operator __half() const { return __ushort_as_half((unsigned short)__lw_from_##KIND(__x)); } \
    };
__FP8(__nv_fp8_e4m3, e4m3)
__FP8(__nv_fp8_e5m2, e5m2)
#undef __FP8
__device__ inline __nv_fp8_storage_t __nv_cvt_float_to_fp8(float value, __nv_saturation_t, __nv_fp8_interpretation_t kind) {
    return (unsigned char)(kind == __NV_E4M3 ? __lw_e4m3(value) : __lw_e5m2(value));
}
__device__ inline __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t value, __nv_fp8_interpretation_t kind) {
    __half_raw raw;
    raw.x = (unsigned short)(kind == __NV_E4M3 ? __lw_from_e4m3(value) : __lw_from_e5m2(value));
    return raw;
}
