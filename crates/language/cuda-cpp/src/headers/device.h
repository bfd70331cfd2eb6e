// Built-in variables, synchronization, shuffles, votes, atomics, and the runtime's functions.
struct uint3 { unsigned x, y, z; };
struct dim3 {
    unsigned x, y, z;
    __device__ constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
    __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
};
extern const __device__ uint3 threadIdx;
extern const __device__ uint3 blockIdx;
extern const __device__ dim3 blockDim;
extern const __device__ dim3 gridDim;
constexpr int warpSize = 32;

__OP("barrier") void __syncthreads();
__PTX_BARRIER("bar.sync 0;") void __barrier_sync_all();
__PTX_CONVERGENT("{ .reg .pred p; setp.ne.s32 p, %1, 0; bar.red.popc.u32 %0, 0, p; }") int __syncthreads_count(int predicate);
__PTX_CONVERGENT("{ .reg .pred p; .reg .pred q; setp.ne.s32 p, %1, 0; bar.red.and.pred q, 0, p; selp.s32 %0, 1, 0, q; }") int __syncthreads_and(int predicate);
__PTX_CONVERGENT("{ .reg .pred p; .reg .pred q; setp.ne.s32 p, %1, 0; bar.red.or.pred q, 0, p; selp.s32 %0, 1, 0, q; }") int __syncthreads_or(int predicate);
__PTX_BARRIER("bar.warp.sync %0;") void __lw_syncwarp(unsigned mask);
__device__ inline void __syncwarp(unsigned mask = 0xffffffff) { __lw_syncwarp(mask); }
__PTX_ORDERED("membar.gl;") void __threadfence();
__PTX_ORDERED("membar.cta;") void __threadfence_block();
__PTX_ORDERED("membar.sys;") void __threadfence_system();
__PTX_VOLATILE("nanosleep.u32 %0;") void __nanosleep(unsigned nanoseconds);
__PTX_VOLATILE("mov.u32 %0, %%clock;") int __lw_clock();
__PTX_VOLATILE("mov.u64 %0, %%clock64;") long long clock64();
__PTX_VOLATILE("mov.u64 %0, %%globaltimer;") unsigned long long __globaltimer();
#ifndef __LW_HOST__
__device__ inline clock_t clock() { return (clock_t)__lw_clock(); }
#endif
__PTX("activemask.b32 %0;") unsigned __lw_activemask_pure();
__PTX_CONVERGENT("activemask.b32 %0;") unsigned __activemask();
__PTX("mov.u32 %0, %%smid;") unsigned __smid();
__OP("lane") unsigned __laneid();
__OP("trap") void __trap();
__PTX_VOLATILE("brkpt;") void __brkpt();
__OP("unreachable") void __builtin_unreachable();
__device__ inline void __builtin_assume(bool) {}
__device__ inline constexpr long __builtin_expect(long value, long) { return value; }
__device__ inline constexpr bool __builtin_is_constant_evaluated() { return false; }
__device__ inline void __prof_trigger(int) {}
#define __builtin_assume_aligned(pointer, ...) (pointer)

