// Alternatives to lanework-ops as C functions: CUB, cuBLAS, cuBLASLt and the driver's copy. `scripts/peers.sh` compiles it,
// and the example `peers` loads it. Every function queues work on a stream and returns 0, or the library's error.

#include <cstdint>
#include <cstdio>
#include <vector>
#include <cub/cub.cuh>
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda/std/functional>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace {

// Element types, as the example numbers them.
enum Type { F32, F64, F16, BF16, I8, E4M3, E5M2, I32, TF32, E4M3_FAST };

cudaDataType_t data_type(int type) {
    switch (type) {
        case F64: return CUDA_R_64F;
        case F16: return CUDA_R_16F;
        case BF16: return CUDA_R_16BF;
        case I8: return CUDA_R_8I;
        case E4M3:
        case E4M3_FAST: return CUDA_R_8F_E4M3;
        case E5M2: return CUDA_R_8F_E5M2;
        case I32: return CUDA_R_32I;
        default: return CUDA_R_32F;
    }
}

cublasComputeType_t compute_type(int type) {
    switch (type) {
        case F32: return CUBLAS_COMPUTE_32F_PEDANTIC;
        case F64: return CUBLAS_COMPUTE_64F;
        case I8: return CUBLAS_COMPUTE_32I;
        case TF32: return CUBLAS_COMPUTE_32F_FAST_TF32;
        default: return CUBLAS_COMPUTE_32F;
    }
}

cudaDataType_t scale_type(int type) {
    return type == F64 ? CUDA_R_64F : type == I8 ? CUDA_R_32I : CUDA_R_32F;
}

// One and zero in the scale type.
struct Scalars {
    float one = 1, zero = 0;
    double one_f64 = 1, zero_f64 = 0;
    int32_t one_i32 = 1, zero_i32 = 0;
    const void* alpha(int type) const {
        return type == F64 ? (const void*)&one_f64 : type == I8 ? (const void*)&one_i32 : &one;
    }
    const void* beta(int type) const {
        return type == F64 ? (const void*)&zero_f64 : type == I8 ? (const void*)&zero_i32 : &zero;
    }
};
const Scalars scalars;

constexpr size_t workspace_bytes = 64 << 20;

struct Libraries {
    cublasHandle_t blas = nullptr;
    cublasLtHandle_t lt = nullptr;
    void* workspace = nullptr;
    bool ready = false;
};

Libraries& libraries() {
    static Libraries all;
    if (!all.ready) {
        all.ready = cublasCreate(&all.blas) == 0 && cublasLtCreate(&all.lt) == 0 &&
                    cudaMalloc(&all.workspace, workspace_bytes) == 0;
        if (all.ready) cublasSetWorkspace(all.blas, all.workspace, workspace_bytes);
    }
    return all;
}

struct Square {
    __host__ __device__ float operator()(float x) const { return x * x; }
};

// A product of cuBLASLt with the algorithm that was fastest of those that its heuristic lists.
struct Product {
    cublasLtMatmulDesc_t operation = nullptr;
    cublasLtMatrixLayout_t a = nullptr, b = nullptr, c = nullptr;
    cublasLtMatmulAlgo_t algorithm;
    int type;
};

int run(const Product& product, const cublasLtMatmulAlgo_t& algorithm, cudaStream_t stream, const void* a, const void* b, void* c) {
    Libraries& all = libraries();
    return cublasLtMatmul(all.lt, product.operation, scalars.alpha(product.type), a, product.a, b, product.b, scalars.beta(product.type), c,
                          product.c, c, product.c, &algorithm, all.workspace, workspace_bytes, stream);
}

}  // namespace

