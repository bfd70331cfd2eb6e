// needs sm_90a
// Clusters, bulk copies and the products of warp groups.
#include <cooperative_groups.h>
#include <cuda_fp16.h>
namespace cg = cooperative_groups;

__device__ unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

// A histogram whose bins lie spread over the shared memories of a cluster.
extern "C" __global__ void __cluster_dims__(4, 1, 1) cluster_histogram(const unsigned char *in, int n, unsigned *bins) {
    __shared__ unsigned mine[64];
    auto cluster = cg::this_cluster();
    if (threadIdx.x < 64) mine[threadIdx.x] = 0;
    cluster.sync();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned *there = cluster.map_shared_rank(mine, in[i] / 64);
        atomicAdd(&there[in[i] % 64], 1u);
    }
    cluster.sync();
    if (threadIdx.x < 64) atomicAdd(&bins[cluster.block_rank() * 64 + threadIdx.x], mine[threadIdx.x]);
}

// Values that go around a ring of blocks; each block reads its neighbor's shared memory.
extern "C" __global__ void __cluster_dims__(2, 2, 1) cluster_ring(const int *in, int *out) {
    __shared__ int slot[2][32];
    auto cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank(), blocks = cluster.num_blocks();
    int block = blockIdx.y * gridDim.x + blockIdx.x, at = block * 32 + threadIdx.x;
    slot[0][threadIdx.x] = in[at];
    cluster.sync();
    int sum = 0;
    for (unsigned step = 0; step < blocks; step++) {
        int *next = cluster.map_shared_rank(slot[step % 2], (rank + 1) % blocks);
        int v = next[threadIdx.x];
        sum = sum * 3 + v;
        slot[(step + 1) % 2][threadIdx.x] = v;
        cluster.sync();
    }
    out[at] = sum + 1000000 * (cluster.block_index().x + 2 * cluster.block_index().y);
}

// Rows copied by the copy engine, doubled in shared memory, and copied back.
extern "C" __global__ void bulk_copy(const float *in, float *out, int rows) {
    __shared__ __align__(128) float stage[2][256];
    __shared__ unsigned long long full[2];
    int t = threadIdx.x;
    unsigned bar[2] = {shared_address(&full[0]), shared_address(&full[1])};
    if (t == 0) {
        for (int s = 0; s < 2; s++) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar[s]));
        asm volatile("fence.mbarrier_init.release.cluster;");
        asm volatile("fence.proxy.async.shared::cta;");
    }
    __syncthreads();
    auto load = [&](int row) {
        int s = row % 2;
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 1024;" ::"r"(bar[s]) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 1024, [%2];" ::"r"(shared_address(stage[s])), "l"(in + row * 256), "r"(bar[s]) : "memory");
    };
    if (t == 0) load(0);
    for (int row = 0; row < rows; row++) {
        int s = row % 2;
        if (t == 0 && row + 1 < rows) {
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
            load(row + 1);
        }
        unsigned done = 0;
        while (!done)
            asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(done) : "r"(bar[s]), "r"(row / 2 & 1) : "memory");
        for (int i = t; i < 256; i += blockDim.x) stage[s][i] = stage[s][i] * 2 + row;
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (t == 0) {
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 1024;" ::"l"(out + row * 256), "r"(shared_address(stage[s])) : "memory");
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        }
    }
    if (t == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

// 64 x 32 results by one warp group, both operands in shared memory, without swizzling: blocks of
// 8 rows of 16 bytes, side by side.
extern "C" __global__ void __launch_bounds__(128) wgmma_product(const half *a, const half *bt, float *c, int k) {
    __shared__ __align__(128) half sa[64 * 16], sb[32 * 16];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    auto place = [](int row, int col, int rows) { return (col / 8 * (rows / 8) + row / 8) * 64 + row % 8 * 8 + col % 8; };
    auto describe = [](unsigned address, unsigned leading, unsigned stride) {
        return (unsigned long long)(address >> 4 & 0x3fff) | (unsigned long long)(leading >> 4) << 16 | (unsigned long long)(stride >> 4) << 32;
    };
    float d[16];
    for (int i = 0; i < 16; i++) d[i] = 0;
    for (int k0 = 0; k0 < k; k0 += 16) {
        for (int i = t; i < 64 * 16; i += 128) sa[place(i / 16, i % 16, 64)] = a[i / 16 * k + k0 + i % 16];
        for (int i = t; i < 32 * 16; i += 128) sb[place(i / 16, i % 16, 32)] = bt[i / 16 * k + k0 + i % 16];
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        unsigned long long da = describe(shared_address(sa), 1024, 128), db = describe(shared_address(sb), 512, 128);
        for (int i = 0; i < 16; i++) asm volatile("" : "+f"(d[i])::"memory");
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        asm volatile("wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15}, %16, %17, 1, 1, 1, 0, 0;"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15])
                     : "l"(da), "l"(db));
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        for (int i = 0; i < 16; i++) asm volatile("" : "+f"(d[i])::"memory");
        __syncthreads();
    }
    for (int i = 0; i < 16; i++) c[(warp * 16 + lane / 4 + i / 2 % 2 * 8) * 32 + i / 4 * 8 + lane % 4 * 2 + i % 2] = d[i];
}

// Warpgroups with different register counts: one loads, the other multiplies and adds.
extern "C" __global__ void __launch_bounds__(256) specialised(const float *in, float *out, int tiles) {
    __shared__ float stage[2][128];
    __shared__ unsigned long long bars[4];
    unsigned full[2] = {shared_address(&bars[0]), shared_address(&bars[1])}, empty[2] = {shared_address(&bars[2]), shared_address(&bars[3])};
    if (threadIdx.x == 0)
        for (int s = 0; s < 2; s++) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 128;" ::"r"(full[s]));
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 128;" ::"r"(empty[s]));
        }
    __syncthreads();
    auto wait = [](unsigned bar, unsigned phase) {
        asm volatile("{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [%0], %1;\n@!p bra again;\n}" ::"r"(bar), "r"(phase) : "memory");
    };
    auto arrive = [](unsigned bar) { asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(bar) : "memory"); };
    int t = threadIdx.x % 128;
    if (threadIdx.x < 128) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
        for (int i = 0; i < tiles; i++) {
            wait(empty[i % 2], (i / 2 & 1) ^ 1);
            stage[i % 2][t] = in[i * 128 + t];
            arrive(full[i % 2]);
        }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 168;");
        float sum = 0;
        for (int i = 0; i < tiles; i++) {
            wait(full[i % 2], i / 2 & 1);
            sum = sum * 2 + stage[i % 2][127 - t];
            arrive(empty[i % 2]);
        }
        out[t] = sum;
    }
}

// An elected lane of each warp adds to a sum in the first block's shared memory. The launch may overlap others.
extern "C" __global__ void __cluster_dims__(8, 1, 1) elections(int *out) {
    __shared__ int total;
    auto cluster = cg::this_cluster();
    asm volatile("griddepcontrol.wait;" ::: "memory");
    if (threadIdx.x == 0) total = 0;
    cluster.sync();
    unsigned elected;
    asm volatile("{\n.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(elected));
    if (elected) {
        unsigned remote;
        asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(remote) : "r"(shared_address(&total)));
        asm volatile("red.relaxed.cluster.shared::cluster.add.s32 [%0], %1;" ::"r"(remote), "r"(threadIdx.x + (int)cluster.block_rank()) : "memory");
    }
    cluster.sync();
    asm volatile("griddepcontrol.launch_dependents;");
    if (cluster.block_rank() == 0 && threadIdx.x == 0) out[blockIdx.x / 8] = total;
}
