// <cuComplex.h>.
#define __LW_COMPLEX(C, R, V, SUFFIX)                                                                                 \
    typedef V C;                                                                                                      \
    __host__ __device__ inline R cuCreal##SUFFIX(C a) { return a.x; }                                                 \
    __host__ __device__ inline R cuCimag##SUFFIX(C a) { return a.y; }                                                 \
    __host__ __device__ inline C cuConj##SUFFIX(C a) { return C{a.x, -a.y}; }                                         \
    __host__ __device__ inline C cuCadd##SUFFIX(C a, C b) { return C{a.x + b.x, a.y + b.y}; }                         \
    __host__ __device__ inline C cuCsub##SUFFIX(C a, C b) { return C{a.x - b.x, a.y - b.y}; }                         \
    __host__ __device__ inline C cuCmul##SUFFIX(C a, C b) { return C{a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; } \
    __host__ __device__ inline C cuCdiv##SUFFIX(C a, C b) {                                                           \
        R scale = (b.x < 0 ? -b.x : b.x) + (b.y < 0 ? -b.y : b.y);                                                    \
        R one = 1 / scale, p = a.x * one, q = a.y * one, r = b.x * one, t = b.y * one;                                \
        one = 1 / (r * r + t * t);                                                                                    \
        return C{(p * r + q * t) * one, (q * r - p * t) * one};                                                       \
    }                                                                                                                 \
    __host__ __device__ inline C cuCfma##SUFFIX(C a, C b, C c) { return cuCadd##SUFFIX(cuCmul##SUFFIX(a, b), c); }
__LW_COMPLEX(cuFloatComplex, float, float2, f)
__LW_COMPLEX(cuDoubleComplex, double, double2, )
#undef __LW_COMPLEX
typedef cuFloatComplex cuComplex;
__host__ __device__ inline cuFloatComplex make_cuFloatComplex(float x, float y) { return cuFloatComplex{x, y}; }
__host__ __device__ inline cuDoubleComplex make_cuDoubleComplex(double x, double y) { return cuDoubleComplex{x, y}; }
__host__ __device__ inline cuComplex make_cuComplex(float x, float y) { return cuComplex{x, y}; }
__host__ __device__ inline float cuCabsf(cuFloatComplex a) { return hypotf(a.x, a.y); }
__host__ __device__ inline double cuCabs(cuDoubleComplex a) { return hypot(a.x, a.y); }
