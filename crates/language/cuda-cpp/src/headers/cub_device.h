// CUB's functions of the host on device memory: loops that run in the interpreter. A first call without storage tells its size.
#include <thrust/sort.h>
namespace cub {
// The error, after a message about it.
inline cudaError_t Debug(cudaError_t error, const char *file, int line) {
    if (error != cudaSuccess) fprintf(stderr, "CUDA error %d [%s, %d]: %s\n", (int)error, file, line, cudaGetErrorString(error));
    return error;
}
#define CubDebug(e) cub::Debug((cudaError_t)(e), __FILE__, __LINE__)
#define CubDebugExit(e) if (cub::Debug((cudaError_t)(e), __FILE__, __LINE__)) { exit(1); }
template <class T> struct DoubleBuffer {
    T *d_buffers[2];
    int selector;
    DoubleBuffer() : d_buffers{nullptr, nullptr}, selector(0) {}
    DoubleBuffer(T *current, T *alternate) : d_buffers{current, alternate}, selector(0) {}
    T *Current() { return d_buffers[selector]; }
    T *Alternate() { return d_buffers[selector ^ 1]; }
};
template <class T = int, class Offset = ptrdiff_t> using CountingInputIterator = thrust::counting_iterator<T>;
template <class T, class Offset = ptrdiff_t> using ConstantInputIterator = thrust::constant_iterator<T>;
template <class R, class F, class I> struct TransformInputIterator : thrust::transform_iterator<F, I> {
    __host__ __device__ TransformInputIterator(I i, F f) : thrust::transform_iterator<F, I>(i, f) {}
};
template <class I> struct ArgIndexInputIterator {
    typedef KeyValuePair<int, typename thrust::iterator_traits<I>::value_type> value_type;
    typedef value_type reference;
    I from;
    ptrdiff_t at;
    __host__ __device__ ArgIndexInputIterator(I i) : from(i), at(0) {}
    __host__ __device__ reference operator*() const { return value_type((int)at, *(from + at)); }
    __LW_ITERATOR(ArgIndexInputIterator)
};
// An allocator that keeps nothing.
struct CachingDeviceAllocator {
    template <class... A> explicit CachingDeviceAllocator(A...) {}
    cudaError_t DeviceAllocate(void **to, size_t bytes, cudaStream_t = nullptr) { return cudaMalloc(to, bytes); }
    cudaError_t DeviceFree(void *memory) { return cudaFree(memory); }
    cudaError_t FreeAllCached() { return cudaSuccess; }
};
#define __LW_SIZE(storage, bytes) if (!storage) { bytes = 1; return cudaSuccess; } __lw_device_access access
struct DeviceReduce {
    template <class I, class O, class N, class F, class T> static cudaError_t Reduce(void *storage, size_t &bytes, I from, O to, N n, F f, T start, cudaStream_t = nullptr) {
        __LW_SIZE(storage, bytes);
        T sum = start;
        for (N i = 0; i < n; i++) sum = f(sum, from[i]);
        *to = sum;
        return cudaSuccess;
    }
    template <class I, class O, class N> static cudaError_t Sum(void *storage, size_t &bytes, I from, O to, N n, cudaStream_t = nullptr) {
        // As in CUB: the sum has the type of a result plus an element.
        typedef typename thrust::iterator_traits<I>::value_type T;
        typedef typename thrust::iterator_traits<O>::value_type R;
        typedef std::conditional_t<std::is_void_v<R>, T, R> Z;
        return Reduce(storage, bytes, from, to, n, cub::Sum(), std::decay_t<decltype(Z() + T())>());
    }
    template <class I, class O, class N> static cudaError_t Min(void *storage, size_t &bytes, I from, O to, N n, cudaStream_t = nullptr) {
        typedef typename thrust::iterator_traits<I>::value_type T;
        return Reduce(storage, bytes, from, to, n, cub::Min(), std::numeric_limits<T>::max());
    }
    template <class I, class O, class N> static cudaError_t Max(void *storage, size_t &bytes, I from, O to, N n, cudaStream_t = nullptr) {
        typedef typename thrust::iterator_traits<I>::value_type T;
        return Reduce(storage, bytes, from, to, n, cub::Max(), std::numeric_limits<T>::lowest());
    }
    template <bool LEAST, class I, class O, class N> static cudaError_t __lw_arg(void *storage, size_t &bytes, I from, O to, N n) {
        __LW_SIZE(storage, bytes);
        N best = 0;
        for (N i = 1; i < n; i++) if (LEAST ? from[i] < from[best] : from[best] < from[i]) best = i;
        to->key = (int)best;
        to->value = from[best];
        return cudaSuccess;
    }
    template <class I, class O, class N> static cudaError_t ArgMin(void *storage, size_t &bytes, I from, O to, N n, cudaStream_t = nullptr) { return __lw_arg<true>(storage, bytes, from, to, n); }
    template <class I, class O, class N> static cudaError_t ArgMax(void *storage, size_t &bytes, I from, O to, N n, cudaStream_t = nullptr) { return __lw_arg<false>(storage, bytes, from, to, n); }
    template <class I, class O, class N, class F, class G, class T> static cudaError_t TransformReduce(void *storage, size_t &bytes, I from, O to, N n, F f, G g, T start, cudaStream_t = nullptr) {
        return Reduce(storage, bytes, thrust::make_transform_iterator(from, g), to, n, f, start);
    }
    template <class K, class U, class I, class O, class C, class F, class N> static cudaError_t ReduceByKey(void *storage, size_t &bytes, K keys, U unique, I from, O to, C count, F f, N n, cudaStream_t = nullptr) {
        __LW_SIZE(storage, bytes);
        *count = thrust::reduce_by_key(keys, keys + n, from, unique, to, thrust::equal_to<>(), f).first - unique;
        return cudaSuccess;
    }
};
struct DeviceSegmentedReduce {
    template <class I, class O, class B, class E, class F, class T> static cudaError_t Reduce(void *storage, size_t &bytes, I from, O to, int n, B begin, E end, F f, T start, cudaStream_t = nullptr) {
        __LW_SIZE(storage, bytes);
        for (int s = 0; s < n; s++) {
            T sum = start;
            for (long i = begin[s]; i < (long)end[s]; i++) sum = f(sum, from[i]);
            to[s] = sum;
        }
        return cudaSuccess;
    }
    template <class I, class O, class B, class E> static cudaError_t Sum(void *storage, size_t &bytes, I from, O to, int n, B begin, E end, cudaStream_t = nullptr) {
        typedef typename thrust::iterator_traits<I>::value_type T;
        return Reduce(storage, bytes, from, to, n, begin, end, cub::Sum(), T());
    }
    template <class I, class O, class B, class E> static cudaError_t Max(void *storage, size_t &bytes, I from, O to, int n, B begin, E end, cudaStream_t = nullptr) {
        typedef typename thrust::iterator_traits<I>::value_type T;
        return Reduce(storage, bytes, from, to, n, begin, end, cub::Max(), std::numeric_limits<T>::lowest());
    }
    template <class I, class O, class B, class E> static cudaError_t Min(void *storage, size_t &bytes, I from, O to, int n, B begin, E end, cudaStream_t = nullptr) {
        typedef typename thrust::iterator_traits<I>::value_type T;
        return Reduce(storage, bytes, from, to, n, begin, end, cub::Min(), std::numeric_limits<T>::max());
    }
};
struct DeviceScan {
    template <class I, class O, class F, class T, class N> static cudaError_t ExclusiveScan(void *storage, size_t &bytes, I from, O to, F f, T start, N n, cudaStream_t = nullptr) {
        __LW_SIZE(storage, bytes);
        thrust::exclusive_scan(from, from + n, to, start, f);
        return cudaSuccess;
    }
    template <class I, class O, class F, class N> static cudaError_t InclusiveScan(void *storage, size_t &bytes, I from, O to, F f, N n, cudaStream_t = nullptr) {
        __LW_SIZE(storage, bytes);
        thrust::inclusive_scan(from, from + n, to, f);
        return cudaSuccess;
    }
    template <class I, class O, class N> static cudaError_t ExclusiveSum(void *storage, size_t &bytes, I from, O to, N n, cudaStream_t = nullptr) {
        typedef typename thrust::iterator_traits<I>::value_type T;
        return ExclusiveScan(storage, bytes, from, to, cub::Sum(), T(), n);
    }
    template <class I, class O, class N> static cudaError_t InclusiveSum(void *storage, size_t &bytes, I from, O to, N n, cudaStream_t = nullptr) { return InclusiveScan(storage, bytes, from, to, cub::Sum(), n); }
    template <class I, class N, std::enable_if_t<std::is_arithmetic_v<N>, int> = 0> static cudaError_t ExclusiveSum(void *storage, size_t &bytes, I data, N n, cudaStream_t = nullptr) { return ExclusiveSum(storage, bytes, data, data, n); }
    template <class I, class N, std::enable_if_t<std::is_arithmetic_v<N>, int> = 0> static cudaError_t InclusiveSum(void *storage, size_t &bytes, I data, N n, cudaStream_t = nullptr) { return InclusiveSum(storage, bytes, data, data, n); }
    template <class K, class I, class O, class N> static cudaError_t ExclusiveSumByKey(void *storage, size_t &bytes, K keys, I from, O to, N n) {
        __LW_SIZE(storage, bytes);
        thrust::exclusive_scan_by_key(keys, keys + n, from, to);
        return cudaSuccess;
    }
    template <class K, class I, class O, class N> static cudaError_t InclusiveSumByKey(void *storage, size_t &bytes, K keys, I from, O to, N n) {
        __LW_SIZE(storage, bytes);
        thrust::inclusive_scan_by_key(keys, keys + n, from, to);
        return cudaSuccess;
    }
};
// Sorting by some bits of the keys.
template <bool DOWN, class K, class V> inline void __lw_radix(const K *keys, K *out, const V *values, V *placed, size_t n, int low, int high) {
    thrust::__lw_buffer<K> all(n);
    thrust::__lw_buffer<V> held(values ? n : 0);
    thrust::__lw_buffer<unsigned> a(n), b(n);
    for (size_t i = 0; i < n; i++) {
        all.list[i] = keys[i];
        if (values) held.list[i] = values[i];
    }
    unsigned *order;
    if (low == 0 && high >= (int)sizeof(K) * 8) {
        order = DOWN ? thrust::__lw_sorted(all.list, a.list, b.list, n, thrust::greater<K>()) : thrust::__lw_sorted(all.list, a.list, b.list, n, thrust::less<K>());
    } else {
        auto bits = [low, high](const K &key) {
            unsigned long word = 0;
            memcpy(&word, &key, sizeof(K));
            return (word >> low) & (high - low >= 64 ? ~0ul : (1ul << (high - low)) - 1);
        };
        order = thrust::__lw_merge_sort(all.list, a.list, b.list, n, [bits](const K &x, const K &y) { return DOWN ? bits(y) < bits(x) : bits(x) < bits(y); });
    }
    for (size_t i = 0; i < n; i++) {
        out[i] = all.list[order[i]];
        if (values) placed[i] = held.list[order[i]];
    }
}
struct DeviceRadixSort {
#define __LW_RADIX(SUFFIX, DOWN)                                                                                      \
    template <class K, class N> static cudaError_t SortKeys##SUFFIX(void *storage, size_t &bytes, const K *keys, K *out, N n, int low = 0, int high = sizeof(K) * 8, cudaStream_t = nullptr) { \
        __LW_SIZE(storage, bytes);                                                                                    \
        __lw_radix<DOWN, K, char>(keys, out, nullptr, nullptr, n, low, high);                                         \
        return cudaSuccess;                                                                                           \
    }                                                                                                                 \
    template <class K, class N> static cudaError_t SortKeys##SUFFIX(void *storage, size_t &bytes, DoubleBuffer<K> &keys, N n, int low = 0, int high = sizeof(K) * 8, cudaStream_t = nullptr) { \
        __LW_SIZE(storage, bytes);                                                                                    \
        __lw_radix<DOWN, K, char>(keys.Current(), keys.Alternate(), nullptr, nullptr, n, low, high);                  \
        keys.selector ^= 1;                                                                                           \
        return cudaSuccess;                                                                                           \
    }                                                                                                                 \
    template <class K, class V, class N> static cudaError_t SortPairs##SUFFIX(void *storage, size_t &bytes, const K *keys, K *out, const V *values, V *placed, N n, int low = 0, int high = sizeof(K) * 8, cudaStream_t = nullptr) { \
        __LW_SIZE(storage, bytes);                                                                                    \
        __lw_radix<DOWN, K, V>(keys, out, values, placed, n, low, high);                                              \
        return cudaSuccess;                                                                                           \
    }                                                                                                                 \
    template <class K, class V, class N> static cudaError_t SortPairs##SUFFIX(void *storage, size_t &bytes, DoubleBuffer<K> &keys, DoubleBuffer<V> &values, N n, int low = 0, int high = sizeof(K) * 8, cudaStream_t = nullptr) { \
        __LW_SIZE(storage, bytes);                                                                                    \
        __lw_radix<DOWN, K, V>(keys.Current(), keys.Alternate(), values.Current(), values.Alternate(), n, low, high); \
        keys.selector ^= 1;                                                                                           \
        values.selector ^= 1;                                                                                         \
        return cudaSuccess;                                                                                           \
    }
    __LW_RADIX(, false)
    __LW_RADIX(Descending, true)
