// Programs with one bug each in what the host does while functions, copies and kernels are pending, and their repaired
// versions: see `reported.h`.

#include <atomic>
#include "reported.h"

__global__ void fill(int *x, int n, int v) { for (int i = T; i < n; i += blockDim.x) x[i] = v; }
__global__ void add(const int *x, int *y, int n) { for (int i = T; i < n; i += blockDim.x) y[i] += x[i]; }
static int sink;

// The host reads rows of a copy in flight.
// expect rows_read_early: error[stream-race] | race with the host: the host in `rows_read_early` reads h+80 | wait for the copy
void rows_read_early(bool right) {
    cudaStream_t s = stream();
    int *x = device<int>(4096), *h = pinned(4096);
    fill<<<1, 32, 0, s>>>(x, 64, 1);
    cudaMemcpy2DAsync(h, 64, x, 128, 64, 32, cudaMemcpyDeviceToHost, s);
    if (right) cudaStreamSynchronize(s);
    sink += h[20];
    cudaDeviceSynchronize();
}

// The host changes rows that a copy in flight reads.
// expect rows_written_early: error[stream-race] | race with the host: the host in `rows_written_early` writes h+80
void rows_written_early(bool right) {
    cudaStream_t s = stream();
    int *x = device<int>(4096), *h = pinned(4096);
    fill<<<1, 32, 0, s>>>(x, 64, 1);
    cudaMemcpy2DAsync(x, 128, h, 64, 64, 32, cudaMemcpyHostToDevice, s);
    if (right) cudaStreamSynchronize(s);
    h[20] = 3;
    cudaDeviceSynchronize();
}

// The host reads what a host function writes, without a wait.
// expect func_result_early: error[stream-race] | race with a host function: the host in `func_result_early` reads memory that a function of stream 1 writes | cudaStreamSynchronize
static int answer, other;
static void answers(void *p) { *(int *)p = 42; }
void func_result_early(bool right) {
    cudaStream_t s = stream();
    fill<<<1, 32, 0, s>>>(device<int>(32), 32, 1);
    cudaLaunchHostFunc(s, answers, &answer);
    if (right) cudaStreamSynchronize(s);
    sink += answer;
    cudaDeviceSynchronize();
}

// The host changes the argument of a host function that may not have run.
// expect func_argument_changed: error[stream-race] | race with a host function: the host in `func_argument_changed` changes memory that a function of stream 1 uses
static void sums(void *p) { int *v = (int *)p; other += v[0] + v[1]; }
void func_argument_changed(bool right) {
    cudaStream_t s = stream();
    int *v = (int *)calloc(2, 4);
    fill<<<1, 32, 0, s>>>(device<int>(32), 32, 1);
    cudaLaunchHostFunc(s, sums, v);
    if (right) cudaStreamSynchronize(s);
    v[0] = 5;
    cudaDeviceSynchronize();
}

// The host frees it.
// expect func_argument_freed: error[stream-race] | race with a host function: the host in `func_argument_freed` changes memory that a function of stream 1 uses
void func_argument_freed(bool right) {
    cudaStream_t s = stream();
    int *v = (int *)calloc(2, 4);
    fill<<<1, 32, 0, s>>>(device<int>(32), 32, 1);
    cudaLaunchHostFunc(s, sums, v);
    if (right) cudaStreamSynchronize(s);
    free(v);
    cudaDeviceSynchronize();
}

// A host function sets an atomic flag, and the host waits for it..
static std::atomic<int> done{0};
static int shown;
static void tells(void *p) { *(int *)p = 7; done.store(1); }
void func_flag(bool) {
    cudaStream_t s = stream();
    fill<<<1, 32, 0, s>>>(device<int>(32), 32, 1);
    cudaLaunchHostFunc(s, tells, &shown);
    while (!done.load()) {}
    sink += shown;
    cudaDeviceSynchronize();
}

// The same with a `volatile` flag..
static volatile bool is_done;
static void tells_simply(void *p) { *(int *)p = 7; is_done = true; }
void func_volatile(bool) {
    cudaStream_t s = stream();
    fill<<<1, 32, 0, s>>>(device<int>(32), 32, 1);
    cudaLaunchHostFunc(s, tells_simply, &shown);
    while (!is_done) {}
    sink += shown;
    cudaDeviceSynchronize();
}

// Functions of one stream in turn, and a host that waits for an event..
struct Part { int from, to, *values; };
static void fills(void *p) { Part *part = (Part *)p; for (int i = part->from; i < part->to; ++i) part->values[i] = i; }
void func_event(bool) {
    cudaStream_t s = stream();
    static int values[64];
    static Part parts[] = {{0, 32, values}, {32, 64, values}};
    fill<<<1, 32, 0, s>>>(device<int>(32), 32, 1);
    for (Part &part : parts) cudaLaunchHostFunc(s, fills, &part);
    cudaEvent_t e;
    cudaEventCreate(&e);
    cudaEventRecord(e, s);
    int local = 0;
    for (int i = 0; i < 8; ++i) local += parts[i & 1].from + i;
    cudaEventSynchronize(e);
    for (int i = 0; i < 64; ++i) local += values[i];
    values[0] = local;
    cudaDeviceSynchronize();
}

