// Copies of tensor tiles by the copy engine, in CUDA C++. tensors.ptx is made from this file by
// nvcc 13.0.88: nvcc -gencode=arch=compute_90a,code=sm_90a -ptx -o tensors.ptx tensors.cu
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

__device__ unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ void wait(unsigned barrier, unsigned parity) {
    asm volatile("{\n.reg .pred done;\nWAIT:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra WAIT;\n}" ::"r"(barrier), "r"(parity) : "memory");
}

template <int D> struct Coordinates { int at[D]; };

// out = the bytes of shared memory after one tile has been loaded; bytes beyond the tile keep 0xEE.
#define LOAD(D)                                                                                                        \
    extern "C" __global__ void load_##D##d(const __grid_constant__ CUtensorMap map, Coordinates<D> where,              \
                                           unsigned bytes, unsigned *out, unsigned words) {                            \
        extern __shared__ __align__(1024) unsigned tile[];                                                            \
        __shared__ alignas(8) uint64_t full;                                                                           \
        for (unsigned i = threadIdx.x; i < words; i += blockDim.x) tile[i] = 0xEEEEEEEE;                               \
        if (threadIdx.x == 0) ptx::mbarrier_init(&full, 1);                                                            \
        ptx::fence_proxy_async();                                                                                      \
        __syncthreads();                                                                                               \
        if (threadIdx.x == 0) {                                                                                        \
            ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &map, where.at, &full);             \
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, bytes);         \
        }                                                                                                              \
        wait(shared_address(&full), 0);                                                                                \
        for (unsigned i = threadIdx.x; i < words; i += blockDim.x) out[i] = tile[i];                                   \
    }
LOAD(1)
LOAD(2)
LOAD(3)
LOAD(4)
LOAD(5)

// Stores a tile of words from shared memory to the tensor.
#define STORE(D)                                                                                                       \
    extern "C" __global__ void store_##D##d(const __grid_constant__ CUtensorMap map, Coordinates<D> where,             \
                                            const unsigned *in, unsigned words) {                                      \
        extern __shared__ __align__(1024) unsigned tile[];                                                            \
        for (unsigned i = threadIdx.x; i < words; i += blockDim.x) tile[i] = in[i];                                    \
        ptx::fence_proxy_async(ptx::space_shared);                                                                     \
        __syncthreads();                                                                                               \
        if (threadIdx.x == 0) {                                                                                        \
            ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &map, where.at, tile);                     \
            ptx::cp_async_bulk_commit_group();                                                                         \
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());                                                       \
        }                                                                                                              \
    }
STORE(1)
STORE(2)
STORE(3)

// The same, but adds to each element of the tensor, or stores the larger value.
extern "C" __global__ void reduce_2d(const __grid_constant__ CUtensorMap map, Coordinates<2> where,
                                     const unsigned *in, unsigned words, unsigned most) {
    extern __shared__ __align__(1024) unsigned tile[];
    for (unsigned i = threadIdx.x; i < words; i += blockDim.x) tile[i] = in[i];
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        if (most)
            ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_max, &map, where.at, tile);
        else
            ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_add, &map, where.at, tile);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
}

// A transposition: swizzled tiles of 32 x 32 words in, the transposed tile out, three in flight.
extern "C" __global__ void transpose(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to,
                                     unsigned across, unsigned down) {
    extern __shared__ __align__(1024) unsigned char tiles[];
    unsigned *in = (unsigned *)tiles, *out = (unsigned *)(tiles + 3 * 4096);
    __shared__ alignas(8) uint64_t full[3];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32, all = across * down;
    if (threadIdx.x == 0)
        for (int s = 0; s < 3; s++) ptx::mbarrier_init(&full[s], 1);
    ptx::fence_proxy_async();
    __syncthreads();
    auto load = [&](unsigned tile, unsigned s) {
        int at[2] = {int(tile % across * 32), int(tile / across * 32)};
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[s], 4096);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, in + s * 1024, &from, at, &full[s]);
    };
    if (threadIdx.x == 0)
        for (unsigned i = 0; i < 2; i++)
            if (blockIdx.x + i * gridDim.x < all) load(blockIdx.x + i * gridDim.x, i);
    unsigned i = 0;
    for (unsigned tile = blockIdx.x; tile < all; tile += gridDim.x, i++) {
        unsigned s = i % 3;
        if (threadIdx.x == 0 && tile + 2 * gridDim.x < all) load(tile + 2 * gridDim.x, (i + 2) % 3);
        wait(shared_address(&full[s]), i / 3 % 2);
        if (threadIdx.x == 0) ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
        __syncthreads();
        for (unsigned y = warp; y < 32; y += warps) {
            // 16-byte chunk `c` of row `r` is where chunk `c ^ r % 8` would be without the swizzle.
            unsigned from_word = in[s * 1024 + lane * 32 + ((y / 4 ^ lane % 8) * 4 + y % 4)];
            out[y * 32 + ((lane / 4 ^ y % 8) * 4 + lane % 4)] = from_word;
        }
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
        if (threadIdx.x == 0) {
            int at[2] = {int(tile / across * 32), int(tile % across * 32)};
            ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &to, at, out);
            ptx::cp_async_bulk_commit_group();
        }
    }
    if (threadIdx.x == 0) ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}

// Both blocks of a cluster load half a tile for both.
extern "C" __global__ void __cluster_dims__(2, 1, 1) halves(const __grid_constant__ CUtensorMap map, unsigned *out) {
    __shared__ alignas(1024) unsigned tile[2][512];
    __shared__ alignas(8) uint64_t full;
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, 4096);
    }
    ptx::barrier_cluster_arrive();
    ptx::barrier_cluster_wait();
    if (threadIdx.x == 0) {
        int at[2] = {int(rank * 16), int(blockIdx.x / 2 * 32)};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile[rank], &map, at, &full, (unsigned short)3);
    }
    wait(shared_address(&full), 0);
    for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x) out[blockIdx.x * 1024 + i] = tile[i / 512][i % 512];
    ptx::barrier_cluster_arrive();
    ptx::barrier_cluster_wait();
}
