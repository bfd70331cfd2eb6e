// The most used cuBLAS functions of levels 1 to 3, in float, double and small floats.
#include <cublas_v2.h>
// A simple implementation: one thread computes 4 x 4 elements of a product, or one element of another result. Terms are added
// in the order of the definition. Matrices are stored by columns. Scalar arguments are in host or device memory; kernels read
// those in device memory, or a copy.
template <class S, class T, class R> __device__ void __lw_blas_product(int ta, int tb, long m, long n, long k, S alpha, const T *a, long lda, const T *b, long ldb, S beta, R *c, long ldc) {
    long at = (long)blockIdx.x * blockDim.x + threadIdx.x, rows = (m + 3) / 4, i = at % rows, j = at / rows * 4;
    if (j >= n) return;
    long down = ta ? 1 : lda, right = tb ? ldb : 1;
    const T *x[4], *y[4];
    S sum[4][4];
    for (int p = 0; p < 4; p++) {
        // Elements outside of the matrix are computed from its last row or column, and not stored.
        long row = i + p * rows < m ? i + p * rows : m - 1, column = j + p < n ? j + p : n - 1;
        x[p] = a + row * (ta ? lda : 1);
        y[p] = b + column * (tb ? 1 : ldb);
        for (int q = 0; q < 4; q++) sum[p][q] = 0;
    }
    for (long l = 0; l < k; l++) {
        S u[4], v[4];
        for (int p = 0; p < 4; p++) { u[p] = (S)*x[p]; v[p] = (S)*y[p]; x[p] += down; y[p] += right; }
        for (int p = 0; p < 4; p++)
            for (int q = 0; q < 4; q++) sum[p][q] += u[p] * v[q];
    }
    for (int p = 0; p < 4; p++)
        for (int q = 0; q < 4; q++) {
            if (i + p * rows >= m || j + q >= n) continue;
            R *z = c + i + p * rows + (j + q) * ldc;
            *z = beta == (S)0 ? (R)(alpha * sum[p][q]) : (R)(alpha * sum[p][q] + beta * (S)*z);
        }
}
#define __LW_BLAS(NAME, T, S, R)                                                                                      \
    static __global__ void __lw_blas_gemm_##NAME(int ta, int tb, long m, long n, long k, S alpha, const T *a, long lda, long sa, const T *b, long ldb, long sb, S beta, R *c, long ldc, long sc) { \
        __lw_blas_product(ta, tb, m, n, k, alpha, a + blockIdx.z * sa, lda, b + blockIdx.z * sb, ldb, beta, c + blockIdx.z * sc, ldc); \
    }
__LW_BLAS(s, float, float, float) __LW_BLAS(d, double, double, double) __LW_BLAS(h, __half, float, __half) __LW_BLAS(b, __nv_bfloat16, float, __nv_bfloat16)
__LW_BLAS(hs, __half, float, float) __LW_BLAS(bs, __nv_bfloat16, float, float) __LW_BLAS(is, signed char, float, float) __LW_BLAS(i, signed char, int, int)
#undef __LW_BLAS
#define __LW_BLAS(NAME, T, S)                                                                                         \
    static __global__ void __lw_blas_gemms_##NAME(int ta, int tb, long m, long n, long k, S alpha, const T *const *a, long lda, const T *const *b, long ldb, S beta, T *const *c, long ldc) { \
        __lw_blas_product(ta, tb, m, n, k, alpha, a[blockIdx.z], lda, b[blockIdx.z], ldb, beta, c[blockIdx.z], ldc); \
    }
__LW_BLAS(s, float, float) __LW_BLAS(d, double, double) __LW_BLAS(h, __half, float) __LW_BLAS(b, __nv_bfloat16, float)
#undef __LW_BLAS
#define __LW_EPILOGUE(NAME, T)                                                                                        \
    static __global__ void __lw_blas_epilogue_##NAME(int kind, long m, long n, T *d, long ldd, long stride, const T *bias) { \
        long at = (long)blockIdx.x * blockDim.x + threadIdx.x, i = at % m, j = at / m;                                \
        if (j >= n) return;                                                                                           \
        d += blockIdx.z * stride + i + j * ldd;                                                                       \
        float value = (float)*d;                                                                                      \
        if (kind & 4) value += (float)bias[i];                                                                        \
        if (kind & 2) value = fmaxf(value, 0.0f);                                                                     \
        if (kind & 32) value = 0.5f * value * (1.0f + tanhf(0.797884561f * (value + 0.044715f * value * value * value))); \
        *d = (T)value;                                                                                                \
    }
