// Programs with one bug each in the use of streams, graphs and memory, and their repaired versions: see `reported.h`.

#include <cub/cub.cuh>
#include "reported.h"

__global__ void fill(int *x) { x[threadIdx.x] = threadIdx.x; }
__global__ void add(const int *x, int *y) { y[threadIdx.x] += x[threadIdx.x]; }

// expect freed_in_another: error[stream-race] | cudaFreeAsync
void freed_in_another(bool right) {
    cudaStream_t s = stream(), t = stream();
    int *x;
    cudaMallocAsync(&x, 128, s);
    fill<<<1, 32, 0, s>>>(x);
    if (right)
        after(t, s);
    cudaFreeAsync(x, t);
    cudaDeviceSynchronize();
}

// expect used_before_allocated: error[stream-race]
void used_before_allocated(bool right) {
    cudaStream_t s = stream(), t = stream();
    int *x;
    cudaMallocAsync(&x, 128, s);
    if (right)
        after(t, s);
    fill<<<1, 32, 0, t>>>(x);
    cudaDeviceSynchronize();
    cudaFreeAsync(x, s);
    cudaDeviceSynchronize();
}

// expect freed_while_used: error[stream-race]
void freed_while_used(bool right) {
    cudaStream_t s = stream();
    int *x;
    cudaMallocAsync(&x, 128, s);
    fill<<<1, 32, 0, s>>>(x);
    if (right)
        cudaStreamSynchronize(s);
    cudaFree(x);
}

// expect recorded_too_early: error[stream-race]
void recorded_too_early(bool right) {
    cudaStream_t s = stream(), t = stream();
    int *x = device<int>(32), *y = device<int>(32);
    cudaEvent_t e;
    cudaEventCreate(&e);
    if (!right)
        cudaEventRecord(e, s);
    fill<<<1, 32, 0, s>>>(x);
    if (right)
        cudaEventRecord(e, s);
    cudaStreamWaitEvent(t, e, 0);
    add<<<1, 32, 0, t>>>(x, y);
    cudaDeviceSynchronize();
}

// expect waited_before_record: error[stream-race]
void waited_before_record(bool right) {
    cudaStream_t s = stream(), t = stream();
    int *x = device<int>(32), *y = device<int>(32);
    cudaEvent_t e;
    cudaEventCreate(&e);
    if (!right)
        cudaStreamWaitEvent(t, e, 0);
    fill<<<1, 32, 0, s>>>(x);
    cudaEventRecord(e, s);
    if (right)
        cudaStreamWaitEvent(t, e, 0);
    add<<<1, 32, 0, t>>>(x, y);
    cudaDeviceSynchronize();
}

// expect managed_without_wait: error[stream-race] | the host
void managed_without_wait(bool right) {
    int *x;
    cudaMallocManaged(&x, 4096);
    fill<<<1, 32>>>(x);
    if (right)
        cudaDeviceSynchronize();
    printf("%d\n", x[7]);
    cudaDeviceSynchronize();
}

// expect cleared_in_another: error[stream-race]
void cleared_in_another(bool right) {
    cudaStream_t s = stream(), t = stream();
    int *x = device<int>(32), *y = device<int>(32);
    cudaMemsetAsync(x, 1, 128, s);
    add<<<1, 32, 0, right ? s : t>>>(x, y);
    cudaDeviceSynchronize();
}

// expect beside_the_default_stream: error[stream-race]
void beside_the_default_stream(bool right) {
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, right ? cudaStreamDefault : cudaStreamNonBlocking);
    int *x = device<int>(32), *y = device<int>(32);
    fill<<<1, 32>>>(x);
    add<<<1, 32, 0, s>>>(x, y);
    cudaDeviceSynchronize();
}

// expect freed_before_replay: error
void freed_before_replay(bool right) {
    cudaStream_t s = stream();
    int *x = device<int>(32);
    cudaGraph_t graph;
    cudaGraphExec_t run;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    fill<<<1, 32, 0, s>>>(x);
    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&run, graph, 0);
    if (!right)
        cudaFree(x);
    cudaGraphLaunch(run, s);
    cudaStreamSynchronize(s);
    if (right)
        cudaFree(x);
}

