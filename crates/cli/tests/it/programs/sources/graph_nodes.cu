#include <cstdio>
#include <vector>
// Graphs made node by node: copies, kernels, a fill, a function of the host, a child graph, events, and changed parameters.
__global__ void add(float *a, float v, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] += v; }
__global__ void mul(float *a, float v, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] *= v; }
struct Told { float *values; int calls; };
void CUDART_CB tell(void *data) {
    Told *told = (Told *)data;
    told->calls++;
    // The nodes after this one see the change.
    told->values[1] += 1;
    printf("call %d\n", told->calls);
}
int main() {
    const int n = 256;
    float *d, *host;
    CHECK(cudaMalloc(&d, n * 4));
    CHECK(cudaMallocHost(&host, n * 4));
    std::vector<float> h(n, 1.f), out(n);
    cudaGraph_t g;
    CHECK(cudaGraphCreate(&g, 0));
    cudaGraphNode_t copy_in, first, second, fill, fetch, call, put, empty, copy_out;
    cudaMemcpy3DParms copy = {0};
    copy.srcPtr = make_cudaPitchedPtr(h.data(), n * 4, n, 1);
    copy.dstPtr = make_cudaPitchedPtr(d, n * 4, n, 1);
    copy.extent = make_cudaExtent(n * 4, 1, 1);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaGraphAddMemcpyNode(&copy_in, g, nullptr, 0, &copy));
    cudaKernelNodeParams kernel = {0};
    float v = 2;
    int count = n;
    void *arguments[] = {&d, &v, &count};
    kernel.func = (void *)add; kernel.gridDim = dim3(1); kernel.blockDim = dim3(256); kernel.kernelParams = arguments;
    CHECK(cudaGraphAddKernelNode(&first, g, &copy_in, 1, &kernel));
    float factor = 3;
    void *others[] = {&d, &factor, &count};
    kernel.func = (void *)mul; kernel.kernelParams = others;
    CHECK(cudaGraphAddKernelNode(&second, g, &first, 1, &kernel));
    cudaMemsetParams zeros = {0};
    zeros.dst = d; zeros.value = 0; zeros.elementSize = 4; zeros.width = 1; zeros.height = 1;
    CHECK(cudaGraphAddMemsetNode(&fill, g, &second, 1, &zeros));
    CHECK(cudaGraphAddMemcpyNode1D(&fetch, g, &fill, 1, host, d, n * 4, cudaMemcpyDeviceToHost));
    Told told{host, 0};
    cudaHostNodeParams function = {0};
    function.fn = tell; function.userData = &told;
    CHECK(cudaGraphAddHostNode(&call, g, &fetch, 1, &function));
    CHECK(cudaGraphAddMemcpyNode1D(&put, g, &call, 1, d, host, n * 4, cudaMemcpyHostToDevice));
    CHECK(cudaGraphAddEmptyNode(&empty, g, nullptr, 0));
    CHECK(cudaGraphAddDependencies(g, &put, &empty, 1));
    CHECK(cudaGraphAddMemcpyNode1D(&copy_out, g, &empty, 1, out.data(), d, n * 4, cudaMemcpyDeviceToHost));
    size_t nodes = 0, edges = 0, roots = 0, before = 4;
    CHECK(cudaGraphGetNodes(g, nullptr, &nodes));
    CHECK(cudaGraphGetEdges(g, nullptr, nullptr, &edges));
    CHECK(cudaGraphGetRootNodes(g, nullptr, &roots));
    cudaGraphNode_t list[4];
    CHECK(cudaGraphNodeGetDependencies(second, list, &before));
    cudaGraphNodeType type;
    CHECK(cudaGraphNodeGetType(call, &type));
    printf("%zu nodes, %zu edges, %zu root, %d, %d\n", nodes, edges, roots, before == 1 && list[0] == first, type == cudaGraphNodeTypeHost);
    cudaGraphExec_t made;
    CHECK(cudaGraphInstantiate(&made, g, nullptr, nullptr, 0));
    cudaStream_t s;
    CHECK(cudaStreamCreate(&s));
    for (int i = 0; i < 2; i++) CHECK(cudaGraphLaunch(made, s));
    CHECK(cudaStreamSynchronize(s));
    printf("%g %g %g\n", out[0], out[1], out[n - 1]);
    factor = 10;
    CHECK(cudaGraphExecKernelNodeSetParams(made, second, &kernel));
    CHECK(cudaGraphLaunch(made, s));
    CHECK(cudaStreamSynchronize(s));
    printf("%g %g %d\n", out[1], out[2], told.calls);
    // A child graph, in a graph that a stream's capture continues.
    cudaGraph_t outer, captured;
    cudaGraphNode_t one, two;
    CHECK(cudaGraphCreate(&outer, 0));
    CHECK(cudaGraphAddChildGraphNode(&one, outer, nullptr, 0, g));
    CHECK(cudaGraphAddChildGraphNode(&two, outer, &one, 1, g));
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CHECK(cudaLaunchHostFunc(s, tell, &told));
    CHECK(cudaStreamEndCapture(s, &captured));
    cudaGraphExec_t both, alone;
    CHECK(cudaGraphInstantiate(&both, outer, 0));
    CHECK(cudaGraphInstantiate(&alone, captured, 0));
    CHECK(cudaGraphLaunch(both, s));
    CHECK(cudaGraphLaunch(alone, s));
    CHECK(cudaStreamSynchronize(s));
    printf("%g %d\n", out[1], told.calls);
}
