// Host code: graphs made node by node.
enum cudaGraphNodeType {
    cudaGraphNodeTypeKernel, cudaGraphNodeTypeMemcpy, cudaGraphNodeTypeMemset, cudaGraphNodeTypeHost, cudaGraphNodeTypeGraph, cudaGraphNodeTypeEmpty,
    cudaGraphNodeTypeWaitEvent, cudaGraphNodeTypeEventRecord, cudaGraphNodeTypeExtSemaphoreSignal, cudaGraphNodeTypeExtSemaphoreWait, cudaGraphNodeTypeMemAlloc,
    cudaGraphNodeTypeMemFree, cudaGraphNodeTypeConditional = 13, cudaGraphNodeTypeCount
};
enum cudaGraphMemAttributeType { cudaGraphMemAttrUsedMemCurrent, cudaGraphMemAttrUsedMemHigh, cudaGraphMemAttrReservedMemCurrent, cudaGraphMemAttrReservedMemHigh };
enum cudaGraphDebugDotFlags { cudaGraphDebugDotFlagsVerbose = 1 };
struct cudaKernelNodeParams { void *func; dim3 gridDim, blockDim; unsigned sharedMemBytes; void **kernelParams, **extra; };
struct cudaMemsetParams { void *dst; size_t pitch; unsigned value, elementSize; size_t width, height; };
struct cudaHostNodeParams { cudaHostFn_t fn; void *userData; };
struct cudaMemAllocNodeParams { cudaMemPoolProps poolProps; const cudaMemAccessDesc *accessDescs; size_t accessDescCount, bytesize; void *dptr; };
struct __lw_kernel_node { void *function; unsigned grid[3], block[3], shared, pad; void **each, **extra; void *kernel, *context; };
extern "C" {
int cuGraphAddKernelNode_v2(cudaGraphNode_t *to, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, const __lw_kernel_node *parameters);
int cuGraphAddMemcpyNode(cudaGraphNode_t *to, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, const __lw_copy3 *copy, CUcontext context);
int cuGraphAddMemsetNode(cudaGraphNode_t *to, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, const cudaMemsetParams *fill, CUcontext context);
int cuGraphAddHostNode(cudaGraphNode_t *to, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, const cudaHostNodeParams *parameters);
int cuGraphAddEmptyNode(cudaGraphNode_t *to, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count);
int cuGraphAddChildGraphNode(cudaGraphNode_t *to, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, cudaGraph_t child);
int cuGraphAddEventRecordNode(cudaGraphNode_t *to, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, cudaEvent_t event);
int cuGraphAddEventWaitNode(cudaGraphNode_t *to, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, cudaEvent_t event);
int cuGraphAddMemAllocNode(cudaGraphNode_t *to, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, cudaMemAllocNodeParams *parameters);
int cuGraphAddMemFreeNode(cudaGraphNode_t *to, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, void *memory);
int cuGraphKernelNodeSetParams_v2(cudaGraphNode_t node, const __lw_kernel_node *parameters);
int cuGraphExecKernelNodeSetParams_v2(cudaGraphExec_t graph, cudaGraphNode_t node, const __lw_kernel_node *parameters);
int cuGraphMemcpyNodeSetParams(cudaGraphNode_t node, const __lw_copy3 *copy);
int cuGraphExecMemcpyNodeSetParams(cudaGraphExec_t graph, cudaGraphNode_t node, const __lw_copy3 *copy, CUcontext context);
int cuGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams *fill);
int cuGraphExecMemsetNodeSetParams(cudaGraphExec_t graph, cudaGraphNode_t node, const cudaMemsetParams *fill, CUcontext context);
int cuGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams *parameters);
int cuGraphExecHostNodeSetParams(cudaGraphExec_t graph, cudaGraphNode_t node, const cudaHostNodeParams *parameters);
int cuGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count);
int cuGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count);
int cuGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count);
int cuGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *count);
int cuGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count);
int cuGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count);
int cuGraphNodeGetType(cudaGraphNode_t node, int *type);
int cuGraphDestroyNode(cudaGraphNode_t node);
int cuGraphNodeFindInClone(cudaGraphNode_t *to, cudaGraphNode_t original, cudaGraph_t clone);
int cuGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *to);
int cuGraphExecChildGraphNodeSetParams(cudaGraphExec_t graph, cudaGraphNode_t node, cudaGraph_t child);
int cuGraphNodeSetEnabled(cudaGraphExec_t graph, cudaGraphNode_t node, unsigned enabled);
int cuGraphNodeGetEnabled(cudaGraphExec_t graph, cudaGraphNode_t node, unsigned *enabled);
int cuGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *to);
int cuGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event);
int cuGraphExecEventRecordNodeSetEvent(cudaGraphExec_t graph, cudaGraphNode_t node, cudaEvent_t event);
int cuGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *to);
int cuGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event);
int cuGraphExecEventWaitNodeSetEvent(cudaGraphExec_t graph, cudaGraphNode_t node, cudaEvent_t event);
int cuGraphDebugDotPrint(cudaGraph_t graph, const char *file, unsigned flags);
int cuDeviceGraphMemTrim(int device);
int cuDeviceGetGraphMemAttribute(int device, int attribute, void *value);
int cuDeviceSetGraphMemAttribute(int device, int attribute, void *value);
}
inline int __lw_kernel_parameters(const cudaKernelNodeParams *from, __lw_kernel_node *to) {
    memset(to, 0, sizeof(*to));
    int status = __lw_begin();
    if (status == 0) status = __lw_kernel((const void *)from->func, &to->function);
    to->grid[0] = from->gridDim.x; to->grid[1] = from->gridDim.y; to->grid[2] = from->gridDim.z;
    to->block[0] = from->blockDim.x; to->block[1] = from->blockDim.y; to->block[2] = from->blockDim.z;
    to->shared = from->sharedMemBytes;
    to->each = from->kernelParams;
    return status;
}
// A copy in one dimension.
inline cudaMemcpy3DParms __lw_line(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
    cudaMemcpy3DParms all = {};
    all.srcPtr = cudaPitchedPtr{(void *)from, bytes, bytes, 1};
    all.dstPtr = cudaPitchedPtr{to, bytes, bytes, 1};
    all.extent = cudaExtent{bytes, 1, 1};
    all.kind = kind;
    return all;
}
#define __LW_COPY(PARAMETERS, CALL)                                                                                   \
    __lw_copy3 copy;                                                                                                  \
    CUcontext context = nullptr;                                                                                      \
    int status = __lw_copy_of(PARAMETERS, &copy);                                                                     \
    if (status == 0) status = cuDevicePrimaryCtxRetain(&context, __lw_device);                                        \
    if (status == 0) status = CALL;                                                                                   \
    return __lw_done(status)
