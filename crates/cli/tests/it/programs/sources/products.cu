#include <cstdio>
#include <vector>
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_fp16.h>

template <class T, class R, class S>
double worst(cublasHandle_t handle, cublasComputeType_t compute, cudaDataType_t from, cudaDataType_t to, int ta, int tb, int m, int n, int k, int count) {
    T *a, *b;
    R *c;
    int lda = (ta ? k : m) + 1, ldb = (tb ? n : k) + 2, ldc = m + 3;
    int sa = lda * (ta ? m : k), sb = ldb * (tb ? k : n), sc = ldc * n;
    cudaMallocManaged(&a, count * sa * sizeof(T)); cudaMallocManaged(&b, count * sb * sizeof(T)); cudaMallocManaged(&c, count * sc * sizeof(R));
    for (int i = 0; i < count * sa; i++) a[i] = (T)(float)(i * 7 % 13 - 6);
    for (int i = 0; i < count * sb; i++) b[i] = (T)(float)(i * 5 % 11 - 5);
    for (int i = 0; i < count * sc; i++) c[i] = (R)(float)(i % 3);
    S alpha = (S)2.0f, beta = (S)3.0f;
    cublasStatus_t status = cublasGemmStridedBatchedEx(handle, (cublasOperation_t)ta, (cublasOperation_t)tb, m, n, k, &alpha, a, from, lda, sa, b, from, ldb, sb, &beta, c, to, ldc, sc, count, compute, CUBLAS_GEMM_DEFAULT);
    cudaDeviceSynchronize();
    if (status) return status;
    double most = 0;
    for (int z = 0; z < count; z++)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < ldc; i++) {
                double sum = 0;
                for (int l = 0; l < k && i < m; l++) sum += (double)(float)a[z * sa + (ta ? l + i * lda : i + l * lda)] * (double)(float)b[z * sb + (tb ? j + l * ldb : l + j * ldb)];
                int at = z * sc + j * ldc + i;
                double wanted = i < m ? 2 * sum + 3 * (at % 3) : at % 3, wrong = (double)(float)c[at] - wanted;
                most = fmax(most, fabs(wrong));
            }
    return most;
}

int main() {
    cublasHandle_t handle;
    cublasCreate(&handle);
    double most = 0;
    for (int t = 0; t < 4; t++)
        for (int m : {1, 4, 7, 37})
            for (int n : {1, 5, 18}) {
                most += worst<float, float, float>(handle, CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_32F, t & 1, t >> 1, m, n, 9, 2);
                most += worst<double, double, double>(handle, CUBLAS_COMPUTE_64F, CUDA_R_64F, CUDA_R_64F, t & 1, t >> 1, m, n, 3, 1);
                most += worst<__half, float, float>(handle, CUBLAS_COMPUTE_32F, CUDA_R_16F, CUDA_R_32F, t & 1, t >> 1, m, n, 5, 2);
                most += worst<__half, __half, __half>(handle, CUBLAS_COMPUTE_16F, CUDA_R_16F, CUDA_R_16F, t & 1, t >> 1, m, n, 5, 1);
                most += worst<signed char, int, int>(handle, CUBLAS_COMPUTE_32I, CUDA_R_8I, CUDA_R_32I, t & 1, t >> 1, m, n, 6, 1);
                most += worst<signed char, float, float>(handle, CUBLAS_COMPUTE_32F, CUDA_R_8I, CUDA_R_32F, t & 1, t >> 1, m, n, 6, 1);
            }
    printf("%g\n", most);
    // cuBLASLt without allocated descriptors: relu(2 * a * b + bias).
    cublasLtHandle_t light;
    cublasLtCreate(&light);
    cublasLtMatmulDescOpaque_t product = {};
    cublasLtMatrixLayoutOpaque_t al = {}, bl = {}, cl = {};
    cublasLtMatmulPreferenceOpaque_t preference = {};
    float *x;
    cudaMallocManaged(&x, 64);
    for (int i = 0; i < 8; i++) x[i] = i - 3;
    const void *bias = x + 4;
    cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_RELU_BIAS;
    int status = cublasLtMatmulDescInit(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F);
    status += cublasLtMatmulDescSetAttribute(&product, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof(epilogue));
    status += cublasLtMatmulDescSetAttribute(&product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof(bias));
    status += cublasLtMatrixLayoutInit(&al, CUDA_R_32F, 2, 2, 2) + cublasLtMatrixLayoutInit(&bl, CUDA_R_32F, 2, 1, 2);
    status += cublasLtMatrixLayoutInit(&cl, CUDA_R_32F, 2, 1, 2) + cublasLtMatmulPreferenceInit(&preference);
    cublasLtMatmulHeuristicResult_t result;
    int found = 0;
    status += cublasLtMatmulAlgoGetHeuristic(light, &product, &al, &bl, &cl, &cl, &preference, 1, &result, &found);
    float two = 2, none = 0;
    status += cublasLtMatmul(light, &product, &two, x, &al, x + 2, &bl, &none, x + 8, &cl, x + 8, &cl, &result.algo, nullptr, 0, 0);
    cudaDeviceSynchronize();
    printf("%d %d %g %g\n", status, found, x[8], x[9]);
}
