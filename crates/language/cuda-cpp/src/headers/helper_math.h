// <helper_math.h> of CUDA's samples: arithmetic and geometry on vectors of 2 to 4 numbers.
typedef unsigned int uint;
typedef unsigned short ushort;
#define __LW_FLOATS(M, F) M(F, float, float2, 2) M(F, float, float3, 3) M(F, float, float4, 4)
#define __LW_INTEGERS(M, F) M(F, int, int2, 2) M(F, int, int3, 3) M(F, int, int4, 4) M(F, uint, uint2, 2) M(F, uint, uint3, 3) M(F, uint, uint4, 4)
#define __LW_VECTORS(M, F) __LW_FLOATS(M, F) __LW_INTEGERS(M, F)
// The parts of a vector: E(x), E(y) and so on, separated by commas or added.
#define __LW_LIST2(E) E(x), E(y)
#define __LW_LIST3(E) E(x), E(y), E(z)
#define __LW_LIST4(E) E(x), E(y), E(z), E(w)
#define __LW_PRODUCT(P) a.P * b.P
// Operators of two vectors, of a vector and a number, and their assignments.
#define __LW_ADD(P) a.P + b.P
#define __LW_ADD_NUMBER(P) a.P + b
#define __LW_SUBTRACT(P) a.P - b.P
#define __LW_SUBTRACT_NUMBER(P) a.P - b
#define __LW_SUBTRACT_FROM(P) b - a.P
#define __LW_MULTIPLY_NUMBER(P) a.P * b
#define __LW_DIVIDE(P) a.P / b.P
#define __LW_DIVIDE_NUMBER(P) a.P / b
#define __LW_DIVIDE_FROM(P) b / a.P
#define __LW_OPERATOR(T, V, OP, PAIR, NUMBER, FROM)                                                                  \
    __host__ __device__ inline V operator OP(V a, V b) { return make_##V(PAIR); }                                    \
    __host__ __device__ inline V operator OP(V a, T b) { return make_##V(NUMBER); }                                  \
    __host__ __device__ inline V operator OP(T b, V a) { return make_##V(FROM); }                                    \
    __host__ __device__ inline void operator OP##=(V &a, V b) { a = a OP b; }                                        \
    __host__ __device__ inline void operator OP##=(V &a, T b) { a = a OP b; }
#define __LW_OPERATORS(F, T, V, N)                                                                                   \
    __LW_OPERATOR(T, V, +, __LW_LIST##N(__LW_ADD), __LW_LIST##N(__LW_ADD_NUMBER), __LW_LIST##N(__LW_ADD_NUMBER))     \
    __LW_OPERATOR(T, V, -, __LW_LIST##N(__LW_SUBTRACT), __LW_LIST##N(__LW_SUBTRACT_NUMBER), __LW_LIST##N(__LW_SUBTRACT_FROM)) \
    __LW_OPERATOR(T, V, *, __LW_LIST##N(__LW_PRODUCT), __LW_LIST##N(__LW_MULTIPLY_NUMBER), __LW_LIST##N(__LW_MULTIPLY_NUMBER))
__LW_VECTORS(__LW_OPERATORS, 0)
#define __LW_QUOTIENTS(F, T, V, N) __LW_OPERATOR(T, V, /, __LW_LIST##N(__LW_DIVIDE), __LW_LIST##N(__LW_DIVIDE_NUMBER), __LW_LIST##N(__LW_DIVIDE_FROM))
__LW_FLOATS(__LW_QUOTIENTS, 0)
// Vectors of one number, of shorter and longer vectors, and of other types.
#define __LW_SAME(P) s
#define __LW_CONVERT(P) (__lw_number)a.P
#define __LW_MAKE(F, T, V, N) __host__ __device__ inline V make_##V(T s) { return make_##V(__LW_LIST##N(__LW_SAME)); }
__LW_VECTORS(__LW_MAKE, 0)
#define __LW_MAKE_OF(T, V, OF, N) __host__ __device__ inline V make_##V(OF a) { typedef T __lw_number; return make_##V(__LW_LIST##N(__LW_CONVERT)); }
#define __LW_LONGER(T, P)                                                                                            \
    __host__ __device__ inline P##3 make_##P##3(P##2 a) { return make_##P##3(a.x, a.y, (T)0); }                      \
    __host__ __device__ inline P##3 make_##P##3(P##2 a, T s) { return make_##P##3(a.x, a.y, s); }                    \
    __host__ __device__ inline P##4 make_##P##4(P##3 a) { return make_##P##4(a.x, a.y, a.z, (T)0); }                 \
    __host__ __device__ inline P##4 make_##P##4(P##3 a, T s) { return make_##P##4(a.x, a.y, a.z, s); }               \
    __LW_MAKE_OF(T, P##2, P##3, 2) __LW_MAKE_OF(T, P##3, P##4, 3)
__LW_LONGER(float, float)
__LW_LONGER(int, int)
__LW_LONGER(uint, uint)
__LW_MAKE_OF(float, float2, int2, 2) __LW_MAKE_OF(float, float3, int3, 3) __LW_MAKE_OF(float, float4, int4, 4)
__LW_MAKE_OF(float, float2, uint2, 2) __LW_MAKE_OF(float, float3, uint3, 3) __LW_MAKE_OF(float, float4, uint4, 4)
__LW_MAKE_OF(int, int2, float2, 2) __LW_MAKE_OF(int, int3, float3, 3) __LW_MAKE_OF(int, int4, float4, 4)
__LW_MAKE_OF(int, int2, uint2, 2) __LW_MAKE_OF(int, int3, uint3, 3) __LW_MAKE_OF(int, int4, uint4, 4)
__LW_MAKE_OF(uint, uint2, int2, 2) __LW_MAKE_OF(uint, uint3, int3, 3) __LW_MAKE_OF(uint, uint4, int4, 4)
// Functions of each part.
#define __LW_NEGATE(P) -a.P
#define __LW_NEGATION(F, T, V, N) __host__ __device__ inline V operator-(V a) { return make_##V(__LW_LIST##N(__LW_NEGATE)); }
__LW_FLOATS(__LW_NEGATION, 0)
__LW_NEGATION(0, int, int2, 2) __LW_NEGATION(0, int, int3, 3) __LW_NEGATION(0, int, int4, 4)
__host__ __device__ inline float fracf(float v) { return v - floorf(v); }
__host__ __device__ inline float lerp(float a, float b, float t) { return a + t * (b - a); }
__host__ __device__ inline float clamp(float f, float a, float b) { return fmaxf(a, fminf(f, b)); }
__host__ __device__ inline int clamp(int f, int a, int b) { return max(a, min(f, b)); }
__host__ __device__ inline uint clamp(uint f, uint a, uint b) { return max(a, min(f, b)); }
__host__ __device__ inline float smoothstep(float a, float b, float x) {
    float y = clamp((x - a) / (b - a), 0.0f, 1.0f);
    return y * y * (3.0f - (2.0f * y));
}
#define __LW_FMIN(P) fminf(a.P, b.P)
#define __LW_FMAX(P) fmaxf(a.P, b.P)
#define __LW_FMOD(P) fmodf(a.P, b.P)
#define __LW_FLOOR(P) floorf(v.P)
#define __LW_FRACTION(P) fracf(v.P)
#define __LW_MAGNITUDE(P) fabsf(v.P)
#define __LW_CLAMP(P) clamp(v.P, a.P, b.P)
#define __LW_CLAMP_NUMBER(P) clamp(v.P, a, b)
#define __LW_SMOOTH(P) smoothstep(a.P, b.P, x.P)
#define __LW_CLAMPS(F, T, V, N)                                                                                      \
    __host__ __device__ inline V clamp(V v, T a, T b) { return make_##V(__LW_LIST##N(__LW_CLAMP_NUMBER)); }          \
    __host__ __device__ inline V clamp(V v, V a, V b) { return make_##V(__LW_LIST##N(__LW_CLAMP)); }
__LW_VECTORS(__LW_CLAMPS, 0)
#define __LW_MIN(P) min(a.P, b.P)
#define __LW_MAX(P) max(a.P, b.P)
#define __LW_EXTREMES(F, T, V, N)                                                                                    \
    __host__ __device__ inline V min(V a, V b) { return make_##V(__LW_LIST##N(__LW_MIN)); }                          \
    __host__ __device__ inline V max(V a, V b) { return make_##V(__LW_LIST##N(__LW_MAX)); }
__LW_INTEGERS(__LW_EXTREMES, 0)
#define __LW_PLUS2 a.x * b.x + a.y * b.y
#define __LW_PLUS3 __LW_PLUS2 + a.z * b.z
#define __LW_PLUS4 __LW_PLUS3 + a.w * b.w
#define __LW_DOT(F, T, V, N) __host__ __device__ inline T dot(V a, V b) { return __LW_PLUS##N; }
__LW_VECTORS(__LW_DOT, 0)
#define __LW_GEOMETRY(F, T, V, N)                                                                                    \
    __host__ __device__ inline V fminf(V a, V b) { return make_##V(__LW_LIST##N(__LW_FMIN)); }                       \
    __host__ __device__ inline V fmaxf(V a, V b) { return make_##V(__LW_LIST##N(__LW_FMAX)); }                       \
    __host__ __device__ inline V fmodf(V a, V b) { return make_##V(__LW_LIST##N(__LW_FMOD)); }                       \
    __host__ __device__ inline V floorf(V v) { return make_##V(__LW_LIST##N(__LW_FLOOR)); }                          \
    __host__ __device__ inline V fracf(V v) { return make_##V(__LW_LIST##N(__LW_FRACTION)); }                        \
    __host__ __device__ inline V fabs(V v) { return make_##V(__LW_LIST##N(__LW_MAGNITUDE)); }                        \
    __host__ __device__ inline V lerp(V a, V b, float t) { return a + t * (b - a); }                                 \
    __host__ __device__ inline V smoothstep(V a, V b, V x) { return make_##V(__LW_LIST##N(__LW_SMOOTH)); }           \
    __host__ __device__ inline float length(V v) { return sqrtf(dot(v, v)); }                                        \
    __host__ __device__ inline V normalize(V v) { return v * rsqrtf(dot(v, v)); }
__LW_FLOATS(__LW_GEOMETRY, 0)
#define __LW_ABSOLUTE(P) abs(v.P)
#define __LW_ABSOLUTES(F, T, V, N) __host__ __device__ inline V abs(V v) { return make_##V(__LW_LIST##N(__LW_ABSOLUTE)); }
__LW_ABSOLUTES(0, int, int2, 2) __LW_ABSOLUTES(0, int, int3, 3) __LW_ABSOLUTES(0, int, int4, 4)
__host__ __device__ inline float3 reflect(float3 i, float3 n) { return i - 2.0f * n * dot(n, i); }
__host__ __device__ inline float3 cross(float3 a, float3 b) {
    return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