__LW_EPILOGUE(s, float) __LW_EPILOGUE(h, __half) __LW_EPILOGUE(b, __nv_bfloat16)
#undef __LW_EPILOGUE
#define __LW_VECTORS(NAME, T)                                                                                         \
    static __global__ void __lw_blas_axpy_##NAME(long n, T alpha, const T *x, long incx, T *y, long incy) {          \
        long i = (long)blockIdx.x * blockDim.x + threadIdx.x;                                                         \
        if (i < n) y[i * incy] = alpha * x[i * incx] + y[i * incy];                                                   \
    }                                                                                                                 \
    static __global__ void __lw_blas_scal_##NAME(long n, T alpha, T *x, long incx) {                                 \
        long i = (long)blockIdx.x * blockDim.x + threadIdx.x;                                                         \
        if (i < n) x[i * incx] *= alpha;                                                                              \
    }                                                                                                                 \
    static __global__ void __lw_blas_copy_##NAME(long n, T *x, long incx, T *y, long incy, bool swap) {              \
        long i = (long)blockIdx.x * blockDim.x + threadIdx.x;                                                         \
        if (i >= n) return;                                                                                           \
        T old = y[i * incy];                                                                                          \
        y[i * incy] = x[i * incx];                                                                                    \
        if (swap) x[i * incx] = old;                                                                                  \
    }                                                                                                                 \
    static __global__ void __lw_blas_reduce_##NAME(int kind, long n, const T *x, long incx, const T *y, long incy, T *result) { \
        __shared__ T parts[256];                                                                                      \
        T sum = 0;                                                                                                    \
        for (long i = threadIdx.x; i < n; i += 256) sum += kind == 2 ? fabs(x[i * incx]) : x[i * incx] * y[i * incy]; \
        parts[threadIdx.x] = sum;                                                                                     \
        __syncthreads();                                                                                              \
        for (int by = 128; by > 0; by /= 2) {                                                                         \
            if (threadIdx.x < by) parts[threadIdx.x] += parts[threadIdx.x + by];                                      \
            __syncthreads();                                                                                          \
        }                                                                                                             \
        if (threadIdx.x == 0) *result = kind == 1 ? sqrt(parts[0]) : parts[0];                                        \
    }                                                                                                                 \
    static __global__ void __lw_blas_extreme_##NAME(bool least, long n, const T *x, long incx, int *result) {        \
        int best = 0;                                                                                                 \
        for (long i = 1; i < n; i++)                                                                                  \
            if (least ? fabs(x[i * incx]) < fabs(x[best * incx]) : fabs(x[i * incx]) > fabs(x[best * incx])) best = (int)i; \
        *result = n > 0 ? best + 1 : 0;                                                                               \
    }                                                                                                                 \
    static __global__ void __lw_blas_geam_##NAME(int ta, int tb, long m, long n, T alpha, const T *a, long lda, T beta, const T *b, long ldb, T *c, long ldc) { \
        long at = (long)blockIdx.x * blockDim.x + threadIdx.x, i = at % m, j = at / m;                                \
        if (j >= n) return;                                                                                           \
        T sum = 0;                                                                                                    \
        if (alpha != 0) sum += alpha * a[ta ? j + i * lda : i + j * lda];                                             \
        if (beta != 0) sum += beta * b[tb ? j + i * ldb : i + j * ldb];                                               \
        c[i + j * ldc] = sum;                                                                                         \
    }                                                                                                                 \
    static __global__ void __lw_blas_ger_##NAME(long m, long n, T alpha, const T *x, long incx, const T *y, long incy, T *a, long lda) { \
        long at = (long)blockIdx.x * blockDim.x + threadIdx.x, i = at % m, j = at / m;                                \
        if (j < n) a[i + j * lda] += alpha * x[i * incx] * y[j * incy];                                               \
    }                                                                                                                 \
    static __global__ void __lw_blas_gemv_##NAME(int ta, long m, long n, T alpha, const T *a, long lda, const T *x, long incx, T beta, T *y, long incy) { \
        long i = (long)blockIdx.x * blockDim.x + threadIdx.x, length = ta ? m : n;                                    \
        if (i >= (ta ? n : m)) return;                                                                                \
        T sum = 0;                                                                                                    \
        for (long l = 0; l < length; l++) sum += a[ta ? l + i * lda : i + l * lda] * x[l * incx];                     \
        y[i * incy] = beta == 0 ? alpha * sum : alpha * sum + beta * y[i * incy];                                     \
    }
__LW_VECTORS(s, float) __LW_VECTORS(d, double)
#undef __LW_VECTORS
// Functions for numbers of several types.
template <class T> struct __lw_wide { typedef float type; };
template <> struct __lw_wide<double> { typedef double type; };
template <class T> __global__ void __lw_blas_dot_of(int n, const T *x, int incx, const T *y, int incy, bool root, T *to) {
    typedef typename __lw_wide<T>::type W;
    W sum = 0;
    for (int i = 0; i < n; i++) sum += (W)x[(long)i * incx] * (W)y[(long)i * incy];
    *to = (T)(root ? sqrt(sum) : sum);
}
template <class T> __global__ void __lw_blas_axpy_of(int n, T alpha, const T *x, int incx, T *y, int incy, bool add) {
    typedef typename __lw_wide<T>::type W;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[(long)i * incy] = (T)((W)alpha * (W)x[(long)i * incx] + (add ? (W)y[(long)i * incy] : (W)0));
}
#define __LW_INSTANCES(T)                                                                                             \
    template __global__ void __lw_blas_dot_of<T>(int, const T *, int, const T *, int, bool, T *);                     \
    template __global__ void __lw_blas_axpy_of<T>(int, T, const T *, int, T *, int, bool);
