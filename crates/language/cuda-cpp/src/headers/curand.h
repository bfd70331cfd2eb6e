// <curand.h>: generators of the host. A kernel makes the numbers, 4096 sequences in turn as in cuRAND.
#include <curand_kernel.h>
typedef struct __lw_generator *curandGenerator_t;
enum curandStatus_t { CURAND_STATUS_SUCCESS, CURAND_STATUS_VERSION_MISMATCH = 100, CURAND_STATUS_NOT_INITIALIZED, CURAND_STATUS_ALLOCATION_FAILED, CURAND_STATUS_TYPE_ERROR, CURAND_STATUS_OUT_OF_RANGE, CURAND_STATUS_LENGTH_NOT_MULTIPLE, CURAND_STATUS_DOUBLE_PRECISION_REQUIRED, CURAND_STATUS_LAUNCH_FAILURE = 201, CURAND_STATUS_PREEXISTING_FAILURE, CURAND_STATUS_INITIALIZATION_FAILED, CURAND_STATUS_ARCH_MISMATCH, CURAND_STATUS_INTERNAL_ERROR = 999 };
typedef curandStatus_t curandStatus;
enum curandRngType_t { CURAND_RNG_TEST, CURAND_RNG_PSEUDO_DEFAULT = 100, CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_MRG32K3A = 121, CURAND_RNG_PSEUDO_MTGP32 = 141, CURAND_RNG_PSEUDO_MT19937, CURAND_RNG_PSEUDO_PHILOX4_32_10 = 161 };
typedef curandRngType_t curandRngType;
enum curandOrdering_t { CURAND_ORDERING_PSEUDO_BEST = 100, CURAND_ORDERING_PSEUDO_DEFAULT, CURAND_ORDERING_PSEUDO_SEEDED, CURAND_ORDERING_PSEUDO_LEGACY, CURAND_ORDERING_PSEUDO_DYNAMIC };
// Kinds: words, and uniform or normal numbers of both precisions.
static __global__ void __lw_curand_fill(int kind, unsigned long long seed, unsigned long long offset, void *to, size_t n, double mean, double deviation, bool logarithmic) {
    size_t lane = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (lane >= n) return;
    curandState state;
    curand_init(seed, lane, offset, &state);
    for (size_t i = lane; i < n; i += 4096) {
        if (kind == 0) ((unsigned *)to)[i] = curand(&state);
        if (kind == 1) ((float *)to)[i] = curand_uniform(&state);
        if (kind == 2) ((double *)to)[i] = curand_uniform_double(&state);
        if (kind == 3) { float x = (float)mean + (float)deviation * curand_normal(&state); ((float *)to)[i] = logarithmic ? expf(x) : x; }
        if (kind == 4) { double x = mean + deviation * curand_normal_double(&state); ((double *)to)[i] = logarithmic ? exp(x) : x; }
    }
}
#ifdef __LW_HOST__
struct __lw_generator { unsigned long long seed, offset; bool host; cudaStream_t stream; };
inline curandStatus_t curandCreateGenerator(curandGenerator_t *to, curandRngType_t) { *to = new __lw_generator{0, 0, false, nullptr}; return CURAND_STATUS_SUCCESS; }
inline curandStatus_t curandCreateGeneratorHost(curandGenerator_t *to, curandRngType_t) { *to = new __lw_generator{0, 0, true, nullptr}; return CURAND_STATUS_SUCCESS; }
inline curandStatus_t curandDestroyGenerator(curandGenerator_t g) { delete g; return CURAND_STATUS_SUCCESS; }
inline curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t g, unsigned long long seed) { g->seed = seed; g->offset = 0; return CURAND_STATUS_SUCCESS; }
inline curandStatus_t curandSetGeneratorOffset(curandGenerator_t g, unsigned long long offset) { g->offset = offset / 4096; return CURAND_STATUS_SUCCESS; }
inline curandStatus_t curandSetGeneratorOrdering(curandGenerator_t, curandOrdering_t) { return CURAND_STATUS_SUCCESS; }
inline curandStatus_t curandSetStream(curandGenerator_t g, cudaStream_t stream) { g->stream = stream; return CURAND_STATUS_SUCCESS; }
inline curandStatus_t curandGenerateSeeds(curandGenerator_t) { return CURAND_STATUS_SUCCESS; }
inline curandStatus_t curandGetVersion(int *version) { *version = 100400; return CURAND_STATUS_SUCCESS; }
inline curandStatus_t __lw_curand_make(curandGenerator_t g, int kind, void *to, size_t n, size_t size, double mean = 0, double deviation = 1, bool logarithmic = false) {
    if (n == 0) return CURAND_STATUS_SUCCESS;
    void *device = to;
    if (g->host) cudaMalloc(&device, n * size);
    __lw_curand_fill<<<16, 256, 0, g->stream>>>(kind, g->seed, g->offset, device, n, mean, deviation, logarithmic);
    if (g->host) {
        cudaMemcpy(to, device, n * size, cudaMemcpyDeviceToHost);
        cudaFree(device);
    }
    g->offset += (n + 4095) / 4096 * (kind == 2 || kind == 4 ? 2 : 1);
    return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandGenerate(curandGenerator_t g, unsigned *to, size_t n) { return __lw_curand_make(g, 0, to, n, 4); }
inline curandStatus_t curandGenerateUniform(curandGenerator_t g, float *to, size_t n) { return __lw_curand_make(g, 1, to, n, 4); }
inline curandStatus_t curandGenerateUniformDouble(curandGenerator_t g, double *to, size_t n) { return __lw_curand_make(g, 2, to, n, 8); }
inline curandStatus_t curandGenerateNormal(curandGenerator_t g, float *to, size_t n, float mean, float deviation) { return __lw_curand_make(g, 3, to, n, 4, mean, deviation); }
inline curandStatus_t curandGenerateNormalDouble(curandGenerator_t g, double *to, size_t n, double mean, double deviation) { return __lw_curand_make(g, 4, to, n, 8, mean, deviation); }
inline curandStatus_t curandGenerateLogNormal(curandGenerator_t g, float *to, size_t n, float mean, float deviation) { return __lw_curand_make(g, 3, to, n, 4, mean, deviation, true); }
inline curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t g, double *to, size_t n, double mean, double deviation) { return __lw_curand_make(g, 4, to, n, 8, mean, deviation, true); }
#endif