__PTX_CONVERGENT("vote.sync.all.pred %0, %1, %2;") bool __lw_all(bool predicate, unsigned mask);
__PTX_CONVERGENT("vote.sync.any.pred %0, %1, %2;") bool __lw_any(bool predicate, unsigned mask);
__PTX_CONVERGENT("vote.sync.uni.pred %0, %1, %2;") bool __lw_uni(bool predicate, unsigned mask);
__PTX_CONVERGENT("vote.sync.ballot.b32 %0, %1, %2;") unsigned __lw_ballot(bool predicate, unsigned mask);
__device__ inline int __all_sync(unsigned mask, int predicate) { return __lw_all(predicate != 0, mask); }
__device__ inline int __any_sync(unsigned mask, int predicate) { return __lw_any(predicate != 0, mask); }
__device__ inline int __uni_sync(unsigned mask, int predicate) { return __lw_uni(predicate != 0, mask); }
__device__ inline unsigned __ballot_sync(unsigned mask, int predicate) { return __lw_ballot(predicate != 0, mask); }
__PTX_CONVERGENT("match.any.sync.b32 %0, %1, %2;") unsigned __lw_match_any(unsigned value, unsigned mask);
__PTX_CONVERGENT("match.any.sync.b64 %0, %1, %2;") unsigned __lw_match_any(unsigned long value, unsigned mask);
template <class T> __device__ inline unsigned __match_any_sync(unsigned mask, T value) {
    if constexpr (sizeof(T) == 8) return __lw_match_any(__lw_word64(value), mask);
    else return __lw_match_any(__lw_word32(value), mask);
}
template <class T> __device__ inline unsigned __match_all_sync(unsigned mask, T value, int *predicate) {
    unsigned found = __match_any_sync(mask, value);
    *predicate = found == mask;
    return *predicate ? mask : 0;
}
__PTX_CONVERGENT("redux.sync.add.s32 %0, %1, %2;") int __lw_redux_add(int value, unsigned mask);
__PTX_CONVERGENT("redux.sync.min.s32 %0, %1, %2;") int __lw_redux_min(int value, unsigned mask);
__PTX_CONVERGENT("redux.sync.max.s32 %0, %1, %2;") int __lw_redux_max(int value, unsigned mask);
__PTX_CONVERGENT("redux.sync.add.u32 %0, %1, %2;") unsigned __lw_redux_add(unsigned value, unsigned mask);
__PTX_CONVERGENT("redux.sync.min.u32 %0, %1, %2;") unsigned __lw_redux_min(unsigned value, unsigned mask);
__PTX_CONVERGENT("redux.sync.max.u32 %0, %1, %2;") unsigned __lw_redux_max(unsigned value, unsigned mask);
__PTX_CONVERGENT("redux.sync.and.b32 %0, %1, %2;") unsigned __lw_redux_and(unsigned value, unsigned mask);
__PTX_CONVERGENT("redux.sync.or.b32 %0, %1, %2;") unsigned __lw_redux_or(unsigned value, unsigned mask);
__PTX_CONVERGENT("redux.sync.xor.b32 %0, %1, %2;") unsigned __lw_redux_xor(unsigned value, unsigned mask);
__device__ inline int __reduce_add_sync(unsigned mask, int value) { return __lw_redux_add(value, mask); }
__device__ inline int __reduce_min_sync(unsigned mask, int value) { return __lw_redux_min(value, mask); }
__device__ inline int __reduce_max_sync(unsigned mask, int value) { return __lw_redux_max(value, mask); }
__device__ inline unsigned __reduce_add_sync(unsigned mask, unsigned value) { return __lw_redux_add(value, mask); }
__device__ inline unsigned __reduce_min_sync(unsigned mask, unsigned value) { return __lw_redux_min(value, mask); }
__device__ inline unsigned __reduce_max_sync(unsigned mask, unsigned value) { return __lw_redux_max(value, mask); }
__device__ inline unsigned __reduce_and_sync(unsigned mask, unsigned value) { return __lw_redux_and(value, mask); }
__device__ inline unsigned __reduce_or_sync(unsigned mask, unsigned value) { return __lw_redux_or(value, mask); }
__device__ inline unsigned __reduce_xor_sync(unsigned mask, unsigned value) { return __lw_redux_xor(value, mask); }