__LW_INSTANCES(float) __LW_INSTANCES(double) __LW_INSTANCES(__half) __LW_INSTANCES(__nv_bfloat16)
#undef __LW_INSTANCES
#ifdef __LW_HOST__
struct cublasContext { cudaStream_t stream; cublasPointerMode_t mode; cublasMath_t math; cublasAtomicsMode_t atomics; };
inline cublasStatus_t cublasCreate_v2(cublasHandle_t *to) { *to = (cublasHandle_t)calloc(1, sizeof(cublasContext)); return CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) { free(handle); return CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) { handle->stream = stream; return CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t *stream) { *stream = handle->stream; return CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode) { handle->mode = mode; return CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t *mode) { *mode = handle->mode; return CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t math) { handle->math = math; return CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t *math) { *math = handle->math; return CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode) { handle->atomics = mode; return CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t, void *, size_t) { return CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasGetVersion_v2(cublasHandle_t, int *version) { *version = CUBLAS_VERSION; return CUBLAS_STATUS_SUCCESS; }
#define cublasCreate cublasCreate_v2
#define cublasDestroy cublasDestroy_v2
#define cublasSetStream cublasSetStream_v2
#define cublasGetStream cublasGetStream_v2
#define cublasSetPointerMode cublasSetPointerMode_v2
#define cublasGetPointerMode cublasGetPointerMode_v2
#define cublasSetWorkspace cublasSetWorkspace_v2
#define cublasGetVersion cublasGetVersion_v2
inline const char *cublasGetStatusName(cublasStatus_t status) {
    switch (status) {
    case CUBLAS_STATUS_SUCCESS: return "CUBLAS_STATUS_SUCCESS";
    case CUBLAS_STATUS_NOT_INITIALIZED: return "CUBLAS_STATUS_NOT_INITIALIZED";
    case CUBLAS_STATUS_INVALID_VALUE: return "CUBLAS_STATUS_INVALID_VALUE";
    case CUBLAS_STATUS_EXECUTION_FAILED: return "CUBLAS_STATUS_EXECUTION_FAILED";
    default: return "CUBLAS_STATUS_NOT_SUPPORTED";
    }
}
inline const char *cublasGetStatusString(cublasStatus_t status) { return cublasGetStatusName(status); }
inline cublasStatus_t __lw_blas_status(cudaError_t error) {
    return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : error == cudaErrorInvalidValue ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_EXECUTION_FAILED;
}
inline unsigned __lw_blas_blocks(long count) { return (unsigned)((count + 255) / 256); }
// The value of a scalar argument, copied from the device if necessary.
template <class S> inline S __lw_blas_scalar(cublasHandle_t handle, const S *from) {
    S value;
    if (handle->mode == CUBLAS_POINTER_MODE_HOST && !__lw_is_device(from)) return *from;
    cudaStreamSynchronize(handle->stream);
    cudaMemcpy(&value, from, sizeof(S), cudaMemcpyDefault);
    return value;
}
template <class R> inline cublasStatus_t __lw_blas_result(cublasHandle_t handle, R *to, R *made) {
    cudaError_t error = cudaStreamSynchronize(handle->stream);
    if (error == cudaSuccess) error = cudaMemcpy(to, made, sizeof(R), cudaMemcpyDefault);
    cudaFree(made);
    return __lw_blas_status(error);
}
inline cublasStatus_t cublasSetVector(int n, int size, const void *from, int incx, void *to, int incy) {
    return __lw_blas_status(cudaMemcpy2D(to, (size_t)incy * size, from, (size_t)incx * size, size, n, cudaMemcpyHostToDevice));
}
inline cublasStatus_t cublasGetVector(int n, int size, const void *from, int incx, void *to, int incy) {
    return __lw_blas_status(cudaMemcpy2D(to, (size_t)incy * size, from, (size_t)incx * size, size, n, cudaMemcpyDeviceToHost));
}
inline cublasStatus_t cublasSetMatrix(int rows, int columns, int size, const void *from, int lda, void *to, int ldb) {
    return __lw_blas_status(cudaMemcpy2D(to, (size_t)ldb * size, from, (size_t)lda * size, (size_t)rows * size, columns, cudaMemcpyHostToDevice));
}
inline cublasStatus_t cublasGetMatrix(int rows, int columns, int size, const void *from, int lda, void *to, int ldb) {
    return __lw_blas_status(cudaMemcpy2D(to, (size_t)ldb * size, from, (size_t)lda * size, (size_t)rows * size, columns, cudaMemcpyDeviceToHost));
}
#define __LW_GEMM(NAME, T, S, R)                                                                                      \
    inline cublasStatus_t __lw_gemm_##NAME(cublasHandle_t h, int ta, int tb, long m, long n, long k, S alpha, const T *a, long lda, long sa, const T *b, long ldb, long sb, S beta, R *c, long ldc, long sc, int count) { \
        if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;                                                                 \
        if (m < 0 || n < 0 || k < 0 || lda < (ta ? k : m) || ldb < (tb ? n : k) || ldc < m) return CUBLAS_STATUS_INVALID_VALUE; \
        if (m == 0 || n == 0 || count == 0) return CUBLAS_STATUS_SUCCESS;                                             \
        __lw_blas_gemm_##NAME<<<dim3(__lw_blas_blocks((m + 3) / 4 * ((n + 3) / 4)), 1, count), 256, 0, h->stream>>>(ta, tb, m, n, k, alpha, a, lda, sa, b, ldb, sb, beta, c, ldc, sc); \
        return __lw_blas_status(cudaPeekAtLastError());                                                               \
    }
