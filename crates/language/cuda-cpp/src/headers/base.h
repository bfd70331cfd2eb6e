// Definitions that every source sees: sizes, limits, and the parts of `std` that device code uses without including their headers.
#define __PTX(text) __device__ __attribute__((ptx(text)))
#define __PTX_READ(text) __device__ __attribute__((ptx_read(text)))
#define __PTX_VOLATILE(text) __device__ __attribute__((ptx_volatile(text)))
#define __PTX_CONVERGENT(text) __device__ __attribute__((ptx_convergent(text)))
#define __PTX_BARRIER(text) __device__ __attribute__((ptx_barrier(text)))
#define __PTX_ORDERED(text) __device__ __attribute__((ptx_ordered(text)))
#define __OP(text) __device__ __attribute__((op(text)))
#define NULL 0
typedef unsigned long size_t;
typedef long ptrdiff_t;
typedef long ssize_t;
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long int64_t;
typedef unsigned long uint64_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;
typedef long intmax_t;
typedef unsigned long uintmax_t;
typedef int int_least32_t;
typedef int int_fast32_t;
typedef unsigned uint_fast32_t;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef long clock_t;
typedef struct CUstream_st *cudaStream_t;
#define cudaStreamLegacy ((cudaStream_t)1)
#define cudaStreamPerThread ((cudaStream_t)2)
typedef struct CUevent_st *cudaEvent_t;
typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
typedef unsigned long long CUtexObject;
typedef unsigned long long CUsurfObject;
typedef unsigned long long CUdeviceptr;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
#ifndef __LW_HOST__
enum cudaError_t { cudaSuccess = 0 };
typedef cudaError_t cudaError;
enum cudaMemcpyKind { cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice, cudaMemcpyDefault };
__device__ inline const char *cudaGetErrorString(cudaError_t) { return "no error"; }
__device__ inline const char *cudaGetErrorName(cudaError_t) { return "cudaSuccess"; }
__device__ inline cudaError_t cudaGetLastError() { return cudaSuccess; }
__device__ inline cudaError_t cudaPeekAtLastError() { return cudaSuccess; }
struct FILE;
struct timeval;
struct timezone;
struct timespec;
struct tm;
typedef long time_t;
#endif
#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define CHAR_MIN (-128)
#define CHAR_MAX 127
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MIN (-2147483647 - 1)
#define INT_MAX 2147483647
#define UINT_MAX 4294967295u
#define LONG_MIN (-9223372036854775807l - 1)
#define LONG_MAX 9223372036854775807l
#define ULONG_MAX 18446744073709551615ul
#define LLONG_MIN (-9223372036854775807ll - 1)
#define LLONG_MAX 9223372036854775807ll
#define ULLONG_MAX 18446744073709551615ull
#define INT8_MIN (-128)
#define INT8_MAX 127
#define UINT8_MAX 255
#define INT16_MIN (-32768)
#define INT16_MAX 32767
#define UINT16_MAX 65535
#define INT32_MIN INT_MIN
#define INT32_MAX INT_MAX
#define UINT32_MAX UINT_MAX
#define INT64_MIN LONG_MIN
#define INT64_MAX LONG_MAX
#define UINT64_MAX ULONG_MAX
#define SIZE_MAX ULONG_MAX
#define FLT_RADIX 2
#define FLT_DIG 6
#define FLT_MANT_DIG 24
#define FLT_EPSILON 1.19209290e-07f
#define FLT_MIN 1.17549435e-38f
#define FLT_MAX 3.40282347e+38f
#define DBL_DIG 15
#define DBL_MANT_DIG 53
#define DBL_EPSILON 2.2204460492503131e-16
#define DBL_MIN 2.2250738585072014e-308
#define DBL_MAX 1.7976931348623157e+308
#define __FLT_MAX__ FLT_MAX
#define __FLT_MIN__ FLT_MIN
#define __FLT_EPSILON__ FLT_EPSILON
#define __DBL_MAX__ DBL_MAX
#define __DBL_MIN__ DBL_MIN
#define __DBL_EPSILON__ DBL_EPSILON
#define __INT_MAX__ INT_MAX
#define __LONG_MAX__ LONG_MAX
#define __LONG_LONG_MAX__ LLONG_MAX
#define __SHRT_MAX__ SHRT_MAX
#define __SCHAR_MAX__ SCHAR_MAX
#define INFINITY (1e39f)
#define HUGE_VAL (1e309)
#define HUGE_VALF (1e39f)
#define NAN (__int_as_float(0x7fc00000))
#define CUDART_INF_F (1e39f)
#define CUDART_NAN_F (__int_as_float(0x7fffffff))
#define CUDART_INF (1e309)
#define CUDART_NAN (__longlong_as_double(0xfff8000000000000ULL))
#define CUDART_MIN_DENORM_F (1.4e-45f)
#define CUDART_MAX_NORMAL_F FLT_MAX
#define CUDART_NEG_ZERO_F (-0.0f)
#define CUDART_ZERO_F 0.0f
#define CUDART_ONE_F 1.0f
#define CUDART_PI_F 3.141592654f
#define CUDART_PI 3.1415926535897931e+0
#define CUDART_L2E_F 1.442695041f
#define CUDART_LN2_F 0.693147181f
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#define INT8_C(x) x
#define INT64_C(x) x##l
#define UINT64_C(x) x##ul
#define UINT32_C(x) x##u
#define UINT8_C(x) x
#define UINT16_C(x) x
#define INT16_C(x) x
#define INT32_C(x) x
#define INTMAX_C(x) x##l
#define UINTMAX_C(x) x##ul
#define UINT_LEAST32_MAX UINT_MAX
#define INTPTR_MAX LONG_MAX
#define UINTPTR_MAX ULONG_MAX
#define PTRDIFF_MAX LONG_MAX
#define PTRDIFF_MIN LONG_MIN
#define CUDART_CB
#define CUDARTAPI
#define PRId8 "d"
#define PRIu8 "u"
#define PRId16 "d"
#define PRIu16 "u"
#define PRId32 "d"
#define PRIu32 "u"
#define PRIx32 "x"
#define PRIX32 "X"
#define PRId64 "ld"
#define PRIi64 "li"
#define PRIu64 "lu"
#define PRIx64 "lx"
#define PRIX64 "lX"
#define PRIi8 "i"
#define PRIi16 "i"
#define PRIi32 "i"
#define PRIx8 "x"
#define PRIx16 "x"
#define PRIo64 "lo"
#define PRIo32 "o"
#define PRIdPTR "ld"
#define PRIuPTR "lu"
#define PRIxPTR "lx"
#define PRIdMAX "ld"
#define PRIuMAX "lu"
#define SCNd32 "d"
#define SCNu32 "u"
#define SCNd64 "ld"
#define SCNu64 "lu"
#define offsetof(type, member) ((size_t)((char *)&((type *)64)->member - (char *)64))