__PTX_CONVERGENT("shfl.sync.idx.b32 %0, %1, %2, %3, %4;") unsigned __lw_shfl_idx(unsigned value, unsigned lane, unsigned clamp, unsigned mask);
__PTX_CONVERGENT("shfl.sync.up.b32 %0, %1, %2, %3, %4;") unsigned __lw_shfl_up(unsigned value, unsigned lane, unsigned clamp, unsigned mask);
__PTX_CONVERGENT("shfl.sync.down.b32 %0, %1, %2, %3, %4;") unsigned __lw_shfl_down(unsigned value, unsigned lane, unsigned clamp, unsigned mask);
__PTX_CONVERGENT("shfl.sync.bfly.b32 %0, %1, %2, %3, %4;") unsigned __lw_shfl_bfly(unsigned value, unsigned lane, unsigned clamp, unsigned mask);
#define __SHUFFLE(NAME, MODE, CLAMP, LANE)                                                                                  \
    __device__ inline unsigned NAME(unsigned mask, unsigned value, LANE lane, int width = 32) {                  \
        return __lw_shfl_##MODE(value, lane, ((32 - width) << 8) | CLAMP, mask);                                     \
    }                                                                                                                 \
    __device__ inline int NAME(unsigned mask, int value, LANE lane, int width = 32) {                            \
        return (int)__lw_shfl_##MODE((unsigned)value, lane, ((32 - width) << 8) | CLAMP, mask);                      \
    }                                                                                                                 \
    __device__ inline float NAME(unsigned mask, float value, LANE lane, int width = 32) {                        \
        return __uint_as_float(__lw_shfl_##MODE(__float_as_uint(value), lane, ((32 - width) << 8) | CLAMP, mask));   \
    }                                                                                                                 \
    __device__ inline unsigned long NAME(unsigned mask, unsigned long value, LANE lane, int width = 32) {        \
        unsigned low = NAME(mask, (unsigned)value, lane, width);                                                     \
        unsigned high = NAME(mask, (unsigned)(value >> 32), lane, width);                                            \
        return (unsigned long)high << 32 | low;                                                                      \
    }                                                                                                                 \
    __device__ inline long NAME(unsigned mask, long value, LANE lane, int width = 32) {                          \
        return (long)NAME(mask, (unsigned long)value, lane, width);                                                  \
    }                                                                                                                 \
    __device__ inline long long NAME(unsigned mask, long long value, LANE lane, int width = 32) {                \
        return (long long)NAME(mask, (unsigned long)value, lane, width);                                             \
    }                                                                                                                 \
    __device__ inline unsigned long long NAME(unsigned mask, unsigned long long value, LANE lane, int width = 32) { \
        return (unsigned long long)NAME(mask, (unsigned long)value, lane, width);                                    \
    }                                                                                                                 \
    __device__ inline double NAME(unsigned mask, double value, LANE lane, int width = 32) {                      \
        return __longlong_as_double((long long)NAME(mask, (unsigned long)__double_as_longlong(value), lane, width)); \
    }
__OP("bits") unsigned __float_as_uint(float x);
__OP("bits") int __float_as_int(float x);
__OP("bits") float __uint_as_float(unsigned x);
__OP("bits") float __int_as_float(int x);
__OP("bits") long long __double_as_longlong(double x);
__OP("bits") double __longlong_as_double(long long x);
__device__ inline int __double2hiint(double x) { return (int)(__double_as_longlong(x) >> 32); }
__device__ inline int __double2loint(double x) { return (int)__double_as_longlong(x); }
__device__ inline double __hiloint2double(int high, int low) {
    return __longlong_as_double((long long)high << 32 | (unsigned)low);
}
__SHUFFLE(__shfl_sync, idx, 31, int)
__SHUFFLE(__shfl_up_sync, up, 0, unsigned)
__SHUFFLE(__shfl_down_sync, down, 31, unsigned)
__SHUFFLE(__shfl_xor_sync, bfly, 31, int)
#undef __SHUFFLE
template <class T> __device__ inline unsigned __lw_word32(T value) { return (unsigned)value; }
__device__ inline unsigned __lw_word32(float value) { return __float_as_uint(value); }
template <class T> __device__ inline unsigned long __lw_word64(T value) { return (unsigned long)value; }
__device__ inline unsigned long __lw_word64(double value) { return (unsigned long)__double_as_longlong(value); }

#define __ATOMIC(NAME, OPERATION, T)                                                                                  \
    __OP(OPERATION " device") T NAME(T *address, T value);                                                            \
    __OP(OPERATION " block") T NAME##_block(T *address, T value);                                                     \
    __OP(OPERATION " system") T NAME##_system(T *address, T value);
#define __ATOMIC_INTEGER(NAME, OPERATION)                                                                             \
    __ATOMIC(NAME, OPERATION, int) __ATOMIC(NAME, OPERATION, unsigned) __ATOMIC(NAME, OPERATION, unsigned long)      \
    __ATOMIC(NAME, OPERATION, unsigned long long)
__ATOMIC_INTEGER(atomicAdd, "atomic add")
__ATOMIC(atomicAdd, "atomic add", float)
__ATOMIC(atomicAdd, "atomic add", double)
__ATOMIC_INTEGER(atomicAnd, "atomic and")
__ATOMIC_INTEGER(atomicOr, "atomic or")
__ATOMIC_INTEGER(atomicXor, "atomic xor")
__ATOMIC_INTEGER(atomicExch, "atomic exch")
__ATOMIC_INTEGER(atomicMin, "atomic min")
__ATOMIC_INTEGER(atomicMax, "atomic max")
__ATOMIC(atomicMin, "atomic min", long long)
__ATOMIC(atomicMax, "atomic max", long long)
__ATOMIC(atomicAnd, "atomic and", long long)
__ATOMIC(atomicOr, "atomic or", long long)
__ATOMIC(atomicInc, "atomic inc", unsigned)
__ATOMIC(atomicDec, "atomic dec", unsigned)
#define __ATOMIC_REST(SUFFIX)                                                                                         \
    __device__ inline float atomicExch##SUFFIX(float *address, float value) {                                        \
        return __uint_as_float(atomicExch##SUFFIX((unsigned *)address, __float_as_uint(value)));                     \
    }                                                                                                                 \
    __device__ inline int atomicSub##SUFFIX(int *address, int value) { return atomicAdd##SUFFIX(address, -value); }  \
    __device__ inline unsigned atomicSub##SUFFIX(unsigned *address, unsigned value) {                                \
        return atomicAdd##SUFFIX(address, 0u - value);                                                               \
    }