__LW_GEMM(s, float, float, float) __LW_GEMM(d, double, double, double) __LW_GEMM(h, __half, float, __half) __LW_GEMM(b, __nv_bfloat16, float, __nv_bfloat16)
__LW_GEMM(hs, __half, float, float) __LW_GEMM(bs, __nv_bfloat16, float, float) __LW_GEMM(is, signed char, float, float) __LW_GEMM(i, signed char, int, int)
#undef __LW_GEMM
#define __LW_GEMM(NAME, T, S)                                                                                         \
    inline cublasStatus_t __lw_gemms_##NAME(cublasHandle_t h, int ta, int tb, long m, long n, long k, S alpha, const T *const *a, long lda, const T *const *b, long ldb, S beta, T *const *c, long ldc, int count) { \
        if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;                                                                 \
        if (m < 0 || n < 0 || k < 0 || lda < (ta ? k : m) || ldb < (tb ? n : k) || ldc < m) return CUBLAS_STATUS_INVALID_VALUE; \
        if (m == 0 || n == 0 || count == 0) return CUBLAS_STATUS_SUCCESS;                                             \
        __lw_blas_gemms_##NAME<<<dim3(__lw_blas_blocks((m + 3) / 4 * ((n + 3) / 4)), 1, count), 256, 0, h->stream>>>(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc); \
        return __lw_blas_status(cudaPeekAtLastError());                                                               \
    }
__LW_GEMM(s, float, float) __LW_GEMM(d, double, double) __LW_GEMM(h, __half, float) __LW_GEMM(b, __nv_bfloat16, float)
#undef __LW_GEMM
#define __LW_GEMM(LETTER, NAME, T, S, I, TAIL)                                                                        \
    inline cublasStatus_t cublas##LETTER##gemm##TAIL(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, I m, I n, I k, const T *alpha, const T *a, I lda, const T *b, I ldb, const T *beta, T *c, I ldc) { \
        return __lw_gemm_##NAME(h, ta, tb, m, n, k, (S)__lw_blas_scalar(h, alpha), a, lda, 0, b, ldb, 0, (S)__lw_blas_scalar(h, beta), c, ldc, 0, 1); \
    }
__LW_GEMM(S, s, float, float, int, _v2) __LW_GEMM(D, d, double, double, int, _v2) __LW_GEMM(H, h, __half, float, int, )
__LW_GEMM(S, s, float, float, long, _v2_64) __LW_GEMM(D, d, double, double, long, _v2_64)
#undef __LW_GEMM
#define __LW_GEMM(LETTER, NAME, T, S)                                                                                 \
    inline cublasStatus_t cublas##LETTER##gemmStridedBatched(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const T *alpha, const T *a, int lda, long long sa, const T *b, int ldb, long long sb, const T *beta, T *c, int ldc, long long sc, int count) { \
        return __lw_gemm_##NAME(h, ta, tb, m, n, k, (S)__lw_blas_scalar(h, alpha), a, lda, sa, b, ldb, sb, (S)__lw_blas_scalar(h, beta), c, ldc, sc, count); \
    }                                                                                                                 \
    inline cublasStatus_t cublas##LETTER##gemmBatched(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const T *alpha, const T *const a[], int lda, const T *const b[], int ldb, const T *beta, T *const c[], int ldc, int count) { \
        return __lw_gemms_##NAME(h, ta, tb, m, n, k, (S)__lw_blas_scalar(h, alpha), a, lda, b, ldb, (S)__lw_blas_scalar(h, beta), c, ldc, count); \
    }
