// Host code: less frequent parts of the CUDA runtime: peers, limits, priorities, memory pools, captured graphs, attributes of addresses.
typedef struct CUctx_st *CUcontext;
typedef struct CUmemPoolHandle_st *cudaMemPool_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;
typedef struct CUgraphNode_st *cudaGraphNode_t;
enum cudaLimit { cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize, cudaLimitDevRuntimeSyncDepth, cudaLimitDevRuntimePendingLaunchCount, cudaLimitMaxL2FetchGranularity, cudaLimitPersistingL2CacheSize };
enum cudaMemoryType { cudaMemoryTypeUnregistered, cudaMemoryTypeHost, cudaMemoryTypeDevice, cudaMemoryTypeManaged };
enum cudaMemoryAdvise { cudaMemAdviseSetReadMostly = 1, cudaMemAdviseUnsetReadMostly, cudaMemAdviseSetPreferredLocation, cudaMemAdviseUnsetPreferredLocation, cudaMemAdviseSetAccessedBy, cudaMemAdviseUnsetAccessedBy };
enum cudaMemLocationType { cudaMemLocationTypeInvalid, cudaMemLocationTypeDevice, cudaMemLocationTypeHost, cudaMemLocationTypeHostNuma, cudaMemLocationTypeHostNumaCurrent };
enum cudaMemAllocationType { cudaMemAllocationTypeInvalid, cudaMemAllocationTypePinned };
enum cudaMemAllocationHandleType { cudaMemHandleTypeNone, cudaMemHandleTypePosixFileDescriptor };
enum cudaMemAccessFlags { cudaMemAccessFlagsProtNone, cudaMemAccessFlagsProtRead, cudaMemAccessFlagsProtReadWrite = 3 };
enum cudaMemPoolAttr {
    cudaMemPoolReuseFollowEventDependencies = 1, cudaMemPoolReuseAllowOpportunistic, cudaMemPoolReuseAllowInternalDependencies,
    cudaMemPoolAttrReleaseThreshold, cudaMemPoolAttrReservedMemCurrent, cudaMemPoolAttrReservedMemHigh, cudaMemPoolAttrUsedMemCurrent, cudaMemPoolAttrUsedMemHigh
};
enum cudaDeviceP2PAttr { cudaDevP2PAttrPerformanceRank = 1, cudaDevP2PAttrAccessSupported, cudaDevP2PAttrNativeAtomicSupported, cudaDevP2PAttrCudaArrayAccessSupported };
enum cudaStreamCaptureMode { cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed };
enum cudaStreamCaptureStatus { cudaStreamCaptureStatusNone, cudaStreamCaptureStatusActive, cudaStreamCaptureStatusInvalidated };
enum cudaGraphExecUpdateResult { cudaGraphExecUpdateSuccess, cudaGraphExecUpdateError };
struct cudaMemLocation { cudaMemLocationType type; int id; };
struct cudaMemPoolProps { cudaMemAllocationType allocType; cudaMemAllocationHandleType handleTypes; cudaMemLocation location; void *win32SecurityAttributes; size_t maxSize; unsigned char reserved[56]; };
struct cudaMemAccessDesc { cudaMemLocation location; cudaMemAccessFlags flags; };
struct cudaPointerAttributes { cudaMemoryType type; int device; void *devicePointer, *hostPointer; };
struct cudaGraphExecUpdateResultInfo { cudaGraphExecUpdateResult result; cudaGraphNode_t errorNode, errorFromNode; };
#define cudaHostRegisterDefault 0
#define cudaHostRegisterPortable 1
#define cudaHostRegisterMapped 2
#define cudaHostRegisterIoMemory 4
#define cudaHostRegisterReadOnly 8
#define cudaMemAttachHost 2
#define cudaMemAttachSingle 4
#define cudaGraphInstantiateFlagAutoFreeOnLaunch 1
#define cudaGraphInstantiateFlagUseNodePriority 8
#define cudaEventWaitDefault 0
#define cudaEventRecordDefault 0
#define cudaOccupancyDefault 0
extern "C" {
int cuDevicePrimaryCtxRetain(CUcontext *to, int device);
int cuDeviceCanAccessPeer(int *can, int device, int peer);
int cuDeviceGetP2PAttribute(int *value, int attribute, int from, int to);
int cuCtxEnablePeerAccess(CUcontext peer, unsigned flags);
int cuCtxDisablePeerAccess(CUcontext peer);
int cuCtxSetLimit(int limit, size_t value);
int cuCtxGetLimit(size_t *value, int limit);
int cuCtxGetStreamPriorityRange(int *least, int *greatest);
int cuCtxResetPersistingL2Cache();
int cuStreamCreateWithPriority(cudaStream_t *to, unsigned flags, int priority);
int cuStreamGetPriority(cudaStream_t stream, int *priority);
int cuStreamGetFlags(cudaStream_t stream, unsigned *flags);
int cuStreamAttachMemAsync(cudaStream_t stream, void *memory, size_t bytes, unsigned flags);
int cuMemAdvise(const void *memory, size_t bytes, int advice, int device);
int cuMemHostRegister_v2(void *memory, size_t bytes, unsigned flags);
int cuMemHostUnregister(void *memory);
int cuPointerGetAttribute(void *data, int attribute, const void *address);
int cuDeviceGetPCIBusId(char *text, int room, int device);
int cuMemAllocFromPoolAsync(void **to, size_t bytes, cudaMemPool_t pool, cudaStream_t stream);
int cuDeviceGetDefaultMemPool(cudaMemPool_t *to, int device);
int cuDeviceGetMemPool(cudaMemPool_t *to, int device);
int cuDeviceSetMemPool(int device, cudaMemPool_t pool);
int cuMemPoolCreate(cudaMemPool_t *to, const cudaMemPoolProps *properties);
int cuMemPoolDestroy(cudaMemPool_t pool);
int cuMemPoolTrimTo(cudaMemPool_t pool, size_t bytes);
int cuMemPoolSetAttribute(cudaMemPool_t pool, int attribute, void *value);
int cuMemPoolGetAttribute(cudaMemPool_t pool, int attribute, void *value);
int cuMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc *access, size_t count);
int cuStreamBeginCapture_v2(cudaStream_t stream, int mode);
int cuStreamEndCapture(cudaStream_t stream, cudaGraph_t *to);
int cuStreamIsCapturing(cudaStream_t stream, int *status);
int cuGraphCreate(cudaGraph_t *to, unsigned flags);
int cuGraphDestroy(cudaGraph_t graph);
int cuGraphClone(cudaGraph_t *to, cudaGraph_t graph);
int cuGraphInstantiateWithFlags(cudaGraphExec_t *to, cudaGraph_t graph, unsigned long flags);
int cuGraphExecDestroy(cudaGraphExec_t graph);
int cuGraphExecUpdate_v2(cudaGraphExec_t to, cudaGraph_t from, cudaGraphExecUpdateResultInfo *result);
int cuGraphUpload(cudaGraphExec_t graph, cudaStream_t stream);
int cuGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream);
int cuGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count);
}
inline cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) { __LW_CALL(cuDeviceCanAccessPeer(can, device, peer)); }
inline cudaError_t cudaDeviceGetP2PAttribute(int *value, cudaDeviceP2PAttr attribute, int from, int to) { __LW_CALL(cuDeviceGetP2PAttribute(value, attribute, from, to)); }
inline cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags = 0) {
    CUcontext context;
    int status = __lw_begin();
    if (status == 0) status = cuDevicePrimaryCtxRetain(&context, peer);
    if (status == 0) status = cuCtxEnablePeerAccess(context, flags);
    return __lw_done(status);
}
inline cudaError_t cudaDeviceDisablePeerAccess(int peer) {
    CUcontext context;
    int status = __lw_begin();
    if (status == 0) status = cuDevicePrimaryCtxRetain(&context, peer);
    if (status == 0) status = cuCtxDisablePeerAccess(context);
    return __lw_done(status);
}
inline cudaError_t __lw_devices(int one, int other) {
    int count = 0;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaSuccess && (one < 0 || one >= count || other < 0 || other >= count))
        return __lw_refused(101, "cudaMemcpyPeer: there is no device of this number", "pass numbers below that of `cudaGetDeviceCount`");
    return error;
}
inline cudaError_t cudaMemcpyPeerAsync(void *to, int toDevice, const void *from, int fromDevice, size_t bytes, cudaStream_t stream = nullptr) {
    cudaError_t error = __lw_devices(toDevice, fromDevice);
    if (error != cudaSuccess) return error;
    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}
