// Host code: the driver API of CUDA for programs that load modules themselves. A context is the primary one of its device.
#define __cuda_cuda_h__ 1
typedef int CUresult, CUdevice;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
#define __LW_RESULTS(X) \
    X(SUCCESS, 0) X(ERROR_INVALID_VALUE, 1) X(ERROR_OUT_OF_MEMORY, 2) X(ERROR_NOT_INITIALIZED, 3) X(ERROR_DEINITIALIZED, 4) X(ERROR_NO_DEVICE, \
    100) X(ERROR_INVALID_DEVICE, 101) X(ERROR_INVALID_IMAGE, 200) X(ERROR_INVALID_CONTEXT, 201) X(ERROR_NO_BINARY_FOR_GPU, 209) \
    X(ERROR_INVALID_PTX, 218) X(ERROR_FILE_NOT_FOUND, 301) X(ERROR_INVALID_HANDLE, 400) X(ERROR_NOT_FOUND, 500) X(ERROR_NOT_READY, 600) \
    X(ERROR_ILLEGAL_ADDRESS, 700) X(ERROR_LAUNCH_OUT_OF_RESOURCES, 701) X(ERROR_LAUNCH_FAILED, 719) X(ERROR_NOT_PERMITTED, 800) \
    X(ERROR_NOT_SUPPORTED, 801) X(ERROR_UNKNOWN, 999)