__LW_GEMM(S, s, float, float) __LW_GEMM(D, d, double, double) __LW_GEMM(H, h, __half, float)
#undef __LW_GEMM
#define cublasSgemm cublasSgemm_v2
#define cublasDgemm cublasDgemm_v2
// Whether there is a product of inputs of the first type with a result of the second one.
inline bool __lw_blas_types(int from, int to) {
    if (from == CUDA_R_8I) return to == CUDA_R_32I || to == CUDA_R_32F;
    if (from == CUDA_R_16F || from == CUDA_R_16BF) return to == from || to == CUDA_R_32F;
    return from == to && (from == CUDA_R_32F || from == CUDA_R_64F);
}
// A product of matrices of these types; `kind` is that of the scalar factors.
inline cublasStatus_t __lw_gemm_ex(cublasHandle_t h, int ta, int tb, long m, long n, long k, int kind, const void *alpha, const void *a, int from, long lda, long sa, const void *b, long ldb, long sb, const void *beta, void *c, int to, long ldc, long sc, int count) {
    if (!__lw_blas_types(from, to)) return CUBLAS_STATUS_NOT_SUPPORTED;
#define __LW_EX(NAME, T, R, S, X) return __lw_gemm_##NAME(h, ta, tb, m, n, k, (S)__lw_blas_scalar(h, (const X *)alpha), (const T *)a, lda, sa, (const T *)b, ldb, sb, (S)__lw_blas_scalar(h, (const X *)beta), (R *)c, ldc, sc, count);
    if (from == CUDA_R_64F) __LW_EX(d, double, double, double, double)
    if (to == CUDA_R_32I) {
        if (kind == CUDA_R_32I) __LW_EX(i, signed char, int, int, int)
        __LW_EX(i, signed char, int, int, float)
    }
    if (from == CUDA_R_16F && to == from && kind == CUDA_R_16F) __LW_EX(h, __half, __half, float, __half)
    if (from == CUDA_R_16F && to == from) __LW_EX(h, __half, __half, float, float)
    if (from == CUDA_R_16BF && to == from) __LW_EX(b, __nv_bfloat16, __nv_bfloat16, float, float)
    if (from == CUDA_R_16F) __LW_EX(hs, __half, float, float, float)
    if (from == CUDA_R_16BF) __LW_EX(bs, __nv_bfloat16, float, float, float)
    if (from == CUDA_R_8I) __LW_EX(is, signed char, float, float, float)
    __LW_EX(s, float, float, float, float)
#undef __LW_EX
}
// Products with a separate compute type.
inline cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const void *alpha, const void *a, cudaDataType_t ka, int lda, long long sa, const void *b, cudaDataType_t kb, int ldb, long long sb, const void *beta, void *c, cudaDataType_t kc, int ldc, long long sc, int count, cublasComputeType_t compute, cublasGemmAlgo_t) {
    if (ka != kb) return CUBLAS_STATUS_NOT_SUPPORTED;
    int kind = compute == CUBLAS_COMPUTE_16F ? CUDA_R_16F : compute == CUBLAS_COMPUTE_32I ? CUDA_R_32I : CUDA_R_32F;
    return __lw_gemm_ex(h, ta, tb, m, n, k, kind, alpha, a, ka, lda, sa, b, ldb, sb, beta, c, kc, ldc, sc, count);
}
inline cublasStatus_t cublasGemmEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const void *alpha, const void *a, cudaDataType_t ka, int lda, const void *b, cudaDataType_t kb, int ldb, const void *beta, void *c, cudaDataType_t kc, int ldc, cublasComputeType_t compute, cublasGemmAlgo_t algorithm) {
    return cublasGemmStridedBatchedEx(h, ta, tb, m, n, k, alpha, a, ka, lda, 0, b, kb, ldb, 0, beta, c, kc, ldc, 0, 1, compute, algorithm);
}
// Older programs pass a data type instead of a compute type.
inline cublasStatus_t cublasGemmEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, const void *alpha, const void *a, cudaDataType_t ka, int lda, const void *b, cudaDataType_t kb, int ldb, const void *beta, void *c, cudaDataType_t kc, int ldc, cudaDataType_t compute, cublasGemmAlgo_t algorithm) {
    return cublasGemmEx(h, ta, tb, m, n, k, alpha, a, ka, lda, b, kb, ldb, beta, c, kc, ldc, compute == CUDA_R_16F ? CUBLAS_COMPUTE_16F : CUBLAS_COMPUTE_32F, algorithm);
}
// With a negative increment, a vector starts at its end.
template <class T> inline T *__lw_blas_start(T *x, long n, long increment) { return increment < 0 && n > 0 ? x - (n - 1) * increment : x; }
#define __LW_LEVEL(LETTER, NAME, T, IMAX, IMIN)                                                                       \
    inline cublasStatus_t cublas##LETTER##axpy_v2(cublasHandle_t h, int n, const T *alpha, const T *x, int incx, T *y, int incy) { \
        if (n > 0) __lw_blas_axpy_##NAME<<<__lw_blas_blocks(n), 256, 0, h->stream>>>(n, __lw_blas_scalar(h, alpha), __lw_blas_start(x, n, incx), incx, __lw_blas_start(y, n, incy), incy); \
        return __lw_blas_status(cudaPeekAtLastError());                                                               \
    }                                                                                                                 \
    inline cublasStatus_t cublas##LETTER##scal_v2(cublasHandle_t h, int n, const T *alpha, T *x, int incx) {          \
        if (n > 0 && incx > 0) __lw_blas_scal_##NAME<<<__lw_blas_blocks(n), 256, 0, h->stream>>>(n, __lw_blas_scalar(h, alpha), x, incx); \
        return __lw_blas_status(cudaPeekAtLastError());                                                               \
    }                                                                                                                 \
    inline cublasStatus_t cublas##LETTER##copy_v2(cublasHandle_t h, int n, const T *x, int incx, T *y, int incy) {    \
        if (n > 0) __lw_blas_copy_##NAME<<<__lw_blas_blocks(n), 256, 0, h->stream>>>(n, __lw_blas_start((T *)x, n, incx), incx, __lw_blas_start(y, n, incy), incy, false); \
        return __lw_blas_status(cudaPeekAtLastError());                                                               \
    }                                                                                                                 \
    inline cublasStatus_t cublas##LETTER##swap_v2(cublasHandle_t h, int n, T *x, int incx, T *y, int incy) {          \
        if (n > 0) __lw_blas_copy_##NAME<<<__lw_blas_blocks(n), 256, 0, h->stream>>>(n, __lw_blas_start(x, n, incx), incx, __lw_blas_start(y, n, incy), incy, true); \
        return __lw_blas_status(cudaPeekAtLastError());                                                               \
    }                                                                                                                 \
    inline cublasStatus_t __lw_blas_reduced_##NAME(cublasHandle_t h, int kind, int n, const T *x, int incx, const T *y, int incy, T *result) { \
        T *made;                                                                                                      \
        if (cudaMalloc(&made, sizeof(T)) != cudaSuccess) return CUBLAS_STATUS_ALLOC_FAILED;                           \
        __lw_blas_reduce_##NAME<<<1, 256, 0, h->stream>>>(kind, n, __lw_blas_start(x, n, incx), incx, __lw_blas_start(y, n, incy), incy, made); \
        return __lw_blas_result(h, result, made);                                                                     \
    }                                                                                                                 \
    inline cublasStatus_t cublas##LETTER##dot_v2(cublasHandle_t h, int n, const T *x, int incx, const T *y, int incy, T *result) { return __lw_blas_reduced_##NAME(h, 0, n, x, incx, y, incy, result); } \
    inline cublasStatus_t cublas##LETTER##nrm2_v2(cublasHandle_t h, int n, const T *x, int incx, T *result) { return __lw_blas_reduced_##NAME(h, 1, n, x, incx, x, incx, result); } \
    inline cublasStatus_t cublas##LETTER##asum_v2(cublasHandle_t h, int n, const T *x, int incx, T *result) { return __lw_blas_reduced_##NAME(h, 2, n, x, incx, x, incx, result); } \
    inline cublasStatus_t __lw_blas_found_##NAME(cublasHandle_t h, bool least, int n, const T *x, int incx, int *result) { \
        int *made;                                                                                                    \
        if (cudaMalloc(&made, sizeof(int)) != cudaSuccess) return CUBLAS_STATUS_ALLOC_FAILED;                         \
        __lw_blas_extreme_##NAME<<<1, 1, 0, h->stream>>>(least, n, x, incx, made);                                    \
        return __lw_blas_result(h, result, made);                                                                     \
    }                                                                                                                 \
    inline cublasStatus_t IMAX(cublasHandle_t h, int n, const T *x, int incx, int *result) { return __lw_blas_found_##NAME(h, false, n, x, incx, result); } \
    inline cublasStatus_t IMIN(cublasHandle_t h, int n, const T *x, int incx, int *result) { return __lw_blas_found_##NAME(h, true, n, x, incx, result); } \
    inline cublasStatus_t cublas##LETTER##gemv_v2(cublasHandle_t h, cublasOperation_t ta, int m, int n, const T *alpha, const T *a, int lda, const T *x, int incx, const T *beta, T *y, int incy) { \
        if (m < 0 || n < 0 || lda < m || incx == 0 || incy == 0) return CUBLAS_STATUS_INVALID_VALUE;                  \
        long results = ta ? n : m, length = ta ? m : n;                                                               \
        if (results > 0) __lw_blas_gemv_##NAME<<<__lw_blas_blocks(results), 256, 0, h->stream>>>(ta, m, n, __lw_blas_scalar(h, alpha), a, lda, __lw_blas_start(x, length, incx), incx, __lw_blas_scalar(h, beta), __lw_blas_start(y, results, incy), incy); \
        return __lw_blas_status(cudaPeekAtLastError());                                                               \
    }                                                                                                                 \
    inline cublasStatus_t cublas##LETTER##ger_v2(cublasHandle_t h, int m, int n, const T *alpha, const T *x, int incx, const T *y, int incy, T *a, int lda) { \
        if (m > 0 && n > 0) __lw_blas_ger_##NAME<<<__lw_blas_blocks((long)m * n), 256, 0, h->stream>>>(m, n, __lw_blas_scalar(h, alpha), __lw_blas_start(x, m, incx), incx, __lw_blas_start(y, n, incy), incy, a, lda); \
        return __lw_blas_status(cudaPeekAtLastError());                                                               \
    }                                                                                                                 \
    inline cublasStatus_t cublas##LETTER##geam(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m, int n, const T *alpha, const T *a, int lda, const T *beta, const T *b, int ldb, T *c, int ldc) { \
        if (m > 0 && n > 0) __lw_blas_geam_##NAME<<<__lw_blas_blocks((long)m * n), 256, 0, h->stream>>>(ta, tb, m, n, __lw_blas_scalar(h, alpha), a, lda, __lw_blas_scalar(h, beta), b, ldb, c, ldc); \
        return __lw_blas_status(cudaPeekAtLastError());                                                               \
    }
