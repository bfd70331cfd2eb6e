// <cusparse.h>: the generic interface for CSR and COO matrices of `float` and `double`. Loops on the host compute it.
#include <cublas_v2.h>
#include <thrust/sort.h>
#define CUSPARSE_VERSION 12600
#define CUSPARSE_VER_MAJOR 12
typedef struct __lw_sparse_handle *cusparseHandle_t;
enum cusparseStatus_t { CUSPARSE_STATUS_SUCCESS, CUSPARSE_STATUS_NOT_INITIALIZED, CUSPARSE_STATUS_ALLOC_FAILED, CUSPARSE_STATUS_INVALID_VALUE, CUSPARSE_STATUS_ARCH_MISMATCH, CUSPARSE_STATUS_MAPPING_ERROR, CUSPARSE_STATUS_EXECUTION_FAILED, CUSPARSE_STATUS_INTERNAL_ERROR, CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED, CUSPARSE_STATUS_ZERO_PIVOT, CUSPARSE_STATUS_NOT_SUPPORTED, CUSPARSE_STATUS_INSUFFICIENT_RESOURCES };
enum cusparseOperation_t { CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE, CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE };
enum cusparseIndexType_t { CUSPARSE_INDEX_16U = 1, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_64I };
enum cusparseIndexBase_t { CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_INDEX_BASE_ONE };
enum cusparseOrder_t { CUSPARSE_ORDER_COL = 1, CUSPARSE_ORDER_ROW };
enum cusparseFillMode_t { CUSPARSE_FILL_MODE_LOWER, CUSPARSE_FILL_MODE_UPPER };
enum cusparseDiagType_t { CUSPARSE_DIAG_TYPE_NON_UNIT, CUSPARSE_DIAG_TYPE_UNIT };
enum cusparseMatrixType_t { CUSPARSE_MATRIX_TYPE_GENERAL, CUSPARSE_MATRIX_TYPE_SYMMETRIC, CUSPARSE_MATRIX_TYPE_HERMITIAN, CUSPARSE_MATRIX_TYPE_TRIANGULAR };
enum cusparseDirection_t { CUSPARSE_DIRECTION_ROW, CUSPARSE_DIRECTION_COLUMN };
enum cusparseAction_t { CUSPARSE_ACTION_SYMBOLIC, CUSPARSE_ACTION_NUMERIC };
enum cusparsePointerMode_t { CUSPARSE_POINTER_MODE_HOST, CUSPARSE_POINTER_MODE_DEVICE };
enum cusparseSpMatAttribute_t { CUSPARSE_SPMAT_FILL_MODE, CUSPARSE_SPMAT_DIAG_TYPE };
enum cusparseSpMVAlg_t { CUSPARSE_SPMV_ALG_DEFAULT, CUSPARSE_SPMV_COO_ALG1, CUSPARSE_SPMV_CSR_ALG1, CUSPARSE_SPMV_CSR_ALG2, CUSPARSE_SPMV_COO_ALG2, CUSPARSE_MV_ALG_DEFAULT = 0 };
enum cusparseSpMMAlg_t { CUSPARSE_SPMM_ALG_DEFAULT, CUSPARSE_SPMM_COO_ALG1, CUSPARSE_SPMM_CSR_ALG1 = 4, CUSPARSE_SPMM_CSR_ALG2 = 6, CUSPARSE_SPMM_CSR_ALG3 = 12 };
enum cusparseSpSVAlg_t { CUSPARSE_SPSV_ALG_DEFAULT };
enum cusparseSpSMAlg_t { CUSPARSE_SPSM_ALG_DEFAULT };
enum cusparseSDDMMAlg_t { CUSPARSE_SDDMM_ALG_DEFAULT };
enum cusparseCsr2CscAlg_t { CUSPARSE_CSR2CSC_ALG_DEFAULT = 1, CUSPARSE_CSR2CSC_ALG1 = 1, CUSPARSE_CSR2CSC_ALG2 = 2 };
enum cusparseSpGEMMAlg_t { CUSPARSE_SPGEMM_DEFAULT };
enum cusparseSparseToDenseAlg_t { CUSPARSE_SPARSETODENSE_ALG_DEFAULT };
enum cusparseDenseToSparseAlg_t { CUSPARSE_DENSETOSPARSE_ALG_DEFAULT };
#ifdef __LW_HOST__
struct __lw_sparse_handle { int device_scalars; };
struct __lw_sparse {
    long rows, columns, count;
    void *offsets, *indices, *values;
    bool by_row;
    int offset_type, index_type, base, type;
    cusparseFillMode_t fill;
    cusparseDiagType_t diagonal;
    // Matrices of the same shape, and the elements from the lists of one to those of the next.
    int batches;
    long offset_stride, stride;
};
struct __lw_dense { long rows, columns, ld, stride; void *values; int type; bool row_major; int batches; };
struct __lw_sparse_vector { long size, count; void *indices, *values; int index_type, base, type; };
typedef __lw_sparse *cusparseSpMatDescr_t;
typedef const __lw_sparse *cusparseConstSpMatDescr_t;
typedef __lw_dense *cusparseDnMatDescr_t;
typedef __lw_dense *cusparseDnVecDescr_t;
typedef const __lw_dense *cusparseConstDnMatDescr_t;
typedef const __lw_dense *cusparseConstDnVecDescr_t;
typedef __lw_sparse_vector *cusparseSpVecDescr_t;
// The product of a `cusparseSpGEMM`, between its steps.
struct __lw_sparse_product { std::vector<long> offsets, indices; std::vector<double> values; };
typedef __lw_sparse_product *cusparseSpGEMMDescr_t;
typedef struct __lw_sparse_solver *cusparseSpSVDescr_t;
typedef struct __lw_sparse_solver *cusparseSpSMDescr_t;
inline long __lw_index(const void *list, int type, long i) { return type == CUSPARSE_INDEX_64I ? ((const long *)list)[i] : ((const int *)list)[i]; }
inline void __lw_set_index(void *list, int type, long i, long value) { if (type == CUSPARSE_INDEX_64I) ((long *)list)[i] = value; else ((int *)list)[i] = (int)value; }
inline double __lw_number(const void *list, int type, long i) { return type == CUDA_R_64F ? ((const double *)list)[i] : ((const float *)list)[i]; }
inline void __lw_set_number(void *list, int type, long i, double value) { if (type == CUDA_R_64F) ((double *)list)[i] = value; else ((float *)list)[i] = (float)value; }
inline long __lw_cell(const __lw_dense *m, long row, long column) { return m->row_major ? row * m->ld + column : row + column * m->ld; }
inline bool __lw_real(int type) { return type == CUDA_R_32F || type == CUDA_R_64F; }
inline void *__lw_moved(void *list, long count, long bytes) { return (char *)list + count * bytes; }
inline long __lw_number_bytes(int type) { return type == CUDA_R_64F ? 8 : 4; }
// Matrix `k` of a batch.
inline __lw_dense __lw_batch(const __lw_dense *m, int k) {
    __lw_dense one = *m;
    one.values = __lw_moved(m->values, m->batches > 1 ? k * m->stride : 0, __lw_number_bytes(m->type));
    return one;
}
inline __lw_sparse __lw_batch(const __lw_sparse *m, int k) {
    __lw_sparse one = *m;
    if (m->batches <= 1) return one;
    one.offsets = __lw_moved(m->offsets, k * m->offset_stride, m->offset_type == CUSPARSE_INDEX_64I ? 8 : 4);
    one.indices = __lw_moved(m->indices, k * m->stride, m->index_type == CUSPARSE_INDEX_64I ? 8 : 4);
    one.values = __lw_moved(m->values, k * m->stride, __lw_number_bytes(m->type));
    return one;
}
// Calls `f` with row, column and place of each stored element.
template <class F> inline void __lw_each(const __lw_sparse *m, F f) {
    if (!m->by_row) {
        for (long i = 0; i < m->count; i++) f(__lw_index(m->offsets, m->offset_type, i) - m->base, __lw_index(m->indices, m->index_type, i) - m->base, i);
        return;
    }
    for (long row = 0; row < m->rows; row++)
        for (long i = __lw_index(m->offsets, m->offset_type, row) - m->base, end = __lw_index(m->offsets, m->offset_type, row + 1) - m->base; i < end; i++)
            f(row, __lw_index(m->indices, m->index_type, i) - m->base, i);
}
inline const char *cusparseGetErrorString(cusparseStatus_t status) { return status == CUSPARSE_STATUS_SUCCESS ? "success" : status == CUSPARSE_STATUS_NOT_SUPPORTED ? "operation not supported" : "invalid value"; }
inline const char *cusparseGetErrorName(cusparseStatus_t status) { return status == CUSPARSE_STATUS_SUCCESS ? "CUSPARSE_STATUS_SUCCESS" : status == CUSPARSE_STATUS_NOT_SUPPORTED ? "CUSPARSE_STATUS_NOT_SUPPORTED" : "CUSPARSE_STATUS_INVALID_VALUE"; }
inline cusparseStatus_t cusparseCreate(cusparseHandle_t *to) { *to = new __lw_sparse_handle{0}; return CUSPARSE_STATUS_SUCCESS; }
inline cusparseStatus_t cusparseDestroy(cusparseHandle_t handle) { delete handle; return CUSPARSE_STATUS_SUCCESS; }
inline cusparseStatus_t cusparseSetStream(cusparseHandle_t, cudaStream_t) { return CUSPARSE_STATUS_SUCCESS; }
inline cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t mode) { handle->device_scalars = mode; return CUSPARSE_STATUS_SUCCESS; }
inline cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t *to, long rows, long columns, long count, void *offsets, void *indices, void *values, cusparseIndexType_t offset_type, cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type) {
    if (!__lw_real(type)) return CUSPARSE_STATUS_NOT_SUPPORTED;
    *to = new __lw_sparse{rows, columns, count, offsets, indices, values, true, offset_type, index_type, base, type, CUSPARSE_FILL_MODE_LOWER, CUSPARSE_DIAG_TYPE_NON_UNIT, 1, 0, 0};
    return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseCreateCoo(cusparseSpMatDescr_t *to, long rows, long columns, long count, void *row_indices, void *indices, void *values, cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type) {
    if (!__lw_real(type)) return CUSPARSE_STATUS_NOT_SUPPORTED;
    *to = new __lw_sparse{rows, columns, count, row_indices, indices, values, false, index_type, index_type, base, type, CUSPARSE_FILL_MODE_LOWER, CUSPARSE_DIAG_TYPE_NON_UNIT, 1, 0, 0};
    return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseDestroySpMat(const __lw_sparse *m) { delete (__lw_sparse *)m; return CUSPARSE_STATUS_SUCCESS; }
inline cusparseStatus_t cusparseCsrSetPointers(cusparseSpMatDescr_t m, void *offsets, void *indices, void *values) { m->offsets = offsets; m->indices = indices; m->values = values; return CUSPARSE_STATUS_SUCCESS; }
inline cusparseStatus_t cusparseSpMatSetValues(cusparseSpMatDescr_t m, void *values) { m->values = values; return CUSPARSE_STATUS_SUCCESS; }
inline cusparseStatus_t cusparseSpMatGetSize(const __lw_sparse *m, long *rows, long *columns, long *count) { *rows = m->rows; *columns = m->columns; *count = m->count; return CUSPARSE_STATUS_SUCCESS; }
inline cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t m, cusparseSpMatAttribute_t attribute, const void *value, size_t) {
    if (attribute == CUSPARSE_SPMAT_FILL_MODE) m->fill = *(const cusparseFillMode_t *)value; else m->diagonal = *(const cusparseDiagType_t *)value;
    return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t *to, long size, void *values, cudaDataType type) { *to = new __lw_dense{size, 1, size, 0, values, type, false, 1}; return __lw_real(type) ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_NOT_SUPPORTED; }
inline cusparseStatus_t cusparseDestroyDnVec(const __lw_dense *v) { delete (__lw_dense *)v; return CUSPARSE_STATUS_SUCCESS; }
inline cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t v, void *values) { v->values = values; return CUSPARSE_STATUS_SUCCESS; }
inline cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t *to, long rows, long columns, long ld, void *values, cudaDataType type, cusparseOrder_t order) { *to = new __lw_dense{rows, columns, ld, 0, values, type, order == CUSPARSE_ORDER_ROW, 1}; return __lw_real(type) ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_NOT_SUPPORTED; }
inline cusparseStatus_t cusparseDestroyDnMat(const __lw_dense *m) { delete (__lw_dense *)m; return CUSPARSE_STATUS_SUCCESS; }
inline cusparseStatus_t cusparseDnMatSetStridedBatch(cusparseDnMatDescr_t m, int batches, long stride) { m->batches = batches; m->stride = stride; return CUSPARSE_STATUS_SUCCESS; }
inline cusparseStatus_t cusparseCsrSetStridedBatch(cusparseSpMatDescr_t m, int batches, long offset_stride, long stride) { m->batches = batches; m->offset_stride = offset_stride; m->stride = stride; return CUSPARSE_STATUS_SUCCESS; }
inline cusparseStatus_t cusparseCooSetStridedBatch(cusparseSpMatDescr_t m, int batches, long stride) { m->batches = batches; m->offset_stride = m->stride = stride; return CUSPARSE_STATUS_SUCCESS; }
inline cusparseStatus_t cusparseCreateSpVec(cusparseSpVecDescr_t *to, long size, long count, void *indices, void *values, cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type) { *to = new __lw_sparse_vector{size, count, indices, values, index_type, base, type}; return CUSPARSE_STATUS_SUCCESS; }
inline cusparseStatus_t cusparseDestroySpVec(const __lw_sparse_vector *v) { delete (__lw_sparse_vector *)v; return CUSPARSE_STATUS_SUCCESS; }
// A function that tells the size of its buffer.
#define __LW_BUFFER(NAME) template <class... A> inline cusparseStatus_t NAME(A... a) { size_t *to = nullptr; ((void)__lw_take_size(a, to), ...); if (to) *to = 8; return CUSPARSE_STATUS_SUCCESS; }
template <class T> inline void __lw_take_size(const T &, size_t *&) {}
inline void __lw_take_size(size_t *at, size_t *&to) { to = at; }
__LW_BUFFER(cusparseSpMV_bufferSize) __LW_BUFFER(cusparseSpMM_bufferSize) __LW_BUFFER(cusparseSDDMM_bufferSize) __LW_BUFFER(cusparseSpSV_bufferSize)
__LW_BUFFER(cusparseSpSM_bufferSize) __LW_BUFFER(cusparseSparseToDense_bufferSize) __LW_BUFFER(cusparseDenseToSparse_bufferSize)
__LW_BUFFER(cusparseCsr2cscEx2_bufferSize)
#undef __LW_BUFFER
#define __LW_NOTHING(NAME) template <class... A> inline cusparseStatus_t NAME(A...) { return CUSPARSE_STATUS_SUCCESS; }
__LW_NOTHING(cusparseSpMV_preprocess) __LW_NOTHING(cusparseSpMM_preprocess) __LW_NOTHING(cusparseSDDMM_preprocess) __LW_NOTHING(cusparseSpSV_analysis)
__LW_NOTHING(cusparseSpSM_analysis)
#undef __LW_NOTHING
inline void __lw_multiply_one(cusparseOperation_t ta, cusparseOperation_t tb, const void *alpha, const __lw_sparse *a, const __lw_dense *b, const void *beta, const __lw_dense *c, cudaDataType type) {
    double scale = __lw_number(alpha, type, 0), keep = __lw_number(beta, type, 0);
    std::vector<double> sums(c->rows * c->columns);
    __lw_each(a, [&](long row, long column, long at) {
        if (ta) { long held = row; row = column; column = held; }
        double value = __lw_number(a->values, a->type, at);
        for (long j = 0; j < c->columns; j++) sums[row * c->columns + j] += value * __lw_number(b->values, b->type, tb ? __lw_cell(b, j, column) : __lw_cell(b, column, j));
    });
    for (long i = 0; i < c->rows; i++)
        for (long j = 0; j < c->columns; j++) {
            long at = __lw_cell(c, i, j);
            __lw_set_number(c->values, c->type, at, scale * sums[i * c->columns + j] + (keep == 0 ? 0 : keep * __lw_number(c->values, c->type, at)));
        }
}
inline cusparseStatus_t cusparseSpMM(cusparseHandle_t, cusparseOperation_t ta, cusparseOperation_t tb, const void *alpha, const __lw_sparse *a, const __lw_dense *b, const void *beta, cusparseDnMatDescr_t c, cudaDataType type, int = 0, void * = nullptr) {
    __lw_device_access access;
    for (int k = 0; k < c->batches; k++) {
        __lw_sparse first = __lw_batch(a, k);
        __lw_dense second = __lw_batch(b, k), result = __lw_batch(c, k);
        __lw_multiply_one(ta, tb, alpha, &first, &second, beta, &result, type);
    }
    return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseSpMV(cusparseHandle_t handle, cusparseOperation_t ta, const void *alpha, const __lw_sparse *a, const __lw_dense *x, const void *beta, cusparseDnVecDescr_t y, cudaDataType type, int = 0, void * = nullptr) {
    return cusparseSpMM(handle, ta, CUSPARSE_OPERATION_NON_TRANSPOSE, alpha, a, x, beta, y, type);
}
inline void __lw_sampled_product(cusparseOperation_t ta, cusparseOperation_t tb, const void *alpha, const __lw_dense *a, const __lw_dense *b, const void *beta, const __lw_sparse *c, cudaDataType type) {
    double scale = __lw_number(alpha, type, 0), keep = __lw_number(beta, type, 0);
    long inner = ta ? a->rows : a->columns;
    __lw_each(c, [&](long row, long column, long at) {
        double sum = 0;
        for (long k = 0; k < inner; k++) sum += __lw_number(a->values, a->type, ta ? __lw_cell(a, k, row) : __lw_cell(a, row, k)) * __lw_number(b->values, b->type, tb ? __lw_cell(b, column, k) : __lw_cell(b, k, column));
        __lw_set_number(c->values, c->type, at, scale * sum + (keep == 0 ? 0 : keep * __lw_number(c->values, c->type, at)));
    });
}
inline cusparseStatus_t cusparseSDDMM(cusparseHandle_t, cusparseOperation_t ta, cusparseOperation_t tb, const void *alpha, const __lw_dense *a, const __lw_dense *b, const void *beta, cusparseSpMatDescr_t c, cudaDataType type, cusparseSDDMMAlg_t, void *) {
    __lw_device_access access;
    for (int k = 0; k < c->batches; k++) {
        __lw_dense first = __lw_batch(a, k), second = __lw_batch(b, k);
        __lw_sparse result = __lw_batch(c, k);
        __lw_sampled_product(ta, tb, alpha, &first, &second, beta, &result, type);
    }
    return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseSpSV_createDescr(cusparseSpSVDescr_t *to) { *to = nullptr; return CUSPARSE_STATUS_SUCCESS; }
inline cusparseStatus_t cusparseSpSV_destroyDescr(cusparseSpSVDescr_t) { return CUSPARSE_STATUS_SUCCESS; }
inline cusparseStatus_t cusparseSpSM_createDescr(cusparseSpSMDescr_t *to) { *to = nullptr; return CUSPARSE_STATUS_SUCCESS; }
inline cusparseStatus_t cusparseSpSM_destroyDescr(cusparseSpSMDescr_t) { return CUSPARSE_STATUS_SUCCESS; }
// Solves a triangular system for each column by substitution.
inline cusparseStatus_t cusparseSpSM_solve(cusparseHandle_t, cusparseOperation_t ta, cusparseOperation_t tb, const void *alpha, const __lw_sparse *a, const __lw_dense *b, cusparseDnMatDescr_t c, cudaDataType type, cusparseSpSMAlg_t, cusparseSpSMDescr_t) {
    if (ta != CUSPARSE_OPERATION_NON_TRANSPOSE || !a->by_row) return CUSPARSE_STATUS_NOT_SUPPORTED;
    __lw_device_access access;
    double scale = __lw_number(alpha, type, 0);
    bool lower = a->fill == CUSPARSE_FILL_MODE_LOWER;
    for (long j = 0; j < c->columns; j++)
        for (long step = 0; step < a->rows; step++) {
            long row = lower ? step : a->rows - 1 - step;
            double sum = scale * __lw_number(b->values, b->type, tb ? __lw_cell(b, j, row) : __lw_cell(b, row, j)), pivot = 1;
            for (long i = __lw_index(a->offsets, a->offset_type, row) - a->base, end = __lw_index(a->offsets, a->offset_type, row + 1) - a->base; i < end; i++) {
                long column = __lw_index(a->indices, a->index_type, i) - a->base;
                if (column == row) { if (a->diagonal == CUSPARSE_DIAG_TYPE_NON_UNIT) pivot = __lw_number(a->values, a->type, i); }
                else if ((column < row) == lower) sum -= __lw_number(a->values, a->type, i) * __lw_number(c->values, c->type, __lw_cell(c, column, j));
            }
            __lw_set_number(c->values, c->type, __lw_cell(c, row, j), sum / pivot);
        }
    return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseSpSV_solve(cusparseHandle_t handle, cusparseOperation_t ta, const void *alpha, const __lw_sparse *a, const __lw_dense *x, cusparseDnVecDescr_t y, cudaDataType type, cusparseSpSVAlg_t, cusparseSpSVDescr_t) {
    return cusparseSpSM_solve(handle, ta, CUSPARSE_OPERATION_NON_TRANSPOSE, alpha, a, x, y, type, CUSPARSE_SPSM_ALG_DEFAULT, nullptr);
}
inline cusparseStatus_t cusparseSparseToDense(cusparseHandle_t, const __lw_sparse *a, cusparseDnMatDescr_t b, cusparseSparseToDenseAlg_t, void *) {
    __lw_device_access access;
    for (long i = 0; i < b->rows; i++) for (long j = 0; j < b->columns; j++) __lw_set_number(b->values, b->type, __lw_cell(b, i, j), 0);
    __lw_each(a, [&](long row, long column, long at) { __lw_set_number(b->values, b->type, __lw_cell(b, row, column), __lw_number(a->values, a->type, at)); });
    return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseDenseToSparse_analysis(cusparseHandle_t, const __lw_dense *a, cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t, void *) {
    if (!b->by_row) return CUSPARSE_STATUS_NOT_SUPPORTED;
    __lw_device_access access;
    long count = 0;
    for (long i = 0; i < a->rows; i++) {
        __lw_set_index(b->offsets, b->offset_type, i, count + b->base);
        for (long j = 0; j < a->columns; j++) count += __lw_number(a->values, a->type, __lw_cell(a, i, j)) != 0;
    }
    __lw_set_index(b->offsets, b->offset_type, a->rows, count + b->base);
    b->count = count;
    return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseDenseToSparse_convert(cusparseHandle_t, const __lw_dense *a, cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t, void *) {
    __lw_device_access access;
    long at = 0;
    for (long i = 0; i < a->rows; i++)
        for (long j = 0; j < a->columns; j++) {
            double value = __lw_number(a->values, a->type, __lw_cell(a, i, j));
            if (value == 0) continue;
            __lw_set_index(b->indices, b->index_type, at, j + b->base);
            __lw_set_number(b->values, b->type, at++, value);
        }
    return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseSpGEMM_createDescr(cusparseSpGEMMDescr_t *to) { *to = new __lw_sparse_product(); return CUSPARSE_STATUS_SUCCESS; }
inline cusparseStatus_t cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t product) { delete product; return CUSPARSE_STATUS_SUCCESS; }
inline cusparseStatus_t cusparseSpGEMM_workEstimation(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t, const void *, const __lw_sparse *, const __lw_sparse *, const void *, cusparseSpMatDescr_t, cudaDataType, cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t, size_t *bytes, void *) { *bytes = 8; return CUSPARSE_STATUS_SUCCESS; }
inline cusparseStatus_t cusparseSpGEMM_compute(cusparseHandle_t, cusparseOperation_t ta, cusparseOperation_t tb, const void *alpha, const __lw_sparse *a, const __lw_sparse *b, const void *, cusparseSpMatDescr_t c, cudaDataType type, cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t product, size_t *bytes, void *buffer) {
    if (ta || tb || !a->by_row || !b->by_row) return CUSPARSE_STATUS_NOT_SUPPORTED;
    *bytes = 8;
    if (!buffer) return CUSPARSE_STATUS_SUCCESS;
    __lw_device_access access;
    double scale = __lw_number(alpha, type, 0);
    std::vector<double> row(b->columns);
    std::vector<long> mark(b->columns, -1), list;
    product->offsets.assign(1, 0);
    product->indices.clear();
    product->values.clear();
    for (long i = 0; i < a->rows; i++) {
        list.clear();
        for (long p = __lw_index(a->offsets, a->offset_type, i) - a->base, end = __lw_index(a->offsets, a->offset_type, i + 1) - a->base; p < end; p++) {
            long k = __lw_index(a->indices, a->index_type, p) - a->base;
            double value = scale * __lw_number(a->values, a->type, p);
            for (long q = __lw_index(b->offsets, b->offset_type, k) - b->base, last = __lw_index(b->offsets, b->offset_type, k + 1) - b->base; q < last; q++) {
                long j = __lw_index(b->indices, b->index_type, q) - b->base;
                if (mark[j] != i) { mark[j] = i; row[j] = 0; list.push_back(j); }
                row[j] += value * __lw_number(b->values, b->type, q);
            }
        }
        thrust::sort(list.begin(), list.end());
        for (long j : list) { product->indices.push_back(j); product->values.push_back(row[j]); }
        product->offsets.push_back((long)product->indices.size());
    }
    c->count = (long)product->indices.size();
    return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseSpGEMM_copy(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t, const void *, const __lw_sparse *, const __lw_sparse *, const void *, cusparseSpMatDescr_t c, cudaDataType, cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t product) {
    __lw_device_access access;
    for (size_t i = 0; i < product->offsets.size(); i++) __lw_set_index(c->offsets, c->offset_type, i, product->offsets[i] + c->base);
    for (size_t i = 0; i < product->indices.size(); i++) {
        __lw_set_index(c->indices, c->index_type, i, product->indices[i] + c->base);
        __lw_set_number(c->values, c->type, i, product->values[i]);
    }
    return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseAxpby(cusparseHandle_t, const void *alpha, const __lw_sparse_vector *x, const void *beta, cusparseDnVecDescr_t y) {
    __lw_device_access access;
    double scale = __lw_number(alpha, y->type, 0), keep = __lw_number(beta, y->type, 0);
    for (long i = 0; i < y->rows; i++) __lw_set_number(y->values, y->type, i, keep * __lw_number(y->values, y->type, i));
    for (long i = 0; i < x->count; i++) {
        long at = __lw_index(x->indices, x->index_type, i) - x->base;
        __lw_set_number(y->values, y->type, at, __lw_number(y->values, y->type, at) + scale * __lw_number(x->values, x->type, i));
    }
    return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseGather(cusparseHandle_t, const __lw_dense *y, cusparseSpVecDescr_t x) {
    __lw_device_access access;
    for (long i = 0; i < x->count; i++) __lw_set_number(x->values, x->type, i, __lw_number(y->values, y->type, __lw_index(x->indices, x->index_type, i) - x->base));
    return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseScatter(cusparseHandle_t, const __lw_sparse_vector *x, cusparseDnVecDescr_t y) {
    __lw_device_access access;
    for (long i = 0; i < x->count; i++) __lw_set_number(y->values, y->type, __lw_index(x->indices, x->index_type, i) - x->base, __lw_number(x->values, x->type, i));
    return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseCsr2cscEx2(cusparseHandle_t, int m, int n, int count, const void *values, const int *offsets, const int *indices, void *to, int *columns, int *rows, cudaDataType type, cusparseAction_t, cusparseIndexBase_t base, int, void *) {
    __lw_device_access access;
    for (int j = 0; j <= n; j++) columns[j] = 0;
    for (int i = 0; i < count; i++) columns[indices[i] - base + 1]++;
    for (int j = 0; j < n; j++) columns[j + 1] += columns[j];
    std::vector<int> next(columns, columns + n);
    for (int row = 0; row < m; row++)
        for (int i = offsets[row] - base; i < offsets[row + 1] - base; i++) {
            int at = next[indices[i] - base]++;
            rows[at] = row + base;
            __lw_set_number(to, type, at, __lw_number(values, type, i));
        }
    for (int j = 0; j <= n; j++) columns[j] += base;
    return CUSPARSE_STATUS_SUCCESS;
}
#endif
#include <lanework/cusparse_older.h>