namespace std {
using ::size_t; using ::ptrdiff_t; using ::int8_t; using ::uint8_t; using ::int16_t; using ::uint16_t; using ::int32_t;
using ::uint32_t; using ::int64_t; using ::uint64_t; using ::intptr_t; using ::uintptr_t;
typedef decltype(nullptr) nullptr_t;
template <class T> struct remove_reference { typedef T type; };
template <class T> struct remove_reference<T &> { typedef T type; };
template <class T> struct remove_reference<T &&> { typedef T type; };
template <class T> __device__ constexpr typename remove_reference<T>::type &&move(T &&value) {
    return static_cast<typename remove_reference<T>::type &&>(value);
}
template <class T> __device__ constexpr T &&forward(typename remove_reference<T>::type &value) {
    return static_cast<T &&>(value);
}
template <class T> __device__ constexpr void swap(T &a, T &b) {
    T c = static_cast<T &&>(a);
    a = static_cast<T &&>(b);
    b = static_cast<T &&>(c);
}
template <class T> __device__ constexpr const T &min(const T &a, const T &b) { return b < a ? b : a; }
template <class T> __device__ constexpr const T &max(const T &a, const T &b) { return a < b ? b : a; }
template <class T> __device__ constexpr const T &clamp(const T &x, const T &low, const T &high) {
    return x < low ? low : high < x ? high : x;
}
template <class T> T &&declval();
// The namespaces of literals, which files use before their functions.
inline namespace literals {
inline namespace chrono_literals {}
inline namespace string_literals {}
inline namespace string_view_literals {}
inline namespace complex_literals {}
}
template <class T> struct numeric_limits {
    static constexpr bool is_specialized = false;
};
#define __LIMITS(T, low, high, isSigned, digitCount)                                                                  \
    template <> struct numeric_limits<T> {                                                                           \
        static constexpr bool is_specialized = true, is_integer = true, is_signed = isSigned;                        \
        static constexpr int digits = digitCount, digits10 = digitCount * 643 / 2136, max_digits10 = 0, radix = 2;   \
        __device__ static constexpr T min() { return low; }                                                          \
        __device__ static constexpr T max() { return high; }                                                         \
        __device__ static constexpr T lowest() { return low; }                                                       \
    };
__LIMITS(bool, false, true, false, 1)
__LIMITS(char, CHAR_MIN, CHAR_MAX, true, 7)
__LIMITS(signed char, SCHAR_MIN, SCHAR_MAX, true, 7)
__LIMITS(unsigned char, 0, UCHAR_MAX, false, 8)
__LIMITS(short, SHRT_MIN, SHRT_MAX, true, 15)
__LIMITS(unsigned short, 0, USHRT_MAX, false, 16)
__LIMITS(int, INT_MIN, INT_MAX, true, 31)
__LIMITS(unsigned int, 0, UINT_MAX, false, 32)
__LIMITS(long, LONG_MIN, LONG_MAX, true, 63)
__LIMITS(unsigned long, 0, ULONG_MAX, false, 64)
__LIMITS(long long, LLONG_MIN, LLONG_MAX, true, 63)
__LIMITS(unsigned long long, 0, ULLONG_MAX, false, 64)
#undef __LIMITS
template <> struct numeric_limits<float> {
    static constexpr bool is_specialized = true, is_integer = false, is_signed = true, has_infinity = true;
    static constexpr int digits = 24, digits10 = 6, max_digits10 = 9, radix = 2;
    static constexpr int min_exponent = -125, max_exponent = 128, min_exponent10 = -37, max_exponent10 = 38;
    static constexpr bool has_quiet_NaN = true, is_exact = false, is_iec559 = true;
    __device__ static constexpr float denorm_min() { return 1.4e-45f; }
    __device__ static constexpr float round_error() { return 0.5f; }
    __device__ static constexpr float signaling_NaN() { return __int_as_float(0x7fa00000); }
    __device__ static constexpr float min() { return FLT_MIN; }
    __device__ static constexpr float max() { return FLT_MAX; }
    __device__ static constexpr float lowest() { return -FLT_MAX; }
    __device__ static constexpr float epsilon() { return FLT_EPSILON; }
    __device__ static constexpr float infinity() { return 1e39f; }
    __device__ static constexpr float quiet_NaN() { return NAN; }
};
template <> struct numeric_limits<double> {
    static constexpr bool is_specialized = true, is_integer = false, is_signed = true, has_infinity = true;
    static constexpr int digits = 53, digits10 = 15, max_digits10 = 17, radix = 2;
    static constexpr int min_exponent = -1021, max_exponent = 1024, min_exponent10 = -307, max_exponent10 = 308;
    static constexpr bool has_quiet_NaN = true, is_exact = false, is_iec559 = true;
    __device__ static constexpr double denorm_min() { return 4.9406564584124654e-324; }
    __device__ static constexpr double round_error() { return 0.5; }
    __device__ static constexpr double signaling_NaN() { return __longlong_as_double(0x7ff4000000000000); }
    __device__ static constexpr double min() { return DBL_MIN; }
    __device__ static constexpr double max() { return DBL_MAX; }
    __device__ static constexpr double lowest() { return -DBL_MAX; }
    __device__ static constexpr double epsilon() { return DBL_EPSILON; }
    __device__ static constexpr double infinity() { return 1e309; }
    __device__ static constexpr double quiet_NaN() { return __longlong_as_double(0x7ff8000000000000); }
};
template <> struct numeric_limits<long double> : numeric_limits<double> {};
} // namespace std
namespace cuda { namespace std { using namespace ::std; } }