inline cudaError_t cudaMemcpyPeer(void *to, int toDevice, const void *from, int fromDevice, size_t bytes) {
    cudaError_t error = __lw_devices(toDevice, fromDevice);
    return error == cudaSuccess ? cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice) : error;
}
inline cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) { __LW_CALL(cuCtxSetLimit(limit, value)); }
inline cudaError_t cudaDeviceGetLimit(size_t *value, cudaLimit limit) { __LW_CALL(cuCtxGetLimit(value, limit)); }
inline cudaError_t cudaThreadSetLimit(cudaLimit limit, size_t value) { return cudaDeviceSetLimit(limit, value); }
inline cudaError_t cudaCtxResetPersistingL2Cache() { __LW_CALL(cuCtxResetPersistingL2Cache()); }
inline cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) { __LW_CALL(cuCtxGetStreamPriorityRange(least, greatest)); }
inline cudaError_t cudaStreamCreateWithPriority(cudaStream_t *to, unsigned flags, int priority) { __LW_CALL(cuStreamCreateWithPriority(to, flags, priority)); }
inline cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority) { __LW_CALL(cuStreamGetPriority(stream, priority)); }
inline cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags) { __LW_CALL(cuStreamGetFlags(stream, flags)); }
template <class T> inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T *memory, size_t bytes = 0, unsigned flags = 4) { __LW_CALL(cuStreamAttachMemAsync(stream, (void *)memory, bytes, flags)); }
inline cudaError_t cudaMemAdvise(const void *memory, size_t bytes, cudaMemoryAdvise advice, int device) { __LW_CALL(cuMemAdvise(memory, bytes, advice, device)); }
inline cudaError_t cudaMemAdvise(const void *memory, size_t bytes, cudaMemoryAdvise advice, cudaMemLocation place) {
    int status = __lw_begin();
    if (status == 0) status = cuMemAdvise(memory, bytes, advice, place.type == cudaMemLocationTypeDevice ? place.id : cudaCpuDeviceId);
    // For a place, an invalid device is an invalid value.
    return __lw_done(status == 101 ? 1 : status);
}
inline cudaError_t cudaMemPrefetchAsync(const void *memory, size_t bytes, cudaMemLocation place, unsigned, cudaStream_t stream = nullptr) {
    return cudaMemPrefetchAsync(memory, bytes, place.type == cudaMemLocationTypeDevice ? place.id : cudaCpuDeviceId, stream);
}
inline cudaError_t cudaHostRegister(void *memory, size_t bytes, unsigned flags) { __LW_CALL(cuMemHostRegister_v2(memory, bytes, flags)); }
inline cudaError_t cudaHostUnregister(void *memory) { __LW_CALL(cuMemHostUnregister(memory)); }
inline cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *to, const void *address) {
    unsigned long kind = 0, managed = 0, device = 0, place = 0;
    int status = __lw_begin();
    if (status != 0) return __lw_done(status);
    *to = cudaPointerAttributes{cudaMemoryTypeUnregistered, -2, nullptr, (void *)address};
    if (cuPointerGetAttribute(&kind, 2, address) != 0) return cudaSuccess;
    cuPointerGetAttribute(&managed, 8, address);
    cuPointerGetAttribute(&device, 9, address);
    cuPointerGetAttribute(&place, 3, address);
    to->type = (unsigned)managed & 255 ? cudaMemoryTypeManaged : (unsigned)kind == 1 ? cudaMemoryTypeHost : cudaMemoryTypeDevice;
    to->device = (int)device;
    to->devicePointer = (void *)place;
    if (to->type == cudaMemoryTypeDevice) to->hostPointer = nullptr;
    return cudaSuccess;
}
inline cudaError_t cudaDeviceGetPCIBusId(char *text, int room, int device) { __LW_CALL(cuDeviceGetPCIBusId(text, room, device)); }
inline cudaError_t cudaChooseDevice(int *device, const cudaDeviceProp *) { *device = 0; return cudaSuccess; }
inline cudaError_t cudaSetValidDevices(int *, int) { return cudaSuccess; }
inline cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *to, int device) { __LW_CALL(cuDeviceGetDefaultMemPool(to, device)); }
inline cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *to, int device) { __LW_CALL(cuDeviceGetMemPool(to, device)); }
inline cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) { __LW_CALL(cuDeviceSetMemPool(device, pool)); }
inline cudaError_t cudaMemPoolCreate(cudaMemPool_t *to, const cudaMemPoolProps *properties) { __LW_CALL(cuMemPoolCreate(to, properties)); }
inline cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) { __LW_CALL(cuMemPoolDestroy(pool)); }
inline cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes) { __LW_CALL(cuMemPoolTrimTo(pool, bytes)); }
inline cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value) { __LW_CALL(cuMemPoolSetAttribute(pool, attribute, value)); }
inline cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value) { __LW_CALL(cuMemPoolGetAttribute(pool, attribute, value)); }
inline cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc *access, size_t count) {
    for (size_t i = 0; i < count; i++) {
        int status = cuMemPoolSetAccess(pool, access + i, 1);
        if (status != 0) return __lw_done(status);
    }
    return cudaSuccess;
}
template <class T> inline cudaError_t cudaMallocFromPoolAsync(T **to, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) { __LW_CALL(cuMemAllocFromPoolAsync((void **)to, bytes, pool, stream)); }
template <class T> inline cudaError_t cudaMallocAsync(T **to, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) { return cudaMallocFromPoolAsync(to, bytes, pool, stream); }
inline cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) { __LW_CALL(cuStreamBeginCapture_v2(stream, mode)); }
inline cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *to) { __LW_CALL(cuStreamEndCapture(stream, to)); }
inline cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *to) {
    int found = 0, status = __lw_begin();
    if (status == 0) status = cuStreamIsCapturing(stream, &found);
    *to = (cudaStreamCaptureStatus)found;
    return __lw_done(status);
}
inline cudaError_t cudaGraphCreate(cudaGraph_t *to, unsigned flags) { __LW_CALL(cuGraphCreate(to, flags)); }
inline cudaError_t cudaGraphDestroy(cudaGraph_t graph) { __LW_CALL(cuGraphDestroy(graph)); }
inline cudaError_t cudaGraphClone(cudaGraph_t *to, cudaGraph_t graph) { __LW_CALL(cuGraphClone(to, graph)); }
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *to, cudaGraph_t graph, unsigned long long flags = 0) { __LW_CALL(cuGraphInstantiateWithFlags(to, graph, flags)); }
inline cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *to, cudaGraph_t graph, unsigned long long flags = 0) { return cudaGraphInstantiate(to, graph, flags); }
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *to, cudaGraph_t graph, cudaGraphNode_t *, char *, size_t) { return cudaGraphInstantiate(to, graph, 0ull); }
inline cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) { __LW_CALL(cuGraphExecDestroy(graph)); }
inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t to, cudaGraph_t from, cudaGraphExecUpdateResultInfo *result) { __LW_CALL(cuGraphExecUpdate_v2(to, from, result)); }
// CUDA 11's form.
inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t to, cudaGraph_t from, cudaGraphNode_t *node, cudaGraphExecUpdateResult *result) {
    cudaGraphExecUpdateResultInfo info;
    cudaError_t error = cudaGraphExecUpdate(to, from, &info);
    if (node) *node = info.errorNode;
    if (result) *result = info.result;
    return error;
}
inline cudaError_t cudaGraphUpload(cudaGraphExec_t graph, cudaStream_t stream) { __LW_CALL(cuGraphUpload(graph, stream)); }
inline cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) { __LW_CALL(cuGraphLaunch(graph, stream)); }
inline cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) { __LW_CALL(cuGraphGetNodes(graph, nodes, count)); }
// Launches with attributes; clusters are not supported here.
enum cudaLaunchAttributeID { cudaLaunchAttributeIgnore, cudaLaunchAttributeAccessPolicyWindow, cudaLaunchAttributeCooperative, cudaLaunchAttributeSynchronizationPolicy, cudaLaunchAttributeClusterDimension, cudaLaunchAttributePriority = 8, cudaLaunchAttributeProgrammaticStreamSerialization = 6 };
union cudaLaunchAttributeValue { char pad[64]; int cooperative, priority, programmaticStreamSerializationAllowed; struct { unsigned x, y, z; } clusterDim; };
struct cudaLaunchAttribute { cudaLaunchAttributeID id; char pad[4]; cudaLaunchAttributeValue val; };
struct cudaLaunchConfig_t { dim3 gridDim, blockDim; size_t dynamicSmemBytes; cudaStream_t stream; cudaLaunchAttribute *attrs; unsigned numAttrs; };
template <class T> struct __lw_identity { typedef T type; };
template <class... P> inline cudaError_t __lw_launch_values(const cudaLaunchConfig_t *config, void (*kernel)(P...), typename __lw_identity<P>::type... values) {
    void *list[sizeof...(P) + 1] = {(void *)&values...};
    bool cooperative = false;
    for (unsigned i = 0; i < config->numAttrs; i++) {
        if (config->attrs[i].id == cudaLaunchAttributeCooperative) cooperative = config->attrs[i].val.cooperative != 0;
        if (config->attrs[i].id == cudaLaunchAttributeClusterDimension) {
            auto &cluster = config->attrs[i].val.clusterDim;
            unsigned blocks = cluster.x * cluster.y * cluster.z;
            if (blocks == 0 || blocks > 8 || config->gridDim.x % cluster.x || config->gridDim.y % cluster.y || config->gridDim.z % cluster.z) return __lw_done(912);
            if (blocks > 1) return __lw_done(801);
        }
    }
    if (cooperative) return cudaLaunchCooperativeKernel(kernel, config->gridDim, config->blockDim, list, config->dynamicSmemBytes, config->stream);
    return cudaLaunchKernel(kernel, config->gridDim, config->blockDim, list, config->dynamicSmemBytes, config->stream);
}
template <class... P, class... A> inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(P...), A &&...values) {
    return __lw_launch_values(config, kernel, values...);
}
// Properties of streams that the emulator does not model: persisting lines of the second-level cache.
enum cudaAccessProperty { cudaAccessPropertyNormal, cudaAccessPropertyStreaming, cudaAccessPropertyPersisting };
enum cudaStreamAttrID { cudaStreamAttributeAccessPolicyWindow = 1, cudaStreamAttributeSynchronizationPolicy = 3 };
struct cudaAccessPolicyWindow { void *base_ptr; size_t num_bytes; float hitRatio; cudaAccessProperty hitProp, missProp; };
union cudaStreamAttrValue { cudaAccessPolicyWindow accessPolicyWindow; int syncPolicy; };
inline cudaError_t cudaStreamSetAttribute(cudaStream_t, cudaStreamAttrID, const cudaStreamAttrValue *) { return cudaSuccess; }
// NVTX: ranges and marks have no effect.
typedef unsigned long nvtxRangeId_t;
inline int nvtxRangePushA(const char *) { return 0; }
inline int nvtxRangePop() { return 0; }
inline nvtxRangeId_t nvtxRangeStartA(const char *) { return 0; }
inline void nvtxRangeEnd(nvtxRangeId_t) {}
inline void nvtxMarkA(const char *) {}
#define nvtxRangePush nvtxRangePushA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxMark nvtxMarkA
