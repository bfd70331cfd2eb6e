#include <cstdio>
#include <cstring>
#include <fstream>
#include <vector>
#include <cuda.h>
#include <nvrtc.h>

const char *source = R"(
#include "scale.h"
__constant__ float offset[2];
extern "C" __global__ void scale(float *x, int n, float by) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = SCALED(x[i], by) + offset[1] + EXTRA;
}
)";

int main() {
    const char *header = "#define SCALED(x, by) ((x) * (by))", *name = "scale.h";
    nvrtcProgram program;
    nvrtcResult made = nvrtcCreateProgram(&program, source, "scale.cu", 1, &header, &name);
    const char *options[] = {"--gpu-architecture=compute_90", "-DEXTRA=0.5f", "--use_fast_math"};
    nvrtcResult compiled = nvrtcCompileProgram(program, 3, options);
    size_t bytes, log;
    nvrtcGetPTXSize(program, &bytes);
    nvrtcGetProgramLogSize(program, &log);
    std::vector<char> ptx(bytes);
    nvrtcGetPTX(program, ptx.data());
    nvrtcDestroyProgram(&program);
    printf("%s %d %zu %d %d\n", nvrtcGetErrorString(made), compiled, log, bytes == strlen(ptx.data()) + 1, program == nullptr);

    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction kernel;
    CUdeviceptr memory, constant;
    size_t size;
    int major;
    CUresult result = cuInit(0);
    result |= cuDeviceGet(&device, 0) | cuCtxCreate(&context, 0, device) | cuModuleLoadData(&module, ptx.data());
    result |= cuModuleGetFunction(&kernel, module, "scale") | cuModuleGetGlobal(&constant, &size, module, "offset");
    result |= cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
    float offset[2] = {1, 2}, x[5] = {1, 2, 3, 4, 5}, by = 10;
    int n = 5;
    result |= cuMemAlloc(&memory, sizeof x) | cuMemcpyHtoD(memory, x, sizeof x) | cuMemcpyHtoD(constant, offset, sizeof offset);
    void *list[] = {&memory, &n, &by};
    result |= cuLaunchKernel(kernel, 2, 1, 1, 4, 1, 1, 0, 0, list, 0) | cuCtxSynchronize() | cuMemcpyDtoH(x, memory, sizeof x);
    printf("%d %d %zu %g %g\n", result, major, size, x[0], x[4]);
    const char *text;
    result = cuModuleGetFunction(&kernel, module, "other");
    cuGetErrorName(result, &text);
    printf("%s %d %d\n", text, cuMemFree(memory), cuModuleUnload(module));

    std::ofstream("scale.ptx") << ptx.data();
    std::ifstream file("scale.ptx", std::ios::in | std::ios::ate);
    std::streampos end = file.tellg();
    CUresult found = cuModuleLoad(&module, "scale.ptx"), missing = cuModuleLoad(&module, "none.ptx");
    remove("scale.ptx");
    printf("%d %d %d\n", (size_t)end + 1 == bytes, found, missing);

    nvrtcCreateProgram(&program, "__global__ void wrong() { return 1 + ; }", nullptr, 0, nullptr, nullptr);
    compiled = nvrtcCompileProgram(program, 0, nullptr);
    nvrtcGetProgramLogSize(program, &log);
    std::vector<char> errors(log);
    nvrtcGetProgramLog(program, errors.data());
    printf("%s %d\n", nvrtcGetErrorString(compiled), strstr(errors.data(), "error: expected an expression") != nullptr);
}
