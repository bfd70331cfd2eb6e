// cuSOLVER's dense factorizations and solvers, and cuBLAS's of many small matrices, by loops of the host on device memory.
#include <cublas_v2.h>
#ifdef __LW_HOST__
#include <lanework/cub_device.h>
typedef struct __lw_solver { cudaStream_t stream; } *cusolverDnHandle_t;
enum cusolverStatus_t {
    CUSOLVER_STATUS_SUCCESS, CUSOLVER_STATUS_NOT_INITIALIZED, CUSOLVER_STATUS_ALLOC_FAILED, CUSOLVER_STATUS_INVALID_VALUE, CUSOLVER_STATUS_ARCH_MISMATCH,
    CUSOLVER_STATUS_MAPPING_ERROR, CUSOLVER_STATUS_EXECUTION_FAILED, CUSOLVER_STATUS_INTERNAL_ERROR, CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED, CUSOLVER_STATUS_NOT_SUPPORTED
};
enum cusolverEigMode_t { CUSOLVER_EIG_MODE_NOVECTOR, CUSOLVER_EIG_MODE_VECTOR };
inline cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t *to) { *to = (cusolverDnHandle_t)calloc(1, sizeof(__lw_solver)); return CUSOLVER_STATUS_SUCCESS; }
inline cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle) { free(handle); return CUSOLVER_STATUS_SUCCESS; }
inline cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream) { handle->stream = stream; return CUSOLVER_STATUS_SUCCESS; }
inline cusolverStatus_t cusolverDnGetStream(cusolverDnHandle_t handle, cudaStream_t *to) { *to = handle->stream; return CUSOLVER_STATUS_SUCCESS; }
// A = P L U; `pivots` counts from 1 and may be null. Returns the first zero pivot, or 0.
template <class T> inline int __lw_dense_lu(int m, int n, T *a, int lda, int *pivots) {
    int info = 0;
    for (int k = 0; k < (m < n ? m : n); k++) {
        int best = k;
        if (pivots) {
            for (int i = k + 1; i < m; i++) if (fabs(a[i + (long)k * lda]) > fabs(a[best + (long)k * lda])) best = i;
            pivots[k] = best + 1;
        }
        if (best != k)
            for (int j = 0; j < n; j++) { T held = a[k + (long)j * lda]; a[k + (long)j * lda] = a[best + (long)j * lda]; a[best + (long)j * lda] = held; }
        T pivot = a[k + (long)k * lda];
        if (pivot == 0) { if (info == 0) info = k + 1; continue; }
        for (int i = k + 1; i < m; i++) a[i + (long)k * lda] /= pivot;
        for (int j = k + 1; j < n; j++) {
            T factor = a[k + (long)j * lda];
            for (int i = k + 1; i < m; i++) a[i + (long)j * lda] -= a[i + (long)k * lda] * factor;
        }
    }
    return info;
}
// Solves with a triangle of A: `upper` tells which one, `flip` whether with its transpose.
template <class T> inline void __lw_dense_triangle(bool upper, bool flip, bool unit, int n, const T *a, int lda, T *x) {
    bool down = upper == flip;
    for (int s = 0; s < n; s++) {
        int i = down ? s : n - 1 - s;
        T sum = x[i];
        for (int j = down ? 0 : i + 1; j < (down ? i : n); j++) sum -= (flip ? a[j + (long)i * lda] : a[i + (long)j * lda]) * x[j];
        x[i] = unit ? sum : sum / a[i + (long)i * lda];
    }
}
template <class T> inline void __lw_dense_lu_solve(bool flip, int n, int columns, const T *a, int lda, const int *pivots, T *b, int ldb) {
    for (int c = 0; c < columns; c++) {
        T *x = b + (long)c * ldb;
        if (!flip && pivots) for (int i = 0; i < n; i++) { int p = pivots[i] - 1; T held = x[i]; x[i] = x[p]; x[p] = held; }
        __lw_dense_triangle(flip, flip, !flip, n, a, lda, x);
        __lw_dense_triangle(!flip, flip, flip, n, a, lda, x);
        if (flip && pivots) for (int i = n - 1; i >= 0; i--) { int p = pivots[i] - 1; T held = x[i]; x[i] = x[p]; x[p] = held; }
    }
}
// A = L L^T, or U^T U. Returns the order of the first minor that is not positive, or 0.
template <class T> inline int __lw_dense_cholesky(bool upper, int n, T *a, int lda) {
#define __LW_AT(i, j) a[upper ? (j) + (long)(i) * lda : (i) + (long)(j) * lda]
    for (int j = 0; j < n; j++) {
        T sum = __LW_AT(j, j);
        for (int k = 0; k < j; k++) sum -= __LW_AT(j, k) * __LW_AT(j, k);
        if (!(sum > 0)) return j + 1;
        T root = sqrt(sum);
        __LW_AT(j, j) = root;
        for (int i = j + 1; i < n; i++) {
            T rest = __LW_AT(i, j);
            for (int k = 0; k < j; k++) rest -= __LW_AT(i, k) * __LW_AT(j, k);
            __LW_AT(i, j) = rest / root;
        }
    }
#undef __LW_AT
    return 0;
}
// Eigenvalues and vectors of a symmetric matrix, by Jacobi's rotations.
template <class T> inline void __lw_dense_eigen(bool vectors, bool upper, int n, T *a, int lda, T *values) {
    double *s = (double *)malloc((size_t)n * n * 2 * sizeof(double)), *v = s + (size_t)n * n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            bool stored = upper ? i <= j : i >= j;
            s[i + (size_t)j * n] = stored ? a[i + (size_t)j * lda] : a[j + (size_t)i * lda];
            v[i + (size_t)j * n] = i == j;
        }
    for (int sweep = 0; sweep < 60; sweep++) {
        double off = 0, all = 0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) { double x = s[i + (size_t)j * n]; all += x * x; if (i != j) off += x * x; }
        if (off <= 1e-30 * all) break;
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                double pq = s[p + (size_t)q * n];
                if (pq == 0) continue;
                double theta = (s[q + (size_t)q * n] - s[p + (size_t)p * n]) / (2 * pq);
                double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1)), c = 1 / sqrt(t * t + 1), d = t * c;
                for (int k = 0; k < n; k++) {
                    double x = s[k + (size_t)p * n], y = s[k + (size_t)q * n];
                    s[k + (size_t)p * n] = c * x - d * y; s[k + (size_t)q * n] = d * x + c * y;
                }
                for (int k = 0; k < n; k++) {
                    double x = s[p + (size_t)k * n], y = s[q + (size_t)k * n];
                    s[p + (size_t)k * n] = c * x - d * y; s[q + (size_t)k * n] = d * x + c * y;
                    x = v[k + (size_t)p * n]; y = v[k + (size_t)q * n];
                    v[k + (size_t)p * n] = c * x - d * y; v[k + (size_t)q * n] = d * x + c * y;
                }
            }
    }
    for (int done = 0; done < n; done++) {
        int least = -1;
        for (int i = 0; i < n; i++) if (s[i + (size_t)i * n] == s[i + (size_t)i * n] && (least < 0 || s[i + (size_t)i * n] < s[least + (size_t)least * n])) least = i;
        if (least < 0) break;
        values[done] = (T)s[least + (size_t)least * n];
        if (vectors) for (int k = 0; k < n; k++) a[k + (size_t)done * lda] = (T)v[k + (size_t)least * n];
        s[least + (size_t)least * n] = NAN;
    }
    free(s);
}
#define __LW_SOLVERS(LETTER, T)                                                                                       \
    inline cusolverStatus_t cusolverDn##LETTER##getrf_bufferSize(cusolverDnHandle_t, int, int, T *, int, int *size) { *size = 1; return CUSOLVER_STATUS_SUCCESS; } \
    inline cusolverStatus_t cusolverDn##LETTER##potrf_bufferSize(cusolverDnHandle_t, cublasFillMode_t, int, T *, int, int *size) { *size = 1; return CUSOLVER_STATUS_SUCCESS; } \
    inline cusolverStatus_t cusolverDn##LETTER##syevd_bufferSize(cusolverDnHandle_t, cusolverEigMode_t, cublasFillMode_t, int, const T *, int, const T *, int *size) { *size = 1; return CUSOLVER_STATUS_SUCCESS; } \
    inline cusolverStatus_t cusolverDn##LETTER##getrf(cusolverDnHandle_t, int m, int n, T *a, int lda, T *, int *pivots, int *info) { \
        if (m < 0 || n < 0 || lda < m) return CUSOLVER_STATUS_INVALID_VALUE;                                          \
        cudaDeviceSynchronize();                                                                                      \
        __lw_device_access access;                                                                                    \
        *info = __lw_dense_lu(m, n, a, lda, pivots);                                                                  \
        return CUSOLVER_STATUS_SUCCESS;                                                                               \
    }                                                                                                                 \
    inline cusolverStatus_t cusolverDn##LETTER##getrs(cusolverDnHandle_t, cublasOperation_t op, int n, int columns, const T *a, int lda, const int *pivots, T *b, int ldb, int *info) { \
        if (n < 0 || columns < 0 || lda < n || ldb < n) return CUSOLVER_STATUS_INVALID_VALUE;                         \
        cudaDeviceSynchronize();                                                                                      \
        __lw_device_access access;                                                                                    \
        __lw_dense_lu_solve(op != CUBLAS_OP_N, n, columns, a, lda, pivots, b, ldb);                                   \
        *info = 0;                                                                                                    \
        return CUSOLVER_STATUS_SUCCESS;                                                                               \
    }                                                                                                                 \
    inline cusolverStatus_t cusolverDn##LETTER##potrf(cusolverDnHandle_t, cublasFillMode_t fill, int n, T *a, int lda, T *, int, int *info) { \
        if (n < 0 || lda < n) return CUSOLVER_STATUS_INVALID_VALUE;                                                   \
        cudaDeviceSynchronize();                                                                                      \
        __lw_device_access access;                                                                                    \
        *info = __lw_dense_cholesky(fill == CUBLAS_FILL_MODE_UPPER, n, a, lda);                                       \
        return CUSOLVER_STATUS_SUCCESS;                                                                               \
    }                                                                                                                 \
    inline cusolverStatus_t cusolverDn##LETTER##potrs(cusolverDnHandle_t, cublasFillMode_t fill, int n, int columns, const T *a, int lda, T *b, int ldb, int *info) { \
        if (n < 0 || columns < 0 || lda < n || ldb < n) return CUSOLVER_STATUS_INVALID_VALUE;                         \
        cudaDeviceSynchronize();                                                                                      \
        __lw_device_access access;                                                                                    \
        bool upper = fill == CUBLAS_FILL_MODE_UPPER;                                                                  \
        for (int c = 0; c < columns; c++) {                                                                           \
            __lw_dense_triangle(upper, upper, false, n, a, lda, b + (long)c * ldb);                                   \
            __lw_dense_triangle(upper, !upper, false, n, a, lda, b + (long)c * ldb);                                  \
        }                                                                                                             \
        *info = 0;                                                                                                    \
        return CUSOLVER_STATUS_SUCCESS;                                                                               \
    }                                                                                                                 \
    inline cusolverStatus_t cusolverDn##LETTER##syevd(cusolverDnHandle_t, cusolverEigMode_t mode, cublasFillMode_t fill, int n, T *a, int lda, T *values, T *, int, int *info) { \
        if (n < 0 || lda < n) return CUSOLVER_STATUS_INVALID_VALUE;                                                   \
        cudaDeviceSynchronize();                                                                                      \
        __lw_device_access access;                                                                                    \
        __lw_dense_eigen(mode == CUSOLVER_EIG_MODE_VECTOR, fill == CUBLAS_FILL_MODE_UPPER, n, a, lda, values);        \
        *info = 0;                                                                                                    \
        return CUSOLVER_STATUS_SUCCESS;                                                                               \
    }                                                                                                                 \
    inline cublasStatus_t cublas##LETTER##getrfBatched(cublasHandle_t, int n, T *const a[], int lda, int *pivots, int *info, int count) { \
        if (n < 0 || lda < n || count < 0) return CUBLAS_STATUS_INVALID_VALUE;                                        \
        cudaDeviceSynchronize();                                                                                      \
        __lw_device_access access;                                                                                    \
        for (int i = 0; i < count; i++) info[i] = __lw_dense_lu(n, n, a[i], lda, pivots ? pivots + (long)i * n : nullptr); \
        return CUBLAS_STATUS_SUCCESS;                                                                                 \
    }                                                                                                                 \
    inline cublasStatus_t cublas##LETTER##getrsBatched(cublasHandle_t, cublasOperation_t op, int n, int columns, const T *const a[], int lda, const int *pivots, T *const b[], int ldb, int *info, int count) { \
        if (n < 0 || columns < 0 || lda < n || ldb < n || count < 0) return CUBLAS_STATUS_INVALID_VALUE;              \
        cudaDeviceSynchronize();                                                                                      \
        __lw_device_access access;                                                                                    \
        for (int i = 0; i < count; i++) __lw_dense_lu_solve(op != CUBLAS_OP_N, n, columns, a[i], lda, pivots ? pivots + (long)i * n : nullptr, b[i], ldb); \
        *info = 0;                                                                                                    \
        return CUBLAS_STATUS_SUCCESS;                                                                                 \
    }                                                                                                                 \
    inline cublasStatus_t cublas##LETTER##getriBatched(cublasHandle_t, int n, const T *const a[], int lda, const int *pivots, T *const c[], int ldc, int *info, int count) { \
        if (n < 0 || lda < n || ldc < n || count < 0) return CUBLAS_STATUS_INVALID_VALUE;                             \
        cudaDeviceSynchronize();                                                                                      \
        __lw_device_access access;                                                                                    \
        for (int i = 0; i < count; i++) {                                                                             \
            info[i] = 0;                                                                                              \
            for (int k = n; k > 0; k--) if (a[i][k - 1 + (long)(k - 1) * lda] == 0) info[i] = k;                      \
            if (info[i]) continue;                                                                                    \
            for (int k = 0; k < n; k++) for (int l = 0; l < n; l++) c[i][k + (long)l * ldc] = k == l;                 \
            __lw_dense_lu_solve(false, n, n, a[i], lda, pivots ? pivots + (long)i * n : nullptr, c[i], ldc);          \
        }                                                                                                             \
        return CUBLAS_STATUS_SUCCESS;                                                                                 \
    }
__LW_SOLVERS(S, float) __LW_SOLVERS(D, double)
#undef __LW_SOLVERS
#endif