enum {
#define __LW_RESULT(NAME, VALUE) CUDA_##NAME = VALUE,
    __LW_RESULTS(__LW_RESULT)
#undef __LW_RESULT
};
enum CUdevice_attribute {
    CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X = 2, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y = 3,
    CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z = 4, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X = 5, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y = 6,
    CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z = 7, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8, CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY = 9,
    CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10, CU_DEVICE_ATTRIBUTE_MAX_PITCH = 11, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK = 12,
    CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13, CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT = 14, CU_DEVICE_ATTRIBUTE_GPU_OVERLAP = 15,
    CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16, CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT = 17, CU_DEVICE_ATTRIBUTE_INTEGRATED = 18,
    CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY = 19, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE = 20, CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS = 31,
    CU_DEVICE_ATTRIBUTE_ECC_ENABLED = 32, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID = 33, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID = 34,
    CU_DEVICE_ATTRIBUTE_TCC_DRIVER = 35, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE = 36, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH = 37,
    CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 39, CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT = 40,
    CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING = 41, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID = 50, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76, CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED = 78,
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR = 82,
    CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY = 83, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS = 88, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS = 89,
    CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH = 95, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
    CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR = 106, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED = 115
};
enum CUcomputemode { CU_COMPUTEMODE_DEFAULT, CU_COMPUTEMODE_PROHIBITED = 2, CU_COMPUTEMODE_EXCLUSIVE_PROCESS };
enum CUctx_flags { CU_CTX_SCHED_AUTO, CU_CTX_SCHED_SPIN, CU_CTX_SCHED_YIELD, CU_CTX_SCHED_BLOCKING_SYNC = 4, CU_CTX_MAP_HOST = 8 };
enum CUjit_option { CU_JIT_MAX_REGISTERS, CU_JIT_THREADS_PER_BLOCK, CU_JIT_WALL_TIME, CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_OPTIMIZATION_LEVEL, CU_JIT_TARGET = 9 };
enum CUfunction_attribute { CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, CU_FUNC_ATTRIBUTE_NUM_REGS, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8 };
struct CUctxCreateParams { void *execAffinityParams; int numExecAffinityParams; void *cigParams; };
#define CU_STREAM_DEFAULT 0
#define CU_STREAM_NON_BLOCKING 1
#define CU_EVENT_DEFAULT 0
extern "C" {
CUresult cuModuleLoadData(CUmodule *to, const void *image);
CUresult cuModuleUnload(CUmodule module);
CUresult cuModuleGetFunction(CUfunction *to, CUmodule module, const char *name);
CUresult cuModuleGetGlobal_v2(CUdeviceptr *to, size_t *bytes, CUmodule module, const char *name);
int __lw_rtc_create(const char *source, const char *name, int count, const char *const *texts, const char *const *names);
int __lw_rtc_compile(int program, int count, const char *const *options);
size_t __lw_rtc_bytes(int program, int log);
void __lw_rtc_get(int program, int log, char *to);
}
#define cuModuleGetGlobal cuModuleGetGlobal_v2
inline CUresult cuGetErrorName(CUresult result, const char **to) {
    switch (result) {
#define __LW_RESULT(NAME, VALUE) case VALUE: *to = "CUDA_" #NAME; return 0;
    __LW_RESULTS(__LW_RESULT)
#undef __LW_RESULT
    }
    *to = nullptr;
    return CUDA_ERROR_INVALID_VALUE;
}
inline CUresult cuGetErrorString(CUresult result, const char **to) { *to = cudaGetErrorString((cudaError_t)result); return 0; }
inline CUresult cuDriverGetVersion(int *to) { return (CUresult)cudaDriverGetVersion(to); }
inline CUresult cuDeviceGet(CUdevice *to, int number) {
    int count = 0, status = cuDeviceGetCount(&count);
    if (status == 0 && (number < 0 || number >= count)) status = CUDA_ERROR_INVALID_DEVICE;
    if (status == 0) *to = number;
    return status;
}
inline CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device) { return cuDeviceTotalMem_v2(bytes, device); }
inline CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device) {
    int status = cuDeviceGetAttribute(major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
    return status ? status : cuDeviceGetAttribute(minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
}
inline CUresult cuCtxCreate(CUcontext *to, unsigned, CUdevice device) {
    int status = (int)cudaSetDevice(device);
    if (status == 0) status = __lw_begin();
    return status ? status : cuDevicePrimaryCtxRetain(to, device);
}
inline CUresult cuCtxCreate(CUcontext *to, CUctxCreateParams *, unsigned flags, CUdevice device) { return cuCtxCreate(to, flags, device); }
inline CUresult cuCtxDestroy(CUcontext context) { return context ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT; }
inline CUresult cuDevicePrimaryCtxRelease(CUdevice) { return CUDA_SUCCESS; }
inline CUresult cuCtxGetDevice(CUdevice *to) { return (CUresult)cudaGetDevice(to); }
inline CUresult cuCtxGetCurrent(CUcontext *to) { return cuDevicePrimaryCtxRetain(to, __lw_device); }
inline CUresult cuCtxSetCurrent(CUcontext context) {
    for (int device = 0, count = 0; cuDeviceGetCount(&count) == 0 && device < count; device++) {
        CUcontext primary;
        if (context && cuDevicePrimaryCtxRetain(&primary, device) == 0 && primary == context) {
            cudaSetDevice(device);
            return __lw_begin();
        }
    }
    return context ? CUDA_ERROR_INVALID_CONTEXT : CUDA_SUCCESS;
}
inline CUresult cuModuleLoadDataEx(CUmodule *to, const void *image, unsigned, CUjit_option *, void **) { return cuModuleLoadData(to, image); }
inline CUresult cuModuleLoad(CUmodule *to, const char *name) {
    FILE *file = fopen(name, "rb");
    if (!file) return CUDA_ERROR_FILE_NOT_FOUND;
    fseek(file, 0, SEEK_END);
    long bytes = ftell(file);
    rewind(file);
    char *image = (char *)calloc(bytes + 1, 1);
    fread(image, 1, bytes, file);
    fclose(file);
    CUresult result = cuModuleLoadData(to, image);
    free(image);
    return result;
}
inline CUresult cuMemAlloc(CUdeviceptr *to, size_t bytes) { return cuMemAlloc_v2((void **)to, bytes); }
inline CUresult cuMemFree(CUdeviceptr memory) { return cuMemFree_v2((void *)memory); }
inline CUresult cuMemGetInfo(size_t *unused, size_t *total) { return cuMemGetInfo_v2(unused, total); }
inline CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream) { return cuMemcpyHtoDAsync_v2((void *)to, from, bytes, stream); }
inline CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream) { return cuMemcpyDtoHAsync_v2(to, (const void *)from, bytes, stream); }
inline CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) { return cuMemcpyDtoDAsync_v2((void *)to, (const void *)from, bytes, stream); }
inline CUresult __lw_wait(CUresult result) { return result ? result : cuStreamSynchronize(nullptr); }
inline CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes) { return __lw_wait(cuMemcpyHtoDAsync(to, from, bytes, nullptr)); }
inline CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes) { return __lw_wait(cuMemcpyDtoHAsync(to, from, bytes, nullptr)); }
inline CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) { return __lw_wait(cuMemcpyDtoDAsync(to, from, bytes, nullptr)); }
inline CUresult cuMemsetD8(CUdeviceptr to, unsigned char byte, size_t bytes) { return __lw_wait(cuMemsetD8Async((void *)to, byte, bytes, nullptr)); }
inline CUresult cuStreamDestroy(CUstream stream) { return cuStreamDestroy_v2(stream); }
inline CUresult cuEventDestroy(CUevent event) { return cuEventDestroy_v2(event); }
// NVRTC: the compiler of this command. Its machine code is PTX.
enum nvrtcResult {
    NVRTC_SUCCESS, NVRTC_ERROR_OUT_OF_MEMORY, NVRTC_ERROR_PROGRAM_CREATION_FAILURE, NVRTC_ERROR_INVALID_INPUT, NVRTC_ERROR_INVALID_PROGRAM,
    NVRTC_ERROR_INVALID_OPTION, NVRTC_ERROR_COMPILATION, NVRTC_ERROR_BUILTIN_OPERATION_FAILURE
};
typedef struct _nvrtcProgram { int number; } *nvrtcProgram;
inline const char *nvrtcGetErrorString(nvrtcResult result) {
    const char *const names[] = {
        "NVRTC_SUCCESS", "NVRTC_ERROR_OUT_OF_MEMORY", "NVRTC_ERROR_PROGRAM_CREATION_FAILURE", "NVRTC_ERROR_INVALID_INPUT", "NVRTC_ERROR_INVALID_PROGRAM",
        "NVRTC_ERROR_INVALID_OPTION", "NVRTC_ERROR_COMPILATION", "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE"};
    return (unsigned)result < 8 ? names[result] : "NVRTC_ERROR unknown";
}
inline nvrtcResult nvrtcVersion(int *major, int *minor) { *major = 12; *minor = 8; return NVRTC_SUCCESS; }
inline nvrtcResult nvrtcCreateProgram(nvrtcProgram *to, const char *source, const char *name, int count, const char *const *texts, const char *const *names) {
    if (!to || !source || count < 0) return NVRTC_ERROR_INVALID_INPUT;
    *to = new _nvrtcProgram{__lw_rtc_create(source, name, count, texts, names)};
    return NVRTC_SUCCESS;
}
inline nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char *const *options) {
    return program ? (nvrtcResult)__lw_rtc_compile(program->number, count, options) : NVRTC_ERROR_INVALID_PROGRAM;
}
#define __LW_RTC(WHAT, LOG)                                                                                           \
    inline nvrtcResult nvrtcGet##WHAT##Size(nvrtcProgram program, size_t *bytes) {                                    \
        if (!program) return NVRTC_ERROR_INVALID_PROGRAM;                                                             \
        *bytes = __lw_rtc_bytes(program->number, LOG);                                                                \
        return NVRTC_SUCCESS;                                                                                         \
    }                                                                                                                 \
    inline nvrtcResult nvrtcGet##WHAT(nvrtcProgram program, char *to) {                                               \
        if (!program) return NVRTC_ERROR_INVALID_PROGRAM;                                                             \
        __lw_rtc_get(program->number, LOG, to);                                                                       \
        return NVRTC_SUCCESS;                                                                                         \
    }
__LW_RTC(PTX, 0) __LW_RTC(CUBIN, 0) __LW_RTC(ProgramLog, 1)
#undef __LW_RTC
inline nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program) {
    if (!program || !*program) return NVRTC_ERROR_INVALID_PROGRAM;
    delete *program;
    *program = nullptr;
    return NVRTC_SUCCESS;
}
