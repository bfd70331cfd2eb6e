// needs sm_80
// Copies and barriers that are waited for: pipelines, memcpy_async, barriers of the library.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/atomic>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;

// Two stages of a tile, by the primitives.
extern "C" __global__ void copy_stages(const int4 *in, int4 *out, int tiles) {
    __shared__ int4 stage[2][64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&stage[0][t], &in[t], 16);
    __pipeline_commit();
    for (int i = 0; i < tiles; i++) {
        if (i + 1 < tiles) __pipeline_memcpy_async(&stage[(i + 1) % 2][t], &in[(i + 1) * 64 + t], 16, t % 8 == 7 ? 8 : 0);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        int4 v = stage[i % 2][63 - t];
        out[i * 64 + t] = make_int4(v.x + 1, v.y + 2, v.z + 3, v.w + 4);
        __syncthreads();
    }
}

// The same by the library's pipeline, one per thread.
extern "C" __global__ void pipeline_thread(const float *in, float *out, int tiles) {
    __shared__ float stage[4][128];
    auto pipe = cuda::make_pipeline();
    int t = threadIdx.x;
    for (int i = 0, next = 0; i < tiles; i++) {
        for (; next < tiles && next < i + 4; next++) {
            pipe.producer_acquire();
            cuda::memcpy_async(&stage[next % 4][t], &in[next * 128 + t], sizeof(float), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        out[i * 128 + t] = stage[i % 4][t] * 2;
        pipe.consumer_release();
    }
}

// A group copies a block of memory and waits for it.
extern "C" __global__ void group_copy(const int *in, int *out) {
    extern __shared__ int tile[];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, tile, in + blockIdx.x * 256, sizeof(int) * 256);
    cg::wait(block);
    for (int i = threadIdx.x; i < 256; i += blockDim.x) out[blockIdx.x * 256 + i] = tile[255 - i];
}

// Arrives early and waits later, in many phases.
extern "C" __global__ void barrier_phases(const int *in, int *out, int rounds) {
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ int data[2][64];
    if (threadIdx.x == 0) init(&bar, blockDim.x);
    __syncthreads();
    int t = threadIdx.x, v = in[t];
    for (int r = 0; r < rounds; r++) {
        data[r % 2][t] = v;
        auto token = bar.arrive();
        int own = v * 3;
        bar.wait(std::move(token));
        v = own + data[r % 2][(t + r + 1) % 64];
    }
    out[t] = v;
}

// Copies that complete on a barrier.
extern "C" __global__ void barrier_copy(const int4 *in, int *sums) {
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ int4 tile[96];
    auto block = cg::this_thread_block();
    if (block.thread_rank() == 0) init(&bar, block.size());
    block.sync();
    for (int round = 0; round < 3; round++) {
        cuda::memcpy_async(block, tile, in + round * 96, cuda::aligned_size_t<16>(sizeof tile), bar);
        bar.arrive_and_wait();
        int4 v = tile[95 - threadIdx.x];
        sums[round * 96 + threadIdx.x] = v.x + v.y + v.z + v.w;
        block.sync();
    }
}

// One warp fills, the others drain, through a pipeline that the block shares.
extern "C" __global__ void pipeline_roles(const int *in, int *out, int tiles) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ int stage[2][32];
    auto block = cg::this_thread_block();
    auto role = threadIdx.x < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    auto pipe = cuda::make_pipeline(block, &state, role);
    if (threadIdx.x < 32)
        for (int i = 0; i < tiles; i++) {
            pipe.producer_acquire();
            cuda::memcpy_async(&stage[i % 2][threadIdx.x], &in[i * 32 + threadIdx.x], sizeof(int), pipe);
            pipe.producer_commit();
        }
    else
        for (int i = 0; i < tiles; i++) {
            pipe.consumer_wait();
            int t = threadIdx.x - 32;
            out[i * 64 + t] = stage[i % 2][t % 32] * 10 + t / 32;
            pipe.consumer_release();
        }
}

// Flags between blocks with the orders of the memory model.
extern "C" __global__ void hand_over(int *data, int *flags, int *out) {
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(flags[blockIdx.x]);
    if (blockIdx.x > 0) {
        if (threadIdx.x == 0) {
            cuda::atomic_ref<int, cuda::thread_scope_device> before(flags[blockIdx.x - 1]);
            while (before.load(cuda::memory_order_acquire) == 0) {}
        }
        __syncthreads();
    }
    int v = blockIdx.x == 0 ? threadIdx.x : data[(blockIdx.x - 1) * blockDim.x + (threadIdx.x + 1) % blockDim.x] * 2;
    data[blockIdx.x * blockDim.x + threadIdx.x] = v;
    __syncthreads();
    if (threadIdx.x == 0) flag.store(1, cuda::memory_order_release);
    if (blockIdx.x == gridDim.x - 1) out[threadIdx.x] = v;
}
