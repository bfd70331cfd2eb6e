// Signatures of CUDA 12 that CUDA 13 changed, for suites written before it: `nvcc -include cuda12_calls.h`.
#pragma once
#ifdef __CUDACC__
#include <cuda_runtime.h>
#if CUDART_VERSION >= 13000

static inline cudaMemLocation lanework_location(int device)
{
    cudaMemLocation location = {};
    location.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
    location.id = device == cudaCpuDeviceId ? 0 : device;
    return location;
}

static inline cudaError_t cudaMemPrefetchAsync(const void *at, size_t bytes, int device, cudaStream_t stream = 0)
{
    return cudaMemPrefetchAsync(at, bytes, lanework_location(device), 0, stream);
}

static inline cudaError_t cudaMemAdvise(const void *at, size_t bytes, cudaMemoryAdvise advice, int device)
{
    return cudaMemAdvise(at, bytes, advice, lanework_location(device));
}

static inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count)
{
    return cudaGraphAddDependencies(graph, from, to, nullptr, count);
}
#endif
#endif
