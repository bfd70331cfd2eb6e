// Defines CUDA's keywords and functions by clang's builtins, so that clang compiles the corpus without a toolkit.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define INFINITY __builtin_inff()
#define DEVICE __attribute__((device, always_inline)) static inline

// Coordinates (threadIdx and so on): reading a member reads the special register.
#define COORDINATES(type, name, sreg)                                                        \
    struct type {                                                                            \
        __declspec(property(get = get_x)) unsigned x;                                        \
        __declspec(property(get = get_y)) unsigned y;                                        \
        __declspec(property(get = get_z)) unsigned z;                                        \
        DEVICE unsigned get_x() { return __nvvm_read_ptx_sreg_##sreg##_x(); }                \
        DEVICE unsigned get_y() { return __nvvm_read_ptx_sreg_##sreg##_y(); }                \
        DEVICE unsigned get_z() { return __nvvm_read_ptx_sreg_##sreg##_z(); }                \
    };                                                                                       \
    extern const __device__ __attribute__((weak)) type name;
COORDINATES(ThreadIndex, threadIdx, tid)
COORDINATES(BlockIndex, blockIdx, ctaid)
COORDINATES(BlockShape, blockDim, ntid)
COORDINATES(GridShape, gridDim, nctaid)

struct int2 { int x, y; };
struct uchar4 { unsigned char x, y, z, w; };
struct alignas(16) float4 { float x, y, z, w; };
struct alignas(8) float2 { float x, y; };
DEVICE float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
DEVICE uchar4 make_uchar4(unsigned char x, unsigned char y, unsigned char z, unsigned char w) { return {x, y, z, w}; }

DEVICE int __syncthreads_or(int p) { return __nvvm_bar0_or(p); }
DEVICE void __syncwarp(unsigned mask = ~0u) { __nvvm_bar_warp_sync(mask); }
DEVICE void __threadfence() { __nvvm_membar_gl(); }

#define SHUFFLE(name, builtin, limit)                                                        \
    DEVICE int name(unsigned mask, int v, unsigned by) { return builtin(mask, v, by, limit); } \
    DEVICE unsigned name(unsigned mask, unsigned v, unsigned by) { return builtin(mask, v, by, limit); } \
    DEVICE float name(unsigned mask, float v, unsigned by) { return __builtin_bit_cast(float, builtin(mask, __builtin_bit_cast(int, v), by, limit)); } \
    DEVICE long long name(unsigned mask, long long v, unsigned by) {                         \
        unsigned low = builtin(mask, (int)v, by, limit), high = builtin(mask, (int)(v >> 32), by, limit); \
        return (long long)((unsigned long long)high << 32 | low);                            \
    }
SHUFFLE(__shfl_sync, __nvvm_shfl_sync_idx_i32, 0x1f)
SHUFFLE(__shfl_up_sync, __nvvm_shfl_sync_up_i32, 0)
SHUFFLE(__shfl_down_sync, __nvvm_shfl_sync_down_i32, 0x1f)
SHUFFLE(__shfl_xor_sync, __nvvm_shfl_sync_bfly_i32, 0x1f)
DEVICE unsigned __ballot_sync(unsigned mask, int p) { return __nvvm_vote_ballot_sync(mask, p); }
DEVICE unsigned __match_any_sync(unsigned mask, unsigned v) { return __nvvm_match_any_sync_i32(mask, v); }
DEVICE unsigned __activemask() {
    unsigned mask;
    asm volatile("activemask.b32 %0;" : "=r"(mask));
    return mask;
}

DEVICE int __popc(unsigned v) { return __builtin_popcount(v); }
DEVICE int __ffs(int v) { return __builtin_ffs(v); }
DEVICE int __clz(int v) { return v ? __builtin_clz(v) : 32; }
DEVICE unsigned __funnelshift_l(unsigned low, unsigned high, unsigned by) { return ((unsigned long long)high << 32 | low) << (by & 31) >> 32; }
DEVICE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by) { return ((unsigned long long)high << 32 | low) >> (by & 31); }
DEVICE int __dp4a(int a, int b, int c) {
    int d;
    asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
    return d;
}
DEVICE float fmaf(float a, float b, float c) { return __nvvm_fma_rn_f(a, b, c); }
DEVICE double sqrt(double v) { return __nvvm_sqrt_rn_d(v); }
template <typename T> DEVICE T __ldg(const T *p) { return *p; }
template <typename T> DEVICE T min(T a, T b) { return b < a ? b : a; }
template <typename T> DEVICE T max(T a, T b) { return a < b ? b : a; }

// Atomics on `generic` addresses, relaxed and with device scope, as in CUDA.
template <typename T> DEVICE T atomicAdd(T *p, T v) { return __scoped_atomic_fetch_add(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); }
DEVICE unsigned atomicAdd(unsigned *p, int v) { return atomicAdd(p, (unsigned)v); }
DEVICE float atomicAdd(float *p, float v) { return __nvvm_atom_add_gen_f(p, v); }
DEVICE double atomicAdd(double *p, double v) { return __nvvm_atom_add_gen_d(p, v); }
DEVICE unsigned atomicMin(unsigned *p, unsigned v) { return __scoped_atomic_fetch_min(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); }
DEVICE int atomicCAS(int *p, int expected, int v) {
    __scoped_atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
    return expected;
}