// A kernel reads what a host function of another stream writes.
// expect func_then_kernel: error[stream-race] | kernel `add` (launch 2, stream 2) reads 4 bytes at h+0, which `a host function` (stream 1) writes
static void writes_word(void *p) { *(volatile int *)p = 5; }
void func_then_kernel(bool right) {
    cudaStream_t s = stream(), t = stream();
    int *h = pinned(64), *y = device<int>(64);
    fill<<<1, 32, 0, s>>>(device<int>(32), 32, 1);
    cudaLaunchHostFunc(s, writes_word, h);
    if (right) after(t, s);
    add<<<1, 64, 0, t>>>(h, y, 64);
    cudaDeviceSynchronize();
}

// A copy reads it.
// expect func_then_copy: error[stream-race] | `cudaMemcpyAsync` of 256 bytes (stream 2) reads 4 bytes at h+0, which `a host function` (stream 1) writes
void func_then_copy(bool right) {
    cudaStream_t s = stream(), t = stream();
    int *h = pinned(64), *y = device<int>(64);
    fill<<<1, 32, 0, s>>>(device<int>(32), 32, 1);
    cudaLaunchHostFunc(s, writes_word, h);
    if (right) after(t, s);
    cudaMemcpyAsync(y, h, 256, cudaMemcpyHostToDevice, t);
    cudaDeviceSynchronize();
}

// The host reads a `__managed__` variable while a kernel may change it.
// expect managed_variable_early: error[stream-race] | the host in `managed_variable_early` reads total+0, which kernel `totals`
__managed__ int total;
__global__ void totals(int n) { atomicAdd(&total, n); }
void managed_variable_early(bool right) {
    totals<<<1, 32>>>(2);
    if (right) cudaDeviceSynchronize();
    sink += total;
    cudaDeviceSynchronize();
}

// The host changes a `__managed__` array that a kernel may still read.
// expect managed_array_changed: error[stream-race] | the host in `managed_array_changed` writes inputs+12, which kernel `reads_inputs`
__managed__ int inputs[64];
__global__ void reads_inputs(int *y) { y[T] = inputs[T]; }
void managed_array_changed(bool right) {
    for (int i = 0; i < 64; ++i) inputs[i] = i;
    reads_inputs<<<1, 64>>>(device<int>(64));
    if (right) cudaDeviceSynchronize();
    inputs[3] = 4;
    cudaDeviceSynchronize();
}

// A prefetch to the host does not wait for the kernel.
// expect prefetch_is_no_wait: error[stream-race] | the host in `prefetch_is_no_wait` reads h+20
void prefetch_is_no_wait(bool right) {
    int *x = managed(1024);
    fill<<<1, 64>>>(x, 1024, 2);
    cudaMemLocation where = {cudaMemLocationTypeHost, 0};
    cudaMemPrefetchAsync(x, 4096, where, 0, 0);
    if (right) cudaDeviceSynchronize();
    sink += x[5];
    cudaDeviceSynchronize();
}

// Managed memory that two kernels only read.
// expect managed_second_kernel: error[uninitialized] | at x+0 were never written | 64 times
void managed_second_kernel(bool right) {
    int *x, *y = device<int>(64);
    cudaMallocManaged(&x, 256);
    if (right) fill<<<1, 64>>>(x, 64, 1);
    add<<<1, 64>>>(x, y, 32);
    add<<<1, 64>>>(x + 32, y, 32);
    cudaDeviceSynchronize();
}

// An array on the stack of the host is passed to a kernel.
// expect stack_array: error[out-of-bounds] | is memory of the host: the local variable `h` of `stack_array`
void stack_array(bool right) {
    int h[64] = {}, *y = device<int>(64), *x = device<int>(64);
    add<<<1, 64>>>(right ? x : h, y, 64);
    cudaDeviceSynchronize();
}

const Program all[] = {
    {"rows_read_early", rows_read_early},
    {"rows_written_early", rows_written_early},
    {"func_result_early", func_result_early},
    {"func_argument_changed", func_argument_changed},
    {"func_argument_freed", func_argument_freed},
    {"func_flag", func_flag},
    {"func_volatile", func_volatile},
    {"func_event", func_event},
    {"func_then_kernel", func_then_kernel},
    {"func_then_copy", func_then_copy},
    {"managed_variable_early", managed_variable_early},
    {"managed_array_changed", managed_array_changed},
    {"prefetch_is_no_wait", prefetch_is_no_wait},
    {"managed_second_kernel", managed_second_kernel},
    {"stack_array", stack_array},
};

int main(int count, char **arguments) { return run(all, count, arguments); }
