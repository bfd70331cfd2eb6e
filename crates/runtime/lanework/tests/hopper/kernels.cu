// Asynchronous features of sm_90 in CUDA C++. kernels.ptx is made from this file by
// nvcc 13.0.88: nvcc -gencode=arch=compute_90a,code=sm_90a -ptx -o kernels.ptx kernels.cu
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda/barrier>
#include <cuda/ptx>
namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

__device__ unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ void wait(unsigned barrier, unsigned parity) {
    asm volatile("{\n.reg .pred done;\nWAIT:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra WAIT;\n}" ::"r"(barrier), "r"(parity) : "memory");
}

// Warp 0 produces numbers, and the other warps add them up; a ring of two slots connects them.
extern "C" __global__ void ring(unsigned *out, unsigned rounds) {
    __shared__ unsigned slots[2][32];
    __shared__ alignas(8) uint64_t full[2], empty[2];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, consumers = blockDim.x - 32;
    if (threadIdx.x == 0) {
        for (int s = 0; s < 2; s++) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 32;" ::"r"(shared_address(&full[s])));
            asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&empty[s])), "r"(consumers));
        }
    }
    __syncthreads();
    if (warp == 0) {
        for (unsigned i = 0; i < rounds; i++) {
            unsigned s = i % 2, phase = i / 2 % 2;
            wait(shared_address(&empty[s]), phase ^ 1);
            slots[s][lane] = i * 32 + lane + blockIdx.x;
            asm volatile("{\n.reg .b64 state;\nmbarrier.arrive.shared::cta.b64 state, [%0];\n}" ::"r"(shared_address(&full[s])) : "memory");
        }
    } else {
        unsigned sum = 0;
        for (unsigned i = 0; i < rounds; i++) {
            unsigned s = i % 2, phase = i / 2 % 2;
            wait(shared_address(&full[s]), phase);
            sum += slots[s][(lane + warp) % 32];
            asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(shared_address(&empty[s])) : "memory");
        }
        out[blockIdx.x * consumers + threadIdx.x - 32] = sum;
    }
}

// The library's barrier, which also keeps the state that an arrival returns.
extern "C" __global__ void library_barrier(const unsigned *in, unsigned *out, unsigned n) {
    #pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ unsigned tile[256];
    if (threadIdx.x == 0) init(&bar, blockDim.x);
    __syncthreads();
    for (unsigned start = blockIdx.x * 256; start < n; start += gridDim.x * 256) {
        tile[threadIdx.x] = in[start + threadIdx.x];
        auto token = bar.arrive();
        bar.wait(std::move(token));
        out[start + threadIdx.x] = tile[255 - threadIdx.x];
        bar.arrive_and_wait();
    }
}

// Bulk copies in both directions with two buffers each. One elected thread starts them; the other threads compute.
extern "C" __global__ void bulk_scale(const float *in, float *out, unsigned tiles, float by) {
    __shared__ alignas(128) float source[2][256], target[2][256];
    __shared__ alignas(8) uint64_t full[2];
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full[0], 1);
        ptx::mbarrier_init(&full[1], 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    unsigned mine = blockIdx.x < tiles ? (tiles - blockIdx.x + gridDim.x - 1) / gridDim.x : 0;
    auto load = [&](unsigned i) {
        unsigned tile = blockIdx.x + i * gridDim.x;
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[i % 2], 1024);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, source[i % 2], in + tile * 256, 1024, &full[i % 2]);
    };
    if (threadIdx.x == 0 && mine > 0) load(0);
    for (unsigned i = 0; i < mine; i++) {
        if (threadIdx.x == 0 && i + 1 < mine) load(i + 1);
        wait(shared_address(&full[i % 2]), i / 2 % 2);
        if (threadIdx.x == 0) ptx::cp_async_bulk_wait_group_read(ptx::n32_t<1>());
        __syncthreads();
        target[i % 2][threadIdx.x] = by * source[i % 2][threadIdx.x];
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
        if (threadIdx.x == 0) {
            unsigned tile = blockIdx.x + i * gridDim.x;
            ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + tile * 256, target[i % 2], 1024);
            ptx::cp_async_bulk_commit_group();
        }
    }
    if (threadIdx.x == 0) ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}

// A histogram spread over the shared memory of a cluster: each block owns a part of the bins.
extern "C" __global__ void cluster_histogram(const unsigned *in, unsigned *bins, unsigned n, unsigned per_block) {
    extern __shared__ unsigned part[];
    cg::cluster_group cluster = cg::this_cluster();
    for (unsigned i = threadIdx.x; i < per_block; i += blockDim.x) part[i] = 0;
    cluster.sync();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned bin = in[i];
        unsigned *of = cluster.map_shared_rank(part, bin / per_block);
        atomicAdd(&of[bin % per_block], 1);
    }
    cluster.sync();
    for (unsigned i = threadIdx.x; i < per_block; i += blockDim.x)
        atomicAdd(&bins[cluster.block_rank() * per_block + i], part[i]);
}