// expect fork_without_join: error[failed-call] | 904
void fork_without_join(bool right) {
    cudaStream_t s = stream(), t = stream();
    int *x = device<int>(32), *y = device<int>(32);
    cudaGraph_t graph;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    fill<<<1, 32, 0, s>>>(x);
    after(t, s);
    add<<<1, 32, 0, t>>>(x, y);
    if (right)
        after(s, t);
    cudaStreamEndCapture(s, &graph);
    fill<<<1, 32>>>(x);
    cudaDeviceSynchronize();
}

// expect waited_in_a_capture: error[failed-call] | 900
void waited_in_a_capture(bool right) {
    cudaStream_t s = stream();
    int *x = device<int>(32);
    cudaGraph_t graph;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    fill<<<1, 32, 0, s>>>(x);
    if (!right)
        cudaStreamSynchronize(s);
    cudaStreamEndCapture(s, &graph);
    fill<<<1, 32>>>(x);
    cudaDeviceSynchronize();
}

// expect branches_of_a_graph: error[stream-race]
void branches_of_a_graph(bool right) {
    cudaStream_t s = stream(), t = stream();
    int *x = device<int>(32), *y = device<int>(32);
    cudaGraph_t graph;
    cudaGraphExec_t run;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    if (right)
        fill<<<1, 32, 0, s>>>(x);
    after(t, s);
    if (!right)
        fill<<<1, 32, 0, s>>>(x);
    add<<<1, 32, 0, t>>>(x, y);
    after(s, t);
    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&run, graph, 0);
    cudaGraphLaunch(run, s);
    cudaDeviceSynchronize();
}

// expect wrong_direction: error[failed-call]
void wrong_direction(bool right) {
    int *x = device<int>(32), h[32];
    fill<<<1, 32>>>(x);
    cudaMemcpy(h, x, 128, right ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice);
}

// The repaired kernel waits for a flag of the host, but not forever.
__global__ void wait_for(const int *data, volatile int *flag, int *y, bool right) {
    if (!right)
        y[threadIdx.x] = *data;
    for (long long start = clock64(); right && !*flag;)
        if (clock64() - start > 1000)
            break;
}

// expect set_by_host: error[stream-race] | race with the host
void set_by_host(bool right) {
    cudaStream_t s = stream();
    int *flag, *y = device<int>(32);
    cudaMallocHost(&flag, sizeof(int));
    *flag = 0;
    wait_for<<<1, 32, 0, s>>>(flag, flag, y, right);
    *(volatile int *)flag = 1;
    cudaStreamSynchronize(s);
}

// expect unwritten_source: error[uninitialized] | uninitialized global read
void unwritten_source(bool right) {
    int *x, *copy, *y = device<int>(32);
    cudaMalloc(&x, 128);
    cudaMalloc(&copy, 128);
    cudaMemset(x, 0, right ? 128 : 100);
    cudaMemcpy(copy, x, 128, cudaMemcpyDeviceToDevice);
    add<<<1, 32>>>(copy, y);
    cudaDeviceSynchronize();
}

__global__ void fill_row(int *x, size_t pitch) {
    ((int *)((char *)x + blockIdx.x * pitch))[threadIdx.x] = threadIdx.x;
}

// expect pitch_of_rows: error[uninitialized] | pitched allocation | reported.cu:223
void pitch_of_rows(bool right) {
    int *x, all[4][32], rest[4][128], one[32];
    size_t pitch;
    cudaMallocPitch(&x, &pitch, 100, 4);
    fill_row<<<4, 25>>>(x, pitch);
    cudaMemcpy2D(all, 128, x, right ? pitch : 100, 100, 4, cudaMemcpyDeviceToHost);
    // The whole allocation, and a part of a row.
    cudaMemcpy(rest, x, 4 * pitch, cudaMemcpyDeviceToHost);
    cudaMemcpy(one, x, 100, cudaMemcpyDeviceToHost);
}