inline cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *to, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, const cudaKernelNodeParams *parameters) {
    __lw_kernel_node node;
    int status = __lw_kernel_parameters(parameters, &node);
    if (status == 0) status = cuGraphAddKernelNode_v2(to, graph, after, count, &node);
    return __lw_done(status);
}
inline cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams *parameters) {
    __lw_kernel_node changed;
    int status = __lw_kernel_parameters(parameters, &changed);
    if (status == 0) status = cuGraphKernelNodeSetParams_v2(node, &changed);
    return __lw_done(status);
}
inline cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t graph, cudaGraphNode_t node, const cudaKernelNodeParams *parameters) {
    __lw_kernel_node changed;
    int status = __lw_kernel_parameters(parameters, &changed);
    if (status == 0) status = cuGraphExecKernelNodeSetParams_v2(graph, node, &changed);
    return __lw_done(status);
}
inline cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *to, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, const cudaMemcpy3DParms *all) { __LW_COPY(all, cuGraphAddMemcpyNode(to, graph, after, count, &copy, context)); }
inline cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms *all) { __LW_COPY(all, cuGraphMemcpyNodeSetParams(node, &copy)); }
inline cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t graph, cudaGraphNode_t node, const cudaMemcpy3DParms *all) { __LW_COPY(all, cuGraphExecMemcpyNodeSetParams(graph, node, &copy, context)); }
inline cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *made, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
    cudaMemcpy3DParms all = __lw_line(to, from, bytes, kind);
    return cudaGraphAddMemcpyNode(made, graph, after, count, &all);
}
inline cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
    cudaMemcpy3DParms all = __lw_line(to, from, bytes, kind);
    return cudaGraphMemcpyNodeSetParams(node, &all);
}
inline cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t graph, cudaGraphNode_t node, void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
    cudaMemcpy3DParms all = __lw_line(to, from, bytes, kind);
    return cudaGraphExecMemcpyNodeSetParams(graph, node, &all);
}
template <class T> inline cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *made, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, const T &symbol, const void *from, size_t bytes, size_t offset, cudaMemcpyKind kind) {
    void *at;
    cudaError_t error = cudaGetSymbolAddress(&at, symbol);
    return error == cudaSuccess ? cudaGraphAddMemcpyNode1D(made, graph, after, count, (char *)at + offset, from, bytes, kind) : error;
}
template <class T> inline cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *made, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, void *to, const T &symbol, size_t bytes, size_t offset, cudaMemcpyKind kind) {
    void *at;
    cudaError_t error = cudaGetSymbolAddress(&at, symbol);
    return error == cudaSuccess ? cudaGraphAddMemcpyNode1D(made, graph, after, count, to, (const char *)at + offset, bytes, kind) : error;
}
#define __LW_FILL(CALL)                                                                                               \
    CUcontext context = nullptr;                                                                                      \
    int status = __lw_begin();                                                                                        \
    if (status == 0) status = cuDevicePrimaryCtxRetain(&context, __lw_device);                                        \
    if (status == 0) status = CALL;                                                                                   \
    return __lw_done(status)