#undef __LW_RADIX
};
struct DeviceMergeSort {
    template <class K, class N, class F> static cudaError_t SortKeys(void *storage, size_t &bytes, K keys, N n, F less, cudaStream_t = nullptr) { __LW_SIZE(storage, bytes); thrust::sort(keys, keys + n, less); return cudaSuccess; }
    template <class K, class N, class F> static cudaError_t StableSortKeys(void *storage, size_t &bytes, K keys, N n, F less, cudaStream_t = nullptr) { return SortKeys(storage, bytes, keys, n, less); }
    template <class K, class V, class N, class F> static cudaError_t SortPairs(void *storage, size_t &bytes, K keys, V values, N n, F less, cudaStream_t = nullptr) { __LW_SIZE(storage, bytes); thrust::sort_by_key(keys, keys + n, values, less); return cudaSuccess; }
};
struct DeviceSegmentedRadixSort {
    template <class K, class B, class E> static cudaError_t SortKeys(void *storage, size_t &bytes, const K *keys, K *out, int, int segments, B begin, E end, int low = 0, int high = sizeof(K) * 8, cudaStream_t = nullptr) {
        __LW_SIZE(storage, bytes);
        for (int s = 0; s < segments; s++) __lw_radix<false, K, char>(keys + begin[s], out + begin[s], nullptr, nullptr, end[s] - begin[s], low, high);
        return cudaSuccess;
    }
    template <class K, class V, class B, class E> static cudaError_t SortPairs(void *storage, size_t &bytes, const K *keys, K *out, const V *values, V *placed, int, int segments, B begin, E end, int low = 0, int high = sizeof(K) * 8, cudaStream_t = nullptr) {
        __LW_SIZE(storage, bytes);
        for (int s = 0; s < segments; s++) __lw_radix<false, K, V>(keys + begin[s], out + begin[s], values + begin[s], placed + begin[s], end[s] - begin[s], low, high);
        return cudaSuccess;
    }
};
struct DeviceSelect {
    template <class I, class G, class O, class C, class N> static cudaError_t Flagged(void *storage, size_t &bytes, I from, G flags, O to, C count, N n, cudaStream_t = nullptr) {
        __LW_SIZE(storage, bytes);
        long kept = 0;
        for (N i = 0; i < n; i++) if (flags[i]) to[kept++] = from[i];
        *count = kept;
        return cudaSuccess;
    }
    template <class I, class O, class C, class N, class P> static cudaError_t If(void *storage, size_t &bytes, I from, O to, C count, N n, P wanted, cudaStream_t = nullptr) {
        __LW_SIZE(storage, bytes);
        long kept = 0;
        for (N i = 0; i < n; i++) if (wanted(from[i])) to[kept++] = from[i];
        *count = kept;
        return cudaSuccess;
    }
    template <class I, class O, class C, class N> static cudaError_t Unique(void *storage, size_t &bytes, I from, O to, C count, N n, cudaStream_t = nullptr) {
        __LW_SIZE(storage, bytes);
        *count = thrust::unique_copy(from, from + n, to) - to;
        return cudaSuccess;
    }
};
struct DevicePartition {
    template <class I, class O, class C, class N, class P> static cudaError_t If(void *storage, size_t &bytes, I from, O to, C count, N n, P wanted, cudaStream_t = nullptr) {
        __LW_SIZE(storage, bytes);
        long kept = 0, end = n;
        for (N i = 0; i < n; i++) if (wanted(from[i])) to[kept++] = from[i]; else to[--end] = from[i];
        *count = kept;
        return cudaSuccess;
    }
};
struct DeviceRunLengthEncode {
    template <class I, class U, class L, class C, class N> static cudaError_t Encode(void *storage, size_t &bytes, I from, U unique, L lengths, C count, N n, cudaStream_t = nullptr) {
        __LW_SIZE(storage, bytes);
        *count = thrust::reduce_by_key(from, from + n, thrust::constant_iterator<int>(1), unique, lengths).first - unique;
        return cudaSuccess;
    }
};
struct DeviceHistogram {
    template <class I, class C, class L, class N> static cudaError_t HistogramEven(void *storage, size_t &bytes, I from, C *counts, int levels, L low, L high, N n, cudaStream_t = nullptr) {
        __LW_SIZE(storage, bytes);
        int bins = levels - 1;
        for (int i = 0; i < bins; i++) counts[i] = 0;
        for (N i = 0; i < n; i++) {
            L value = (L)from[i];
            if (value >= low && value < high) counts[(int)((value - low) * bins / (high - low))]++;
        }
        return cudaSuccess;
    }
    template <class I, class C, class L, class N> static cudaError_t HistogramRange(void *storage, size_t &bytes, I from, C *counts, int levels, const L *bounds, N n, cudaStream_t = nullptr) {
        __LW_SIZE(storage, bytes);
        for (int i = 0; i < levels - 1; i++) counts[i] = 0;
        for (N i = 0; i < n; i++) {
            int bin = 0;
            while (bin < levels && !((L)from[i] < bounds[bin])) bin++;
            if (bin > 0 && bin < levels) counts[bin - 1]++;
        }
        return cudaSuccess;
    }
};
#undef __LW_SIZE
} // namespace cub
