// Cooperative groups: blocks, tiles of warps, coalesced threads, grids.
namespace cooperative_groups {
__PTX_VOLATILE("mov.u32 %0, %%lanemask_lt;") unsigned __lw_lanes_below();
// Any group: a block, a grid, or the lanes of a mask.
struct thread_group {
    enum { __lw_block, __lw_lanes, __lw_grid };
    int __lw_kind = __lw_block;
    unsigned __lw_members = 0;
    __device__ inline void sync() const;
    __device__ inline unsigned long long size() const;
    __device__ inline unsigned long long thread_rank() const;
    __device__ unsigned long long num_threads() const { return size(); }
    __device__ bool is_valid() const { return true; }
};
// Moves an object of a class between lanes word by word.
template <class T, class F> __device__ inline T __lw_moved(const T &value, F move) {
    unsigned words[(sizeof(T) + 3) / 4] = {};
    if constexpr (sizeof(T) % 4 == 0) for (unsigned i = 0; i < sizeof(T) / 4; i++) words[i] = ((const unsigned *)&value)[i];
    else for (unsigned i = 0; i < sizeof(T); i++) ((unsigned char *)words)[i] = ((const unsigned char *)&value)[i];
    for (unsigned i = 0; i < (sizeof(T) + 3) / 4; i++) words[i] = move(words[i]);
    return *(T *)words;
}
struct thread_block : thread_group {
    __device__ static void sync() { __syncthreads(); }
    __device__ static unsigned thread_rank() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
    __device__ static unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
    __device__ static unsigned num_threads() { return size(); }
    __device__ static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    __device__ static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    __device__ static dim3 group_dim() { return blockDim; }
    __device__ static dim3 dim_threads() { return blockDim; }
};
__device__ inline thread_block this_thread_block() { thread_block made; return made; }
// Memory for tiles of more than a warp on GPUs before sm_80; later ones use the shared memory that CUDA reserves.
template <unsigned Threads = 1024> struct block_tile_memory { alignas(8) char __lw_unused[8]; };
template <unsigned Threads> __device__ inline thread_block this_thread_block(block_tile_memory<Threads> &) { return this_thread_block(); }
__PTX_VOLATILE("mov.u32 %0, %%envreg1;") unsigned __lw_workspace_high();
__PTX_VOLATILE("mov.u32 %0, %%envreg2;") unsigned __lw_workspace_low();
struct grid_group : thread_group {
    __device__ bool is_valid() const { return __lw_workspace() != nullptr; }
    __device__ static unsigned *__lw_workspace() {
        return (unsigned *)((unsigned long)__lw_workspace_high() << 32 | __lw_workspace_low());
    }
    __device__ void sync() const {
        if (!is_valid()) __trap(); // the launch is not cooperative
        unsigned *arrived = (unsigned *)((char *)__lw_workspace() + 4);
        __syncthreads();
        if (threadIdx.x + threadIdx.y + threadIdx.z == 0) {
            unsigned blocks = gridDim.x * gridDim.y * gridDim.z;
            unsigned step = 1;
            if (blockIdx.x + blockIdx.y + blockIdx.z == 0) step = 0x80000000u - (blocks - 1);
            __threadfence();
            unsigned old = atomicAdd(arrived, step);
            while ((((old ^ *(volatile unsigned *)arrived) & 0x80000000u) == 0)) {}
            __threadfence();
        }
        __syncthreads();
    }
    __device__ static unsigned long long thread_rank() {
        unsigned long long block = ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
        return block * thread_block::size() + thread_block::thread_rank();
    }
    __device__ static unsigned long long size() {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z * thread_block::size();
    }
    __device__ static unsigned long long num_threads() { return size(); }
    __device__ static unsigned long long block_rank() {
        return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
    __device__ static unsigned long long num_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
    __device__ static dim3 group_dim() { return gridDim; }
};
__device__ inline grid_group this_grid() { grid_group made; made.__lw_kind = thread_group::__lw_grid; return made; }
__device__ inline void thread_group::sync() const {
    if (__lw_kind == __lw_lanes) __syncwarp(__lw_members);
    else if (__lw_kind == __lw_block) __syncthreads();
    else this_grid().sync();
}
__device__ inline unsigned long long thread_group::size() const {
    return __lw_kind == __lw_lanes ? __popc(__lw_members) : __lw_kind == __lw_block ? thread_block::size() : grid_group::size();
}
__device__ inline unsigned long long thread_group::thread_rank() const {
    return __lw_kind == __lw_lanes ? __popc(__lw_members & __lw_lanes_below()) : __lw_kind == __lw_block ? thread_block::thread_rank() : grid_group::thread_rank();
}
// A tile of at most a warp.
template <unsigned N, bool Warps> struct __lw_tile : thread_group {
    __device__ static unsigned thread_rank() { return __laneid() & (N - 1); }
    __device__ static constexpr unsigned size() { return N; }
    __device__ static constexpr unsigned num_threads() { return N; }
    __device__ static unsigned meta_group_rank() { return thread_block::thread_rank() / N; }
    __device__ static unsigned meta_group_size() { return (thread_block::size() + N - 1) / N; }
    __device__ static unsigned __lw_mask() {
        if constexpr (N == 32) return 0xffffffffu;
        else return ((1u << N) - 1) << (__laneid() & ~(N - 1));
    }
    __device__ void sync() const { __syncwarp(__lw_mask()); }
    template <class T> __device__ T shfl(T value, int lane) const {
        unsigned mask = __lw_mask();
        if constexpr (__is_class(T)) return __lw_moved(value, [=](unsigned word) { return __shfl_sync(mask, word, lane, N); });
        else return __shfl_sync(mask, value, lane, N);
    }
    template <class T> __device__ T shfl_up(T value, unsigned by) const {
        unsigned mask = __lw_mask();
        if constexpr (__is_class(T)) return __lw_moved(value, [=](unsigned word) { return __shfl_up_sync(mask, word, by, N); });
        else return __shfl_up_sync(mask, value, by, N);
    }
    template <class T> __device__ T shfl_down(T value, unsigned by) const {
        unsigned mask = __lw_mask();
        if constexpr (__is_class(T)) return __lw_moved(value, [=](unsigned word) { return __shfl_down_sync(mask, word, by, N); });
        else return __shfl_down_sync(mask, value, by, N);
    }
    template <class T> __device__ T shfl_xor(T value, unsigned by) const {
        unsigned mask = __lw_mask();
        if constexpr (__is_class(T)) return __lw_moved(value, [=](unsigned word) { return __shfl_xor_sync(mask, word, by, N); });
        else return __shfl_xor_sync(mask, value, by, N);
    }
    __device__ int any(int predicate) const { return (__ballot_sync(__lw_mask(), predicate)) != 0; }
    __device__ int all(int predicate) const { return (__ballot_sync(__lw_mask(), predicate)) == __lw_mask(); }
    __device__ unsigned ballot(int predicate) const {
        return __ballot_sync(__lw_mask(), predicate) >> (__laneid() & ~(N - 1) & 31);
    }
    template <class T> __device__ unsigned match_any(T value) const {
        return __match_any_sync(__lw_mask(), value) >> (__laneid() & ~(N - 1) & 31);
    }
};
#include <lanework/cooperative_tiles.h>
template <unsigned N, class Parent = void> struct thread_block_tile;
template <unsigned N> struct thread_block_tile<N, void> : __lw_tile<N, (N > 32)> {};
template <unsigned N, class Parent> struct __lw_wide<thread_block_tile<N, Parent>> { static constexpr bool value = (N > 32); };
// A tile of a tile: its rank is that within the parent.
template <unsigned N, unsigned M, class Parent>
struct thread_block_tile<N, thread_block_tile<M, Parent>> : thread_block_tile<N, void> {
    __device__ static unsigned meta_group_rank() {
        if constexpr (M <= 32) return (__laneid() & (M - 1)) / N;
        else return (thread_block::thread_rank() & (M - 1)) / N;
    }
    __device__ static constexpr unsigned meta_group_size() { return M / N; }
};
template <unsigned N, class Parent> struct thread_block_tile : thread_block_tile<N, void> {};
template <unsigned N, class Parent> __device__ inline thread_block_tile<N, Parent> tiled_partition(const Parent &parent) {
    static_assert(N > 0 && N <= 1024 && (N & (N - 1)) == 0, "the size of a tile is a power of two up to 1024");
    thread_block_tile<N, Parent> made;
    if constexpr (N > 32) {
        made.__lw_reset();
        parent.sync();
    } else {
        made.__lw_kind = thread_group::__lw_lanes;
        made.__lw_members = made.__lw_mask();
    }
    return made;
}
// A tile whose size is only known at run time: a part of a warp.
__device__ inline thread_group tiled_partition(const thread_group &parent, unsigned size) {
    thread_group made;
    made.__lw_kind = thread_group::__lw_lanes;
    if (parent.__lw_kind != thread_group::__lw_lanes) {
        made.__lw_members = (size == 32 ? 0xffffffffu : (1u << size) - 1) << (__laneid() & ~(size - 1) & 31);
        return made;
    }
    unsigned first = (unsigned)parent.thread_rank() / size * size, rest = parent.__lw_members;
    for (unsigned rank = 0; rest != 0; rank++, rest &= rest - 1)
        if (rank >= first && rank < first + size) made.__lw_members |= rest & (0u - rest);
    return made;
}
struct coalesced_group : thread_group {
    unsigned mask;
    __device__ explicit coalesced_group(unsigned members = 0) : mask(members) { __lw_kind = __lw_lanes; __lw_members = members; }
    __device__ unsigned thread_rank() const { return __popc(mask & __lw_lanes_below()); }
    __device__ unsigned size() const { return __popc(mask); }
    __device__ unsigned num_threads() const { return __popc(mask); }
    __device__ void sync() const { __syncwarp(mask); }
    __device__ unsigned __lw_lane(unsigned rank) const {
        unsigned rest = mask;
        for (unsigned i = 0; i < rank; i++) rest &= rest - 1;
        return __ffs((int)rest) - 1;
    }
    template <class T> __device__ T __lw_from(T value, unsigned lane) const {
        unsigned members = mask;
        if constexpr (__is_class(T)) return __lw_moved(value, [=](unsigned word) { return __shfl_sync(members, word, lane, 32); });
        else return __shfl_sync(members, value, lane, 32);
    }
    template <class T> __device__ T shfl(T value, unsigned rank) const {
        return __lw_from(value, rank == 0 ? __ffs((int)mask) - 1 : __lw_lane(rank));
    }
    template <class T> __device__ T shfl_down(T value, unsigned by) const {
        unsigned rank = thread_rank() + by;
        return __lw_from(value, rank < size() ? __lw_lane(rank) : __laneid());
    }
    template <class T> __device__ T shfl_up(T value, unsigned by) const {
        unsigned rank = thread_rank();
        return __lw_from(value, rank >= by ? __lw_lane(rank - by) : __laneid());
    }
    __device__ int any(int predicate) const { return __ballot_sync(mask, predicate) != 0; }
    __device__ int all(int predicate) const { return __ballot_sync(mask, predicate) == mask; }
    __device__ unsigned ballot(int predicate) const {
        unsigned found = __ballot_sync(mask, predicate), packed = 0, rest = mask;
        for (unsigned i = 0; rest != 0; i++, rest &= rest - 1) packed |= (found >> (__ffs((int)rest) - 1) & 1) << i;
        return packed;
    }
};
__device__ inline coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }
template <class Group, class T> __device__ inline coalesced_group labeled_partition(const Group &group, T label) {
    return coalesced_group(__match_any_sync(group.__lw_members, label));
}
template <class Group> __device__ inline coalesced_group binary_partition(const Group &group, bool predicate) {
    unsigned found = __ballot_sync(group.__lw_members, predicate);
    return coalesced_group(predicate ? found : group.__lw_members & ~found);
}
template <class Group> __device__ inline void sync(const Group &group) { group.sync(); }
template <class T> struct plus { __device__ T operator()(T a, T b) const { return a + b; } };
template <class T> struct less { __device__ T operator()(T a, T b) const { return b < a ? b : a; } };
template <class T> struct greater { __device__ T operator()(T a, T b) const { return a < b ? b : a; } };
template <class T> struct bit_and { __device__ T operator()(T a, T b) const { return a & b; } };
template <class T> struct bit_or { __device__ T operator()(T a, T b) const { return a | b; } };
template <class T> struct bit_xor { __device__ T operator()(T a, T b) const { return a ^ b; } };
template <class T, class Operation> __device__ inline T reduce(const coalesced_group &group, T value, Operation operation) {
    unsigned size = group.size(), rank = group.thread_rank();
    for (unsigned by = 1; by < size; by *= 2) {
        T other = group.shfl_down(value, by);
        if (rank % (2 * by) == 0 && rank + by < size) value = operation(value, other);
    }
    return group.shfl(value, 0);
}
// The scans of a tile of more than a warp exchange values through memory, those of other groups by shuffles.
template <class Group, class T, class Operation> __device__ inline T inclusive_scan(const Group &group, T value, Operation operation) {
    if constexpr (__lw_wide<Group>::value) {
        return group.__lw_scan(value, operation, true);
    } else {
        unsigned size = (unsigned)group.size(), rank = (unsigned)group.thread_rank();
        for (unsigned by = 1; by < size; by *= 2) {
            T other = group.shfl_up(value, by);
            if (rank >= by) value = operation(other, value);
        }
        return value;
    }
}
template <class Group, class T> __device__ inline T inclusive_scan(const Group &group, T value) { return inclusive_scan(group, value, plus<T>()); }
template <class Group, class T, class Operation> __device__ inline T exclusive_scan(const Group &group, T value, Operation operation) {
    if constexpr (__lw_wide<Group>::value) {
        return group.__lw_scan(value, operation, false);
    } else {
        T before = group.shfl_up(inclusive_scan(group, value, operation), 1);
        return group.thread_rank() == 0 ? T(0) : before;
    }
}
template <class Group, class T> __device__ inline T exclusive_scan(const Group &group, T value) { return exclusive_scan(group, value, plus<T>()); }
// Copies of a group from global to shared memory, in words by cp.async where addresses and size allow.
template <class Group, class T, class F> __device__ inline void memcpy_async(const Group &group, T *to, const F *from, size_t bytes) {
    unsigned long both = (unsigned long)to | (unsigned long)from | bytes;
    size_t step = (both & 15) == 0 ? 16 : (both & 7) == 0 ? 8 : (both & 3) == 0 ? 4 : 1;
    for (size_t at = group.thread_rank() * step; at < bytes; at += group.size() * step) {
        if (step == 16) __pipeline_memcpy_async((char *)to + at, (const char *)from + at, 16);
        else if (step == 8) __pipeline_memcpy_async((char *)to + at, (const char *)from + at, 8);
        else if (step == 4) __pipeline_memcpy_async((char *)to + at, (const char *)from + at, 4);
        else ((char *)to)[at] = ((const char *)from)[at];
    }
    __pipeline_commit();
}
template <class Group> __device__ inline void wait(const Group &group) { __pipeline_wait_prior(0); group.sync(); }
template <unsigned N, class Group> __device__ inline void wait_prior(const Group &group) { __pipeline_wait_prior((int)N); group.sync(); }
template <unsigned N, class Parent, class T, class Operation>
__device__ inline T reduce(const thread_block_tile<N, Parent> &tile, T value, Operation operation) {
    if constexpr (N > 32) return tile.__lw_reduce(value, operation);
    else for (unsigned by = N / 2; by > 0; by /= 2) value = operation(value, tile.shfl_xor(value, by));
    return value;
}
// One thread of a group calls a function.
template <class G, class F, class... A> __device__ inline void invoke_one(const G &group, F &&f, A &&...a) {
    if (group.thread_rank() == 0) f(static_cast<A &&>(a)...);
}
template <class G, class F, class... A> __device__ inline auto invoke_one_broadcast(const G &group, F &&f, A &&...a) {
    decltype(f(static_cast<A &&>(a)...)) result{};
    if (group.thread_rank() == 0) result = f(static_cast<A &&>(a)...);
    return group.shfl(result, 0);
}
} // namespace cooperative_groups