__ATOMIC_REST()
__ATOMIC_REST(_block)
__ATOMIC_REST(_system)
#define __ATOMIC_CAS(T)                                                                                               \
    __OP("atomic cas device") T atomicCAS(T *address, T compare, T value);                                            \
    __OP("atomic cas block") T atomicCAS_block(T *address, T compare, T value);                                       \
    __OP("atomic cas system") T atomicCAS_system(T *address, T compare, T value);
__ATOMIC_CAS(int)
__ATOMIC_CAS(unsigned)
__ATOMIC_CAS(unsigned long long)
__ATOMIC_CAS(unsigned long)
__ATOMIC_CAS(unsigned short)

// The compiler's atomic functions with an order and a scope. Every order except relaxed is treated as the strongest.
enum { __NV_ATOMIC_RELAXED, __NV_ATOMIC_CONSUME, __NV_ATOMIC_ACQUIRE, __NV_ATOMIC_RELEASE, __NV_ATOMIC_ACQ_REL, __NV_ATOMIC_SEQ_CST };
enum { __NV_THREAD_SCOPE_THREAD, __NV_THREAD_SCOPE_BLOCK, __NV_THREAD_SCOPE_CLUSTER, __NV_THREAD_SCOPE_DEVICE, __NV_THREAD_SCOPE_SYSTEM };
template <class T> __device__ inline T __nv_atomic_load_n(T *at, int order, int = __NV_THREAD_SCOPE_SYSTEM) {
    if (order != __NV_ATOMIC_RELAXED) __threadfence_system();
    T value = *(volatile T *)at;
    if (order != __NV_ATOMIC_RELAXED) __threadfence_system();
    return value;
}
template <class T> __device__ inline void __nv_atomic_store_n(T *at, T value, int order, int = __NV_THREAD_SCOPE_SYSTEM) {
    if (order != __NV_ATOMIC_RELAXED) __threadfence_system();
    *(volatile T *)at = value;
    if (order != __NV_ATOMIC_RELAXED) __threadfence_system();
}
#define __LW_NV_ATOMIC(NAME, FUNCTION)                                                                                \
    template <class T> __device__ inline T NAME(T *at, T value, int order, int = __NV_THREAD_SCOPE_SYSTEM) {         \
        if (order != __NV_ATOMIC_RELAXED) __threadfence_system();                                                     \
        T old = FUNCTION##_system(at, value);                                                                         \
        if (order != __NV_ATOMIC_RELAXED) __threadfence_system();                                                     \
        return old;                                                                                                   \
    }
__LW_NV_ATOMIC(__nv_atomic_fetch_add, atomicAdd) __LW_NV_ATOMIC(__nv_atomic_fetch_sub, atomicSub)
__LW_NV_ATOMIC(__nv_atomic_fetch_and, atomicAnd) __LW_NV_ATOMIC(__nv_atomic_fetch_or, atomicOr)
__LW_NV_ATOMIC(__nv_atomic_fetch_xor, atomicXor) __LW_NV_ATOMIC(__nv_atomic_fetch_min, atomicMin)
__LW_NV_ATOMIC(__nv_atomic_fetch_max, atomicMax) __LW_NV_ATOMIC(__nv_atomic_exchange_n, atomicExch)
#undef __LW_NV_ATOMIC