// expect rows_in_one_piece: error[uninitialized] | pitched allocation
void rows_in_one_piece(bool right) {
    int *x, all[5][30];
    size_t pitch;
    cudaMallocPitch(&x, &pitch, 120, 5);
    fill_row<<<5, 30>>>(x, pitch);
    if (right)
        cudaMemcpy2D(all, 120, x, pitch, 120, 5, cudaMemcpyDeviceToHost);
    else
        cudaMemcpy(all, x, sizeof(all), cudaMemcpyDeviceToHost);
}

// expect row_too_wide: error[failed-call] | cudaMemcpy2D
void row_too_wide(bool right) {
    int *x, h[4][32] = {};
    size_t pitch;
    cudaMallocPitch(&x, &pitch, 128, 4);
    cudaMemcpy2D(x, right ? pitch : pitch / 8, h, 128, 128, 4, cudaMemcpyHostToDevice);
    fill_row<<<4, 32>>>(x, pitch);
    cudaDeviceSynchronize();
}

__global__ void pass_in_tile(int *y, bool right) {
    __shared__ int values[128];
    __shared__ cooperative_groups::block_tile_memory<128> memory;
    auto block = cooperative_groups::this_thread_block(memory);
    auto tile = cooperative_groups::tiled_partition<64>(block);
    values[threadIdx.x] = 0;
    tile.sync();
    values[threadIdx.x] = cooperative_groups::reduce(tile, (int)threadIdx.x, cooperative_groups::plus<int>());
    if (right)
        tile.sync();
    int other = values[threadIdx.x ^ 32];
    y[threadIdx.x] = other + tile.shfl(y[threadIdx.x], 1);
}

// expect tile_of_warps: error[race] | by another warp of the block
void tile_of_warps(bool right) {
    pass_in_tile<<<1, 128>>>(device<int>(128), right);
    cudaDeviceSynchronize();
}

__global__ void scan_in_loop(int *y, bool right) {
    using Reduce = cub::BlockReduce<int, 128>;
    using Scan = cub::BlockScan<int, 128>;
    __shared__ union {
        typename Reduce::TempStorage reduce;
        typename Scan::TempStorage scan;
    } storage;
    int carry = 0;
    for (int part = 0; part < 3; part++) {
        int sum, all;
        Scan(storage.scan).ExclusiveSum((int)threadIdx.x, sum, all);
        carry += all + sum;
        if (right || part == 2)
            __syncthreads();
    }
    int all = Reduce(storage.reduce).Sum(carry);
    if (threadIdx.x == 0)
        y[0] = all;
}

// expect storage_without_barrier: error[race] | the barrier at line
void storage_without_barrier(bool right) {
    scan_in_loop<<<1, 128>>>(device<int>(128), right);
    cudaDeviceSynchronize();
}

const Program all[] = {
    {"freed_in_another", freed_in_another}, {"used_before_allocated", used_before_allocated},
    {"freed_while_used", freed_while_used}, {"recorded_too_early", recorded_too_early},
    {"waited_before_record", waited_before_record}, {"managed_without_wait", managed_without_wait},
    {"cleared_in_another", cleared_in_another}, {"beside_the_default_stream", beside_the_default_stream},
    {"freed_before_replay", freed_before_replay}, {"fork_without_join", fork_without_join},
    {"waited_in_a_capture", waited_in_a_capture}, {"branches_of_a_graph", branches_of_a_graph},
    {"wrong_direction", wrong_direction},
    {"set_by_host", set_by_host}, {"unwritten_source", unwritten_source},
    {"pitch_of_rows", pitch_of_rows}, {"rows_in_one_piece", rows_in_one_piece},
    {"row_too_wide", row_too_wide}, {"tile_of_warps", tile_of_warps},
    {"storage_without_barrier", storage_without_barrier},
};

int main(int count, char **arguments) { return run(all, count, arguments); }
