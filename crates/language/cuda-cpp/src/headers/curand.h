// <curand.h>: generators of the host. A kernel makes the numbers, 4096 sequences in turn as in cuRAND.
#include <curand_kernel.h>
typedef struct __lw_generator *curandGenerator_t;
enum curandStatus_t { CURAND_STATUS_SUCCESS, CURAND_STATUS_VERSION_MISMATCH = 100, CURAND_STATUS_NOT_INITIALIZED, CURAND_STATUS_ALLOCATION_FAILED, CURAND_STATUS_TYPE_ERROR, CURAND_STATUS_OUT_OF_RANGE, CURAND_STATUS_LENGTH_NOT_MULTIPLE, CURAND_STATUS_DOUBLE_PRECISION_REQUIRED, CURAND_STATUS_LAUNCH_FAILURE = 201, CURAND_STATUS_PREEXISTING_FAILURE, CURAND_STATUS_INITIALIZATION_FAILED, CURAND_STATUS_ARCH_MISMATCH, CURAND_STATUS_INTERNAL_ERROR = 999 };
typedef curandStatus_t curandStatus;
enum curandRngType_t { CURAND_RNG_TEST, CURAND_RNG_PSEUDO_DEFAULT = 100, CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_MRG32K3A = 121, CURAND_RNG_PSEUDO_MTGP32 = 141, CURAND_RNG_PSEUDO_MT19937, CURAND_RNG_PSEUDO_PHILOX4_32_10 = 161, CURAND_RNG_QUASI_DEFAULT = 200, CURAND_RNG_QUASI_SOBOL32, CURAND_RNG_QUASI_SOBOL64 = 203 };
typedef curandRngType_t curandRngType;
enum curandOrdering_t { CURAND_ORDERING_PSEUDO_BEST = 100, CURAND_ORDERING_PSEUDO_DEFAULT, CURAND_ORDERING_PSEUDO_SEEDED, CURAND_ORDERING_PSEUDO_LEGACY, CURAND_ORDERING_PSEUDO_DYNAMIC, CURAND_ORDERING_QUASI_DEFAULT = 201 };
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
// Kinds as above, and 5 for words of 64 bits. Thread t makes the points from 32 t on, of each dimension in turn.
template <class State, class V> __device__ void __lw_sobol_points(int kind, V *vectors, int width, int dimensions, unsigned long long offset, void *to, size_t points) {
    size_t first = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * 32;
    for (int dimension = 0; dimension < dimensions && first < points; dimension++) {
        State state;
        curand_init(vectors + dimension * width, offset + first, &state);
        for (size_t i = first; i < points && i < first + 32; i++) {
            size_t at = dimension * points + i;
            if (kind == 0) ((unsigned *)to)[at] = (unsigned)curand(&state);
            if (kind == 1) ((float *)to)[at] = curand_uniform(&state);
            if (kind == 2) ((double *)to)[at] = curand_uniform_double(&state);
            if (kind == 5) ((unsigned long long *)to)[at] = curand(&state);
        }
    }
}
static __global__ void __lw_sobol_fill(int kind, unsigned *vectors, int dimensions, unsigned long long offset, void *to, size_t points) {
    __lw_sobol_points<curandStateSobol32>(kind, vectors, 32, dimensions, offset, to, points);
}
static __global__ void __lw_sobol_fill_wide(int kind, unsigned long long *vectors, int dimensions, unsigned long long offset, void *to, size_t points) {
    __lw_sobol_points<curandStateSobol64>(kind, vectors, 64, dimensions, offset, to, points);
}
#ifdef __LW_HOST__
struct __lw_generator { unsigned long long seed, offset; bool host; cudaStream_t stream; int type, dimensions; };
inline curandStatus_t __lw_curand_create(curandGenerator_t *to, curandRngType_t type, bool host) {
    *to = new __lw_generator{0, 0, host, nullptr, type == CURAND_RNG_QUASI_DEFAULT ? CURAND_RNG_QUASI_SOBOL32 : type, 1};
    return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandCreateGenerator(curandGenerator_t *to, curandRngType_t type) { return __lw_curand_create(to, type, false); }
inline curandStatus_t curandCreateGeneratorHost(curandGenerator_t *to, curandRngType_t type) { return __lw_curand_create(to, type, true); }
inline curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t g, unsigned dimensions) {
    if (g->type < CURAND_RNG_QUASI_DEFAULT) return CURAND_STATUS_TYPE_ERROR;
    if (dimensions == 0 || dimensions > __LW_SOBOL_DIMENSIONS) return CURAND_STATUS_OUT_OF_RANGE;
    g->dimensions = dimensions;
    return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandGetDirectionVectors32(curandDirectionVectors32_t *vectors[], curandDirectionVectorSet_t set) {
    if (set != CURAND_DIRECTION_VECTORS_32_JOEKUO6) return CURAND_STATUS_OUT_OF_RANGE;
    *vectors = __lw_sobol_vectors<unsigned, 32>();
    return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandGetDirectionVectors64(curandDirectionVectors64_t *vectors[], curandDirectionVectorSet_t set) {
    if (set != CURAND_DIRECTION_VECTORS_64_JOEKUO6) return CURAND_STATUS_OUT_OF_RANGE;
    *vectors = __lw_sobol_vectors<unsigned long long, 64>();
    return CURAND_STATUS_SUCCESS;
}
template <class V, int WIDTH> void __lw_sobol_launch(curandGenerator_t g, void (*kernel)(int, V *, int, unsigned long long, void *, size_t), int kind, void *to, size_t points) {
    size_t bytes = sizeof(V[WIDTH]) * g->dimensions;
    V *vectors;
    cudaMalloc(&vectors, bytes);
    cudaMemcpy(vectors, __lw_sobol_vectors<V, WIDTH>(), bytes, cudaMemcpyHostToDevice);
    unsigned blocks = (unsigned)((points + 4095) / 4096);
    kernel<<<blocks, 128, 0, g->stream>>>(kind, vectors, g->dimensions, g->offset, to, points);
    cudaStreamSynchronize(g->stream);
    cudaFree(vectors);
}
inline curandStatus_t curandDestroyGenerator(curandGenerator_t g) { delete g; return CURAND_STATUS_SUCCESS; }
inline curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t g, unsigned long long seed) { g->seed = seed; g->offset = 0; return CURAND_STATUS_SUCCESS; }
inline curandStatus_t curandSetGeneratorOffset(curandGenerator_t g, unsigned long long offset) { g->offset = g->type >= CURAND_RNG_QUASI_DEFAULT ? offset : offset / 4096; return CURAND_STATUS_SUCCESS; }
inline curandStatus_t curandSetGeneratorOrdering(curandGenerator_t, curandOrdering_t) { return CURAND_STATUS_SUCCESS; }
inline curandStatus_t curandSetStream(curandGenerator_t g, cudaStream_t stream) { g->stream = stream; return CURAND_STATUS_SUCCESS; }
inline curandStatus_t curandGenerateSeeds(curandGenerator_t) { return CURAND_STATUS_SUCCESS; }
inline curandStatus_t curandGetVersion(int *version) { *version = 100400; return CURAND_STATUS_SUCCESS; }
inline curandStatus_t __lw_curand_make(curandGenerator_t g, int kind, void *to, size_t n, size_t size, double mean = 0, double deviation = 1, bool logarithmic = false) {
    if (n == 0) return CURAND_STATUS_SUCCESS;
    bool quasi = g->type >= CURAND_RNG_QUASI_DEFAULT, wide = g->type == CURAND_RNG_QUASI_SOBOL64;
    // Quasirandom normal numbers need the inverse of the normal distribution.
    if (quasi ? kind == 3 || kind == 4 || (kind == 0 && wide) || (kind == 5 && !wide) : kind == 5) return CURAND_STATUS_TYPE_ERROR;
    if (quasi && n % g->dimensions) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    void *device = to;
    if (g->host) cudaMalloc(&device, n * size);
    if (wide) __lw_sobol_launch<unsigned long long, 64>(g, __lw_sobol_fill_wide, kind, device, n / g->dimensions);
    else if (quasi) __lw_sobol_launch<unsigned, 32>(g, __lw_sobol_fill, kind, device, n / g->dimensions);
    else __lw_curand_fill<<<16, 256, 0, g->stream>>>(kind, g->seed, g->offset, device, n, mean, deviation, logarithmic);
    if (g->host) {
        cudaMemcpy(to, device, n * size, cudaMemcpyDeviceToHost);
        cudaFree(device);
    }
    g->offset += quasi ? n / g->dimensions : (n + 4095) / 4096 * (kind == 2 || kind == 4 ? 2 : 1);
    return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandGenerate(curandGenerator_t g, unsigned *to, size_t n) { return __lw_curand_make(g, 0, to, n, 4); }
inline curandStatus_t curandGenerateLongLong(curandGenerator_t g, unsigned long long *to, size_t n) { return __lw_curand_make(g, 5, to, n, 8); }
inline curandStatus_t curandGenerateUniform(curandGenerator_t g, float *to, size_t n) { return __lw_curand_make(g, 1, to, n, 4); }
inline curandStatus_t curandGenerateUniformDouble(curandGenerator_t g, double *to, size_t n) { return __lw_curand_make(g, 2, to, n, 8); }
inline curandStatus_t curandGenerateNormal(curandGenerator_t g, float *to, size_t n, float mean, float deviation) { return __lw_curand_make(g, 3, to, n, 4, mean, deviation); }
inline curandStatus_t curandGenerateNormalDouble(curandGenerator_t g, double *to, size_t n, double mean, double deviation) { return __lw_curand_make(g, 4, to, n, 8, mean, deviation); }
inline curandStatus_t curandGenerateLogNormal(curandGenerator_t g, float *to, size_t n, float mean, float deviation) { return __lw_curand_make(g, 3, to, n, 4, mean, deviation, true); }
inline curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t g, double *to, size_t n, double mean, double deviation) { return __lw_curand_make(g, 4, to, n, 8, mean, deviation, true); }
#endif