#define __ACCESS(T)                                                                                                   \
    __OP("load nc") T __ldg(const T *address);                                                                        \
    __OP("load cg") T __ldcg(const T *address);                                                                       \
    __OP("load ca") T __ldca(const T *address);                                                                       \
    __OP("load cs") T __ldcs(const T *address);                                                                       \
    __OP("load lu") T __ldlu(const T *address);                                                                       \
    __OP("load cv") T __ldcv(const T *address);                                                                       \
    __OP("store wb") void __stwb(T *address, T value);                                                                \
    __OP("store cg") void __stcg(T *address, T value);                                                                \
    __OP("store cs") void __stcs(T *address, T value);                                                                \
    __OP("store wt") void __stwt(T *address, T value);
__ACCESS(char) __ACCESS(signed char) __ACCESS(unsigned char) __ACCESS(short) __ACCESS(unsigned short) __ACCESS(int)
__ACCESS(unsigned) __ACCESS(long) __ACCESS(unsigned long) __ACCESS(long long) __ACCESS(unsigned long long)
__ACCESS(float) __ACCESS(double)

#ifndef __LW_HOST__
__OP("printf") int printf(const char *format, ...);
extern "C" __device__ void *malloc(size_t size);
extern "C" __device__ void free(void *memory);
extern "C" __device__ void __assertfail(const char *message, const char *file, unsigned line, const char *function, size_t size);
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) ((condition) ? (void)0 : __assertfail(#condition, __FILE__, __LINE__, __PRETTY_FUNCTION__, 1))
#endif
__device__ inline void *memcpy(void *to, const void *from, size_t count) {
    for (size_t i = 0; i < count; i++) ((char *)to)[i] = ((const char *)from)[i];
    return to;
}
__device__ inline void *memset(void *to, int value, size_t count) {
    for (size_t i = 0; i < count; i++) ((char *)to)[i] = (char)value;
    return to;
}
#define __SPACE(NAME, TEXT)                                                                                           \
    __device__ inline unsigned NAME(const void *pointer) {                                                           \
        unsigned answer;                                                                                              \
        asm("{ .reg .pred p; isspacep." TEXT " p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(answer) : "l"(pointer));       \
        return answer;                                                                                                \
    }
__SPACE(__isGlobal, "global") __SPACE(__isShared, "shared") __SPACE(__isConstant, "const") __SPACE(__isLocal, "local")
#define __TO_SPACE(NAME, TEXT)                                                                                        \
    __PTX("cvta.to." TEXT ".u64 %0, %1;") size_t NAME(const void *pointer);
__TO_SPACE(__cvta_generic_to_shared, "shared") __TO_SPACE(__cvta_generic_to_global, "global")
__TO_SPACE(__cvta_generic_to_constant, "const") __TO_SPACE(__cvta_generic_to_local, "local")
__PTX("cvta.shared.u64 %0, %1;") void *__cvta_shared_to_generic(size_t pointer);
__PTX("cvta.global.u64 %0, %1;") void *__cvta_global_to_generic(size_t pointer);
#endif
__device__ inline void __pipeline_memcpy_async(void *to, const void *from, size_t size) {
    unsigned place = (unsigned)__cvta_generic_to_shared(to);
    if (size == 16) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(place), "l"(from) : "memory");
    else if (size == 8) asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(place), "l"(from) : "memory");
    else asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(place), "l"(from) : "memory");
}
// Zeros fill the last `zfill` bytes; only the bytes before them are read.
__device__ inline void __pipeline_memcpy_async(void *to, const void *from, size_t size, size_t zfill) {
    unsigned place = (unsigned)__cvta_generic_to_shared(to), read = (unsigned)(size - zfill);
    if (size == 16) asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(place), "l"(from), "r"(read) : "memory");
    else if (size == 8) asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(place), "l"(from), "r"(read) : "memory");
    else asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(place), "l"(from), "r"(read) : "memory");
}
__PTX_ORDERED("cp.async.commit_group;") void __pipeline_commit();
__device__ inline void __pipeline_wait_prior(int count) {
    if (count == 0) asm volatile("cp.async.wait_group 0;" ::: "memory");
    else if (count == 1) asm volatile("cp.async.wait_group 1;" ::: "memory");
    else if (count == 2) asm volatile("cp.async.wait_group 2;" ::: "memory");
    else asm volatile("cp.async.wait_group 3;" ::: "memory");
}
