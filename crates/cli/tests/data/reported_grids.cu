// Programs with one bug each of grids, graphs, streams, surfaces and local arrays, and their repaired versions: see
// `reported.h`.

#include <thrust/device_vector.h>
#include "reported.h"

// A loop goes one element past a local array, into the next one.
// expect local_neighbor: error[out-of-bounds] | 4 bytes at a+32, `a` is 32 bytes
template <bool R> __global__ void overrun(const int *x, int *y, int n) {
    int a[8], b[8];
    for (int i = 0; i < 8; ++i) { a[i] = i; b[i] = 10 * i; }
    int sum = 0;
    for (int i = 0; R ? i < n : i <= n; ++i) {
        a[i] += x[i];
        sum += b[(3 * i + T) & 7] + a[(i + T) & 7];
    }
    y[T] = sum;
}
void local_neighbor(bool right) { RUN(overrun, 1, 32, device<int>(32), device<int>(32), 8); }

// Pointers walk through a structure's array, all rows of a matrix, and to its end.
struct Pair { float first[4]; int key; float second[4]; };
__device__ __noinline__ float walk(const float *p, int n) {
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += p[i];
    return sum;
}
__global__ void walks(int *y, int n) {
    int m[4][4], sum = 0;
    Pair pair;
    for (int i = 0; i < 16; ++i) (&m[0][0])[(5 * i + n) % 16] = i;
    for (int i = 0; i < 4; ++i) { pair.first[i] = i; pair.second[i] = i * n; }
    pair.key = n;
    for (int *p = &m[0][0], *end = p + 16; p != end; ++p) sum += *p;
    y[T] = sum + m[T & 3][n & 3] + (int)walk(pair.first, 4) + (int)walk(pair.second, 4) + pair.key;
}
void local_walks(bool) {
    walks<<<1, 32>>>(device<int>(32), 3);
    cudaDeviceSynchronize();
}

// A block without work leaves before the barrier of the grid.
// expect grid_exit: error[deadlock] | grid workspace | let every block of the grid reach the barrier of the grid (`grid.sync()`)
template <bool R> __global__ void grids(int *y, int n) {
    auto grid = cg::this_grid();
    if (!R && (int)blockIdx.x >= n) return;
    if ((int)blockIdx.x < n && T == 0) y[blockIdx.x] = blockIdx.x;
    grid.sync();
    if (T == 0 && blockIdx.x == 0) y[8] = y[0] + y[1];
}
void grid_exit(bool right) {
    int *y = device<int>(16), n = 3;
    void *given[] = {&y, &n};
    cudaLaunchCooperativeKernel(right ? grids<true> : grids<false>, dim3(4), dim3(32), given, 0, 0);
    cudaDeviceSynchronize();
}

__global__ void fill(int *x, int n, int v) { int i = blockIdx.x * blockDim.x + T; if (i < n) x[i] = v; }
__global__ void addto(int *y, const int *x, int n) { int i = blockIdx.x * blockDim.x + T; if (i < n) y[i] += x[i]; }

// Two kernels of a graph have no edge between them.
// expect graph_edge: error[stream-race] | race in a graph | add an edge between the two nodes (`cudaGraphAddDependencies`)
void graph_edge(bool right) {
    int *x = device<int>(64), *y = device<int>(64), n = 64, v = 3;
    void *a[] = {&x, &n, &v}, *b[] = {&y, &x, &n};
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t first, second;
    cudaGraphCreate(&graph, 0);
    cudaKernelNodeParams p = {};
    p.gridDim = 1; p.blockDim = 64;
    p.func = (void *)fill; p.kernelParams = a;
    cudaGraphAddKernelNode(&first, graph, nullptr, 0, &p);
    p.func = (void *)addto; p.kernelParams = b;
    cudaGraphAddKernelNode(&second, graph, &first, right ? 1 : 0, &p);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, 0);
    cudaDeviceSynchronize();
}

// The host changes managed memory while the kernel may run.
// expect managed_early: error[stream-race] | race with the host | wait for the kernel before the host changes its source
void managed_early(bool right) {
    int *x, *y = device<int>(64);
    cudaMallocManaged(&x, 256);
    for (int i = 0; i < 64; ++i) x[i] = i;
    addto<<<1, 64>>>(y, x, 64);
    if (right) cudaDeviceSynchronize();
    x[0] = 7;
    cudaDeviceSynchronize();
}

__global__ void surfaces(cudaSurfaceObject_t s, int w, int h) {
    int x = blockIdx.x * blockDim.x + T, y = blockIdx.y;
    if (x < w && y < h) surf2Dwrite<float>(1.0f, s, x * 4, y, cudaBoundaryModeTrap);
}
// The grid has a row more than the surface.
// expect surface_rows: error[out-of-bounds] | access outside a surface: 4 bytes at byte 0 of row 8 | counts bytes, not elements
void surface_rows(bool right) {
    cudaArray_t a;
    cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
    cudaMallocArray(&a, &d, 32, 8, cudaArraySurfaceLoadStore);
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    cudaSurfaceObject_t s;
    cudaCreateSurfaceObject(&s, &r);
    surfaces<<<dim3(1, 9), 32>>>(s, 32, right ? 8 : 9);
    cudaDeviceSynchronize();
}

__global__ void rows(const int *x, int w, int h, int stride, int *y) { if ((int)T < w) for (int r = 0; r < h; ++r) y[r * w + T] = x[r * stride + T]; }
// The kernel takes pitched rows for dense ones.
// expect dense_rows: error[uninitialized] | at x+400 were never written
void dense_rows(bool right) {
    int *x, *y = device<int>(100 * 4), h[100 * 4];
    size_t pitch;
    cudaMallocPitch((void **)&x, &pitch, 400, 4);
    for (int i = 0; i < 400; ++i) h[i] = i;
    cudaMemcpy2D(x, pitch, h, 400, 400, 4, cudaMemcpyHostToDevice);
    rows<<<1, 128>>>(x, 100, 4, right ? pitch / 4 : 100, y);
    cudaDeviceSynchronize();
}

