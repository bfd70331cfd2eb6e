// The older interface of <cusparse.h>, which describes a matrix by its type and base: counts of nonzeros, sorting, and
// incomplete factorization.
enum cusparseSolvePolicy_t { CUSPARSE_SOLVE_POLICY_NO_LEVEL, CUSPARSE_SOLVE_POLICY_USE_LEVEL };
#ifdef __LW_HOST__
struct __lw_matrix_description {
    cusparseMatrixType_t type;
    cusparseIndexBase_t base;
    cusparseFillMode_t fill;
    cusparseDiagType_t diagonal;
};
typedef __lw_matrix_description *cusparseMatDescr_t;
inline cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t *to) {
    *to = new __lw_matrix_description{CUSPARSE_MATRIX_TYPE_GENERAL, CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_FILL_MODE_LOWER, CUSPARSE_DIAG_TYPE_NON_UNIT};
    return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t m) { delete m; return CUSPARSE_STATUS_SUCCESS; }
inline cusparseStatus_t cusparseSetMatType(cusparseMatDescr_t m, cusparseMatrixType_t type) { m->type = type; return CUSPARSE_STATUS_SUCCESS; }
inline cusparseStatus_t cusparseSetMatIndexBase(cusparseMatDescr_t m, cusparseIndexBase_t base) { m->base = base; return CUSPARSE_STATUS_SUCCESS; }
inline cusparseStatus_t cusparseSetMatFillMode(cusparseMatDescr_t m, cusparseFillMode_t fill) { m->fill = fill; return CUSPARSE_STATUS_SUCCESS; }
inline cusparseStatus_t cusparseSetMatDiagType(cusparseMatDescr_t m, cusparseDiagType_t diagonal) { m->diagonal = diagonal; return CUSPARSE_STATUS_SUCCESS; }
inline cusparseMatrixType_t cusparseGetMatType(cusparseMatDescr_t m) { return m->type; }
inline cusparseIndexBase_t cusparseGetMatIndexBase(cusparseMatDescr_t m) { return m->base; }
inline cusparseFillMode_t cusparseGetMatFillMode(cusparseMatDescr_t m) { return m->fill; }
inline cusparseDiagType_t cusparseGetMatDiagType(cusparseMatDescr_t m) { return m->diagonal; }
// The nonzeros of a dense matrix, column by column in memory: by row or column, and all.
template <class T> inline cusparseStatus_t __lw_count_nonzeros(cusparseDirection_t direction, int m, int n, const T *a, int ld, int *each, int *all) {
    __lw_device_access access;
    bool by_row = direction == CUSPARSE_DIRECTION_ROW;
    for (int i = 0; i < (by_row ? m : n); i++) each[i] = 0;
    int total = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            if (a[i + (long)j * ld] != 0) { each[by_row ? i : j]++; total++; }
    *all = total;
    return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseSnnz(cusparseHandle_t, cusparseDirection_t direction, int m, int n, cusparseMatDescr_t, const float *a, int ld, int *each, int *all) { return __lw_count_nonzeros(direction, m, n, a, ld, each, all); }
inline cusparseStatus_t cusparseDnnz(cusparseHandle_t, cusparseDirection_t direction, int m, int n, cusparseMatDescr_t, const double *a, int ld, int *each, int *all) { return __lw_count_nonzeros(direction, m, n, a, ld, each, all); }
inline cusparseStatus_t cusparseCreateIdentityPermutation(cusparseHandle_t, int n, int *p) {
    __lw_device_access access;
    for (int i = 0; i < n; i++) p[i] = i;
    return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseXcsrsort_bufferSizeExt(cusparseHandle_t, int, int, int, const int *, const int *, size_t *bytes) { *bytes = 8; return CUSPARSE_STATUS_SUCCESS; }
inline cusparseStatus_t cusparseXcoosort_bufferSizeExt(cusparseHandle_t, int, int, int, const int *, const int *, size_t *bytes) { *bytes = 8; return CUSPARSE_STATUS_SUCCESS; }
// Sorts elements by a key; moves a second list and the permutation with them.
inline void __lw_sort_elements(int *keys, int *others, int *p, int first, int last) {
    std::vector<int> order;
    for (int i = first; i < last; i++) order.push_back(i);
    thrust::stable_sort(order.begin(), order.end(), [=](int a, int b) { return keys[a] < keys[b]; });
    std::vector<int> sorted, moved, places;
    for (int from : order) {
        sorted.push_back(keys[from]);
        if (others) moved.push_back(others[from]);
        if (p) places.push_back(p[from]);
    }
    for (int i = first; i < last; i++) {
        keys[i] = sorted[i - first];
        if (others) others[i] = moved[i - first];
        if (p) p[i] = places[i - first];
    }
}
inline cusparseStatus_t cusparseXcsrsort(cusparseHandle_t, int m, int, int, cusparseMatDescr_t descr, const int *offsets, int *columns, int *p, void *) {
    __lw_device_access access;
    for (int row = 0; row < m; row++) __lw_sort_elements(columns, nullptr, p, offsets[row] - descr->base, offsets[row + 1] - descr->base);
    return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseXcoosortByRow(cusparseHandle_t, int, int, int count, int *rows, int *columns, int *p, void *) {
    __lw_device_access access;
    // The second sort keeps the order of the first one within a row.
    __lw_sort_elements(columns, rows, p, 0, count);
    __lw_sort_elements(rows, columns, p, 0, count);
    return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseXcoosortByColumn(cusparseHandle_t handle, int m, int n, int count, int *rows, int *columns, int *p, void *buffer) { return cusparseXcoosortByRow(handle, n, m, count, columns, rows, p, buffer); }
inline cusparseStatus_t cusparseXcoo2csr(cusparseHandle_t, const int *rows, int count, int m, int *offsets, cusparseIndexBase_t base) {
    __lw_device_access access;
    int at = 0;
    for (int row = 0; row <= m; row++) {
        while (at < count && rows[at] - base < row) at++;
        offsets[row] = at + base;
    }
    return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseXcsr2coo(cusparseHandle_t, const int *offsets, int, int m, int *rows, cusparseIndexBase_t base) {
    __lw_device_access access;
    for (int row = 0; row < m; row++)
        for (int i = offsets[row] - base; i < offsets[row + 1] - base; i++) rows[i] = row + base;
    return CUSPARSE_STATUS_SUCCESS;
}
// Incomplete LU factorization without fill-in, in place: row by row, with the elements that the rows above have.
struct __lw_factorization { int structural, numerical; bool done; };
typedef __lw_factorization *csrilu02Info_t;
inline cusparseStatus_t cusparseCreateCsrilu02Info(csrilu02Info_t *to) { *to = new __lw_factorization{-1, -1, false}; return CUSPARSE_STATUS_SUCCESS; }
inline cusparseStatus_t cusparseDestroyCsrilu02Info(csrilu02Info_t info) { delete info; return CUSPARSE_STATUS_SUCCESS; }
inline cusparseStatus_t cusparseXcsrilu02_zeroPivot(cusparseHandle_t, csrilu02Info_t info, int *position) {
    *position = info->done && info->structural < 0 ? info->numerical : info->structural;
    return *position < 0 ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ZERO_PIVOT;
}
inline int __lw_element_at(const int *offsets, const int *columns, int base, int row, int column) {
    for (int i = offsets[row] - base; i < offsets[row + 1] - base; i++)
        if (columns[i] - base == column) return i;
    return -1;
}
template <class T> inline cusparseStatus_t __lw_analyze_lu(int m, int base, const int *offsets, const int *columns, csrilu02Info_t info) {
    __lw_device_access access;
    for (int row = 0; row < m && info->structural < 0; row++)
        if (__lw_element_at(offsets, columns, base, row, row) < 0) info->structural = row + base;
    return CUSPARSE_STATUS_SUCCESS;
}
template <class T> inline cusparseStatus_t __lw_factorize_lu(int m, int base, T *values, const int *offsets, const int *columns, csrilu02Info_t info) {
    __lw_device_access access;
    info->done = true;
    std::vector<int> place(m, -1), diagonal(m, -1);
    for (int row = 0; row < m; row++) {
        int first = offsets[row] - base, last = offsets[row + 1] - base;
        for (int i = first; i < last; i++) place[columns[i] - base] = i;
        for (int i = first; i < last; i++) {
            int k = columns[i] - base;
            if (k >= row) continue;
            if (diagonal[k] < 0) continue;
            T factor = values[i] /= values[diagonal[k]];
            for (int j = offsets[k] - base; j < offsets[k + 1] - base; j++) {
                int column = columns[j] - base;
                if (column > k && place[column] >= 0) values[place[column]] -= factor * values[j];
            }
        }
        diagonal[row] = place[row];
        if (info->numerical < 0 && (place[row] < 0 || values[place[row]] == 0)) info->numerical = row + base;
        for (int i = first; i < last; i++) place[columns[i] - base] = -1;
    }
    return CUSPARSE_STATUS_SUCCESS;
}
#define __LW_LU(LETTER, T)                                                                                            \
    inline cusparseStatus_t cusparse##LETTER##csrilu02_bufferSize(cusparseHandle_t, int, int, cusparseMatDescr_t, T *, const int *, const int *, csrilu02Info_t, int *bytes) { *bytes = 8; return CUSPARSE_STATUS_SUCCESS; } \
    inline cusparseStatus_t cusparse##LETTER##csrilu02_analysis(cusparseHandle_t, int m, int, cusparseMatDescr_t descr, const T *, const int *offsets, const int *columns, csrilu02Info_t info, cusparseSolvePolicy_t, void *) { return __lw_analyze_lu<T>(m, descr->base, offsets, columns, info); } \
    inline cusparseStatus_t cusparse##LETTER##csrilu02(cusparseHandle_t, int m, int, cusparseMatDescr_t descr, T *values, const int *offsets, const int *columns, csrilu02Info_t info, cusparseSolvePolicy_t, void *) { return __lw_factorize_lu(m, descr->base, values, offsets, columns, info); }
__LW_LU(S, float) __LW_LU(D, double)
#undef __LW_LU
#endif