__LW_LEVEL(S, s, float, cublasIsamax_v2, cublasIsamin_v2) __LW_LEVEL(D, d, double, cublasIdamax_v2, cublasIdamin_v2)
#undef __LW_LEVEL
#define cublasSaxpy cublasSaxpy_v2
#define cublasDaxpy cublasDaxpy_v2
#define cublasSscal cublasSscal_v2
#define cublasDscal cublasDscal_v2
#define cublasScopy cublasScopy_v2
#define cublasDcopy cublasDcopy_v2
#define cublasSswap cublasSswap_v2
#define cublasDswap cublasDswap_v2
#define cublasSdot cublasSdot_v2
#define cublasDdot cublasDdot_v2
#define cublasSnrm2 cublasSnrm2_v2
#define cublasDnrm2 cublasDnrm2_v2
#define cublasSasum cublasSasum_v2
#define cublasDasum cublasDasum_v2
#define cublasIsamax cublasIsamax_v2
#define cublasIdamax cublasIdamax_v2
#define cublasIsamin cublasIsamin_v2
#define cublasIdamin cublasIdamin_v2
#define cublasSgemv cublasSgemv_v2
#define cublasDgemv cublasDgemv_v2
#define cublasSger cublasSger_v2
#define cublasDger cublasDger_v2
template <class T> inline cublasStatus_t __lw_blas_dot_ex(cublasHandle_t h, int n, const void *x, int incx, const void *y, int incy, bool root, void *result) {
    T *made;
    if (cudaMalloc(&made, sizeof(T)) != cudaSuccess) return CUBLAS_STATUS_ALLOC_FAILED;
    __lw_blas_dot_of<T><<<1, 1, 0, h->stream>>>(n, __lw_blas_start((const T *)x, n, incx), incx, __lw_blas_start((const T *)y, n, incy), incy, root, made);
    return __lw_blas_result(h, (T *)result, made);
}
inline float __lw_blas_number(cublasHandle_t h, const void *at, cudaDataType kind) {
    if (kind == CUDA_R_64F) return (float)__lw_blas_scalar(h, (const double *)at);
    if (kind == CUDA_R_16F) return (float)__lw_blas_scalar(h, (const __half *)at);
    if (kind == CUDA_R_16BF) return (float)__lw_blas_scalar(h, (const __nv_bfloat16 *)at);
    return __lw_blas_scalar(h, (const float *)at);
}
template <class T> inline cublasStatus_t __lw_blas_axpy_ex(cublasHandle_t h, int n, T alpha, const void *x, int incx, void *y, int incy, bool add) {
    if (n > 0) __lw_blas_axpy_of<T><<<__lw_blas_blocks(n), 256, 0, h->stream>>>(n, alpha, __lw_blas_start((const T *)x, n, incx), incx, __lw_blas_start((T *)y, n, incy), incy, add);
    return __lw_blas_status(cudaPeekAtLastError());
}
#define __LW_BY_KIND(KIND, CALL)                                                                                      \
    switch (KIND) {                                                                                                   \
    case CUDA_R_32F: { typedef float T; return CALL; }                                                                \
    case CUDA_R_64F: { typedef double T; return CALL; }                                                               \
    case CUDA_R_16F: { typedef __half T; return CALL; }                                                               \
    case CUDA_R_16BF: { typedef __nv_bfloat16 T; return CALL; }                                                       \
    default: return CUBLAS_STATUS_NOT_SUPPORTED;                                                                      \
    }