// The pointer is taken before the vector grows.
// expect vector_grows: error[use-after-free] | was freed
void vector_grows(bool right) {
    thrust::device_vector<int> x(64, 1);
    int *p = thrust::raw_pointer_cast(x.data());
    x.resize(100000);
    if (right) p = thrust::raw_pointer_cast(x.data());
    fill<<<1, 64>>>(p, 64, 2);
    cudaDeviceSynchronize();
}

// The time between two events is asked for in place of a wait.
// expect time_is_no_wait: error[stream-race] | race with the host: the host in `time_is_no_wait` reads | which kernel `fill`
void time_is_no_wait(bool right) {
    cudaEvent_t start, end;
    float ms = 0;
    int *x;
    cudaMallocManaged(&x, 256);
    cudaEventCreate(&start);
    cudaEventCreate(&end);
    cudaEventRecord(start);
    fill<<<1, 64>>>(x, 64, 1);
    cudaEventRecord(end);
    if (right) cudaEventSynchronize(end);
    cudaEventElapsedTime(&ms, start, end);
    printf("%d\n", x[3]);
    cudaDeviceSynchronize();
}

// The event is recorded before the kernel that it should stand for.
// expect event_early: error[stream-race] | let stream 2 wait for it before `addto`
void event_early(bool right) {
    cudaStream_t a, b;
    cudaEvent_t e;
    int *x = device<int>(64), *y = device<int>(64);
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaEventCreate(&e);
    if (!right) cudaEventRecord(e, a);
    fill<<<1, 64, 0, a>>>(x, 64, 1);
    if (right) cudaEventRecord(e, a);
    cudaStreamWaitEvent(b, e, 0);
    addto<<<1, 64, 0, b>>>(y, x, 64);
    cudaDeviceSynchronize();
}

__constant__ int table[64];
__global__ void looked(int *y) { y[T] = table[T]; }
// Constants change in a stream while another one's kernel reads them.
// expect constants_change: error[stream-race] | at table+0, which kernel `looked` (launch 1, stream 1) reads
void constants_change(bool right) {
    cudaStream_t a, b;
    int *y = device<int>(64), *h;
    cudaMallocHost(&h, 256);
    memset(h, 0, 256);
    cudaMemcpyToSymbol(table, h, 256);
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    looked<<<1, 64, 0, a>>>(y);
    cudaMemcpyToSymbolAsync(table, h, 256, 0, cudaMemcpyHostToDevice, right ? a : b);
    cudaDeviceSynchronize();
}

// Memory goes back to its pool in one stream, while a kernel of another stream uses it.
// expect pool_event: error[stream-race] | use after free: `cudaFreeAsync` (stream 1) | let stream 1 wait for it before `cudaFreeAsync`
void pool_event(bool right) {
    cudaStream_t a, b;
    cudaEvent_t e, done;
    int *x, *y = device<int>(64);
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaEventCreate(&e);
    cudaEventCreate(&done);
    cudaMallocAsync(&x, 256, a);
    fill<<<1, 64, 0, a>>>(x, 64, 1);
    cudaEventRecord(e, a);
    cudaStreamWaitEvent(b, e, 0);
    if (!right) cudaEventRecord(done, b);
    addto<<<1, 64, 0, b>>>(y, x, 64);
    if (right) cudaEventRecord(done, b);
    cudaStreamWaitEvent(a, done, 0);
    cudaFreeAsync(x, a);
    cudaDeviceSynchronize();
}

// A copy moves an array up, onto itself.
// expect copied_onto_itself: error[race] | overlapping copy: 256 bytes at x+0; 128 bytes are in the source and in the target | copy through another buffer
void copied_onto_itself(bool right) {
    char *x = device<char>(1024);
    fill<<<1, 64>>>((int *)x, 64, 1);
    cudaMemcpy(x + (right ? 512 : 128), x, 256, cudaMemcpyDeviceToDevice);
    cudaDeviceSynchronize();
}

// The host reads the result of a graph's launch before it has ended.
// expect graph_result: error[stream-race] | race with the host | wait for the copy before the host uses its result
void graph_result(bool right) {
    int *x = device<int>(64), *h;
    cudaStream_t s;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaMallocHost(&h, 256);
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    fill<<<1, 64, 0, s>>>(x, 64, 5);
    cudaMemcpyAsync(h, x, 256, cudaMemcpyDeviceToHost, s);
    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, s);
    cudaStreamSynchronize(s);
    cudaGraphLaunch(exec, s);
    if (right) cudaStreamSynchronize(s);
    int sum = 0;
    for (int i = 0; i < 64; ++i) sum += h[i];
    cudaDeviceSynchronize();
    printf("%d\n", sum);
}

const Program all[] = {
    {"local_neighbor", local_neighbor}, {"local_walks", local_walks}, {"grid_exit", grid_exit},
    {"graph_edge", graph_edge}, {"managed_early", managed_early}, {"surface_rows", surface_rows},
    {"dense_rows", dense_rows}, {"vector_grows", vector_grows}, {"time_is_no_wait", time_is_no_wait},
    {"event_early", event_early}, {"constants_change", constants_change}, {"pool_event", pool_event},
    {"copied_onto_itself", copied_onto_itself}, {"graph_result", graph_result},
};

int main(int count, char **arguments) { return run(all, count, arguments); }
