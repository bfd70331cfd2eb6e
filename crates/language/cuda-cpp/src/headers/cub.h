// CUB's collectives of warps and blocks. Sums follow CUB's order: shuffles by 1, 2, 4 ... lanes, then warp after warp.
#include <type_traits>
namespace cub {
struct Sum { template <class T, class U> __host__ __device__ auto operator()(const T &a, const U &b) const -> decltype(a + b) { return a + b; } };
struct Max { template <class T> __host__ __device__ T operator()(const T &a, const T &b) const { return a < b ? b : a; } };
struct Min { template <class T> __host__ __device__ T operator()(const T &a, const T &b) const { return b < a ? b : a; } };
struct Difference { template <class T> __host__ __device__ T operator()(const T &a, const T &b) const { return a - b; } };
struct Equality { template <class T> __host__ __device__ bool operator()(const T &a, const T &b) const { return a == b; } };
struct Inequality { template <class T> __host__ __device__ bool operator()(const T &a, const T &b) const { return !(a == b); } };
template <class K, class V> struct KeyValuePair {
    typedef K Key;
    typedef V Value;
    K key;
    V value;
    KeyValuePair() = default;
    __host__ __device__ KeyValuePair(const K &k, const V &v) : key(k), value(v) {}
};
struct ArgMax { template <class T> __host__ __device__ T operator()(const T &a, const T &b) const { return b.value > a.value || (a.value == b.value && b.key < a.key) ? b : a; } };
struct ArgMin { template <class T> __host__ __device__ T operator()(const T &a, const T &b) const { return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a; } };
struct NullType {};
enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
enum BlockLoadAlgorithm { BLOCK_LOAD_DIRECT, BLOCK_LOAD_STRIPED, BLOCK_LOAD_VECTORIZE, BLOCK_LOAD_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED };
enum BlockStoreAlgorithm { BLOCK_STORE_DIRECT, BLOCK_STORE_STRIPED, BLOCK_STORE_VECTORIZE, BLOCK_STORE_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED };
__device__ inline int RowMajorTid(int x, int y, int) { return ((int)threadIdx.z * y + (int)threadIdx.y) * x + (int)threadIdx.x; }
__device__ inline int __lw_rank() { return (int)((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x); }
__device__ inline unsigned LaneId() { return __laneid(); }
// A value of another lane, word by word.
template <class T> __device__ inline T __lw_from_lane(const T &value, int lane, unsigned mask) {
    constexpr int words = (sizeof(T) + 3) / 4;
    unsigned list[words] = {};
    if constexpr (sizeof(T) % 4 == 0) for (int i = 0; i < words; i++) list[i] = ((const unsigned *)&value)[i];
    else for (int i = 0; i < (int)sizeof(T); i++) ((unsigned char *)list)[i] = ((const unsigned char *)&value)[i];
    for (int i = 0; i < words; i++) list[i] = __shfl_sync(mask, list[i], lane);
    return *(T *)list;
}
// Leaves the value of a register that nothing has written: other threads must not use the result of a reduction.
template <class T> __device__ inline void __lw_undefine(T &value) {
    if constexpr (!std::is_arithmetic_v<T>) return;
    else if constexpr (sizeof(T) == 4) asm volatile("{ .reg .b32 none; mov.b32 %0, none; }" : "=r"((unsigned &)value));
    else if constexpr (sizeof(T) == 8) asm volatile("{ .reg .b64 none; mov.b64 %0, none; }" : "=l"((unsigned long &)value));
}
template <class T> __device__ inline T ShuffleIndex(T value, int lane, unsigned mask) { return __lw_from_lane(value, lane, mask); }
template <class T, int N, class F> __device__ inline T ThreadReduce(const T (&list)[N], F reduce) {
    T sum = list[0];
    for (int i = 1; i < N; i++) sum = reduce(sum, list[i]);
    return sum;
}
template <class T, int N, class F> __device__ inline T ThreadReduce(const T (&list)[N], F reduce, T sum) {
    for (int i = 0; i < N; i++) sum = reduce(sum, list[i]);
    return sum;
}
template <class T, int W = 32, int ARCH = 0> struct WarpReduce {
    struct TempStorage { char unused; };
    __device__ explicit WarpReduce(TempStorage &) {}
    template <class F> __device__ T Reduce(T value, F reduce, int valid = W) {
        int lane = (int)__laneid(), first = lane / W * W, rank = lane - first;
        unsigned mask = W == 32 ? 0xffffffffu : ((1u << (W & 31)) - 1) << first;
        for (int by = 1; by < W; by *= 2) {
            T other = __lw_from_lane(value, rank + by < W ? lane + by : lane, mask);
            if (rank + by < valid) value = reduce(value, other);
        }
        return value;
    }
    __device__ T Sum(T value) { return Reduce(value, cub::Sum()); }
    __device__ T Sum(T value, int valid) { return Reduce(value, cub::Sum(), valid); }
};
template <class T, int W = 32, int ARCH = 0> struct WarpScan {
    struct TempStorage { char unused; };
    __device__ explicit WarpScan(TempStorage &) {}
    template <class F> __device__ void InclusiveScan(T value, T &result, F scan) {
        int lane = (int)__laneid(), first = lane / W * W, rank = lane - first;
        unsigned mask = W == 32 ? 0xffffffffu : ((1u << (W & 31)) - 1) << first;
        for (int by = 1; by < W; by *= 2) {
            T other = __lw_from_lane(value, rank >= by ? lane - by : lane, mask);
            if (rank >= by) value = scan(other, value);
        }
        result = value;
    }
    __device__ T __lw_last(const T &value) {
        int first = (int)__laneid() / W * W;
        return __lw_from_lane(value, first + W - 1, W == 32 ? 0xffffffffu : ((1u << (W & 31)) - 1) << first);
    }
    template <class F> __device__ void InclusiveScan(T value, T &result, F scan, T &all) { InclusiveScan(value, result, scan); all = __lw_last(result); }
    __device__ void InclusiveSum(T value, T &result) { InclusiveScan(value, result, cub::Sum()); }
    __device__ void InclusiveSum(T value, T &result, T &all) { InclusiveScan(value, result, cub::Sum(), all); }
    __device__ void ExclusiveSum(T value, T &result) {
        T sum;
        InclusiveSum(value, sum);
        int lane = (int)__laneid(), first = lane / W * W;
        T before = __lw_from_lane(sum, lane > first ? lane - 1 : lane, W == 32 ? 0xffffffffu : ((1u << (W & 31)) - 1) << first);
        result = lane > first ? before : T(0);
    }
    __device__ void ExclusiveSum(T value, T &result, T &all) { T sum; InclusiveSum(value, sum, all); ExclusiveSum(value, result); }
};
template <class T, int X, BlockReduceAlgorithm ALGORITHM = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1, int ARCH = 0> struct BlockReduce {
    static constexpr int threads = X * Y * Z, warps = (threads + 31) / 32;
    struct __align__(16) TempStorage { unsigned char bytes[warps * sizeof(T)]; };
    TempStorage *__lw_storage;
    __device__ static TempStorage &__lw_own() { __shared__ TempStorage own; return own; }
    __device__ BlockReduce() : __lw_storage(&__lw_own()) {}
    __device__ explicit BlockReduce(TempStorage &storage) : __lw_storage(&storage) {}
    template <class F> __device__ T Reduce(T value, F reduce, int valid = threads) {
        T *list = (T *)__lw_storage->bytes;
        int rank = __lw_rank(), lane = rank & 31, warp = rank / 32, first = warp * 32;
        int left = valid - first < 32 ? valid - first : 32, lanes = threads - first < 32 ? threads - first : 32;
        unsigned mask = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
        for (int by = 1; by < 32; by *= 2) {
            T other = __lw_from_lane(value, lane + by < lanes ? lane + by : lane, mask);
            if (lane + by < left) value = reduce(value, other);
        }
        if (lane == 0) list[warp] = value;
        __syncthreads();
        if (rank == 0) for (int i = 1; i < warps; i++) if (i * 32 < valid) value = reduce(value, list[i]);
        if (rank != 0) __lw_undefine(value);
        return value;
    }
    template <int N, class F> __device__ T Reduce(T (&values)[N], F reduce) { return Reduce(ThreadReduce(values, reduce), reduce); }
    __device__ T Sum(T value) { return Reduce(value, cub::Sum()); }
    __device__ T Sum(T value, int valid) { return Reduce(value, cub::Sum(), valid); }
    template <int N> __device__ T Sum(T (&values)[N]) { return Reduce(values, cub::Sum()); }
};
template <class T, int X, BlockScanAlgorithm ALGORITHM = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1, int ARCH = 0> struct BlockScan {
    static constexpr int threads = X * Y * Z, warps = (threads + 31) / 32;
    struct __align__(16) TempStorage { unsigned char bytes[(threads + warps) * sizeof(T)]; };
    TempStorage *__lw_storage;
    __device__ static TempStorage &__lw_own() { __shared__ TempStorage own; return own; }
    __device__ BlockScan() : __lw_storage(&__lw_own()) {}
    __device__ explicit BlockScan(TempStorage &storage) : __lw_storage(&storage) {}
    // The inclusive scan, the total before the thread's own part, and the total of the block.
    template <class F> __device__ void __lw_scan(T value, F scan, T &inclusive, T &before, T &all) {
        T *list = (T *)__lw_storage->bytes, *totals = list + threads;
        int rank = __lw_rank(), lane = rank & 31, warp = rank / 32, lanes = threads - warp * 32 < 32 ? threads - warp * 32 : 32;
        unsigned mask = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
        // As in CUB, a caller must put a barrier before it uses the storage again: this write races with the last reads.
        list[threads - 1 - rank] = value;
        for (int by = 1; by < 32; by *= 2) {
            T other = __lw_from_lane(value, lane >= by ? lane - by : lane, mask);
            if (lane >= by) value = scan(other, value);
        }
        if (lane == lanes - 1) totals[warp] = value;
        __syncthreads();
        T sum = totals[0];
        for (int i = 1; i < warps; i++) {
            if (i == warp) value = scan(sum, value);
            sum = scan(sum, totals[i]);
        }
        all = sum;
        list[rank] = inclusive = value;
        __syncthreads();
        if (rank > 0) before = list[rank - 1];
    }
    template <class F> __device__ void InclusiveScan(T value, T &result, F scan) { T before = value, all; __lw_scan(value, scan, result, before, all); }
    template <class F> __device__ void InclusiveScan(T value, T &result, F scan, T &all) { T before = value; __lw_scan(value, scan, result, before, all); }
    template <class F> __device__ void ExclusiveScan(T value, T &result, T start, F scan, T &all) {
        T inclusive, before = start;
        __lw_scan(value, scan, inclusive, before, all);
        result = __lw_rank() == 0 ? start : scan(start, before);
    }
    template <class F> __device__ void ExclusiveScan(T value, T &result, T start, F scan) { T all; ExclusiveScan(value, result, start, scan, all); }
    template <int N, class F> __device__ void InclusiveScan(T (&values)[N], T (&results)[N], F scan, T &all) {
        T inclusive, before = values[0];
        __lw_scan(ThreadReduce(values, scan), scan, inclusive, before, all);
        T sum = __lw_rank() == 0 ? values[0] : scan(before, values[0]);
        results[0] = sum;
        for (int i = 1; i < N; i++) results[i] = sum = scan(sum, values[i]);
    }
    template <int N, class F> __device__ void InclusiveScan(T (&values)[N], T (&results)[N], F scan) { T all; InclusiveScan(values, results, scan, all); }
    template <int N, class F> __device__ void ExclusiveScan(T (&values)[N], T (&results)[N], T start, F scan, T &all) {
        T inclusive, before = start;
        __lw_scan(ThreadReduce(values, scan), scan, inclusive, before, all);
        T sum = __lw_rank() == 0 ? start : scan(start, before);
        for (int i = 0; i < N; i++) { T value = values[i]; results[i] = sum; sum = scan(sum, value); }
    }
    template <int N, class F> __device__ void ExclusiveScan(T (&values)[N], T (&results)[N], T start, F scan) { T all; ExclusiveScan(values, results, start, scan, all); }
    __device__ void InclusiveSum(T value, T &result) { InclusiveScan(value, result, cub::Sum()); }
    __device__ void InclusiveSum(T value, T &result, T &all) { InclusiveScan(value, result, cub::Sum(), all); }
    __device__ void ExclusiveSum(T value, T &result) { ExclusiveScan(value, result, T(0), cub::Sum()); }
    __device__ void ExclusiveSum(T value, T &result, T &all) { ExclusiveScan(value, result, T(0), cub::Sum(), all); }
    template <int N> __device__ void InclusiveSum(T (&values)[N], T (&results)[N]) { InclusiveScan(values, results, cub::Sum()); }
    template <int N> __device__ void InclusiveSum(T (&values)[N], T (&results)[N], T &all) { InclusiveScan(values, results, cub::Sum(), all); }
    template <int N> __device__ void ExclusiveSum(T (&values)[N], T (&results)[N]) { ExclusiveScan(values, results, T(0), cub::Sum()); }
    template <int N> __device__ void ExclusiveSum(T (&values)[N], T (&results)[N], T &all) { ExclusiveScan(values, results, T(0), cub::Sum(), all); }
};
} // namespace cub
#include <lanework/cub_block.h>
#ifdef __LW_HOST__
#include <lanework/cub_device.h>
#endif
