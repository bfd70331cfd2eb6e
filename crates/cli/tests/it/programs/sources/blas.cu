#include <cstdio>
#include <vector>
#include <cublas_v2.h>
int main() {
    cublasHandle_t handle;
    cublasCreate(&handle);
    int m = 3, n = 2, k = 4;
    std::vector<float> a(m * k), b(k * n), c(m * n, 1.0f);
    for (int i = 0; i < m * k; i++) a[i] = i;
    for (int i = 0; i < k * n; i++) b[i] = 2 * i - 3;
    float *da, *db, *dc, alpha = 0.5f, beta = 2.0f;
    cudaMalloc(&da, a.size() * 4); cudaMalloc(&db, b.size() * 4); cudaMalloc(&dc, c.size() * 4);
    cublasSetMatrix(m, k, 4, a.data(), m, da, m);
    cublasSetVector(k * n, 4, b.data(), 1, db, 1);
    cublasSetVector(m * n, 4, c.data(), 1, dc, 1);
    cublasStatus_t status = cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &alpha, da, m, db, k, &beta, dc, m);
    cublasGetVector(m * n, 4, dc, 1, c.data(), 1);
    for (float v : c) printf("%g ", v);
    printf("%d\n", status);
    cublasSgemm(handle, CUBLAS_OP_T, CUBLAS_OP_T, 4, 2, 3, &alpha, da, 3, db, 2, &beta, dc, 4);
    float dot, norm;
    int most;
    cublasSdot(handle, 4, da, 1, db, -2, &dot);
    cublasSnrm2(handle, 4, da, 3, &norm);
    cublasIsamax(handle, 8, db, 1, &most);
    cublasSscal(handle, 4, &alpha, da, 1);
    cublasSaxpy(handle, 4, &alpha, da, 1, db, 1);
    cublasSgemv(handle, CUBLAS_OP_T, 3, 4, &alpha, da, 3, db, 1, &beta, dc, 1);
    cublasGetVector(4, 4, dc, 1, c.data(), 1);
    printf("%g %g %d %g %g\n", dot, norm, most, c[0], c[3]);
    printf("%d\n", cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &alpha, da, 1, db, k, &beta, dc, m));
    cublasDestroy(handle);
}
