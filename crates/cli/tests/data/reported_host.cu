// Programs with one bug each between kernels, host functions, graphs and the host, and their repaired versions: see
// `reported.h`.

#include "reported.h"

__global__ void fill(int *x, int n, int v) {
    for (int i = T; i < n; i += blockDim.x) x[i] = v;
}
__global__ void add(const int *x, int *y, int n) {
    for (int i = T; i < n; i += blockDim.x) y[i] += x[i];
}

// A host function writes what a kernel of another stream reads.
// expect host_func_writes: error[stream-race] | race with a host function: a function that stream 2 calls writes h+0 | kernel `add` | let stream 2 wait for the kernel before it calls the function
static void writes_word(void *p) { *(volatile int *)p = 5; }
void host_func_writes(bool right) {
    cudaStream_t s = stream(), t = stream();
    int *h = pinned(64), *y = device<int>(64);
    add<<<1, 64, 0, s>>>(h, y, 64);
    if (right) cudaStreamSynchronize(s);
    cudaLaunchHostFunc(t, writes_word, h);
    cudaDeviceSynchronize();
}

// A host function reads what a kernel of another stream writes.
// expect host_func_reads: error[stream-race] | race with a host function | reads h+0 | kernel `fill` (launch 1, stream 1) writes
static int sink;
static void reads_word(void *p) { sink += *(volatile int *)p; }
void host_func_reads(bool right) {
    cudaStream_t s = stream(), t = stream();
    int *h = pinned(64);
    fill<<<1, 64, 0, s>>>(h, 64, 3);
    cudaLaunchHostFunc(right ? s : t, reads_word, h);
    cudaDeviceSynchronize();
}

// cudaStreamDestroy does not wait.
// expect destroyed_stream: error[stream-race] | race with the host
void destroyed_stream(bool right) {
    cudaStream_t s = stream();
    int *h = managed(64);
    fill<<<1, 64, 0, s>>>(h, 64, 3);
    if (right) cudaStreamSynchronize(s);
    cudaStreamDestroy(s);
    sink += h[3];
    cudaDeviceSynchronize();
}

// Two graphs in two streams write one buffer.
// expect two_graphs: error[stream-race] | race between streams
void two_graphs(bool right) {
    cudaStream_t s = stream(), t = stream();
    int *x = device<int>(64);
    cudaGraphExec_t ready[2];
    for (int i = 0; i < 2; ++i) {
        cudaGraph_t graph;
        cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
        fill<<<1, 64, 0, s>>>(x, 64, i);
        cudaStreamEndCapture(s, &graph);
        cudaGraphInstantiate(&ready[i], graph, 0);
    }
    cudaGraphLaunch(ready[0], s);
    cudaGraphLaunch(ready[1], right ? s : t);
    cudaDeviceSynchronize();
}

// A graph's copy node without an edge to the kernel that uses its target.
// expect copy_node: error[stream-race] | race in a graph
void copy_node(bool right) {
    int *x = device<int>(64), *y = device<int>(64), *h = pinned(64), n = 64;
    cudaGraph_t graph;
    cudaGraphCreate(&graph, 0);
    cudaGraphNode_t copy, kernel;
    cudaGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, x, h, 256, cudaMemcpyHostToDevice);
    void *given[] = {&x, &y, &n};
    cudaKernelNodeParams work = {};
    work.func = (void *)add;
    work.gridDim = 1;
    work.blockDim = 64;
    work.kernelParams = given;
    cudaGraphAddKernelNode(&kernel, graph, &copy, right ? 1 : 0, &work);
    cudaGraphExec_t ready;
    cudaGraphInstantiate(&ready, graph, 0);
    cudaGraphLaunch(ready, 0);
    cudaDeviceSynchronize();
}

// A constant that was never set.
// expect constant_unset: warning[unset-constant] | 4 bytes at factors+0 are zero | cudaMemcpyToSymbol
__constant__ int factors[16];
__global__ void scaled(int *y) { y[T] = factors[T % 16] * T; }
void constant_unset(bool right) {
    int h[16] = {1, 2, 3};
    if (right) cudaMemcpyToSymbol(factors, h, sizeof h);
    scaled<<<1, 64>>>(device<int>(64));
    cudaDeviceSynchronize();
}

// The kernel's text, and no wait until the end of the program.
// expect printf_unwaited: warning[lost-output] | kernel `says` (launch 1, the default stream) has printed text | cudaDeviceSynchronize
__global__ void says() { printf("here\n"); }
void printf_unwaited(bool right) {
    says<<<1, 1>>>();
    if (right) cudaDeviceSynchronize();
}

// Managed memory that neither the host nor a kernel has written.
// expect managed_unwritten: error[uninitialized] | 4 bytes at x+0 were never written
void managed_unwritten(bool right) {
    int *x, *y = device<int>(64);
    cudaMallocManaged(&x, 256);
    if (right) for (int i = 0; i < 64; ++i) x[i] = i;
    add<<<1, 64>>>(x, y, 64);
    cudaDeviceSynchronize();
}

// A symbol is set in a stream that the kernel's stream does not wait for.
// expect symbol_stream: error[stream-race] | at limit+0
__device__ int limit;
__global__ void limited(int *y) { y[T] = limit; }
void symbol_stream(bool right) {
    cudaStream_t s = stream(), t = stream();
    int *h = pinned(1);
    int *y = device<int>(32);
    cudaMemcpyToSymbolAsync(limit, h, 4, 0, cudaMemcpyHostToDevice, s);
    limited<<<1, 32, 0, right ? s : t>>>(y);
    cudaDeviceSynchronize();
}

// A library function of the host writes the target of a copy in flight.
// expect cleared_target: error[stream-race] | race with the host
void cleared_target(bool right) {
    cudaStream_t s = stream();
    int *h = pinned(64), *x = device<int>(64);
    fill<<<1, 64, 0, s>>>(x, 64, 1);
    cudaMemcpyAsync(h, x, 256, cudaMemcpyDeviceToHost, s);
    if (right) cudaStreamSynchronize(s);
    memset(h, 0, 256);
    cudaDeviceSynchronize();
}

const Program all[] = {
    {"host_func_writes", host_func_writes},
    {"host_func_reads", host_func_reads},
    {"destroyed_stream", destroyed_stream},
    {"two_graphs", two_graphs},
    {"copy_node", copy_node},
    {"constant_unset", constant_unset},
    {"printf_unwaited", printf_unwaited},
    {"managed_unwritten", managed_unwritten},
    {"symbol_stream", symbol_stream},
    {"cleared_target", cleared_target},
};

int main(int count, char **arguments) { return run(all, count, arguments); }