inline cublasStatus_t cublasDotEx(cublasHandle_t h, int n, const void *x, cudaDataType kx, int incx, const void *y, cudaDataType ky, int incy, void *result, cudaDataType kr, cudaDataType) {
    if (kx != ky || kx != kr) return CUBLAS_STATUS_NOT_SUPPORTED;
    __LW_BY_KIND(kx, __lw_blas_dot_ex<T>(h, n, x, incx, y, incy, false, result))
}
inline cublasStatus_t cublasDotcEx(cublasHandle_t h, int n, const void *x, cudaDataType kx, int incx, const void *y, cudaDataType ky, int incy, void *result, cudaDataType kr, cudaDataType compute) {
    return cublasDotEx(h, n, x, kx, incx, y, ky, incy, result, kr, compute);
}
inline cublasStatus_t cublasNrm2Ex(cublasHandle_t h, int n, const void *x, cudaDataType kx, int incx, void *result, cudaDataType kr, cudaDataType) {
    if (kx != kr) return CUBLAS_STATUS_NOT_SUPPORTED;
    __LW_BY_KIND(kx, __lw_blas_dot_ex<T>(h, n, x, incx, x, incx, true, result))
}
inline cublasStatus_t cublasAxpyEx(cublasHandle_t h, int n, const void *alpha, cudaDataType ka, const void *x, cudaDataType kx, int incx, void *y, cudaDataType ky, int incy, cudaDataType) {
    if (kx != ky) return CUBLAS_STATUS_NOT_SUPPORTED;
    if (kx == CUDA_R_64F) return __lw_blas_axpy_ex<double>(h, n, __lw_blas_scalar(h, (const double *)alpha), x, incx, y, incy, true);
    __LW_BY_KIND(kx, __lw_blas_axpy_ex<T>(h, n, (T)__lw_blas_number(h, alpha, ka), x, incx, y, incy, true))
}
inline cublasStatus_t cublasScalEx(cublasHandle_t h, int n, const void *alpha, cudaDataType ka, void *x, cudaDataType kx, int incx, cudaDataType) {
    if (kx == CUDA_R_64F) return __lw_blas_axpy_ex<double>(h, n, __lw_blas_scalar(h, (const double *)alpha), x, incx, x, incx, false);
    __LW_BY_KIND(kx, __lw_blas_axpy_ex<T>(h, n, (T)__lw_blas_number(h, alpha, ka), x, incx, x, incx, false))
}
#undef __LW_BY_KIND
// cuBLASLt: products, with a bias and an activation.
inline cublasStatus_t cublasLtCreate(cublasLtHandle_t *to) { *to = (cublasLtHandle_t)calloc(1, 8); return CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) { free((void *)handle); return CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasLtMatmulDescInit(cublasLtMatmulDesc_t to, cublasComputeType_t compute, cudaDataType_t scale) {
    *to = __lw_lt_product{compute, scale, 0, 0, 0, CUBLASLT_EPILOGUE_DEFAULT, nullptr, false};
    return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *to, cublasComputeType_t compute, cudaDataType_t scale) {
    *to = (cublasLtMatmulDesc_t)malloc(sizeof(__lw_lt_product));
    return cublasLtMatmulDescInit(*to, compute, scale);
}
inline cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t product) { free(product); return CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t product, cublasLtMatmulDescAttributes_t attribute, const void *value, size_t) {
    switch (attribute) {
    case CUBLASLT_MATMUL_DESC_POINTER_MODE: product->mode = *(const int *)value; break;
    case CUBLASLT_MATMUL_DESC_TRANSA: product->ta = *(const int *)value; break;
    case CUBLASLT_MATMUL_DESC_TRANSB: product->tb = *(const int *)value; break;
    case CUBLASLT_MATMUL_DESC_EPILOGUE: product->epilogue = *(const int *)value; break;
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER: product->bias = *(const void *const *)value; break;
    case CUBLASLT_MATMUL_DESC_SCALE_TYPE: product->scale = *(const int *)value; break;
    case CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE: case CUBLASLT_MATMUL_DESC_FAST_ACCUM: case CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET: break;
    default: product->other = true;
    }
    return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtMatrixLayoutInit(cublasLtMatrixLayout_t to, cudaDataType_t type, unsigned long rows, unsigned long columns, long ld) {
    *to = __lw_lt_layout{type, 0, 1, rows, columns, ld, 0};
    return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *to, cudaDataType_t type, unsigned long rows, unsigned long columns, long ld) {
    *to = (cublasLtMatrixLayout_t)malloc(sizeof(__lw_lt_layout));
    return cublasLtMatrixLayoutInit(*to, type, rows, columns, ld);
}
inline cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) { free(layout); return CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t attribute, const void *value, size_t) {
    switch (attribute) {
    case CUBLASLT_MATRIX_LAYOUT_TYPE: layout->type = *(const int *)value; break;
    case CUBLASLT_MATRIX_LAYOUT_ORDER: layout->order = *(const int *)value; break;
    case CUBLASLT_MATRIX_LAYOUT_ROWS: layout->rows = *(const unsigned long *)value; break;
    case CUBLASLT_MATRIX_LAYOUT_COLS: layout->columns = *(const unsigned long *)value; break;
    case CUBLASLT_MATRIX_LAYOUT_LD: layout->ld = *(const long *)value; break;
    case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT: layout->count = *(const int *)value; break;
    default: layout->stride = *(const long *)value;
    }
    return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *to) { *to = (cublasLtMatmulPreference_t)calloc(1, sizeof(__lw_lt_preference)); return CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasLtMatmulPreferenceInit(cublasLtMatmulPreference_t preference) { preference->bytes = 0; return CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) { free(preference); return CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference, cublasLtMatmulPreferenceAttributes_t, const void *value, size_t) { preference->bytes = *(const size_t *)value; return CUBLAS_STATUS_SUCCESS; }
inline bool __lw_lt_known(cublasLtMatmulDesc_t product, cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d) {
    bool activates = product->epilogue != CUBLASLT_EPILOGUE_DEFAULT;
    bool epilogue = !activates || (product->epilogue & ~(2 | 4 | 32)) == 0 && (a->type == d->type || d->type == CUDA_R_32F) && d->type != CUDA_R_64F;
    bool types = a->type == b->type && c->type == d->type && __lw_blas_types(a->type, d->type);
    int scale = a->type == CUDA_R_64F || d->type == CUDA_R_32I ? d->type : CUDA_R_32F;
    bool scales = product->scale == scale || (product->scale == CUDA_R_16F && d->type == CUDA_R_16F);
    return epilogue && types && scales && !product->other && a->order + b->order + c->order + d->order == 0;
}
inline cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t product, cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d, cublasLtMatmulPreference_t, int wanted, cublasLtMatmulHeuristicResult_t *results, int *found) {
    *found = 0;
    if (wanted < 1 || !__lw_lt_known(product, a, b, c, d)) return CUBLAS_STATUS_NOT_SUPPORTED;
    memset(results, 0, sizeof(*results));
    *found = 1;
    return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t product, const void *alpha, const void *a, cublasLtMatrixLayout_t al, const void *b, cublasLtMatrixLayout_t bl, const void *beta, const void *c, cublasLtMatrixLayout_t cl, void *d, cublasLtMatrixLayout_t dl, const cublasLtMatmulAlgo_t *, void *, size_t, cudaStream_t stream) {
    if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!__lw_lt_known(product, al, bl, cl, dl)) return CUBLAS_STATUS_NOT_SUPPORTED;
    if ((product->epilogue & 4) && !product->bias) return CUBLAS_STATUS_INVALID_VALUE;
    cublasContext context = {stream, (cublasPointerMode_t)product->mode};
    cublasHandle_t h = &context;
    size_t size = dl->type == CUDA_R_64F ? 8 : dl->type == CUDA_R_32F || dl->type == CUDA_R_32I ? 4 : 2;
    long m = (long)dl->rows, n = (long)dl->columns, k = (long)(product->ta ? al->rows : al->columns);
    if (c != d && __lw_blas_number(h, beta, (cudaDataType)product->scale) != 0)
        for (int i = 0; i < dl->count; i++)
            cudaMemcpy2DAsync((char *)d + i * dl->stride * size, dl->ld * size, (const char *)c + i * cl->stride * size, cl->ld * size, m * size, n, cudaMemcpyDeviceToDevice, stream);
    cublasStatus_t status = __lw_gemm_ex(h, product->ta, product->tb, m, n, k, product->scale, alpha, a, al->type, al->ld, al->stride, b, bl->ld, bl->stride, beta, d, dl->type, dl->ld, dl->stride, dl->count);
    if (status != CUBLAS_STATUS_SUCCESS || product->epilogue == CUBLASLT_EPILOGUE_DEFAULT) return status;
#define __LW_LT(NAME, T)                                                                                              \
    {                                                                                                                 \
        __lw_blas_epilogue_##NAME<<<dim3(__lw_blas_blocks(m * n), 1, dl->count), 256, 0, stream>>>(product->epilogue, m, n, (T *)d, dl->ld, dl->stride, (const T *)product->bias); \
        return __lw_blas_status(cudaPeekAtLastError());                                                               \
    }
    if (dl->type == CUDA_R_32F) __LW_LT(s, float)
    if (dl->type == CUDA_R_16F) __LW_LT(h, __half)
    __LW_LT(b, __nv_bfloat16)
#undef __LW_LT
}
#endif