// Positions of blocks and clusters, and conversions of shared-memory addresses in both directions.
extern "C" __global__ void __cluster_dims__(2, 2, 1) whereabouts(unsigned *out) {
    __shared__ unsigned word[1];
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank(), next = (rank + 1) % cluster.num_blocks();
    word[0] = 1000 + blockIdx.y * gridDim.x + blockIdx.x;
    cluster.sync();
    unsigned *theirs = cluster.map_shared_rank(word, next);
    unsigned block = blockIdx.y * gridDim.x + blockIdx.x, *row = out + block * 12;
    unsigned x, y, nx, ny, explicitly;
    asm("mov.u32 %0, %%clusterid.x;" : "=r"(x));
    asm("mov.u32 %0, %%clusterid.y;" : "=r"(y));
    asm("mov.u32 %0, %%nclusterid.x;" : "=r"(nx));
    asm("mov.u32 %0, %%nclusterid.y;" : "=r"(ny));
    asm("{\n.reg .pred p;\nmov.pred p, %%is_explicit_cluster;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(explicitly));
    if (threadIdx.x == 0) {
        dim3 inside = cluster.block_index();
        row[0] = rank, row[1] = x, row[2] = y, row[3] = nx, row[4] = ny, row[5] = inside.x, row[6] = inside.y;
        row[7] = cluster.num_blocks(), row[8] = explicitly, row[9] = *theirs, row[10] = cluster.query_shared_rank(theirs);
        row[11] = __isShared(theirs) | __isShared(word) << 1 | __isClusterShared(theirs) << 2 | __isGlobal(theirs) << 3;
    }
    cluster.sync();
}

// Multicast: each block loads a part of the tile for all blocks of the cluster, as matrix products do with operands.
extern "C" __global__ void multicast(const unsigned *in, unsigned *out) {
    __shared__ alignas(128) unsigned tile[1024];
    __shared__ alignas(8) uint64_t full;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank(), blocks = cluster.num_blocks(), part = 1024 / blocks;
    unsigned of = (blockIdx.x / blocks) * 1024;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, 4096);
    }
    cluster.sync();
    if (threadIdx.x == 0)
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile + rank * part, in + of + rank * part,
                           part * 4, &full, (unsigned short)((1 << blocks) - 1));
    wait(shared_address(&full), 0);
    for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x) out[blockIdx.x * 1024 + i] = tile[i] + rank;
    cluster.sync();
}

// Blocks pass on the sums of their numbers: by copies between blocks, remote arrivals and st.async.
extern "C" __global__ void relay(const unsigned *in, unsigned *out) {
    __shared__ alignas(16) unsigned mine[64], theirs[64], total[4];
    __shared__ alignas(8) uint64_t came, done, summed;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank(), blocks = cluster.num_blocks(), next = (rank + 1) % blocks;
    mine[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&came, 1);
        ptx::mbarrier_init(&done, 64);
        ptx::mbarrier_init(&summed, 1);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &came, 256);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &summed, 16);
    }
    ptx::fence_proxy_async();
    cluster.sync();
    if (threadIdx.x == 0)
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared, cluster.map_shared_rank(theirs, next), mine, 256,
                           cluster.map_shared_rank(&came, next));
    wait(shared_address(&came), 0);
    unsigned sum = theirs[threadIdx.x] + mine[threadIdx.x];
    asm volatile("{\n.reg .b32 far;\nmapa.shared::cluster.u32 far, %0, %1;\n"
                 "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [far];\n}" ::"r"(shared_address(&done)), "r"(next) : "memory");
    wait(shared_address(&done), 0);
    if (threadIdx.x < 4)
        asm volatile("{\n.reg .b32 far, bar;\nmapa.shared::cluster.u32 far, %0, %2;\nmapa.shared::cluster.u32 bar, %1, %2;\n"
                     "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [far], %3, [bar];\n}"
                     ::"r"(shared_address(&total[threadIdx.x])), "r"(shared_address(&summed)), "r"(next), "r"(sum) : "memory");
    wait(shared_address(&summed), 0);
    out[blockIdx.x * 64 + threadIdx.x] = sum + total[threadIdx.x % 4];
    cluster.sync();
}

// Sums in global memory by the copy engine, and one in another block's shared memory.
extern "C" __global__ void bulk_reduce(const float *in, float *sum, unsigned *most) {
    __shared__ alignas(16) float values[64];
    __shared__ alignas(16) unsigned words[64];
    values[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    words[threadIdx.x] = (threadIdx.x * 37 + blockIdx.x * 11) % 101;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, sum, values, 256);
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_max, most, words, 256);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
}
