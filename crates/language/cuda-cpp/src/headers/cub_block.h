// CUB's collectives that move items between threads of a block or warp, and sort them.
namespace cub {
template <class T, int X, int N, bool SLICED = false, int Y = 1, int Z = 1, int ARCH = 0> struct BlockExchange {
    static constexpr int threads = X * Y * Z;
    struct __align__(16) TempStorage { unsigned char bytes[threads * N * sizeof(T)]; };
    TempStorage *__lw_storage;
    __device__ static TempStorage &__lw_own() { __shared__ TempStorage own; return own; }
    __device__ BlockExchange() : __lw_storage(&__lw_own()) {}
    __device__ explicit BlockExchange(TempStorage &storage) : __lw_storage(&storage) {}
    // Stores item `i` at `to(i)` and loads it from `from(i)`.
    template <class O, class F, class G> __device__ void __lw_move(const T (&in)[N], O (&out)[N], F to, G from) {
        T *list = (T *)__lw_storage->bytes;
        for (int i = 0; i < N; i++) { int at = to(i); if (at >= 0) list[at] = in[i]; }
        __syncthreads();
        for (int i = 0; i < N; i++) out[i] = list[from(i)];
    }
    __device__ static auto __lw_blocked() { int first = __lw_rank() * N; return [first](int i) { return first + i; }; }
    __device__ static auto __lw_striped() { int rank = __lw_rank(); return [rank](int i) { return i * threads + rank; }; }
    __device__ static auto __lw_by_warps() {
        int lane = __lw_rank() & 31, first = __lw_rank() / 32 * 32 * N;
        return [lane, first](int i) { return first + i * 32 + lane; };
    }
    template <class O> __device__ void StripedToBlocked(const T (&in)[N], O (&out)[N]) { __lw_move(in, out, __lw_striped(), __lw_blocked()); }
    template <class O> __device__ void BlockedToStriped(const T (&in)[N], O (&out)[N]) { __lw_move(in, out, __lw_blocked(), __lw_striped()); }
    template <class O> __device__ void WarpStripedToBlocked(const T (&in)[N], O (&out)[N]) { __lw_move(in, out, __lw_by_warps(), __lw_blocked()); }
    template <class O> __device__ void BlockedToWarpStriped(const T (&in)[N], O (&out)[N]) { __lw_move(in, out, __lw_blocked(), __lw_by_warps()); }
    template <class O, class R> __device__ void ScatterToBlocked(const T (&in)[N], O (&out)[N], R (&ranks)[N]) { __lw_move(in, out, [&](int i) { return (int)ranks[i]; }, __lw_blocked()); }
    template <class O, class R> __device__ void ScatterToStriped(const T (&in)[N], O (&out)[N], R (&ranks)[N]) { __lw_move(in, out, [&](int i) { return (int)ranks[i]; }, __lw_striped()); }
    __device__ void StripedToBlocked(T (&items)[N]) { StripedToBlocked(items, items); }
    __device__ void BlockedToStriped(T (&items)[N]) { BlockedToStriped(items, items); }
    __device__ void WarpStripedToBlocked(T (&items)[N]) { WarpStripedToBlocked(items, items); }
    __device__ void BlockedToWarpStriped(T (&items)[N]) { BlockedToWarpStriped(items, items); }
    template <class R> __device__ void ScatterToBlocked(T (&items)[N], R (&ranks)[N]) { ScatterToBlocked(items, items, ranks); }
    template <class R> __device__ void ScatterToStriped(T (&items)[N], R (&ranks)[N]) { ScatterToStriped(items, items, ranks); }
};
enum WarpExchangeAlgorithm { WARP_EXCHANGE_SMEM, WARP_EXCHANGE_SHUFFLE };
template <class T, int N, int W = 32, int ARCH = 0, WarpExchangeAlgorithm ALGORITHM = WARP_EXCHANGE_SMEM> struct WarpExchange {
    struct __align__(16) TempStorage { unsigned char bytes[W * N * sizeof(T)]; };
    TempStorage *__lw_storage;
    __device__ explicit WarpExchange(TempStorage &storage) : __lw_storage(&storage) {}
    template <class O> __device__ void __lw_move(const T (&in)[N], O (&out)[N], bool striped) {
        T *list = (T *)__lw_storage->bytes;
        int lane = (int)__laneid() % W;
        for (int i = 0; i < N; i++) list[striped ? i * W + lane : lane * N + i] = in[i];
        __syncwarp();
        for (int i = 0; i < N; i++) out[i] = list[striped ? lane * N + i : i * W + lane];
        __syncwarp();
    }
    template <class O> __device__ void StripedToBlocked(const T (&in)[N], O (&out)[N]) { __lw_move(in, out, true); }
    template <class O> __device__ void BlockedToStriped(const T (&in)[N], O (&out)[N]) { __lw_move(in, out, false); }
};
template <class T, int X, int Y = 1, int Z = 1, int ARCH = 0> struct BlockAdjacentDifference {
    static constexpr int threads = X * Y * Z;
    struct __align__(16) TempStorage { unsigned char bytes[threads * sizeof(T)]; };
    TempStorage *__lw_storage;
    __device__ explicit BlockAdjacentDifference(TempStorage &storage) : __lw_storage(&storage) {}
    template <int N, class O, class F> __device__ void SubtractLeft(T (&in)[N], O (&out)[N], F difference) {
        T *list = (T *)__lw_storage->bytes;
        int rank = __lw_rank();
        list[rank] = in[N - 1];
        __syncthreads();
        T before = rank > 0 ? list[rank - 1] : in[0];
        for (int i = 0; i < N; i++) {
            T now = in[i];
            if (i == 0 && rank == 0) out[i] = now; else out[i] = difference(now, before);
            before = now;
        }
    }
    template <int N, class O, class F> __device__ void SubtractRight(T (&in)[N], O (&out)[N], F difference) {
        T *list = (T *)__lw_storage->bytes;
        int rank = __lw_rank();
        list[rank] = in[0];
        __syncthreads();
        T after = rank + 1 < threads ? list[rank + 1] : in[N - 1];
        for (int i = 0; i < N; i++) {
            if (i == N - 1 && rank + 1 == threads) out[i] = in[i]; else out[i] = difference(in[i], i + 1 < N ? in[i + 1] : after);
        }
    }
};
template <class T, int X, int Y = 1, int Z = 1, int ARCH = 0> struct BlockDiscontinuity {
    static constexpr int threads = X * Y * Z;
    struct __align__(16) TempStorage { unsigned char bytes[threads * sizeof(T)]; };
    TempStorage *__lw_storage;
    __device__ explicit BlockDiscontinuity(TempStorage &storage) : __lw_storage(&storage) {}
    template <int N, class G, class F> __device__ void FlagHeads(G (&heads)[N], T (&in)[N], F flag) {
        T *list = (T *)__lw_storage->bytes;
        int rank = __lw_rank();
        list[rank] = in[N - 1];
        __syncthreads();
        for (int i = 0; i < N; i++) heads[i] = i > 0 ? flag(in[i - 1], in[i]) : rank > 0 ? flag(list[rank - 1], in[i]) : 1;
    }
    template <int N, class G, class F> __device__ void FlagTails(G (&tails)[N], T (&in)[N], F flag) {
        T *list = (T *)__lw_storage->bytes;
        int rank = __lw_rank();
        list[rank] = in[0];
        __syncthreads();
        for (int i = 0; i < N; i++) tails[i] = i + 1 < N ? flag(in[i], in[i + 1]) : rank + 1 < threads ? flag(in[i], list[rank + 1]) : 1;
    }
};
// The bits of a key in an order in which unsigned words compare as the keys do.
template <class K> __device__ inline unsigned long __lw_key_bits(const K &key) {
    unsigned long word = 0;
    for (int i = 0; i < (int)sizeof(K); i++) ((unsigned char *)&word)[i] = ((const unsigned char *)&key)[i];
    unsigned long sign = 1ul << (sizeof(K) * 8 - 1);
    if (std::is_floating_point_v<K>) return word & sign ? ~word : word | sign;
    return std::is_signed_v<K> ? word ^ sign : word;
}
// Radix sort by one bit at a time: items with a zero keep their order before those with a one.
template <class K, int X, int N, class V = NullType, int BITS = 4, bool MEMOIZE = true, BlockScanAlgorithm ALGORITHM = BLOCK_SCAN_WARP_SCANS, int C = 0, int Y = 1, int Z = 1, int ARCH = 0>
struct BlockRadixSort {
    static constexpr int threads = X * Y * Z;
    struct __align__(16) TempStorage {
        typename BlockScan<int, X, ALGORITHM, Y, Z>::TempStorage scan;
        __align__(16) unsigned char keys[threads * N * sizeof(K)];
        __align__(16) unsigned char values[threads * N * sizeof(V)];
    };
    TempStorage *__lw_storage;
    __device__ static TempStorage &__lw_own() { __shared__ TempStorage own; return own; }
    __device__ BlockRadixSort() : __lw_storage(&__lw_own()) {}
    __device__ explicit BlockRadixSort(TempStorage &storage) : __lw_storage(&storage) {}
    __device__ void __lw_sort(K (&keys)[N], V *values, int low, int high, bool down, bool striped) {
        K *allKeys = (K *)__lw_storage->keys;
        V *allValues = (V *)__lw_storage->values;
        int rank = __lw_rank();
        // As in CUB, a caller must put a barrier before it uses the storage again: this write races with the last reads.
        allKeys[(threads - 1 - rank) * N] = keys[0];
        for (int bit = low; bit < high; bit++) {
            int zeros = 0, before, all;
            bool ones[N];
            for (int i = 0; i < N; i++) {
                ones[i] = ((__lw_key_bits(keys[i]) >> bit) & 1) != down;
                zeros += !ones[i];
            }
            __syncthreads();
            BlockScan<int, X, ALGORITHM, Y, Z>(__lw_storage->scan).ExclusiveSum(zeros, before, all);
            int one = all + rank * N - before;
            for (int i = 0; i < N; i++) {
                int to = ones[i] ? one++ : before++;
                allKeys[to] = keys[i];
                if (values) allValues[to] = values[i];
            }
            __syncthreads();
            bool last = bit + 1 == high && striped;
            for (int i = 0; i < N; i++) {
                int from = last ? i * threads + rank : rank * N + i;
                keys[i] = allKeys[from];
                if (values) values[i] = allValues[from];
            }
        }
    }
    __device__ void Sort(K (&keys)[N], int low = 0, int high = sizeof(K) * 8) { __lw_sort(keys, nullptr, low, high, false, false); }
    __device__ void Sort(K (&keys)[N], V (&values)[N], int low = 0, int high = sizeof(K) * 8) { __lw_sort(keys, values, low, high, false, false); }
    __device__ void SortDescending(K (&keys)[N], int low = 0, int high = sizeof(K) * 8) { __lw_sort(keys, nullptr, low, high, true, false); }
    __device__ void SortDescending(K (&keys)[N], V (&values)[N], int low = 0, int high = sizeof(K) * 8) { __lw_sort(keys, values, low, high, true, false); }
    __device__ void SortBlockedToStriped(K (&keys)[N], int low = 0, int high = sizeof(K) * 8) { __lw_sort(keys, nullptr, low, high, false, true); }
    __device__ void SortBlockedToStriped(K (&keys)[N], V (&values)[N], int low = 0, int high = sizeof(K) * 8) { __lw_sort(keys, values, low, high, false, true); }
    __device__ void SortDescendingBlockedToStriped(K (&keys)[N], V (&values)[N], int low = 0, int high = sizeof(K) * 8) { __lw_sort(keys, values, low, high, true, true); }
};
} // namespace cub