extern "C" {

int peers_copy(void* to, const void* from, size_t bytes, cudaStream_t stream) {
    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}

// With no temporary memory, CUB stores in `bytes` how much it needs.
int peers_sum(const float* x, float* out, size_t n, void* temporary, size_t* bytes, cudaStream_t stream) {
    return cub::DeviceReduce::Sum(temporary, *bytes, x, out, (int64_t)n, stream);
}

int peers_sum_of_squares(const float* x, float* out, size_t n, void* temporary, size_t* bytes, cudaStream_t stream) {
    return cub::DeviceReduce::TransformReduce(temporary, *bytes, x, out, (int64_t)n, cuda::std::plus<float>(), Square(), 0.0f, stream);
}

int peers_inclusive_scan(const float* x, float* out, size_t n, void* temporary, size_t* bytes, cudaStream_t stream) {
    return cub::DeviceScan::InclusiveSum(temporary, *bytes, x, out, (int64_t)n, stream);
}

int peers_inclusive_scan_i32(const int* x, int* out, size_t n, void* temporary, size_t* bytes, cudaStream_t stream) {
    return cub::DeviceScan::InclusiveSum(temporary, *bytes, x, out, (int64_t)n, stream);
}

// The transpose of a row-major matrix of `rows` x `columns` elements of 4 or 8 bytes.
int peers_transpose(const void* x, void* out, int rows, int columns, int element_bytes, cudaStream_t stream) {
    Libraries& all = libraries();
    if (!all.ready) return -1;
    cublasSetStream(all.blas, stream);
    if (element_bytes == 8) {
        return cublasDgeam(all.blas, CUBLAS_OP_T, CUBLAS_OP_N, rows, columns, &scalars.one_f64, (const double*)x, columns,
                           &scalars.zero_f64, (double*)out, rows, (double*)out, rows);
    }
    return cublasSgeam(all.blas, CUBLAS_OP_T, CUBLAS_OP_N, rows, columns, &scalars.one, (const float*)x, columns, &scalars.zero,
                       (float*)out, rows, (float*)out, rows);
}

// C = A B of row-major matrices, `batch` of them without gaps; with `b_transposed`, B has n rows of k elements.
int peers_gemm(const void* a, const void* b, void* c, int m, int n, int k, int batch, int b_transposed, int type, int c_type,
               cudaStream_t stream) {
    Libraries& all = libraries();
    if (!all.ready) return -1;
    cublasSetStream(all.blas, stream);
    cublasOperation_t op = b_transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    int ldb = b_transposed ? k : n;
    return cublasGemmStridedBatchedEx(all.blas, op, CUBLAS_OP_N, n, m, k, scalars.alpha(type), b, data_type(type), ldb, (int64_t)n * k, a,
                                      data_type(type), k, (int64_t)m * k, scalars.beta(type), c, data_type(c_type), n, (int64_t)m * n,
                                      batch, compute_type(type), CUBLAS_GEMM_DEFAULT);
}

// Prepares C = A B for cuBLASLt: asks for up to 16 algorithms and times each on these matrices. Null where there is none.
// With scales, they are the first and the 65th of 128 floats in device memory.
void* peers_lt_prepare(const void* a, const void* b, void* c, int m, int n, int k, int b_transposed, int type, int c_type,
                       const float* scales) {
    Libraries& all = libraries();
    if (!all.ready) return nullptr;
    auto* product = new Product;
    product->type = type;
    cublasLtMatmulDescCreate(&product->operation, compute_type(type), scale_type(type));
    cublasOperation_t op_b = b_transposed ? CUBLAS_OP_T : CUBLAS_OP_N, op_a = CUBLAS_OP_N;
    cublasLtMatmulDescSetAttribute(product->operation, CUBLASLT_MATMUL_DESC_TRANSA, &op_b, sizeof op_b);
    cublasLtMatmulDescSetAttribute(product->operation, CUBLASLT_MATMUL_DESC_TRANSB, &op_a, sizeof op_a);
    // Fast accumulation: sums with the tensor cores' reduced precision.
    int8_t fast = type == E4M3_FAST;
    if (fast) cublasLtMatmulDescSetAttribute(product->operation, CUBLASLT_MATMUL_DESC_FAST_ACCUM, &fast, sizeof fast);
    if (scales) {
        const float* scale_a = scales + 64;  // B comes first in column-major order; the library's alignment holds for both
        cublasLtMatmulDescSetAttribute(product->operation, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, &scale_a, sizeof scale_a);
        cublasLtMatmulDescSetAttribute(product->operation, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, &scales, sizeof scales);
    }
    cublasLtMatrixLayoutCreate(&product->a, data_type(type), b_transposed ? k : n, b_transposed ? n : k, b_transposed ? k : n);
    cublasLtMatrixLayoutCreate(&product->b, data_type(type), k, m, k);
    cublasLtMatrixLayoutCreate(&product->c, data_type(c_type), n, m, n);
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulPreferenceCreate(&preference);
    size_t most = workspace_bytes;
    cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most, sizeof most);
    std::vector<cublasLtMatmulHeuristicResult_t> found(16);
    int count = 0;
    cublasLtMatmulAlgoGetHeuristic(all.lt, product->operation, product->a, product->b, product->c, product->c, preference, (int)found.size(),
                                   found.data(), &count);
    cublasLtMatmulPreferenceDestroy(preference);
    cudaEvent_t start, end;
    cudaEventCreate(&start);
    cudaEventCreate(&end);
    float best = 1e30f;
    for (int i = 0; i < count; i++) {
        if (run(*product, found[i].algo, nullptr, b, a, c)) continue;
        cudaDeviceSynchronize();
        // The best of three series, so that neither the first launch nor a short change of the clock decides.
        for (int series = 0; series < 3; series++) {
            int launches = (double)m * n * k > 1e11 ? 2 : 10;
            cudaEventRecord(start);
            for (int j = 0; j < launches; j++) run(*product, found[i].algo, nullptr, b, a, c);
            cudaEventRecord(end);
            cudaEventSynchronize(end);
            float time = 1e30f;
            cudaEventElapsedTime(&time, start, end);
            if (time / launches < best) {
                best = time / launches;
                product->algorithm = found[i].algo;
            }
        }
    }
    cudaEventDestroy(start);
    cudaEventDestroy(end);
    if (best == 1e30f) {
        delete product;
        return nullptr;
    }
    return product;
}

int peers_lt_run(void* prepared, const void* a, const void* b, void* c, cudaStream_t stream) {
    auto* product = (Product*)prepared;
    return run(*product, product->algorithm, stream, b, a, c);
}

void peers_lt_free(void* prepared) {
    auto* product = (Product*)prepared;
    cublasLtMatrixLayoutDestroy(product->a);
    cublasLtMatrixLayoutDestroy(product->b);
    cublasLtMatrixLayoutDestroy(product->c);
    cublasLtMatmulDescDestroy(product->operation);
    delete product;
}

// Versions as text: cuBLAS, cuBLASLt, CUB.
int peers_versions(char* text, size_t bytes) {
    int version = 0;
    if (libraries().ready) cublasGetVersion(libraries().blas, &version);
    return snprintf(text, bytes, "cuBLAS %d.%d, cuBLASLt %zu, CUB %d.%d", version / 10000, version / 100 % 100, cublasLtGetVersion(),
                    CUB_VERSION / 100000, CUB_VERSION / 100 % 1000);
}
}
