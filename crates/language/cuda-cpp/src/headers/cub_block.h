// CUB's collectives that move items between threads of a block or warp, and sort them.
namespace cub {
template <class T, int X, int N, bool SLICED = false, int Y = 1, int Z = 1, int ARCH = 0> struct BlockExchange {
    static constexpr int threads = X * Y * Z;
    struct __align__(16) TempStorage { unsigned char bytes[threads * N * sizeof(T)]; };
    TempStorage *__lw_storage;
    __device__ static TempStorage &__lw_own() { __shared__ TempStorage own; return own; }
    __device__ BlockExchange() : __lw_storage(&__lw_own()) {}
    __device__ explicit BlockExchange(TempStorage &storage) : __lw_storage(&storage) {}
    // Stores item `i` at `to(i)` and loads it from `from(i)`. As in CUB, a caller must put a barrier before it uses the storage
    // again: the first writes race with the last reads, whatever arrangement those had.
    template <bool WARP = false, class O, class F, class G> __device__ void __lw_move(const T (&in)[N], O (&out)[N], F to, G from) {
        T *list = (T *)__lw_storage->bytes;
        int rank = __lw_rank(), first = rank / 32 * 32, last = WARP && threads - first > 32 ? 2 * first + 31 : WARP ? first + threads - 1 : threads - 1;
        for (int i = 0; i < N; i++) list[(last - rank) * N + i] = in[i];
        if constexpr (WARP) __syncwarp(__lw_lanes()); else __syncthreads();
        for (int i = 0; i < N; i++) { int at = to(i); if (at >= 0) list[at] = in[i]; }
        if constexpr (WARP) __syncwarp(__lw_lanes()); else __syncthreads();
        for (int i = 0; i < N; i++) out[i] = list[from(i)];
    }
    // The lanes of the warp that exist.
    __device__ static unsigned __lw_lanes() {
        int lanes = threads - __lw_rank() / 32 * 32;
        return lanes >= 32 ? 0xffffffffu : (1u << lanes) - 1;
    }
    __device__ static auto __lw_blocked() { int first = __lw_rank() * N; return [first](int i) { return first + i; }; }
    __device__ static auto __lw_striped() { int rank = __lw_rank(); return [rank](int i) { return i * threads + rank; }; }
    __device__ static auto __lw_by_warps() {
        int lane = __lw_rank() & 31, first = __lw_rank() / 32 * 32 * N;
        return [lane, first](int i) { return first + i * 32 + lane; };
    }
    template <class O> __device__ void StripedToBlocked(const T (&in)[N], O (&out)[N]) { __lw_move(in, out, __lw_striped(), __lw_blocked()); }
    template <class O> __device__ void BlockedToStriped(const T (&in)[N], O (&out)[N]) { __lw_move(in, out, __lw_blocked(), __lw_striped()); }
    template <class O> __device__ void WarpStripedToBlocked(const T (&in)[N], O (&out)[N]) { __lw_move<true>(in, out, __lw_by_warps(), __lw_blocked()); }
    template <class O> __device__ void BlockedToWarpStriped(const T (&in)[N], O (&out)[N]) { __lw_move<true>(in, out, __lw_blocked(), __lw_by_warps()); }
    template <class O, class R> __device__ void ScatterToBlocked(const T (&in)[N], O (&out)[N], R (&ranks)[N]) { __lw_move(in, out, [&](int i) { return (int)ranks[i]; }, __lw_blocked()); }
    template <class O, class R> __device__ void ScatterToStriped(const T (&in)[N], O (&out)[N], R (&ranks)[N]) { __lw_move(in, out, [&](int i) { return (int)ranks[i]; }, __lw_striped()); }
    __device__ void StripedToBlocked(T (&items)[N]) { StripedToBlocked(items, items); }
    __device__ void BlockedToStriped(T (&items)[N]) { BlockedToStriped(items, items); }
    __device__ void WarpStripedToBlocked(T (&items)[N]) { WarpStripedToBlocked(items, items); }
    __device__ void BlockedToWarpStriped(T (&items)[N]) { BlockedToWarpStriped(items, items); }
    template <class R> __device__ void ScatterToBlocked(T (&items)[N], R (&ranks)[N]) { ScatterToBlocked(items, items, ranks); }
    template <class R> __device__ void ScatterToStriped(T (&items)[N], R (&ranks)[N]) { ScatterToStriped(items, items, ranks); }
};
// Loads and stores of items in a blocked arrangement, or striped over the threads. An algorithm that transposes exchanges the
// items through the storage, as in CUB.
template <int ALGORITHM, int TRANSPOSE, class T, int X, int N, int Y, int Z> struct __lw_transfer {
    static constexpr bool exchanges = ALGORITHM >= TRANSPOSE, by_warps = ALGORITHM > TRANSPOSE;
    static constexpr bool striped = ALGORITHM == 1 || ALGORITHM == TRANSPOSE;
    static_assert(!by_warps || X * Y * Z % 32 == 0, "transposing by warps needs a multiple of 32 threads");
    typedef BlockExchange<T, X, N, false, Y, Z> Exchange;
    struct None { char unused; };
    typedef std::conditional_t<exchanges, typename Exchange::TempStorage, None> TempStorage;
    __device__ static int at(int i) {
        int rank = __lw_rank();
        if (by_warps) return rank / 32 * 32 * N + i * 32 + (rank & 31);
        return striped ? i * X * Y * Z + rank : rank * N + i;
    }
};
template <class T, int X, int N, BlockLoadAlgorithm ALGORITHM = BLOCK_LOAD_DIRECT, int Y = 1, int Z = 1, int ARCH = 0> struct BlockLoad {
    typedef __lw_transfer<ALGORITHM, BLOCK_LOAD_TRANSPOSE, T, X, N, Y, Z> Transfer;
    typedef typename Transfer::TempStorage TempStorage;
    typedef typename Transfer::Exchange Exchange;
    TempStorage *__lw_storage;
    __device__ static TempStorage &__lw_own() { __shared__ TempStorage own; return own; }
    __device__ BlockLoad() : __lw_storage(&__lw_own()) {}
    __device__ explicit BlockLoad(TempStorage &storage) : __lw_storage(&storage) {}
    __device__ void __lw_blocked(T (&items)[N]) {
        if constexpr (Transfer::by_warps) Exchange(*__lw_storage).WarpStripedToBlocked(items);
        else if constexpr (Transfer::exchanges) Exchange(*__lw_storage).StripedToBlocked(items);
    }
    template <class I> __device__ void Load(I from, T (&items)[N]) { for (int i = 0; i < N; i++) items[i] = from[Transfer::at(i)]; __lw_blocked(items); }
    template <class I> __device__ void Load(I from, T (&items)[N], int valid) { for (int i = 0; i < N; i++) if (Transfer::at(i) < valid) items[i] = from[Transfer::at(i)]; __lw_blocked(items); }
    template <class I, class D> __device__ void Load(I from, T (&items)[N], int valid, D rest) { for (int i = 0; i < N; i++) items[i] = Transfer::at(i) < valid ? (T)from[Transfer::at(i)] : (T)rest; __lw_blocked(items); }
};
template <class T, int X, int N, BlockStoreAlgorithm ALGORITHM = BLOCK_STORE_DIRECT, int Y = 1, int Z = 1, int ARCH = 0> struct BlockStore {
    typedef __lw_transfer<ALGORITHM, BLOCK_STORE_TRANSPOSE, T, X, N, Y, Z> Transfer;
    typedef typename Transfer::TempStorage TempStorage;
    typedef typename Transfer::Exchange Exchange;
    TempStorage *__lw_storage;
    __device__ static TempStorage &__lw_own() { __shared__ TempStorage own; return own; }
    __device__ BlockStore() : __lw_storage(&__lw_own()) {}
    __device__ explicit BlockStore(TempStorage &storage) : __lw_storage(&storage) {}
    __device__ void __lw_arrange(T (&items)[N]) {
        if constexpr (Transfer::by_warps) Exchange(*__lw_storage).BlockedToWarpStriped(items);
        else if constexpr (Transfer::exchanges) Exchange(*__lw_storage).BlockedToStriped(items);
    }
    template <class I> __device__ void Store(I to, T (&items)[N]) { __lw_arrange(items); for (int i = 0; i < N; i++) to[Transfer::at(i)] = items[i]; }
    template <class I> __device__ void Store(I to, T (&items)[N], int valid) { __lw_arrange(items); for (int i = 0; i < N; i++) if (Transfer::at(i) < valid) to[Transfer::at(i)] = items[i]; }
};
enum WarpExchangeAlgorithm { WARP_EXCHANGE_SMEM, WARP_EXCHANGE_SHUFFLE };
template <class T, int N, int W = 32, int ARCH = 0, WarpExchangeAlgorithm ALGORITHM = WARP_EXCHANGE_SMEM> struct WarpExchange {
    struct __align__(16) TempStorage { unsigned char bytes[W * N * sizeof(T)]; };
    TempStorage *__lw_storage;
    __device__ explicit WarpExchange(TempStorage &storage) : __lw_storage(&storage) {}
    // As in CUB, a caller must synchronize the warp before it uses the storage again: the first writes race with the last reads.
    template <class O> __device__ void __lw_move(const T (&in)[N], O (&out)[N], bool striped) {
        T *list = (T *)__lw_storage->bytes;
        int lane = (int)__laneid() % W;
        for (int i = 0; i < N; i++) list[(W - 1 - lane) * N + i] = in[i];
        __syncwarp();
        for (int i = 0; i < N; i++) list[striped ? i * W + lane : lane * N + i] = in[i];
        __syncwarp();
        for (int i = 0; i < N; i++) out[i] = list[striped ? lane * N + i : i * W + lane];
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
        // First, so that what the caller puts at the same place meets the last reads.
        __align__(16) unsigned char keys[threads * N * sizeof(K)];
        __align__(16) unsigned char values[threads * N * sizeof(V)];
        typename BlockScan<int, X, ALGORITHM, Y, Z>::TempStorage scan;
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
