// Cooperative groups: blocks, tiles of warps, coalesced threads, grids.
namespace cooperative_groups {
__PTX_VOLATILE("mov.u32 %0, %%lanemask_lt;") unsigned __lw_lanes_below();
struct thread_group {};
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
__device__ inline thread_block this_thread_block() { return thread_block{}; }
__PTX_VOLATILE("mov.u32 %0, %%envreg1;") unsigned __lw_workspace_high();
__PTX_VOLATILE("mov.u32 %0, %%envreg2;") unsigned __lw_workspace_low();
struct grid_group : thread_group {
    __device__ bool is_valid() const { return __lw_workspace() != nullptr; }
    __device__ static unsigned *__lw_workspace() {
        return (unsigned *)((unsigned long)__lw_workspace_high() << 32 | __lw_workspace_low());
    }
    __device__ void sync() const {
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
__device__ inline grid_group this_grid() { return grid_group{}; }
template <unsigned N, class Parent = void> struct thread_block_tile;
template <unsigned N> struct thread_block_tile<N, void> : thread_group {
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
    template <class T> __device__ T shfl(T value, int lane) const { return __shfl_sync(__lw_mask(), value, lane, N); }
    template <class T> __device__ T shfl_up(T value, unsigned by) const { return __shfl_up_sync(__lw_mask(), value, by, N); }
    template <class T> __device__ T shfl_down(T value, unsigned by) const { return __shfl_down_sync(__lw_mask(), value, by, N); }
    template <class T> __device__ T shfl_xor(T value, unsigned by) const { return __shfl_xor_sync(__lw_mask(), value, by, N); }
    __device__ int any(int predicate) const { return (__ballot_sync(__lw_mask(), predicate)) != 0; }
    __device__ int all(int predicate) const { return (__ballot_sync(__lw_mask(), predicate)) == __lw_mask(); }
    __device__ unsigned ballot(int predicate) const {
        return __ballot_sync(__lw_mask(), predicate) >> (__laneid() & ~(N - 1) & 31);
    }
    template <class T> __device__ unsigned match_any(T value) const {
        return __match_any_sync(__lw_mask(), value) >> (__laneid() & ~(N - 1) & 31);
    }
};
// A tile of a tile: its rank is that within the parent.
template <unsigned N, unsigned M, class Parent>
struct thread_block_tile<N, thread_block_tile<M, Parent>> : thread_block_tile<N, void> {
    __device__ static unsigned meta_group_rank() { return (__laneid() & (M - 1)) / N; }
    __device__ static constexpr unsigned meta_group_size() { return M / N; }
};
template <unsigned N, class Parent> struct thread_block_tile : thread_block_tile<N, void> {};
template <unsigned N, class Parent> __device__ inline thread_block_tile<N, Parent> tiled_partition(const Parent &) {
    return thread_block_tile<N, Parent>{};
}
struct coalesced_group : thread_group {
    unsigned mask;
    __device__ unsigned thread_rank() const { return __popc(mask & __lw_lanes_below()); }
    __device__ unsigned size() const { return __popc(mask); }
    __device__ unsigned num_threads() const { return __popc(mask); }
    __device__ void sync() const { __syncwarp(mask); }
    __device__ unsigned __lw_lane(unsigned rank) const {
        unsigned rest = mask;
        for (unsigned i = 0; i < rank; i++) rest &= rest - 1;
        return __ffs((int)rest) - 1;
    }
    template <class T> __device__ T shfl(T value, unsigned rank) const {
        return __shfl_sync(mask, value, rank == 0 ? __ffs((int)mask) - 1 : __lw_lane(rank), 32);
    }
    template <class T> __device__ T shfl_down(T value, unsigned by) const {
        unsigned rank = thread_rank() + by;
        return __shfl_sync(mask, value, rank < size() ? __lw_lane(rank) : __laneid(), 32);
    }
    template <class T> __device__ T shfl_up(T value, unsigned by) const {
        unsigned rank = thread_rank();
        return __shfl_sync(mask, value, rank >= by ? __lw_lane(rank - by) : __laneid(), 32);
    }
    __device__ int any(int predicate) const { return __ballot_sync(mask, predicate) != 0; }
    __device__ int all(int predicate) const { return __ballot_sync(mask, predicate) == mask; }
    __device__ unsigned ballot(int predicate) const {
        unsigned found = __ballot_sync(mask, predicate), packed = 0, rest = mask;
        for (unsigned i = 0; rest != 0; i++, rest &= rest - 1) packed |= (found >> (__ffs((int)rest) - 1) & 1) << i;
        return packed;
    }
};
__device__ inline coalesced_group coalesced_threads() { coalesced_group made; made.mask = __activemask(); return made; }
template <class Group> __device__ inline void sync(const Group &group) { group.sync(); }
template <class T> struct plus { __device__ T operator()(T a, T b) const { return a + b; } };
template <class T> struct less { __device__ T operator()(T a, T b) const { return b < a ? b : a; } };
template <class T> struct greater { __device__ T operator()(T a, T b) const { return a < b ? b : a; } };
template <class T> struct bit_and { __device__ T operator()(T a, T b) const { return a & b; } };
template <class T> struct bit_or { __device__ T operator()(T a, T b) const { return a | b; } };
template <class T> struct bit_xor { __device__ T operator()(T a, T b) const { return a ^ b; } };
template <unsigned N, class Parent, class T, class Operation>
__device__ inline T reduce(const thread_block_tile<N, Parent> &tile, T value, Operation operation) {
    for (unsigned by = N / 2; by > 0; by /= 2) value = operation(value, tile.shfl_xor(value, by));
    return value;
}
} // namespace cooperative_groups
