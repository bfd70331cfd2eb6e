// cuFFT, in double precision by loops of the host on device memory. A transform of n numbers is split by the prime factors of n.
#include <cuComplex.h>
typedef int cufftHandle;
typedef float cufftReal;
typedef double cufftDoubleReal;
typedef cuComplex cufftComplex;
typedef cuDoubleComplex cufftDoubleComplex;
enum cufftResult {
    CUFFT_SUCCESS, CUFFT_INVALID_PLAN, CUFFT_ALLOC_FAILED, CUFFT_INVALID_TYPE, CUFFT_INVALID_VALUE, CUFFT_INTERNAL_ERROR, CUFFT_EXEC_FAILED, CUFFT_SETUP_FAILED,
    CUFFT_INVALID_SIZE, CUFFT_UNALIGNED_DATA, CUFFT_INVALID_DEVICE = 11, CUFFT_NO_WORKSPACE = 13, CUFFT_NOT_IMPLEMENTED = 14, CUFFT_NOT_SUPPORTED = 16
};
typedef cufftResult cufftResult_t;
enum cufftType { CUFFT_R2C = 0x2a, CUFFT_C2R = 0x2c, CUFFT_C2C = 0x29, CUFFT_D2Z = 0x6a, CUFFT_Z2D = 0x6c, CUFFT_Z2Z = 0x69 };
typedef cufftType cufftType_t;
#define CUFFT_FORWARD -1
#define CUFFT_INVERSE 1
#ifdef __LW_HOST__
#include <lanework/cub_device.h>
// `simple`: the program gave no layout, so elements are packed.
struct __lw_fft_plan {
    bool used, made, simple;
    int rank, n[3], batch;
    cufftType type;
    long in_embed[3], in_stride, in_distance, out_embed[3], out_stride, out_distance;
};
inline __lw_fft_plan *__lw_fft_plans;
inline int __lw_fft_count;
inline __lw_fft_plan *__lw_fft_find(cufftHandle plan) { return plan > 0 && plan <= __lw_fft_count && __lw_fft_plans[plan - 1].used ? __lw_fft_plans + plan - 1 : nullptr; }
inline cufftResult cufftCreate(cufftHandle *to) {
    int at = 0;
    while (at < __lw_fft_count && __lw_fft_plans[at].used) at++;
    if (at == __lw_fft_count) {
        __lw_fft_count = 2 * __lw_fft_count + 4;
        __lw_fft_plans = (__lw_fft_plan *)realloc(__lw_fft_plans, __lw_fft_count * sizeof(__lw_fft_plan));
        for (int i = at; i < __lw_fft_count; i++) __lw_fft_plans[i].used = false;
    }
    memset(__lw_fft_plans + at, 0, sizeof(__lw_fft_plan));
    __lw_fft_plans[at].used = true;
    *to = at + 1;
    return CUFFT_SUCCESS;
}
inline cufftResult cufftDestroy(cufftHandle plan) {
    __lw_fft_plan *p = __lw_fft_find(plan);
    if (!p) return CUFFT_INVALID_PLAN;
    p->used = false;
    return CUFFT_SUCCESS;
}
inline bool __lw_fft_to_complex(cufftType type) { return type == CUFFT_R2C || type == CUFFT_D2Z; }
inline bool __lw_fft_to_real(cufftType type) { return type == CUFFT_C2R || type == CUFFT_Z2D; }
inline cufftResult cufftMakePlanMany(cufftHandle plan, int rank, int *n, int *in_embed, int in_stride, int in_distance, int *out_embed, int out_stride, int out_distance, cufftType type, int batch, size_t *bytes) {
    __lw_fft_plan *p = __lw_fft_find(plan);
    if (!p || p->made) return CUFFT_INVALID_PLAN;
    if (rank < 1 || rank > 3 || batch < 1) return CUFFT_INVALID_SIZE;
    p->rank = rank; p->type = type; p->batch = batch; p->simple = !in_embed || !out_embed;
    long whole = 1, half = 1;
    for (int i = 0; i < rank; i++) {
        if (n[i] < 1) return CUFFT_INVALID_SIZE;
        p->n[i] = n[i];
        whole *= n[i];
        half *= i == rank - 1 ? n[i] / 2 + 1 : n[i];
    }
    for (int i = 0; i < rank; i++) {
        int part = i == rank - 1 ? n[i] / 2 + 1 : n[i];
        p->in_embed[i] = p->simple ? (__lw_fft_to_real(type) ? part : n[i]) : in_embed[i];
        p->out_embed[i] = p->simple ? (__lw_fft_to_complex(type) ? part : n[i]) : out_embed[i];
    }
    p->in_stride = p->simple ? 1 : in_stride;
    p->out_stride = p->simple ? 1 : out_stride;
    p->in_distance = p->simple ? (__lw_fft_to_real(type) ? half : whole) : in_distance;
    p->out_distance = p->simple ? (__lw_fft_to_complex(type) ? half : whole) : out_distance;
    p->made = true;
    if (bytes) *bytes = 0;
    return CUFFT_SUCCESS;
}
inline cufftResult cufftMakePlan1d(cufftHandle plan, int n, cufftType type, int batch, size_t *bytes) { return cufftMakePlanMany(plan, 1, &n, nullptr, 1, 0, nullptr, 1, 0, type, batch, bytes); }
inline cufftResult cufftMakePlan2d(cufftHandle plan, int a, int b, cufftType type, size_t *bytes) { int n[2] = {a, b}; return cufftMakePlanMany(plan, 2, n, nullptr, 1, 0, nullptr, 1, 0, type, 1, bytes); }
inline cufftResult cufftMakePlan3d(cufftHandle plan, int a, int b, int c, cufftType type, size_t *bytes) { int n[3] = {a, b, c}; return cufftMakePlanMany(plan, 3, n, nullptr, 1, 0, nullptr, 1, 0, type, 1, bytes); }
inline cufftResult __lw_fft_kept(cufftHandle *plan, cufftResult result) {
    if (result != CUFFT_SUCCESS) cufftDestroy(*plan);
    return result;
}
inline cufftResult cufftPlanMany(cufftHandle *plan, int rank, int *n, int *in_embed, int in_stride, int in_distance, int *out_embed, int out_stride, int out_distance, cufftType type, int batch) {
    cufftCreate(plan);
    return __lw_fft_kept(plan, cufftMakePlanMany(*plan, rank, n, in_embed, in_stride, in_distance, out_embed, out_stride, out_distance, type, batch, nullptr));
}
inline cufftResult cufftPlan1d(cufftHandle *plan, int n, cufftType type, int batch) { cufftCreate(plan); return __lw_fft_kept(plan, cufftMakePlan1d(*plan, n, type, batch, nullptr)); }
inline cufftResult cufftPlan2d(cufftHandle *plan, int a, int b, cufftType type) { cufftCreate(plan); return __lw_fft_kept(plan, cufftMakePlan2d(*plan, a, b, type, nullptr)); }
inline cufftResult cufftPlan3d(cufftHandle *plan, int a, int b, int c, cufftType type) { cufftCreate(plan); return __lw_fft_kept(plan, cufftMakePlan3d(*plan, a, b, c, type, nullptr)); }
inline cufftResult cufftSetStream(cufftHandle plan, cudaStream_t) { return __lw_fft_find(plan) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN; }
inline cufftResult cufftSetAutoAllocation(cufftHandle plan, int) { return __lw_fft_find(plan) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN; }
inline cufftResult cufftSetWorkArea(cufftHandle plan, void *) { return __lw_fft_find(plan) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN; }
inline cufftResult cufftGetSize(cufftHandle plan, size_t *bytes) { *bytes = 0; return __lw_fft_find(plan) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN; }
inline cufftResult cufftEstimate1d(int, cufftType, int, size_t *bytes) { *bytes = 0; return CUFFT_SUCCESS; }
inline cufftResult cufftGetVersion(int *version) { *version = 11303; return CUFFT_SUCCESS; }
// The transform of n numbers at `in`, `step` apart; `roots` are the powers of the root of unity of order `order`.
inline void __lw_fft(int n, const double2 *in, long step, double2 *out, const double2 *roots, long order, double2 *parts) {
    if (n == 1) { *out = *in; return; }
    int p = 2;
    while (n % p != 0) p = p * p > n ? n : p + 1;
    int m = n / p;
    for (int r = 0; r < p; r++) __lw_fft(m, in + r * step, step * p, out + (long)r * m, roots, order, parts);
    long scale = order / n;
    for (int k = 0; k < m; k++) {
        for (int r = 0; r < p; r++) {
            double2 w = roots[(long)r * k % n * scale], v = out[(long)r * m + k];
            parts[r] = double2{v.x * w.x - v.y * w.y, v.x * w.y + v.y * w.x};
        }
        for (int q = 0; q < p; q++) {
            double2 sum = parts[0];
            for (int r = 1; r < p; r++) {
                double2 w = roots[(long)r * q * m % n * scale];
                sum.x += parts[r].x * w.x - parts[r].y * w.y;
                sum.y += parts[r].x * w.y + parts[r].y * w.x;
            }
            out[(long)q * m + k] = sum;
        }
    }
}
// All transforms along one dimension of an array.
inline void __lw_fft_along(double2 *data, long before, int n, long after, int direction) {
    if (n == 1) return;
    double2 *roots = (double2 *)malloc(n * sizeof(double2)), *row = (double2 *)malloc(n * sizeof(double2)), *parts = (double2 *)malloc(n * sizeof(double2));
    for (int i = 0; i < n; i++) {
        double angle = 2.0 * i / n;
        roots[i] = double2{cospi(angle), direction * sinpi(angle)};
    }
    for (long b = 0; b < before; b++)
        for (long a = 0; a < after; a++) {
            double2 *first = data + b * n * after + a;
            __lw_fft(n, first, after, row, roots, n, parts);
            for (int i = 0; i < n; i++) first[i * after] = row[i];
        }
    free(roots); free(row); free(parts);
}
inline double2 __lw_fft_number(float v) { return double2{v, 0}; }
inline double2 __lw_fft_number(double v) { return double2{v, 0}; }
inline double2 __lw_fft_number(float2 v) { return double2{v.x, v.y}; }
inline double2 __lw_fft_number(double2 v) { return v; }
inline void __lw_fft_store(float *to, double2 v) { *to = (float)v.x; }
inline void __lw_fft_store(double *to, double2 v) { *to = v.x; }
inline void __lw_fft_store(float2 *to, double2 v) { *to = float2{(float)v.x, (float)v.y}; }
inline void __lw_fft_store(double2 *to, double2 v) { *to = v; }
template <class I, class O> inline cufftResult __lw_fft_run(cufftHandle plan, cufftType type, I *in, O *out, int direction) {
    __lw_fft_plan *p = __lw_fft_find(plan);
    if (!p || !p->made) return CUFFT_INVALID_PLAN;
    if (p->type != type) return CUFFT_INVALID_TYPE;
    if (!in || !out || (direction != CUFFT_FORWARD && direction != CUFFT_INVERSE)) return CUFFT_INVALID_VALUE;
    int n[3] = {1, 1, 1};
    long from[3] = {1, 1, 1}, to[3] = {1, 1, 1}, from_distance = p->in_distance, to_distance = p->out_distance;
    for (int i = 0; i < p->rank; i++) {
        n[3 - p->rank + i] = p->n[i];
        from[3 - p->rank + i] = p->in_embed[i];
        to[3 - p->rank + i] = p->out_embed[i];
    }
    // In place, the real rows have room for the complex ones.
    if (p->simple && (void *)in == (void *)out) {
        long row = 2 * (n[2] / 2 + 1);
        if (__lw_fft_to_complex(type)) { from[2] = row; from_distance = row * n[0] * n[1]; }
        if (__lw_fft_to_real(type)) { to[2] = row; to_distance = row * n[0] * n[1]; }
    }
    long count = (long)n[0] * n[1] * n[2];
    int read = __lw_fft_to_real(type) ? n[2] / 2 + 1 : n[2], written = __lw_fft_to_complex(type) ? n[2] / 2 + 1 : n[2];
    cudaDeviceSynchronize();
    __lw_device_access access;
    double2 *data = (double2 *)malloc(count * sizeof(double2));
    if (!data) return CUFFT_ALLOC_FAILED;
    for (int b = 0; b < p->batch; b++) {
        for (int x = 0; x < n[0]; x++)
            for (int y = 0; y < n[1]; y++)
                for (int z = 0; z < n[2]; z++) {
                    // The other half of a real array's spectrum is the conjugate of the first one.
                    bool mirrored = z >= read;
                    int i = mirrored ? (n[0] - x) % n[0] : x, j = mirrored ? (n[1] - y) % n[1] : y, k = mirrored ? n[2] - z : z;
                    double2 v = __lw_fft_number(in[b * from_distance + ((i * from[1] + j) * from[2] + k) * p->in_stride]);
                    if (mirrored) v.y = -v.y;
                    data[((long)x * n[1] + y) * n[2] + z] = v;
                }
        __lw_fft_along(data, (long)n[0] * n[1], n[2], 1, direction);
        __lw_fft_along(data, n[0], n[1], n[2], direction);
        __lw_fft_along(data, 1, n[0], (long)n[1] * n[2], direction);
        for (int x = 0; x < n[0]; x++)
            for (int y = 0; y < n[1]; y++)
                for (int z = 0; z < written; z++)
                    __lw_fft_store(out + b * to_distance + ((x * to[1] + y) * to[2] + z) * p->out_stride, data[((long)x * n[1] + y) * n[2] + z]);
    }
    free(data);
    return CUFFT_SUCCESS;
}
inline cufftResult cufftExecC2C(cufftHandle plan, cufftComplex *in, cufftComplex *out, int direction) { return __lw_fft_run(plan, CUFFT_C2C, in, out, direction); }
inline cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex *in, cufftDoubleComplex *out, int direction) { return __lw_fft_run(plan, CUFFT_Z2Z, in, out, direction); }
inline cufftResult cufftExecR2C(cufftHandle plan, cufftReal *in, cufftComplex *out) { return __lw_fft_run(plan, CUFFT_R2C, in, out, CUFFT_FORWARD); }
inline cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal *in, cufftDoubleComplex *out) { return __lw_fft_run(plan, CUFFT_D2Z, in, out, CUFFT_FORWARD); }
inline cufftResult cufftExecC2R(cufftHandle plan, cufftComplex *in, cufftReal *out) { return __lw_fft_run(plan, CUFFT_C2R, in, out, CUFFT_INVERSE); }
inline cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex *in, cufftDoubleReal *out) { return __lw_fft_run(plan, CUFFT_Z2D, in, out, CUFFT_INVERSE); }
#endif
