// The vector types and their makers.
#define __VECTOR1(T, NAME)                                                                                            \
    struct NAME##1 { T x; };                                                                                          \
    __device__ inline constexpr NAME##1 make_##NAME##1(T x) { return NAME##1{x}; }
#define __VECTOR(T, NAME, ALIGN2, ALIGN4)                                                                             \
    __VECTOR1(T, NAME)                                                                                                \
    struct __align__(ALIGN2) NAME##2 { T x, y; };                                                                     \
    struct NAME##3 { T x, y, z; };                                                                                    \
    struct __align__(ALIGN4) NAME##4 { T x, y, z, w; };                                                               \
    __VECTOR_MAKERS(T, NAME)
#define __VECTOR_MAKERS(T, NAME)                                                                                      \
    __device__ inline constexpr NAME##2 make_##NAME##2(T x, T y) { return NAME##2{x, y}; }                            \
    __device__ inline constexpr NAME##3 make_##NAME##3(T x, T y, T z) { return NAME##3{x, y, z}; }                    \
    __device__ inline constexpr NAME##4 make_##NAME##4(T x, T y, T z, T w) { return NAME##4{x, y, z, w}; }            \
    __VECTOR_ACCESS(NAME##2) __VECTOR_ACCESS(NAME##4)
#define __VECTOR_ACCESS(T)                                                                                            \
    __device__ inline T __ldg(const T *address) { return *address; }                                                  \
    __device__ inline T __ldcg(const T *address) { return *address; }                                                 \
    __device__ inline T __ldca(const T *address) { return *address; }                                                 \
    __device__ inline T __ldcs(const T *address) { return *address; }                                                 \
    __device__ inline void __stcs(T *address, T value) { *address = value; }                                          \
    __device__ inline void __stcg(T *address, T value) { *address = value; }                                          \
    __device__ inline T __ldlu(const T *address) { return *address; }                                                 \
    __device__ inline T __ldcv(const T *address) { return *address; }                                                 \
    __device__ inline void __stwb(T *address, T value) { *address = value; }                                          \
    __device__ inline void __stwt(T *address, T value) { *address = value; }
__VECTOR(signed char, char, 2, 4)
__VECTOR(unsigned char, uchar, 2, 4)
__VECTOR(short, short, 4, 8)
__VECTOR(unsigned short, ushort, 4, 8)
__VECTOR(int, int, 8, 16)
__VECTOR(float, float, 8, 16)
__VECTOR(double, double, 16, 16)
__VECTOR(long, long, 16, 16)
__VECTOR(unsigned long, ulong, 16, 16)
__VECTOR(long long, longlong, 16, 16)
__VECTOR(unsigned long long, ulonglong, 16, 16)
__VECTOR1(unsigned, uint)
struct __align__(8) uint2 { unsigned x, y; };
struct __align__(16) uint4 { unsigned x, y, z, w; };
__VECTOR_MAKERS(unsigned, uint)
#undef __VECTOR
#undef __VECTOR1
#undef __VECTOR_MAKERS
#undef __VECTOR_ACCESS
