#include <cstdio>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/atomic>
#include <cuda/latch>
#include <cuda/semaphore>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void sums(const float *x, float *out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> ready;
    __shared__ float part[64];
    cg::thread_block block = cg::this_thread_block();
    if (block.thread_rank() == 0) init(&ready, block.size());
    block.sync();
    cuda::memcpy_async(&part[threadIdx.x], &x[threadIdx.x], sizeof(float), ready);
    ready.arrive_and_wait();
    auto token = ready.arrive();
    ready.wait(std::move(token));
    if (threadIdx.x == 0) { float s = 0; for (int i = 0; i < 64; i++) s += part[i]; out[0] = s; }
}
__global__ void stages(const float *x, float *out) {
    __shared__ float buffer[2][64];
    cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
    const auto shape = cuda::aligned_size_t<alignof(float)>(sizeof(float));
    float sum = 0;
    for (int i = 0, next = 0; i < 4; i++) {
        for (; next < 4 && next < i + 2; next++) {
            pipe.producer_acquire();
            cuda::memcpy_async(&buffer[next % 2][threadIdx.x], &x[next * 64 + threadIdx.x], shape, pipe);
            pipe.producer_commit();
        }
        if (i < 3) cuda::pipeline_consumer_wait_prior<1>(pipe); else cuda::pipeline_consumer_wait_prior<0>(pipe);
        __syncthreads();
        sum += buffer[i % 2][63 - threadIdx.x];
        __syncthreads();
        pipe.consumer_release();
    }
    out[threadIdx.x] = sum;
}
__global__ void roles(const float *x, float *out) {
    __shared__ float buffer[2][32];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    bool produces = threadIdx.x < 32;
    auto pipe = cuda::make_pipeline(block, &state, produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    float sum = 0;
    for (int i = 0; i < 5; i++) {
        if (produces) {
            pipe.producer_acquire();
            cuda::memcpy_async(&buffer[i % 2][threadIdx.x], &x[i * 32 + threadIdx.x], sizeof(float), pipe);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            sum += buffer[i % 2][threadIdx.x - 32];
            pipe.consumer_release();
        }
    }
    if (!produces) out[threadIdx.x - 32] = sum;
}
__device__ cuda::atomic<int, cuda::thread_scope_device> counter;
__global__ void counts(int *histogram, double *sum, unsigned long long *most) {
    cuda::atomic_ref<int, cuda::thread_scope_device> bin(histogram[threadIdx.x % 4]);
    bin.fetch_add(1, cuda::memory_order_relaxed);
    counter++;
    cuda::atomic_ref<double, cuda::thread_scope_block>(*sum).fetch_add(0.5);
    cuda::atomic_ref<unsigned long long>(*most).fetch_max(threadIdx.x * 3ull);
    int expected = 1000;
    cuda::atomic_ref<int>(histogram[5]).compare_exchange_strong(expected, 1);
    if (threadIdx.x == 0) histogram[4] = counter.load(cuda::std::memory_order_acquire) > 0;
}
__device__ int any_group(cg::thread_group g, int v) { return g.size() * 100 + g.thread_rank() + v; }
__global__ void groups(int *out) {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_group tile = cg::tiled_partition(block, 8);
    auto warp = cg::tiled_partition<32>(block);
    out[threadIdx.x] = any_group(tile, 0);
    out[32 + threadIdx.x] = any_group(block, 0);
    out[64 + threadIdx.x] = cg::inclusive_scan(warp, 1) * 100 + cg::exclusive_scan(warp, 1);
    auto same = cg::labeled_partition(warp, threadIdx.x % 3);
    out[96 + threadIdx.x] = same.size() * 100 + cg::reduce(same, 1, cg::plus<int>());
    tile.sync();
}
__global__ void waits(int *out) {
    using Latch = cuda::latch<cuda::thread_scope_block>;
    __shared__ alignas(Latch) char room[sizeof(Latch)];
    __shared__ cuda::counting_semaphore<cuda::thread_scope_block, 2> slots;
    __shared__ int inside, most;
    Latch &latch = *(Latch *)room;
    if (threadIdx.x == 0) {
        new (&latch) Latch(4);
        new (&slots) cuda::counting_semaphore<cuda::thread_scope_block, 2>(2);
        inside = most = 0;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        slots.acquire();
        atomicMax(&most, atomicAdd(&inside, 1) + 1);
        atomicSub(&inside, 1);
        slots.release();
        out[threadIdx.x / 32] = 7;
        latch.count_down();
    }
    latch.wait();
    if (threadIdx.x == 127) out[4] = out[0] + out[1] + out[2] + out[3] + (most <= 2 ? 100 : 0);
}
int main() {
    float *x, *out, host[256];
    int *bins;
    cudaMallocManaged(&x, 256 * sizeof(float));
    cudaMallocManaged(&out, 256 * sizeof(float));
    cudaMallocManaged(&bins, 256 * sizeof(int));
    for (int i = 0; i < 256; i++) x[i] = i;
    sums<<<1, 64>>>(x, out);
    cudaDeviceSynchronize();
    printf("%g\n", out[0]);
    stages<<<1, 64>>>(x, out);
    cudaDeviceSynchronize();
    printf("%g %g\n", out[0], out[63]);
    roles<<<1, 64>>>(x, out);
    cudaDeviceSynchronize();
    printf("%g %g\n", out[0], out[31]);
    double *sum; unsigned long long *most;
    cudaMallocManaged(&sum, 8); cudaMallocManaged(&most, 8);
    counts<<<1, 64>>>(bins, sum, most);
    cudaError_t e = cudaDeviceSynchronize();
    printf("%d %d %g %llu %d\n", bins[1], bins[4], *sum, *most, e);
    groups<<<1, 32>>>(bins);
    cudaDeviceSynchronize();
    printf("%d %d %d %d %d\n", bins[13], bins[32 + 13], bins[64 + 13], bins[96], bins[98]);
    waits<<<1, 128>>>(bins);
    e = cudaDeviceSynchronize();
    printf("%d %d\n", bins[4], e);
    (void)host;
}
