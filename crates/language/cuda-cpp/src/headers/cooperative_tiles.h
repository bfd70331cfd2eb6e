// Tiles of 2 to 32 warps. As in CUDA's header, they meet at a word of the shared memory that CUDA reserves in each block
// (from sm_80 on): one word for each size of tiles, one bit for each warp of the block.
struct __lw_tile_memory { unsigned arrived[5], unused[3]; unsigned long words[32]; };
__device__ inline __lw_tile_memory *__lw_tiles() {
    unsigned long place;
    asm("{ .reg .u32 a; .reg .u64 b; mov.u32 a, %%reserved_smem_offset_1; cvt.u64.u32 b, a; cvta.shared.u64 %0, b; }" : "=l"(place));
    return (__lw_tile_memory *)place;
}
__device__ inline unsigned __lw_tile_arrive(unsigned *arrived, unsigned warp) {
    unsigned old;
    asm volatile("atom.or.acq_rel.cta.b32 %0, [%1], %2;" : "=r"(old) : "l"(arrived), "r"(warp) : "memory");
    return old;
}
__device__ inline void __lw_tile_open(unsigned *arrived, unsigned others) {
    asm volatile("red.and.relaxed.cta.b32 [%0], %1;" ::"l"(arrived), "r"(others) : "memory");
}
__device__ inline void __lw_tile_clear(unsigned *arrived, unsigned others) {
    asm volatile("red.and.release.cta.b32 [%0], %1;" ::"l"(arrived), "r"(others) : "memory");
}
__device__ inline unsigned __lw_tile_state(unsigned *arrived) {
    unsigned state;
    asm volatile("ld.acquire.cta.u32 %0, [%1];" : "=r"(state) : "l"(arrived) : "memory");
    return state;
}
template <unsigned N> struct __lw_tile<N, true> {
    static constexpr unsigned __lw_warps = N / 32;
    __device__ static unsigned thread_rank() { return thread_block::thread_rank() & (N - 1); }
    __device__ static constexpr unsigned size() { return N; }
    __device__ static constexpr unsigned num_threads() { return N; }
    __device__ static unsigned meta_group_rank() { return thread_block::thread_rank() / N; }
    __device__ static unsigned meta_group_size() { return (thread_block::size() + N - 1) / N; }
    __device__ static constexpr bool is_valid() { return true; }
    __device__ static unsigned *__lw_arrived() {
        return &__lw_tiles()->arrived[N == 64 ? 0 : N == 128 ? 1 : N == 256 ? 2 : N == 512 ? 3 : 4];
    }
    // Before the first use of a size in a kernel, and before each later partition.
    __device__ static void __lw_reset() {
        __syncwarp();
        unsigned rank = thread_block::thread_rank();
        if (rank % 32 == 0) __lw_tile_clear(__lw_arrived(), ~(1u << rank / 32));
    }
    __device__ static void sync() {
        unsigned rank = thread_block::thread_rank(), warp = 1u << rank / 32, tile = ~0u;
        if constexpr (__lw_warps < 32) tile = ((1u << __lw_warps) - 1) << rank / N * __lw_warps;
        unsigned *arrived = __lw_arrived();
        __syncwarp();
        if (rank % 32 == 0) {
            unsigned old = __lw_tile_arrive(arrived, warp);
            if (((old | warp) & tile) == tile) __lw_tile_open(arrived, ~tile);
            else while (__lw_tile_state(arrived) & warp) {}
        }
        __syncwarp();
    }
    template <class T> __device__ static T *__lw_word(unsigned warp) {
        static_assert(sizeof(T) <= 8, "tiles of more than a warp exchange values of at most 8 bytes");
        return (T *)&__lw_tiles()->words[thread_block::thread_rank() / N * __lw_warps + warp];
    }
    template <class T> __device__ T shfl(T value, unsigned rank) const {
        T *word = __lw_word<T>(rank / 32);
        if (thread_rank() == rank) *word = value;
        sync();
        T found = *word;
        sync();
        return found;
    }
    // The values of the tile's warps: each lane gets that of the warp which its number names.
    template <class T> __device__ static T __lw_gathered(T value) {
        if (thread_block::thread_rank() % 32 == 0) *__lw_word<T>(thread_rank() / 32) = value;
        sync();
        T found = *__lw_word<T>(thread_block::thread_rank() % __lw_warps);
        sync();
        return found;
    }
    __device__ int any(int predicate) const { return __any_sync(~0u, __lw_gathered(__any_sync(~0u, predicate))); }
    __device__ int all(int predicate) const { return __all_sync(~0u, __lw_gathered(__all_sync(~0u, predicate))); }
    template <class T, class Operation> __device__ static T __lw_reduce(T value, Operation operation) {
        __lw_tile<32, false> warp;
        for (unsigned by = 16; by > 0; by /= 2) value = operation(value, warp.shfl_xor(value, by));
        value = __lw_gathered(value);
        for (unsigned by = __lw_warps / 2; by > 0; by /= 2) value = operation(value, warp.shfl_xor(value, by));
        return value;
    }
    template <class T, class Operation> __device__ static T __lw_scan_of_warp(T value, Operation operation) {
        __lw_tile<32, false> warp;
        for (unsigned by = 1; by < 32; by *= 2) {
            T other = warp.shfl_up(value, by);
            if (warp.thread_rank() >= by) value = operation(other, value);
        }
        return value;
    }
    // An exclusive scan gives the first thread a zero.
    template <class T, class Operation> __device__ static T __lw_scan(T value, Operation operation, bool inclusive) {
        __lw_tile<32, false> warp;
        unsigned lane = warp.thread_rank(), before = thread_rank() / 32;
        T own = __lw_scan_of_warp(value, operation);
        T totals = __lw_scan_of_warp(__lw_gathered(warp.shfl(own, 31)), operation);
        T earlier = warp.shfl(totals, before - 1 & 31);
        if (!inclusive) own = warp.shfl_up(own, 1);
        if (!inclusive && lane == 0) return before == 0 ? T(0) : earlier;
        return before == 0 ? own : operation(own, earlier);
    }
};
template <class Group> struct __lw_wide { static constexpr bool value = false; };