inline cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *to, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, const cudaMemsetParams *fill) { __LW_FILL(cuGraphAddMemsetNode(to, graph, after, count, fill, context)); }
inline cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t graph, cudaGraphNode_t node, const cudaMemsetParams *fill) { __LW_FILL(cuGraphExecMemsetNodeSetParams(graph, node, fill, context)); }
inline cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams *fill) { __LW_CALL(cuGraphMemsetNodeSetParams(node, fill)); }
inline cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *to, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, const cudaHostNodeParams *parameters) {
    if (!parameters->fn) return __lw_refused(1, "cudaGraphAddHostNode: the function is null", "pass a function of the host");
    __LW_CALL(cuGraphAddHostNode(to, graph, after, count, parameters));
}
inline cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams *parameters) { __LW_CALL(cuGraphHostNodeSetParams(node, parameters)); }
inline cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t graph, cudaGraphNode_t node, const cudaHostNodeParams *parameters) { __LW_CALL(cuGraphExecHostNodeSetParams(graph, node, parameters)); }
inline cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *to, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count) { __LW_CALL(cuGraphAddEmptyNode(to, graph, after, count)); }
inline cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *to, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, cudaGraph_t child) { __LW_CALL(cuGraphAddChildGraphNode(to, graph, after, count, child)); }
inline cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *to) { __LW_CALL(cuGraphChildGraphNodeGetGraph(node, to)); }
inline cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t graph, cudaGraphNode_t node, cudaGraph_t child) { __LW_CALL(cuGraphExecChildGraphNodeSetParams(graph, node, child)); }
inline cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *to, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, cudaEvent_t event) { __LW_CALL(cuGraphAddEventRecordNode(to, graph, after, count, event)); }
inline cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *to, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, cudaEvent_t event) { __LW_CALL(cuGraphAddEventWaitNode(to, graph, after, count, event)); }
inline cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *to) { __LW_CALL(cuGraphEventRecordNodeGetEvent(node, to)); }
inline cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) { __LW_CALL(cuGraphEventRecordNodeSetEvent(node, event)); }
inline cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t graph, cudaGraphNode_t node, cudaEvent_t event) { __LW_CALL(cuGraphExecEventRecordNodeSetEvent(graph, node, event)); }
inline cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *to) { __LW_CALL(cuGraphEventWaitNodeGetEvent(node, to)); }
inline cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) { __LW_CALL(cuGraphEventWaitNodeSetEvent(node, event)); }
inline cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t graph, cudaGraphNode_t node, cudaEvent_t event) { __LW_CALL(cuGraphExecEventWaitNodeSetEvent(graph, node, event)); }
inline cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *to, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, cudaMemAllocNodeParams *parameters) { __LW_CALL(cuGraphAddMemAllocNode(to, graph, after, count, parameters)); }
inline cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *to, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count, void *memory) { __LW_CALL(cuGraphAddMemFreeNode(to, graph, after, count, memory)); }
inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count) { __LW_CALL(cuGraphAddDependencies(graph, from, to, count)); }
inline cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count) { __LW_CALL(cuGraphRemoveDependencies(graph, from, to, count)); }
inline cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) { __LW_CALL(cuGraphGetRootNodes(graph, nodes, count)); }
inline cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *count) { __LW_CALL(cuGraphGetEdges(graph, from, to, count)); }
inline cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count) { __LW_CALL(cuGraphNodeGetDependencies(node, nodes, count)); }
inline cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count) { __LW_CALL(cuGraphNodeGetDependentNodes(node, nodes, count)); }
inline cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType *to) {
    int type = 0, status = cuGraphNodeGetType(node, &type);
    if (status == 0) *to = (cudaGraphNodeType)type;
    return __lw_done(status);
}
inline cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) { __LW_CALL(cuGraphDestroyNode(node)); }
inline cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *to, cudaGraphNode_t original, cudaGraph_t clone) { __LW_CALL(cuGraphNodeFindInClone(to, original, clone)); }
inline cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t graph, cudaGraphNode_t node, unsigned enabled) { __LW_CALL(cuGraphNodeSetEnabled(graph, node, enabled)); }
inline cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t graph, cudaGraphNode_t node, unsigned *enabled) { __LW_CALL(cuGraphNodeGetEnabled(graph, node, enabled)); }
inline cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *file, unsigned flags) { __LW_CALL(cuGraphDebugDotPrint(graph, file, flags)); }
inline cudaError_t cudaDeviceGraphMemTrim(int device) { __LW_CALL(cuDeviceGraphMemTrim(device)); }
inline cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void *value) { __LW_CALL(cuDeviceGetGraphMemAttribute(device, attribute, value)); }
inline cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void *value) { __LW_CALL(cuDeviceSetGraphMemAttribute(device, attribute, value)); }
#undef __LW_COPY
#undef __LW_FILL
