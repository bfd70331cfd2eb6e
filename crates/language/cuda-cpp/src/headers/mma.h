// Warp matrices: wmma, by the instructions of PTX.
#include "cuda_fp16.h"
#include "cuda_bf16.h"
namespace nvcuda {
namespace wmma {
struct row_major {};
struct col_major {};
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
enum layout_t { mem_row_major, mem_col_major };
namespace precision { struct tf32 {}; }
template <class T> struct __storage { typedef T type; };
template <> struct __storage<precision::tf32> { typedef float type; };
template <class Use, int m, int n, int k, class T, class Layout> struct __count { static constexpr int value = 16; };
template <class Use, int m, int n, int k, class T, class Layout = void> struct fragment {
    static constexpr int num_elements = __count<Use, m, n, k, T, Layout>::value;
    static constexpr int num_storage_elements = num_elements;
    typedef typename __storage<T>::type element_type;
    element_type x[num_elements];
};
template <class Use, int m, int n, int k, class T, class Layout>
__device__ inline void fill_fragment(fragment<Use, m, n, k, T, Layout> &f, typename __storage<T>::type value) {
    for (int i = 0; i < f.num_elements; i++) f.x[i] = value;
}
__device__ inline float __float_to_tf32(float a) {
    unsigned r;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(a));
    return __uint_as_float(r);
}
template <class L> struct __count<accumulator, 16, 16, 16, float, L> { static constexpr int value = 8; };
template <class L> struct __count<accumulator, 16, 16, 16, __half, L> { static constexpr int value = 8; };
template <class L> struct __count<accumulator, 16, 16, 16, int, L> { static constexpr int value = 8; };
template <class L> struct __count<matrix_a, 16, 16, 16, __nv_bfloat16, L> { static constexpr int value = 8; };
template <class L> struct __count<matrix_b, 16, 16, 16, __nv_bfloat16, L> { static constexpr int value = 8; };
template <class L> struct __count<matrix_a, 16, 16, 16, signed char, L> { static constexpr int value = 8; };
template <class L> struct __count<matrix_b, 16, 16, 16, signed char, L> { static constexpr int value = 8; };
template <class L> struct __count<matrix_a, 16, 16, 16, unsigned char, L> { static constexpr int value = 8; };
template <class L> struct __count<matrix_b, 16, 16, 16, unsigned char, L> { static constexpr int value = 8; };
__device__ inline void load_matrix_sync(fragment<matrix_a, 16, 16, 16, __half, row_major> &f, const __half *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.a.sync.aligned.row.m16n16k16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]), "=r"(w[4]), "=r"(w[5]), "=r"(w[6]), "=r"(w[7]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<matrix_a, 16, 16, 16, __nv_bfloat16, row_major> &f, const __nv_bfloat16 *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.a.sync.aligned.row.m16n16k16.bf16 {%0, %1, %2, %3}, [%4], %5;" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<matrix_a, 16, 16, 16, signed char, row_major> &f, const signed char *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.a.sync.aligned.row.m16n16k16.s8 {%0, %1}, [%2], %3;" : "=r"(w[0]), "=r"(w[1]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<matrix_a, 16, 16, 16, unsigned char, row_major> &f, const unsigned char *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.a.sync.aligned.row.m16n16k16.u8 {%0, %1}, [%2], %3;" : "=r"(w[0]), "=r"(w[1]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<matrix_a, 16, 16, 16, __half, col_major> &f, const __half *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.a.sync.aligned.col.m16n16k16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]), "=r"(w[4]), "=r"(w[5]), "=r"(w[6]), "=r"(w[7]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<matrix_a, 16, 16, 16, __nv_bfloat16, col_major> &f, const __nv_bfloat16 *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.a.sync.aligned.col.m16n16k16.bf16 {%0, %1, %2, %3}, [%4], %5;" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<matrix_a, 16, 16, 16, signed char, col_major> &f, const signed char *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.a.sync.aligned.col.m16n16k16.s8 {%0, %1}, [%2], %3;" : "=r"(w[0]), "=r"(w[1]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<matrix_a, 16, 16, 16, unsigned char, col_major> &f, const unsigned char *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.a.sync.aligned.col.m16n16k16.u8 {%0, %1}, [%2], %3;" : "=r"(w[0]), "=r"(w[1]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<matrix_b, 16, 16, 16, __half, row_major> &f, const __half *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.b.sync.aligned.row.m16n16k16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]), "=r"(w[4]), "=r"(w[5]), "=r"(w[6]), "=r"(w[7]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<matrix_b, 16, 16, 16, __nv_bfloat16, row_major> &f, const __nv_bfloat16 *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.b.sync.aligned.row.m16n16k16.bf16 {%0, %1, %2, %3}, [%4], %5;" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<matrix_b, 16, 16, 16, signed char, row_major> &f, const signed char *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.b.sync.aligned.row.m16n16k16.s8 {%0, %1}, [%2], %3;" : "=r"(w[0]), "=r"(w[1]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<matrix_b, 16, 16, 16, unsigned char, row_major> &f, const unsigned char *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.b.sync.aligned.row.m16n16k16.u8 {%0, %1}, [%2], %3;" : "=r"(w[0]), "=r"(w[1]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<matrix_b, 16, 16, 16, __half, col_major> &f, const __half *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.b.sync.aligned.col.m16n16k16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]), "=r"(w[4]), "=r"(w[5]), "=r"(w[6]), "=r"(w[7]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<matrix_b, 16, 16, 16, __nv_bfloat16, col_major> &f, const __nv_bfloat16 *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.b.sync.aligned.col.m16n16k16.bf16 {%0, %1, %2, %3}, [%4], %5;" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<matrix_b, 16, 16, 16, signed char, col_major> &f, const signed char *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.b.sync.aligned.col.m16n16k16.s8 {%0, %1}, [%2], %3;" : "=r"(w[0]), "=r"(w[1]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<matrix_b, 16, 16, 16, unsigned char, col_major> &f, const unsigned char *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.b.sync.aligned.col.m16n16k16.u8 {%0, %1}, [%2], %3;" : "=r"(w[0]), "=r"(w[1]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<accumulator, 16, 16, 16, float> &f, const float *p, unsigned ldm, layout_t layout) {
    float *w = (float *)f.x;
    if (layout == mem_row_major) asm volatile("wmma.load.c.sync.aligned.row.m16n16k16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=f"(w[0]), "=f"(w[1]), "=f"(w[2]), "=f"(w[3]), "=f"(w[4]), "=f"(w[5]), "=f"(w[6]), "=f"(w[7]) : "l"(p), "r"(ldm) : "memory");
    else asm volatile("wmma.load.c.sync.aligned.col.m16n16k16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=f"(w[0]), "=f"(w[1]), "=f"(w[2]), "=f"(w[3]), "=f"(w[4]), "=f"(w[5]), "=f"(w[6]), "=f"(w[7]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void store_matrix_sync(float *p, const fragment<accumulator, 16, 16, 16, float> &f, unsigned ldm, layout_t layout) {
    const float *w = (const float *)f.x;
    if (layout == mem_row_major) asm volatile("wmma.store.d.sync.aligned.row.m16n16k16.f32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, %9;" :: "l"(p), "f"(w[0]), "f"(w[1]), "f"(w[2]), "f"(w[3]), "f"(w[4]), "f"(w[5]), "f"(w[6]), "f"(w[7]), "r"(ldm) : "memory");
    else asm volatile("wmma.store.d.sync.aligned.col.m16n16k16.f32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, %9;" :: "l"(p), "f"(w[0]), "f"(w[1]), "f"(w[2]), "f"(w[3]), "f"(w[4]), "f"(w[5]), "f"(w[6]), "f"(w[7]), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<accumulator, 16, 16, 16, __half> &f, const __half *p, unsigned ldm, layout_t layout) {
    unsigned *w = (unsigned *)f.x;
    if (layout == mem_row_major) asm volatile("wmma.load.c.sync.aligned.row.m16n16k16.f16 {%0, %1, %2, %3}, [%4], %5;" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "l"(p), "r"(ldm) : "memory");
    else asm volatile("wmma.load.c.sync.aligned.col.m16n16k16.f16 {%0, %1, %2, %3}, [%4], %5;" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void store_matrix_sync(__half *p, const fragment<accumulator, 16, 16, 16, __half> &f, unsigned ldm, layout_t layout) {
    const unsigned *w = (const unsigned *)f.x;
    if (layout == mem_row_major) asm volatile("wmma.store.d.sync.aligned.row.m16n16k16.f16 [%0], {%1, %2, %3, %4}, %5;" :: "l"(p), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]), "r"(ldm) : "memory");
    else asm volatile("wmma.store.d.sync.aligned.col.m16n16k16.f16 [%0], {%1, %2, %3, %4}, %5;" :: "l"(p), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<accumulator, 16, 16, 16, int> &f, const int *p, unsigned ldm, layout_t layout) {
    int *w = (int *)f.x;
    if (layout == mem_row_major) asm volatile("wmma.load.c.sync.aligned.row.m16n16k16.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]), "=r"(w[4]), "=r"(w[5]), "=r"(w[6]), "=r"(w[7]) : "l"(p), "r"(ldm) : "memory");
    else asm volatile("wmma.load.c.sync.aligned.col.m16n16k16.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]), "=r"(w[4]), "=r"(w[5]), "=r"(w[6]), "=r"(w[7]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void store_matrix_sync(int *p, const fragment<accumulator, 16, 16, 16, int> &f, unsigned ldm, layout_t layout) {
    const int *w = (const int *)f.x;
    if (layout == mem_row_major) asm volatile("wmma.store.d.sync.aligned.row.m16n16k16.s32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, %9;" :: "l"(p), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]), "r"(w[4]), "r"(w[5]), "r"(w[6]), "r"(w[7]), "r"(ldm) : "memory");
    else asm volatile("wmma.store.d.sync.aligned.col.m16n16k16.s32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, %9;" :: "l"(p), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]), "r"(w[4]), "r"(w[5]), "r"(w[6]), "r"(w[7]), "r"(ldm) : "memory");
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 16, float> &d, const fragment<matrix_a, 16, 16, 16, __half, row_major> &p, const fragment<matrix_b, 16, 16, 16, __half, row_major> &q, const fragment<accumulator, 16, 16, 16, float> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const float *z = (const float *)s.x;
    float *o = (float *)d.x;
    asm volatile("wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27, %28, %29, %30, %31};" : "=f"(o[0]), "=f"(o[1]), "=f"(o[2]), "=f"(o[3]), "=f"(o[4]), "=f"(o[5]), "=f"(o[6]), "=f"(o[7]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]), "r"(x[6]), "r"(x[7]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(y[4]), "r"(y[5]), "r"(y[6]), "r"(y[7]), "f"(z[0]), "f"(z[1]), "f"(z[2]), "f"(z[3]), "f"(z[4]), "f"(z[5]), "f"(z[6]), "f"(z[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 16, __half> &d, const fragment<matrix_a, 16, 16, 16, __half, row_major> &p, const fragment<matrix_b, 16, 16, 16, __half, row_major> &q, const fragment<accumulator, 16, 16, 16, __half> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const unsigned *z = (const unsigned *)s.x;
    unsigned *o = (unsigned *)d.x;
    asm volatile("wmma.mma.sync.aligned.row.row.m16n16k16.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23};" : "=r"(o[0]), "=r"(o[1]), "=r"(o[2]), "=r"(o[3]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]), "r"(x[6]), "r"(x[7]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(y[4]), "r"(y[5]), "r"(y[6]), "r"(y[7]), "r"(z[0]), "r"(z[1]), "r"(z[2]), "r"(z[3]));
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 16, float> &d, const fragment<matrix_a, 16, 16, 16, __nv_bfloat16, row_major> &p, const fragment<matrix_b, 16, 16, 16, __nv_bfloat16, row_major> &q, const fragment<accumulator, 16, 16, 16, float> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const float *z = (const float *)s.x;
    float *o = (float *)d.x;
    asm volatile("wmma.mma.sync.aligned.row.row.m16n16k16.f32.bf16.bf16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23};" : "=f"(o[0]), "=f"(o[1]), "=f"(o[2]), "=f"(o[3]), "=f"(o[4]), "=f"(o[5]), "=f"(o[6]), "=f"(o[7]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "f"(z[0]), "f"(z[1]), "f"(z[2]), "f"(z[3]), "f"(z[4]), "f"(z[5]), "f"(z[6]), "f"(z[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 16, int> &d, const fragment<matrix_a, 16, 16, 16, signed char, row_major> &p, const fragment<matrix_b, 16, 16, 16, signed char, row_major> &q, const fragment<accumulator, 16, 16, 16, int> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const int *z = (const int *)s.x;
    int *o = (int *)d.x;
    asm volatile("wmma.mma.sync.aligned.row.row.m16n16k16.s32.s8.s8.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19};" : "=r"(o[0]), "=r"(o[1]), "=r"(o[2]), "=r"(o[3]), "=r"(o[4]), "=r"(o[5]), "=r"(o[6]), "=r"(o[7]) : "r"(x[0]), "r"(x[1]), "r"(y[0]), "r"(y[1]), "r"(z[0]), "r"(z[1]), "r"(z[2]), "r"(z[3]), "r"(z[4]), "r"(z[5]), "r"(z[6]), "r"(z[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 16, int> &d, const fragment<matrix_a, 16, 16, 16, unsigned char, row_major> &p, const fragment<matrix_b, 16, 16, 16, unsigned char, row_major> &q, const fragment<accumulator, 16, 16, 16, int> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const int *z = (const int *)s.x;
    int *o = (int *)d.x;
    asm volatile("wmma.mma.sync.aligned.row.row.m16n16k16.s32.u8.u8.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19};" : "=r"(o[0]), "=r"(o[1]), "=r"(o[2]), "=r"(o[3]), "=r"(o[4]), "=r"(o[5]), "=r"(o[6]), "=r"(o[7]) : "r"(x[0]), "r"(x[1]), "r"(y[0]), "r"(y[1]), "r"(z[0]), "r"(z[1]), "r"(z[2]), "r"(z[3]), "r"(z[4]), "r"(z[5]), "r"(z[6]), "r"(z[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 16, float> &d, const fragment<matrix_a, 16, 16, 16, __half, row_major> &p, const fragment<matrix_b, 16, 16, 16, __half, col_major> &q, const fragment<accumulator, 16, 16, 16, float> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const float *z = (const float *)s.x;
    float *o = (float *)d.x;
    asm volatile("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27, %28, %29, %30, %31};" : "=f"(o[0]), "=f"(o[1]), "=f"(o[2]), "=f"(o[3]), "=f"(o[4]), "=f"(o[5]), "=f"(o[6]), "=f"(o[7]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]), "r"(x[6]), "r"(x[7]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(y[4]), "r"(y[5]), "r"(y[6]), "r"(y[7]), "f"(z[0]), "f"(z[1]), "f"(z[2]), "f"(z[3]), "f"(z[4]), "f"(z[5]), "f"(z[6]), "f"(z[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 16, __half> &d, const fragment<matrix_a, 16, 16, 16, __half, row_major> &p, const fragment<matrix_b, 16, 16, 16, __half, col_major> &q, const fragment<accumulator, 16, 16, 16, __half> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const unsigned *z = (const unsigned *)s.x;
    unsigned *o = (unsigned *)d.x;
    asm volatile("wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23};" : "=r"(o[0]), "=r"(o[1]), "=r"(o[2]), "=r"(o[3]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]), "r"(x[6]), "r"(x[7]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(y[4]), "r"(y[5]), "r"(y[6]), "r"(y[7]), "r"(z[0]), "r"(z[1]), "r"(z[2]), "r"(z[3]));
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 16, float> &d, const fragment<matrix_a, 16, 16, 16, __nv_bfloat16, row_major> &p, const fragment<matrix_b, 16, 16, 16, __nv_bfloat16, col_major> &q, const fragment<accumulator, 16, 16, 16, float> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const float *z = (const float *)s.x;
    float *o = (float *)d.x;
    asm volatile("wmma.mma.sync.aligned.row.col.m16n16k16.f32.bf16.bf16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23};" : "=f"(o[0]), "=f"(o[1]), "=f"(o[2]), "=f"(o[3]), "=f"(o[4]), "=f"(o[5]), "=f"(o[6]), "=f"(o[7]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "f"(z[0]), "f"(z[1]), "f"(z[2]), "f"(z[3]), "f"(z[4]), "f"(z[5]), "f"(z[6]), "f"(z[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 16, int> &d, const fragment<matrix_a, 16, 16, 16, signed char, row_major> &p, const fragment<matrix_b, 16, 16, 16, signed char, col_major> &q, const fragment<accumulator, 16, 16, 16, int> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const int *z = (const int *)s.x;
    int *o = (int *)d.x;
    asm volatile("wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.s8.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19};" : "=r"(o[0]), "=r"(o[1]), "=r"(o[2]), "=r"(o[3]), "=r"(o[4]), "=r"(o[5]), "=r"(o[6]), "=r"(o[7]) : "r"(x[0]), "r"(x[1]), "r"(y[0]), "r"(y[1]), "r"(z[0]), "r"(z[1]), "r"(z[2]), "r"(z[3]), "r"(z[4]), "r"(z[5]), "r"(z[6]), "r"(z[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 16, int> &d, const fragment<matrix_a, 16, 16, 16, unsigned char, row_major> &p, const fragment<matrix_b, 16, 16, 16, unsigned char, col_major> &q, const fragment<accumulator, 16, 16, 16, int> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const int *z = (const int *)s.x;
    int *o = (int *)d.x;
    asm volatile("wmma.mma.sync.aligned.row.col.m16n16k16.s32.u8.u8.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19};" : "=r"(o[0]), "=r"(o[1]), "=r"(o[2]), "=r"(o[3]), "=r"(o[4]), "=r"(o[5]), "=r"(o[6]), "=r"(o[7]) : "r"(x[0]), "r"(x[1]), "r"(y[0]), "r"(y[1]), "r"(z[0]), "r"(z[1]), "r"(z[2]), "r"(z[3]), "r"(z[4]), "r"(z[5]), "r"(z[6]), "r"(z[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 16, float> &d, const fragment<matrix_a, 16, 16, 16, __half, col_major> &p, const fragment<matrix_b, 16, 16, 16, __half, row_major> &q, const fragment<accumulator, 16, 16, 16, float> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const float *z = (const float *)s.x;
    float *o = (float *)d.x;
    asm volatile("wmma.mma.sync.aligned.col.row.m16n16k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27, %28, %29, %30, %31};" : "=f"(o[0]), "=f"(o[1]), "=f"(o[2]), "=f"(o[3]), "=f"(o[4]), "=f"(o[5]), "=f"(o[6]), "=f"(o[7]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]), "r"(x[6]), "r"(x[7]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(y[4]), "r"(y[5]), "r"(y[6]), "r"(y[7]), "f"(z[0]), "f"(z[1]), "f"(z[2]), "f"(z[3]), "f"(z[4]), "f"(z[5]), "f"(z[6]), "f"(z[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 16, __half> &d, const fragment<matrix_a, 16, 16, 16, __half, col_major> &p, const fragment<matrix_b, 16, 16, 16, __half, row_major> &q, const fragment<accumulator, 16, 16, 16, __half> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const unsigned *z = (const unsigned *)s.x;
    unsigned *o = (unsigned *)d.x;
    asm volatile("wmma.mma.sync.aligned.col.row.m16n16k16.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23};" : "=r"(o[0]), "=r"(o[1]), "=r"(o[2]), "=r"(o[3]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]), "r"(x[6]), "r"(x[7]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(y[4]), "r"(y[5]), "r"(y[6]), "r"(y[7]), "r"(z[0]), "r"(z[1]), "r"(z[2]), "r"(z[3]));
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 16, float> &d, const fragment<matrix_a, 16, 16, 16, __nv_bfloat16, col_major> &p, const fragment<matrix_b, 16, 16, 16, __nv_bfloat16, row_major> &q, const fragment<accumulator, 16, 16, 16, float> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const float *z = (const float *)s.x;
    float *o = (float *)d.x;
    asm volatile("wmma.mma.sync.aligned.col.row.m16n16k16.f32.bf16.bf16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23};" : "=f"(o[0]), "=f"(o[1]), "=f"(o[2]), "=f"(o[3]), "=f"(o[4]), "=f"(o[5]), "=f"(o[6]), "=f"(o[7]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "f"(z[0]), "f"(z[1]), "f"(z[2]), "f"(z[3]), "f"(z[4]), "f"(z[5]), "f"(z[6]), "f"(z[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 16, int> &d, const fragment<matrix_a, 16, 16, 16, signed char, col_major> &p, const fragment<matrix_b, 16, 16, 16, signed char, row_major> &q, const fragment<accumulator, 16, 16, 16, int> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const int *z = (const int *)s.x;
    int *o = (int *)d.x;
    asm volatile("wmma.mma.sync.aligned.col.row.m16n16k16.s32.s8.s8.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19};" : "=r"(o[0]), "=r"(o[1]), "=r"(o[2]), "=r"(o[3]), "=r"(o[4]), "=r"(o[5]), "=r"(o[6]), "=r"(o[7]) : "r"(x[0]), "r"(x[1]), "r"(y[0]), "r"(y[1]), "r"(z[0]), "r"(z[1]), "r"(z[2]), "r"(z[3]), "r"(z[4]), "r"(z[5]), "r"(z[6]), "r"(z[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 16, int> &d, const fragment<matrix_a, 16, 16, 16, unsigned char, col_major> &p, const fragment<matrix_b, 16, 16, 16, unsigned char, row_major> &q, const fragment<accumulator, 16, 16, 16, int> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const int *z = (const int *)s.x;
    int *o = (int *)d.x;
    asm volatile("wmma.mma.sync.aligned.col.row.m16n16k16.s32.u8.u8.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19};" : "=r"(o[0]), "=r"(o[1]), "=r"(o[2]), "=r"(o[3]), "=r"(o[4]), "=r"(o[5]), "=r"(o[6]), "=r"(o[7]) : "r"(x[0]), "r"(x[1]), "r"(y[0]), "r"(y[1]), "r"(z[0]), "r"(z[1]), "r"(z[2]), "r"(z[3]), "r"(z[4]), "r"(z[5]), "r"(z[6]), "r"(z[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 16, float> &d, const fragment<matrix_a, 16, 16, 16, __half, col_major> &p, const fragment<matrix_b, 16, 16, 16, __half, col_major> &q, const fragment<accumulator, 16, 16, 16, float> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const float *z = (const float *)s.x;
    float *o = (float *)d.x;
    asm volatile("wmma.mma.sync.aligned.col.col.m16n16k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27, %28, %29, %30, %31};" : "=f"(o[0]), "=f"(o[1]), "=f"(o[2]), "=f"(o[3]), "=f"(o[4]), "=f"(o[5]), "=f"(o[6]), "=f"(o[7]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]), "r"(x[6]), "r"(x[7]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(y[4]), "r"(y[5]), "r"(y[6]), "r"(y[7]), "f"(z[0]), "f"(z[1]), "f"(z[2]), "f"(z[3]), "f"(z[4]), "f"(z[5]), "f"(z[6]), "f"(z[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 16, __half> &d, const fragment<matrix_a, 16, 16, 16, __half, col_major> &p, const fragment<matrix_b, 16, 16, 16, __half, col_major> &q, const fragment<accumulator, 16, 16, 16, __half> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const unsigned *z = (const unsigned *)s.x;
    unsigned *o = (unsigned *)d.x;
    asm volatile("wmma.mma.sync.aligned.col.col.m16n16k16.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23};" : "=r"(o[0]), "=r"(o[1]), "=r"(o[2]), "=r"(o[3]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]), "r"(x[6]), "r"(x[7]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(y[4]), "r"(y[5]), "r"(y[6]), "r"(y[7]), "r"(z[0]), "r"(z[1]), "r"(z[2]), "r"(z[3]));
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 16, float> &d, const fragment<matrix_a, 16, 16, 16, __nv_bfloat16, col_major> &p, const fragment<matrix_b, 16, 16, 16, __nv_bfloat16, col_major> &q, const fragment<accumulator, 16, 16, 16, float> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const float *z = (const float *)s.x;
    float *o = (float *)d.x;
    asm volatile("wmma.mma.sync.aligned.col.col.m16n16k16.f32.bf16.bf16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23};" : "=f"(o[0]), "=f"(o[1]), "=f"(o[2]), "=f"(o[3]), "=f"(o[4]), "=f"(o[5]), "=f"(o[6]), "=f"(o[7]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "f"(z[0]), "f"(z[1]), "f"(z[2]), "f"(z[3]), "f"(z[4]), "f"(z[5]), "f"(z[6]), "f"(z[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 16, int> &d, const fragment<matrix_a, 16, 16, 16, signed char, col_major> &p, const fragment<matrix_b, 16, 16, 16, signed char, col_major> &q, const fragment<accumulator, 16, 16, 16, int> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const int *z = (const int *)s.x;
    int *o = (int *)d.x;
    asm volatile("wmma.mma.sync.aligned.col.col.m16n16k16.s32.s8.s8.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19};" : "=r"(o[0]), "=r"(o[1]), "=r"(o[2]), "=r"(o[3]), "=r"(o[4]), "=r"(o[5]), "=r"(o[6]), "=r"(o[7]) : "r"(x[0]), "r"(x[1]), "r"(y[0]), "r"(y[1]), "r"(z[0]), "r"(z[1]), "r"(z[2]), "r"(z[3]), "r"(z[4]), "r"(z[5]), "r"(z[6]), "r"(z[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 16, int> &d, const fragment<matrix_a, 16, 16, 16, unsigned char, col_major> &p, const fragment<matrix_b, 16, 16, 16, unsigned char, col_major> &q, const fragment<accumulator, 16, 16, 16, int> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const int *z = (const int *)s.x;
    int *o = (int *)d.x;
    asm volatile("wmma.mma.sync.aligned.col.col.m16n16k16.s32.u8.u8.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19};" : "=r"(o[0]), "=r"(o[1]), "=r"(o[2]), "=r"(o[3]), "=r"(o[4]), "=r"(o[5]), "=r"(o[6]), "=r"(o[7]) : "r"(x[0]), "r"(x[1]), "r"(y[0]), "r"(y[1]), "r"(z[0]), "r"(z[1]), "r"(z[2]), "r"(z[3]), "r"(z[4]), "r"(z[5]), "r"(z[6]), "r"(z[7]));
}
template <class L> struct __count<accumulator, 32, 8, 16, float, L> { static constexpr int value = 8; };
template <class L> struct __count<accumulator, 32, 8, 16, __half, L> { static constexpr int value = 8; };
template <class L> struct __count<accumulator, 32, 8, 16, int, L> { static constexpr int value = 8; };
template <class L> struct __count<matrix_a, 32, 8, 16, __nv_bfloat16, L> { static constexpr int value = 16; };
template <class L> struct __count<matrix_b, 32, 8, 16, __nv_bfloat16, L> { static constexpr int value = 4; };
template <class L> struct __count<matrix_a, 32, 8, 16, signed char, L> { static constexpr int value = 16; };
template <class L> struct __count<matrix_b, 32, 8, 16, signed char, L> { static constexpr int value = 4; };
template <class L> struct __count<matrix_a, 32, 8, 16, unsigned char, L> { static constexpr int value = 16; };
template <class L> struct __count<matrix_b, 32, 8, 16, unsigned char, L> { static constexpr int value = 4; };
__device__ inline void load_matrix_sync(fragment<matrix_a, 32, 8, 16, __half, row_major> &f, const __half *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.a.sync.aligned.row.m32n8k16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]), "=r"(w[4]), "=r"(w[5]), "=r"(w[6]), "=r"(w[7]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<matrix_a, 32, 8, 16, __nv_bfloat16, row_major> &f, const __nv_bfloat16 *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.a.sync.aligned.row.m32n8k16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]), "=r"(w[4]), "=r"(w[5]), "=r"(w[6]), "=r"(w[7]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<matrix_a, 32, 8, 16, signed char, row_major> &f, const signed char *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.a.sync.aligned.row.m32n8k16.s8 {%0, %1, %2, %3}, [%4], %5;" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<matrix_a, 32, 8, 16, unsigned char, row_major> &f, const unsigned char *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.a.sync.aligned.row.m32n8k16.u8 {%0, %1, %2, %3}, [%4], %5;" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<matrix_a, 32, 8, 16, __half, col_major> &f, const __half *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.a.sync.aligned.col.m32n8k16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]), "=r"(w[4]), "=r"(w[5]), "=r"(w[6]), "=r"(w[7]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<matrix_a, 32, 8, 16, __nv_bfloat16, col_major> &f, const __nv_bfloat16 *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.a.sync.aligned.col.m32n8k16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]), "=r"(w[4]), "=r"(w[5]), "=r"(w[6]), "=r"(w[7]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<matrix_a, 32, 8, 16, signed char, col_major> &f, const signed char *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.a.sync.aligned.col.m32n8k16.s8 {%0, %1, %2, %3}, [%4], %5;" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<matrix_a, 32, 8, 16, unsigned char, col_major> &f, const unsigned char *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.a.sync.aligned.col.m32n8k16.u8 {%0, %1, %2, %3}, [%4], %5;" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<matrix_b, 32, 8, 16, __half, row_major> &f, const __half *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.b.sync.aligned.row.m32n8k16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]), "=r"(w[4]), "=r"(w[5]), "=r"(w[6]), "=r"(w[7]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<matrix_b, 32, 8, 16, __nv_bfloat16, row_major> &f, const __nv_bfloat16 *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.b.sync.aligned.row.m32n8k16.bf16 {%0, %1}, [%2], %3;" : "=r"(w[0]), "=r"(w[1]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<matrix_b, 32, 8, 16, signed char, row_major> &f, const signed char *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.b.sync.aligned.row.m32n8k16.s8 {%0}, [%1], %2;" : "=r"(w[0]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<matrix_b, 32, 8, 16, unsigned char, row_major> &f, const unsigned char *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.b.sync.aligned.row.m32n8k16.u8 {%0}, [%1], %2;" : "=r"(w[0]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<matrix_b, 32, 8, 16, __half, col_major> &f, const __half *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.b.sync.aligned.col.m32n8k16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]), "=r"(w[4]), "=r"(w[5]), "=r"(w[6]), "=r"(w[7]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<matrix_b, 32, 8, 16, __nv_bfloat16, col_major> &f, const __nv_bfloat16 *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.b.sync.aligned.col.m32n8k16.bf16 {%0, %1}, [%2], %3;" : "=r"(w[0]), "=r"(w[1]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<matrix_b, 32, 8, 16, signed char, col_major> &f, const signed char *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.b.sync.aligned.col.m32n8k16.s8 {%0}, [%1], %2;" : "=r"(w[0]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<matrix_b, 32, 8, 16, unsigned char, col_major> &f, const unsigned char *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.b.sync.aligned.col.m32n8k16.u8 {%0}, [%1], %2;" : "=r"(w[0]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<accumulator, 32, 8, 16, float> &f, const float *p, unsigned ldm, layout_t layout) {
    float *w = (float *)f.x;
    if (layout == mem_row_major) asm volatile("wmma.load.c.sync.aligned.row.m32n8k16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=f"(w[0]), "=f"(w[1]), "=f"(w[2]), "=f"(w[3]), "=f"(w[4]), "=f"(w[5]), "=f"(w[6]), "=f"(w[7]) : "l"(p), "r"(ldm) : "memory");
    else asm volatile("wmma.load.c.sync.aligned.col.m32n8k16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=f"(w[0]), "=f"(w[1]), "=f"(w[2]), "=f"(w[3]), "=f"(w[4]), "=f"(w[5]), "=f"(w[6]), "=f"(w[7]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void store_matrix_sync(float *p, const fragment<accumulator, 32, 8, 16, float> &f, unsigned ldm, layout_t layout) {
    const float *w = (const float *)f.x;
    if (layout == mem_row_major) asm volatile("wmma.store.d.sync.aligned.row.m32n8k16.f32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, %9;" :: "l"(p), "f"(w[0]), "f"(w[1]), "f"(w[2]), "f"(w[3]), "f"(w[4]), "f"(w[5]), "f"(w[6]), "f"(w[7]), "r"(ldm) : "memory");
    else asm volatile("wmma.store.d.sync.aligned.col.m32n8k16.f32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, %9;" :: "l"(p), "f"(w[0]), "f"(w[1]), "f"(w[2]), "f"(w[3]), "f"(w[4]), "f"(w[5]), "f"(w[6]), "f"(w[7]), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<accumulator, 32, 8, 16, __half> &f, const __half *p, unsigned ldm, layout_t layout) {
    unsigned *w = (unsigned *)f.x;
    if (layout == mem_row_major) asm volatile("wmma.load.c.sync.aligned.row.m32n8k16.f16 {%0, %1, %2, %3}, [%4], %5;" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "l"(p), "r"(ldm) : "memory");
    else asm volatile("wmma.load.c.sync.aligned.col.m32n8k16.f16 {%0, %1, %2, %3}, [%4], %5;" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void store_matrix_sync(__half *p, const fragment<accumulator, 32, 8, 16, __half> &f, unsigned ldm, layout_t layout) {
    const unsigned *w = (const unsigned *)f.x;
    if (layout == mem_row_major) asm volatile("wmma.store.d.sync.aligned.row.m32n8k16.f16 [%0], {%1, %2, %3, %4}, %5;" :: "l"(p), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]), "r"(ldm) : "memory");
    else asm volatile("wmma.store.d.sync.aligned.col.m32n8k16.f16 [%0], {%1, %2, %3, %4}, %5;" :: "l"(p), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<accumulator, 32, 8, 16, int> &f, const int *p, unsigned ldm, layout_t layout) {
    int *w = (int *)f.x;
    if (layout == mem_row_major) asm volatile("wmma.load.c.sync.aligned.row.m32n8k16.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]), "=r"(w[4]), "=r"(w[5]), "=r"(w[6]), "=r"(w[7]) : "l"(p), "r"(ldm) : "memory");
    else asm volatile("wmma.load.c.sync.aligned.col.m32n8k16.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]), "=r"(w[4]), "=r"(w[5]), "=r"(w[6]), "=r"(w[7]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void store_matrix_sync(int *p, const fragment<accumulator, 32, 8, 16, int> &f, unsigned ldm, layout_t layout) {
    const int *w = (const int *)f.x;
    if (layout == mem_row_major) asm volatile("wmma.store.d.sync.aligned.row.m32n8k16.s32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, %9;" :: "l"(p), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]), "r"(w[4]), "r"(w[5]), "r"(w[6]), "r"(w[7]), "r"(ldm) : "memory");
    else asm volatile("wmma.store.d.sync.aligned.col.m32n8k16.s32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, %9;" :: "l"(p), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]), "r"(w[4]), "r"(w[5]), "r"(w[6]), "r"(w[7]), "r"(ldm) : "memory");
}
__device__ inline void mma_sync(fragment<accumulator, 32, 8, 16, float> &d, const fragment<matrix_a, 32, 8, 16, __half, row_major> &p, const fragment<matrix_b, 32, 8, 16, __half, row_major> &q, const fragment<accumulator, 32, 8, 16, float> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const float *z = (const float *)s.x;
    float *o = (float *)d.x;
    asm volatile("wmma.mma.sync.aligned.row.row.m32n8k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27, %28, %29, %30, %31};" : "=f"(o[0]), "=f"(o[1]), "=f"(o[2]), "=f"(o[3]), "=f"(o[4]), "=f"(o[5]), "=f"(o[6]), "=f"(o[7]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]), "r"(x[6]), "r"(x[7]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(y[4]), "r"(y[5]), "r"(y[6]), "r"(y[7]), "f"(z[0]), "f"(z[1]), "f"(z[2]), "f"(z[3]), "f"(z[4]), "f"(z[5]), "f"(z[6]), "f"(z[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 32, 8, 16, __half> &d, const fragment<matrix_a, 32, 8, 16, __half, row_major> &p, const fragment<matrix_b, 32, 8, 16, __half, row_major> &q, const fragment<accumulator, 32, 8, 16, __half> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const unsigned *z = (const unsigned *)s.x;
    unsigned *o = (unsigned *)d.x;
    asm volatile("wmma.mma.sync.aligned.row.row.m32n8k16.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23};" : "=r"(o[0]), "=r"(o[1]), "=r"(o[2]), "=r"(o[3]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]), "r"(x[6]), "r"(x[7]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(y[4]), "r"(y[5]), "r"(y[6]), "r"(y[7]), "r"(z[0]), "r"(z[1]), "r"(z[2]), "r"(z[3]));
}
__device__ inline void mma_sync(fragment<accumulator, 32, 8, 16, float> &d, const fragment<matrix_a, 32, 8, 16, __nv_bfloat16, row_major> &p, const fragment<matrix_b, 32, 8, 16, __nv_bfloat16, row_major> &q, const fragment<accumulator, 32, 8, 16, float> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const float *z = (const float *)s.x;
    float *o = (float *)d.x;
    asm volatile("wmma.mma.sync.aligned.row.row.m32n8k16.f32.bf16.bf16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17}, {%18, %19, %20, %21, %22, %23, %24, %25};" : "=f"(o[0]), "=f"(o[1]), "=f"(o[2]), "=f"(o[3]), "=f"(o[4]), "=f"(o[5]), "=f"(o[6]), "=f"(o[7]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]), "r"(x[6]), "r"(x[7]), "r"(y[0]), "r"(y[1]), "f"(z[0]), "f"(z[1]), "f"(z[2]), "f"(z[3]), "f"(z[4]), "f"(z[5]), "f"(z[6]), "f"(z[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 32, 8, 16, int> &d, const fragment<matrix_a, 32, 8, 16, signed char, row_major> &p, const fragment<matrix_b, 32, 8, 16, signed char, row_major> &q, const fragment<accumulator, 32, 8, 16, int> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const int *z = (const int *)s.x;
    int *o = (int *)d.x;
    asm volatile("wmma.mma.sync.aligned.row.row.m32n8k16.s32.s8.s8.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(o[0]), "=r"(o[1]), "=r"(o[2]), "=r"(o[3]), "=r"(o[4]), "=r"(o[5]), "=r"(o[6]), "=r"(o[7]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(z[0]), "r"(z[1]), "r"(z[2]), "r"(z[3]), "r"(z[4]), "r"(z[5]), "r"(z[6]), "r"(z[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 32, 8, 16, int> &d, const fragment<matrix_a, 32, 8, 16, unsigned char, row_major> &p, const fragment<matrix_b, 32, 8, 16, unsigned char, row_major> &q, const fragment<accumulator, 32, 8, 16, int> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const int *z = (const int *)s.x;
    int *o = (int *)d.x;
    asm volatile("wmma.mma.sync.aligned.row.row.m32n8k16.s32.u8.u8.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(o[0]), "=r"(o[1]), "=r"(o[2]), "=r"(o[3]), "=r"(o[4]), "=r"(o[5]), "=r"(o[6]), "=r"(o[7]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(z[0]), "r"(z[1]), "r"(z[2]), "r"(z[3]), "r"(z[4]), "r"(z[5]), "r"(z[6]), "r"(z[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 32, 8, 16, float> &d, const fragment<matrix_a, 32, 8, 16, __half, row_major> &p, const fragment<matrix_b, 32, 8, 16, __half, col_major> &q, const fragment<accumulator, 32, 8, 16, float> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const float *z = (const float *)s.x;
    float *o = (float *)d.x;
    asm volatile("wmma.mma.sync.aligned.row.col.m32n8k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27, %28, %29, %30, %31};" : "=f"(o[0]), "=f"(o[1]), "=f"(o[2]), "=f"(o[3]), "=f"(o[4]), "=f"(o[5]), "=f"(o[6]), "=f"(o[7]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]), "r"(x[6]), "r"(x[7]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(y[4]), "r"(y[5]), "r"(y[6]), "r"(y[7]), "f"(z[0]), "f"(z[1]), "f"(z[2]), "f"(z[3]), "f"(z[4]), "f"(z[5]), "f"(z[6]), "f"(z[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 32, 8, 16, __half> &d, const fragment<matrix_a, 32, 8, 16, __half, row_major> &p, const fragment<matrix_b, 32, 8, 16, __half, col_major> &q, const fragment<accumulator, 32, 8, 16, __half> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const unsigned *z = (const unsigned *)s.x;
    unsigned *o = (unsigned *)d.x;
    asm volatile("wmma.mma.sync.aligned.row.col.m32n8k16.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23};" : "=r"(o[0]), "=r"(o[1]), "=r"(o[2]), "=r"(o[3]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]), "r"(x[6]), "r"(x[7]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(y[4]), "r"(y[5]), "r"(y[6]), "r"(y[7]), "r"(z[0]), "r"(z[1]), "r"(z[2]), "r"(z[3]));
}
__device__ inline void mma_sync(fragment<accumulator, 32, 8, 16, float> &d, const fragment<matrix_a, 32, 8, 16, __nv_bfloat16, row_major> &p, const fragment<matrix_b, 32, 8, 16, __nv_bfloat16, col_major> &q, const fragment<accumulator, 32, 8, 16, float> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const float *z = (const float *)s.x;
    float *o = (float *)d.x;
    asm volatile("wmma.mma.sync.aligned.row.col.m32n8k16.f32.bf16.bf16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17}, {%18, %19, %20, %21, %22, %23, %24, %25};" : "=f"(o[0]), "=f"(o[1]), "=f"(o[2]), "=f"(o[3]), "=f"(o[4]), "=f"(o[5]), "=f"(o[6]), "=f"(o[7]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]), "r"(x[6]), "r"(x[7]), "r"(y[0]), "r"(y[1]), "f"(z[0]), "f"(z[1]), "f"(z[2]), "f"(z[3]), "f"(z[4]), "f"(z[5]), "f"(z[6]), "f"(z[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 32, 8, 16, int> &d, const fragment<matrix_a, 32, 8, 16, signed char, row_major> &p, const fragment<matrix_b, 32, 8, 16, signed char, col_major> &q, const fragment<accumulator, 32, 8, 16, int> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const int *z = (const int *)s.x;
    int *o = (int *)d.x;
    asm volatile("wmma.mma.sync.aligned.row.col.m32n8k16.s32.s8.s8.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(o[0]), "=r"(o[1]), "=r"(o[2]), "=r"(o[3]), "=r"(o[4]), "=r"(o[5]), "=r"(o[6]), "=r"(o[7]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(z[0]), "r"(z[1]), "r"(z[2]), "r"(z[3]), "r"(z[4]), "r"(z[5]), "r"(z[6]), "r"(z[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 32, 8, 16, int> &d, const fragment<matrix_a, 32, 8, 16, unsigned char, row_major> &p, const fragment<matrix_b, 32, 8, 16, unsigned char, col_major> &q, const fragment<accumulator, 32, 8, 16, int> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const int *z = (const int *)s.x;
    int *o = (int *)d.x;
    asm volatile("wmma.mma.sync.aligned.row.col.m32n8k16.s32.u8.u8.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(o[0]), "=r"(o[1]), "=r"(o[2]), "=r"(o[3]), "=r"(o[4]), "=r"(o[5]), "=r"(o[6]), "=r"(o[7]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(z[0]), "r"(z[1]), "r"(z[2]), "r"(z[3]), "r"(z[4]), "r"(z[5]), "r"(z[6]), "r"(z[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 32, 8, 16, float> &d, const fragment<matrix_a, 32, 8, 16, __half, col_major> &p, const fragment<matrix_b, 32, 8, 16, __half, row_major> &q, const fragment<accumulator, 32, 8, 16, float> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const float *z = (const float *)s.x;
    float *o = (float *)d.x;
    asm volatile("wmma.mma.sync.aligned.col.row.m32n8k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27, %28, %29, %30, %31};" : "=f"(o[0]), "=f"(o[1]), "=f"(o[2]), "=f"(o[3]), "=f"(o[4]), "=f"(o[5]), "=f"(o[6]), "=f"(o[7]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]), "r"(x[6]), "r"(x[7]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(y[4]), "r"(y[5]), "r"(y[6]), "r"(y[7]), "f"(z[0]), "f"(z[1]), "f"(z[2]), "f"(z[3]), "f"(z[4]), "f"(z[5]), "f"(z[6]), "f"(z[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 32, 8, 16, __half> &d, const fragment<matrix_a, 32, 8, 16, __half, col_major> &p, const fragment<matrix_b, 32, 8, 16, __half, row_major> &q, const fragment<accumulator, 32, 8, 16, __half> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const unsigned *z = (const unsigned *)s.x;
    unsigned *o = (unsigned *)d.x;
    asm volatile("wmma.mma.sync.aligned.col.row.m32n8k16.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23};" : "=r"(o[0]), "=r"(o[1]), "=r"(o[2]), "=r"(o[3]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]), "r"(x[6]), "r"(x[7]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(y[4]), "r"(y[5]), "r"(y[6]), "r"(y[7]), "r"(z[0]), "r"(z[1]), "r"(z[2]), "r"(z[3]));
}
__device__ inline void mma_sync(fragment<accumulator, 32, 8, 16, float> &d, const fragment<matrix_a, 32, 8, 16, __nv_bfloat16, col_major> &p, const fragment<matrix_b, 32, 8, 16, __nv_bfloat16, row_major> &q, const fragment<accumulator, 32, 8, 16, float> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const float *z = (const float *)s.x;
    float *o = (float *)d.x;
    asm volatile("wmma.mma.sync.aligned.col.row.m32n8k16.f32.bf16.bf16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17}, {%18, %19, %20, %21, %22, %23, %24, %25};" : "=f"(o[0]), "=f"(o[1]), "=f"(o[2]), "=f"(o[3]), "=f"(o[4]), "=f"(o[5]), "=f"(o[6]), "=f"(o[7]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]), "r"(x[6]), "r"(x[7]), "r"(y[0]), "r"(y[1]), "f"(z[0]), "f"(z[1]), "f"(z[2]), "f"(z[3]), "f"(z[4]), "f"(z[5]), "f"(z[6]), "f"(z[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 32, 8, 16, int> &d, const fragment<matrix_a, 32, 8, 16, signed char, col_major> &p, const fragment<matrix_b, 32, 8, 16, signed char, row_major> &q, const fragment<accumulator, 32, 8, 16, int> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const int *z = (const int *)s.x;
    int *o = (int *)d.x;
    asm volatile("wmma.mma.sync.aligned.col.row.m32n8k16.s32.s8.s8.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(o[0]), "=r"(o[1]), "=r"(o[2]), "=r"(o[3]), "=r"(o[4]), "=r"(o[5]), "=r"(o[6]), "=r"(o[7]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(z[0]), "r"(z[1]), "r"(z[2]), "r"(z[3]), "r"(z[4]), "r"(z[5]), "r"(z[6]), "r"(z[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 32, 8, 16, int> &d, const fragment<matrix_a, 32, 8, 16, unsigned char, col_major> &p, const fragment<matrix_b, 32, 8, 16, unsigned char, row_major> &q, const fragment<accumulator, 32, 8, 16, int> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const int *z = (const int *)s.x;
    int *o = (int *)d.x;
    asm volatile("wmma.mma.sync.aligned.col.row.m32n8k16.s32.u8.u8.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(o[0]), "=r"(o[1]), "=r"(o[2]), "=r"(o[3]), "=r"(o[4]), "=r"(o[5]), "=r"(o[6]), "=r"(o[7]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(z[0]), "r"(z[1]), "r"(z[2]), "r"(z[3]), "r"(z[4]), "r"(z[5]), "r"(z[6]), "r"(z[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 32, 8, 16, float> &d, const fragment<matrix_a, 32, 8, 16, __half, col_major> &p, const fragment<matrix_b, 32, 8, 16, __half, col_major> &q, const fragment<accumulator, 32, 8, 16, float> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const float *z = (const float *)s.x;
    float *o = (float *)d.x;
    asm volatile("wmma.mma.sync.aligned.col.col.m32n8k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27, %28, %29, %30, %31};" : "=f"(o[0]), "=f"(o[1]), "=f"(o[2]), "=f"(o[3]), "=f"(o[4]), "=f"(o[5]), "=f"(o[6]), "=f"(o[7]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]), "r"(x[6]), "r"(x[7]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(y[4]), "r"(y[5]), "r"(y[6]), "r"(y[7]), "f"(z[0]), "f"(z[1]), "f"(z[2]), "f"(z[3]), "f"(z[4]), "f"(z[5]), "f"(z[6]), "f"(z[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 32, 8, 16, __half> &d, const fragment<matrix_a, 32, 8, 16, __half, col_major> &p, const fragment<matrix_b, 32, 8, 16, __half, col_major> &q, const fragment<accumulator, 32, 8, 16, __half> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const unsigned *z = (const unsigned *)s.x;
    unsigned *o = (unsigned *)d.x;
    asm volatile("wmma.mma.sync.aligned.col.col.m32n8k16.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23};" : "=r"(o[0]), "=r"(o[1]), "=r"(o[2]), "=r"(o[3]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]), "r"(x[6]), "r"(x[7]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(y[4]), "r"(y[5]), "r"(y[6]), "r"(y[7]), "r"(z[0]), "r"(z[1]), "r"(z[2]), "r"(z[3]));
}
__device__ inline void mma_sync(fragment<accumulator, 32, 8, 16, float> &d, const fragment<matrix_a, 32, 8, 16, __nv_bfloat16, col_major> &p, const fragment<matrix_b, 32, 8, 16, __nv_bfloat16, col_major> &q, const fragment<accumulator, 32, 8, 16, float> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const float *z = (const float *)s.x;
    float *o = (float *)d.x;
    asm volatile("wmma.mma.sync.aligned.col.col.m32n8k16.f32.bf16.bf16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17}, {%18, %19, %20, %21, %22, %23, %24, %25};" : "=f"(o[0]), "=f"(o[1]), "=f"(o[2]), "=f"(o[3]), "=f"(o[4]), "=f"(o[5]), "=f"(o[6]), "=f"(o[7]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]), "r"(x[6]), "r"(x[7]), "r"(y[0]), "r"(y[1]), "f"(z[0]), "f"(z[1]), "f"(z[2]), "f"(z[3]), "f"(z[4]), "f"(z[5]), "f"(z[6]), "f"(z[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 32, 8, 16, int> &d, const fragment<matrix_a, 32, 8, 16, signed char, col_major> &p, const fragment<matrix_b, 32, 8, 16, signed char, col_major> &q, const fragment<accumulator, 32, 8, 16, int> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const int *z = (const int *)s.x;
    int *o = (int *)d.x;
    asm volatile("wmma.mma.sync.aligned.col.col.m32n8k16.s32.s8.s8.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(o[0]), "=r"(o[1]), "=r"(o[2]), "=r"(o[3]), "=r"(o[4]), "=r"(o[5]), "=r"(o[6]), "=r"(o[7]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(z[0]), "r"(z[1]), "r"(z[2]), "r"(z[3]), "r"(z[4]), "r"(z[5]), "r"(z[6]), "r"(z[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 32, 8, 16, int> &d, const fragment<matrix_a, 32, 8, 16, unsigned char, col_major> &p, const fragment<matrix_b, 32, 8, 16, unsigned char, col_major> &q, const fragment<accumulator, 32, 8, 16, int> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const int *z = (const int *)s.x;
    int *o = (int *)d.x;
    asm volatile("wmma.mma.sync.aligned.col.col.m32n8k16.s32.u8.u8.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(o[0]), "=r"(o[1]), "=r"(o[2]), "=r"(o[3]), "=r"(o[4]), "=r"(o[5]), "=r"(o[6]), "=r"(o[7]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(z[0]), "r"(z[1]), "r"(z[2]), "r"(z[3]), "r"(z[4]), "r"(z[5]), "r"(z[6]), "r"(z[7]));
}
template <class L> struct __count<accumulator, 8, 32, 16, float, L> { static constexpr int value = 8; };
template <class L> struct __count<accumulator, 8, 32, 16, __half, L> { static constexpr int value = 8; };
template <class L> struct __count<accumulator, 8, 32, 16, int, L> { static constexpr int value = 8; };
template <class L> struct __count<matrix_a, 8, 32, 16, __nv_bfloat16, L> { static constexpr int value = 4; };
template <class L> struct __count<matrix_b, 8, 32, 16, __nv_bfloat16, L> { static constexpr int value = 16; };
template <class L> struct __count<matrix_a, 8, 32, 16, signed char, L> { static constexpr int value = 4; };
template <class L> struct __count<matrix_b, 8, 32, 16, signed char, L> { static constexpr int value = 16; };
template <class L> struct __count<matrix_a, 8, 32, 16, unsigned char, L> { static constexpr int value = 4; };
template <class L> struct __count<matrix_b, 8, 32, 16, unsigned char, L> { static constexpr int value = 16; };
__device__ inline void load_matrix_sync(fragment<matrix_a, 8, 32, 16, __half, row_major> &f, const __half *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.a.sync.aligned.row.m8n32k16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]), "=r"(w[4]), "=r"(w[5]), "=r"(w[6]), "=r"(w[7]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<matrix_a, 8, 32, 16, __nv_bfloat16, row_major> &f, const __nv_bfloat16 *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.a.sync.aligned.row.m8n32k16.bf16 {%0, %1}, [%2], %3;" : "=r"(w[0]), "=r"(w[1]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<matrix_a, 8, 32, 16, signed char, row_major> &f, const signed char *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.a.sync.aligned.row.m8n32k16.s8 {%0}, [%1], %2;" : "=r"(w[0]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<matrix_a, 8, 32, 16, unsigned char, row_major> &f, const unsigned char *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.a.sync.aligned.row.m8n32k16.u8 {%0}, [%1], %2;" : "=r"(w[0]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<matrix_a, 8, 32, 16, __half, col_major> &f, const __half *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.a.sync.aligned.col.m8n32k16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]), "=r"(w[4]), "=r"(w[5]), "=r"(w[6]), "=r"(w[7]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<matrix_a, 8, 32, 16, __nv_bfloat16, col_major> &f, const __nv_bfloat16 *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.a.sync.aligned.col.m8n32k16.bf16 {%0, %1}, [%2], %3;" : "=r"(w[0]), "=r"(w[1]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<matrix_a, 8, 32, 16, signed char, col_major> &f, const signed char *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.a.sync.aligned.col.m8n32k16.s8 {%0}, [%1], %2;" : "=r"(w[0]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<matrix_a, 8, 32, 16, unsigned char, col_major> &f, const unsigned char *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.a.sync.aligned.col.m8n32k16.u8 {%0}, [%1], %2;" : "=r"(w[0]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<matrix_b, 8, 32, 16, __half, row_major> &f, const __half *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.b.sync.aligned.row.m8n32k16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]), "=r"(w[4]), "=r"(w[5]), "=r"(w[6]), "=r"(w[7]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<matrix_b, 8, 32, 16, __nv_bfloat16, row_major> &f, const __nv_bfloat16 *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.b.sync.aligned.row.m8n32k16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]), "=r"(w[4]), "=r"(w[5]), "=r"(w[6]), "=r"(w[7]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<matrix_b, 8, 32, 16, signed char, row_major> &f, const signed char *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.b.sync.aligned.row.m8n32k16.s8 {%0, %1, %2, %3}, [%4], %5;" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<matrix_b, 8, 32, 16, unsigned char, row_major> &f, const unsigned char *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.b.sync.aligned.row.m8n32k16.u8 {%0, %1, %2, %3}, [%4], %5;" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<matrix_b, 8, 32, 16, __half, col_major> &f, const __half *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.b.sync.aligned.col.m8n32k16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]), "=r"(w[4]), "=r"(w[5]), "=r"(w[6]), "=r"(w[7]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<matrix_b, 8, 32, 16, __nv_bfloat16, col_major> &f, const __nv_bfloat16 *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.b.sync.aligned.col.m8n32k16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]), "=r"(w[4]), "=r"(w[5]), "=r"(w[6]), "=r"(w[7]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<matrix_b, 8, 32, 16, signed char, col_major> &f, const signed char *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.b.sync.aligned.col.m8n32k16.s8 {%0, %1, %2, %3}, [%4], %5;" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<matrix_b, 8, 32, 16, unsigned char, col_major> &f, const unsigned char *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.b.sync.aligned.col.m8n32k16.u8 {%0, %1, %2, %3}, [%4], %5;" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<accumulator, 8, 32, 16, float> &f, const float *p, unsigned ldm, layout_t layout) {
    float *w = (float *)f.x;
    if (layout == mem_row_major) asm volatile("wmma.load.c.sync.aligned.row.m8n32k16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=f"(w[0]), "=f"(w[1]), "=f"(w[2]), "=f"(w[3]), "=f"(w[4]), "=f"(w[5]), "=f"(w[6]), "=f"(w[7]) : "l"(p), "r"(ldm) : "memory");
    else asm volatile("wmma.load.c.sync.aligned.col.m8n32k16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=f"(w[0]), "=f"(w[1]), "=f"(w[2]), "=f"(w[3]), "=f"(w[4]), "=f"(w[5]), "=f"(w[6]), "=f"(w[7]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void store_matrix_sync(float *p, const fragment<accumulator, 8, 32, 16, float> &f, unsigned ldm, layout_t layout) {
    const float *w = (const float *)f.x;
    if (layout == mem_row_major) asm volatile("wmma.store.d.sync.aligned.row.m8n32k16.f32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, %9;" :: "l"(p), "f"(w[0]), "f"(w[1]), "f"(w[2]), "f"(w[3]), "f"(w[4]), "f"(w[5]), "f"(w[6]), "f"(w[7]), "r"(ldm) : "memory");
    else asm volatile("wmma.store.d.sync.aligned.col.m8n32k16.f32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, %9;" :: "l"(p), "f"(w[0]), "f"(w[1]), "f"(w[2]), "f"(w[3]), "f"(w[4]), "f"(w[5]), "f"(w[6]), "f"(w[7]), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<accumulator, 8, 32, 16, __half> &f, const __half *p, unsigned ldm, layout_t layout) {
    unsigned *w = (unsigned *)f.x;
    if (layout == mem_row_major) asm volatile("wmma.load.c.sync.aligned.row.m8n32k16.f16 {%0, %1, %2, %3}, [%4], %5;" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "l"(p), "r"(ldm) : "memory");
    else asm volatile("wmma.load.c.sync.aligned.col.m8n32k16.f16 {%0, %1, %2, %3}, [%4], %5;" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void store_matrix_sync(__half *p, const fragment<accumulator, 8, 32, 16, __half> &f, unsigned ldm, layout_t layout) {
    const unsigned *w = (const unsigned *)f.x;
    if (layout == mem_row_major) asm volatile("wmma.store.d.sync.aligned.row.m8n32k16.f16 [%0], {%1, %2, %3, %4}, %5;" :: "l"(p), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]), "r"(ldm) : "memory");
    else asm volatile("wmma.store.d.sync.aligned.col.m8n32k16.f16 [%0], {%1, %2, %3, %4}, %5;" :: "l"(p), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<accumulator, 8, 32, 16, int> &f, const int *p, unsigned ldm, layout_t layout) {
    int *w = (int *)f.x;
    if (layout == mem_row_major) asm volatile("wmma.load.c.sync.aligned.row.m8n32k16.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]), "=r"(w[4]), "=r"(w[5]), "=r"(w[6]), "=r"(w[7]) : "l"(p), "r"(ldm) : "memory");
    else asm volatile("wmma.load.c.sync.aligned.col.m8n32k16.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]), "=r"(w[4]), "=r"(w[5]), "=r"(w[6]), "=r"(w[7]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void store_matrix_sync(int *p, const fragment<accumulator, 8, 32, 16, int> &f, unsigned ldm, layout_t layout) {
    const int *w = (const int *)f.x;
    if (layout == mem_row_major) asm volatile("wmma.store.d.sync.aligned.row.m8n32k16.s32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, %9;" :: "l"(p), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]), "r"(w[4]), "r"(w[5]), "r"(w[6]), "r"(w[7]), "r"(ldm) : "memory");
    else asm volatile("wmma.store.d.sync.aligned.col.m8n32k16.s32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, %9;" :: "l"(p), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]), "r"(w[4]), "r"(w[5]), "r"(w[6]), "r"(w[7]), "r"(ldm) : "memory");
}
__device__ inline void mma_sync(fragment<accumulator, 8, 32, 16, float> &d, const fragment<matrix_a, 8, 32, 16, __half, row_major> &p, const fragment<matrix_b, 8, 32, 16, __half, row_major> &q, const fragment<accumulator, 8, 32, 16, float> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const float *z = (const float *)s.x;
    float *o = (float *)d.x;
    asm volatile("wmma.mma.sync.aligned.row.row.m8n32k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27, %28, %29, %30, %31};" : "=f"(o[0]), "=f"(o[1]), "=f"(o[2]), "=f"(o[3]), "=f"(o[4]), "=f"(o[5]), "=f"(o[6]), "=f"(o[7]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]), "r"(x[6]), "r"(x[7]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(y[4]), "r"(y[5]), "r"(y[6]), "r"(y[7]), "f"(z[0]), "f"(z[1]), "f"(z[2]), "f"(z[3]), "f"(z[4]), "f"(z[5]), "f"(z[6]), "f"(z[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 8, 32, 16, __half> &d, const fragment<matrix_a, 8, 32, 16, __half, row_major> &p, const fragment<matrix_b, 8, 32, 16, __half, row_major> &q, const fragment<accumulator, 8, 32, 16, __half> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const unsigned *z = (const unsigned *)s.x;
    unsigned *o = (unsigned *)d.x;
    asm volatile("wmma.mma.sync.aligned.row.row.m8n32k16.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23};" : "=r"(o[0]), "=r"(o[1]), "=r"(o[2]), "=r"(o[3]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]), "r"(x[6]), "r"(x[7]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(y[4]), "r"(y[5]), "r"(y[6]), "r"(y[7]), "r"(z[0]), "r"(z[1]), "r"(z[2]), "r"(z[3]));
}
__device__ inline void mma_sync(fragment<accumulator, 8, 32, 16, float> &d, const fragment<matrix_a, 8, 32, 16, __nv_bfloat16, row_major> &p, const fragment<matrix_b, 8, 32, 16, __nv_bfloat16, row_major> &q, const fragment<accumulator, 8, 32, 16, float> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const float *z = (const float *)s.x;
    float *o = (float *)d.x;
    asm volatile("wmma.mma.sync.aligned.row.row.m8n32k16.f32.bf16.bf16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13, %14, %15, %16, %17}, {%18, %19, %20, %21, %22, %23, %24, %25};" : "=f"(o[0]), "=f"(o[1]), "=f"(o[2]), "=f"(o[3]), "=f"(o[4]), "=f"(o[5]), "=f"(o[6]), "=f"(o[7]) : "r"(x[0]), "r"(x[1]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(y[4]), "r"(y[5]), "r"(y[6]), "r"(y[7]), "f"(z[0]), "f"(z[1]), "f"(z[2]), "f"(z[3]), "f"(z[4]), "f"(z[5]), "f"(z[6]), "f"(z[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 8, 32, 16, int> &d, const fragment<matrix_a, 8, 32, 16, signed char, row_major> &p, const fragment<matrix_b, 8, 32, 16, signed char, row_major> &q, const fragment<accumulator, 8, 32, 16, int> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const int *z = (const int *)s.x;
    int *o = (int *)d.x;
    asm volatile("wmma.mma.sync.aligned.row.row.m8n32k16.s32.s8.s8.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8}, {%9, %10, %11, %12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(o[0]), "=r"(o[1]), "=r"(o[2]), "=r"(o[3]), "=r"(o[4]), "=r"(o[5]), "=r"(o[6]), "=r"(o[7]) : "r"(x[0]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(z[0]), "r"(z[1]), "r"(z[2]), "r"(z[3]), "r"(z[4]), "r"(z[5]), "r"(z[6]), "r"(z[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 8, 32, 16, int> &d, const fragment<matrix_a, 8, 32, 16, unsigned char, row_major> &p, const fragment<matrix_b, 8, 32, 16, unsigned char, row_major> &q, const fragment<accumulator, 8, 32, 16, int> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const int *z = (const int *)s.x;
    int *o = (int *)d.x;
    asm volatile("wmma.mma.sync.aligned.row.row.m8n32k16.s32.u8.u8.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8}, {%9, %10, %11, %12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(o[0]), "=r"(o[1]), "=r"(o[2]), "=r"(o[3]), "=r"(o[4]), "=r"(o[5]), "=r"(o[6]), "=r"(o[7]) : "r"(x[0]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(z[0]), "r"(z[1]), "r"(z[2]), "r"(z[3]), "r"(z[4]), "r"(z[5]), "r"(z[6]), "r"(z[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 8, 32, 16, float> &d, const fragment<matrix_a, 8, 32, 16, __half, row_major> &p, const fragment<matrix_b, 8, 32, 16, __half, col_major> &q, const fragment<accumulator, 8, 32, 16, float> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const float *z = (const float *)s.x;
    float *o = (float *)d.x;
    asm volatile("wmma.mma.sync.aligned.row.col.m8n32k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27, %28, %29, %30, %31};" : "=f"(o[0]), "=f"(o[1]), "=f"(o[2]), "=f"(o[3]), "=f"(o[4]), "=f"(o[5]), "=f"(o[6]), "=f"(o[7]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]), "r"(x[6]), "r"(x[7]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(y[4]), "r"(y[5]), "r"(y[6]), "r"(y[7]), "f"(z[0]), "f"(z[1]), "f"(z[2]), "f"(z[3]), "f"(z[4]), "f"(z[5]), "f"(z[6]), "f"(z[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 8, 32, 16, __half> &d, const fragment<matrix_a, 8, 32, 16, __half, row_major> &p, const fragment<matrix_b, 8, 32, 16, __half, col_major> &q, const fragment<accumulator, 8, 32, 16, __half> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const unsigned *z = (const unsigned *)s.x;
    unsigned *o = (unsigned *)d.x;
    asm volatile("wmma.mma.sync.aligned.row.col.m8n32k16.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23};" : "=r"(o[0]), "=r"(o[1]), "=r"(o[2]), "=r"(o[3]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]), "r"(x[6]), "r"(x[7]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(y[4]), "r"(y[5]), "r"(y[6]), "r"(y[7]), "r"(z[0]), "r"(z[1]), "r"(z[2]), "r"(z[3]));
}
__device__ inline void mma_sync(fragment<accumulator, 8, 32, 16, float> &d, const fragment<matrix_a, 8, 32, 16, __nv_bfloat16, row_major> &p, const fragment<matrix_b, 8, 32, 16, __nv_bfloat16, col_major> &q, const fragment<accumulator, 8, 32, 16, float> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const float *z = (const float *)s.x;
    float *o = (float *)d.x;
    asm volatile("wmma.mma.sync.aligned.row.col.m8n32k16.f32.bf16.bf16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13, %14, %15, %16, %17}, {%18, %19, %20, %21, %22, %23, %24, %25};" : "=f"(o[0]), "=f"(o[1]), "=f"(o[2]), "=f"(o[3]), "=f"(o[4]), "=f"(o[5]), "=f"(o[6]), "=f"(o[7]) : "r"(x[0]), "r"(x[1]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(y[4]), "r"(y[5]), "r"(y[6]), "r"(y[7]), "f"(z[0]), "f"(z[1]), "f"(z[2]), "f"(z[3]), "f"(z[4]), "f"(z[5]), "f"(z[6]), "f"(z[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 8, 32, 16, int> &d, const fragment<matrix_a, 8, 32, 16, signed char, row_major> &p, const fragment<matrix_b, 8, 32, 16, signed char, col_major> &q, const fragment<accumulator, 8, 32, 16, int> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const int *z = (const int *)s.x;
    int *o = (int *)d.x;
    asm volatile("wmma.mma.sync.aligned.row.col.m8n32k16.s32.s8.s8.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8}, {%9, %10, %11, %12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(o[0]), "=r"(o[1]), "=r"(o[2]), "=r"(o[3]), "=r"(o[4]), "=r"(o[5]), "=r"(o[6]), "=r"(o[7]) : "r"(x[0]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(z[0]), "r"(z[1]), "r"(z[2]), "r"(z[3]), "r"(z[4]), "r"(z[5]), "r"(z[6]), "r"(z[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 8, 32, 16, int> &d, const fragment<matrix_a, 8, 32, 16, unsigned char, row_major> &p, const fragment<matrix_b, 8, 32, 16, unsigned char, col_major> &q, const fragment<accumulator, 8, 32, 16, int> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const int *z = (const int *)s.x;
    int *o = (int *)d.x;
    asm volatile("wmma.mma.sync.aligned.row.col.m8n32k16.s32.u8.u8.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8}, {%9, %10, %11, %12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(o[0]), "=r"(o[1]), "=r"(o[2]), "=r"(o[3]), "=r"(o[4]), "=r"(o[5]), "=r"(o[6]), "=r"(o[7]) : "r"(x[0]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(z[0]), "r"(z[1]), "r"(z[2]), "r"(z[3]), "r"(z[4]), "r"(z[5]), "r"(z[6]), "r"(z[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 8, 32, 16, float> &d, const fragment<matrix_a, 8, 32, 16, __half, col_major> &p, const fragment<matrix_b, 8, 32, 16, __half, row_major> &q, const fragment<accumulator, 8, 32, 16, float> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const float *z = (const float *)s.x;
    float *o = (float *)d.x;
    asm volatile("wmma.mma.sync.aligned.col.row.m8n32k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27, %28, %29, %30, %31};" : "=f"(o[0]), "=f"(o[1]), "=f"(o[2]), "=f"(o[3]), "=f"(o[4]), "=f"(o[5]), "=f"(o[6]), "=f"(o[7]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]), "r"(x[6]), "r"(x[7]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(y[4]), "r"(y[5]), "r"(y[6]), "r"(y[7]), "f"(z[0]), "f"(z[1]), "f"(z[2]), "f"(z[3]), "f"(z[4]), "f"(z[5]), "f"(z[6]), "f"(z[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 8, 32, 16, __half> &d, const fragment<matrix_a, 8, 32, 16, __half, col_major> &p, const fragment<matrix_b, 8, 32, 16, __half, row_major> &q, const fragment<accumulator, 8, 32, 16, __half> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const unsigned *z = (const unsigned *)s.x;
    unsigned *o = (unsigned *)d.x;
    asm volatile("wmma.mma.sync.aligned.col.row.m8n32k16.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23};" : "=r"(o[0]), "=r"(o[1]), "=r"(o[2]), "=r"(o[3]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]), "r"(x[6]), "r"(x[7]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(y[4]), "r"(y[5]), "r"(y[6]), "r"(y[7]), "r"(z[0]), "r"(z[1]), "r"(z[2]), "r"(z[3]));
}
__device__ inline void mma_sync(fragment<accumulator, 8, 32, 16, float> &d, const fragment<matrix_a, 8, 32, 16, __nv_bfloat16, col_major> &p, const fragment<matrix_b, 8, 32, 16, __nv_bfloat16, row_major> &q, const fragment<accumulator, 8, 32, 16, float> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const float *z = (const float *)s.x;
    float *o = (float *)d.x;
    asm volatile("wmma.mma.sync.aligned.col.row.m8n32k16.f32.bf16.bf16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13, %14, %15, %16, %17}, {%18, %19, %20, %21, %22, %23, %24, %25};" : "=f"(o[0]), "=f"(o[1]), "=f"(o[2]), "=f"(o[3]), "=f"(o[4]), "=f"(o[5]), "=f"(o[6]), "=f"(o[7]) : "r"(x[0]), "r"(x[1]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(y[4]), "r"(y[5]), "r"(y[6]), "r"(y[7]), "f"(z[0]), "f"(z[1]), "f"(z[2]), "f"(z[3]), "f"(z[4]), "f"(z[5]), "f"(z[6]), "f"(z[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 8, 32, 16, int> &d, const fragment<matrix_a, 8, 32, 16, signed char, col_major> &p, const fragment<matrix_b, 8, 32, 16, signed char, row_major> &q, const fragment<accumulator, 8, 32, 16, int> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const int *z = (const int *)s.x;
    int *o = (int *)d.x;
    asm volatile("wmma.mma.sync.aligned.col.row.m8n32k16.s32.s8.s8.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8}, {%9, %10, %11, %12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(o[0]), "=r"(o[1]), "=r"(o[2]), "=r"(o[3]), "=r"(o[4]), "=r"(o[5]), "=r"(o[6]), "=r"(o[7]) : "r"(x[0]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(z[0]), "r"(z[1]), "r"(z[2]), "r"(z[3]), "r"(z[4]), "r"(z[5]), "r"(z[6]), "r"(z[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 8, 32, 16, int> &d, const fragment<matrix_a, 8, 32, 16, unsigned char, col_major> &p, const fragment<matrix_b, 8, 32, 16, unsigned char, row_major> &q, const fragment<accumulator, 8, 32, 16, int> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const int *z = (const int *)s.x;
    int *o = (int *)d.x;
    asm volatile("wmma.mma.sync.aligned.col.row.m8n32k16.s32.u8.u8.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8}, {%9, %10, %11, %12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(o[0]), "=r"(o[1]), "=r"(o[2]), "=r"(o[3]), "=r"(o[4]), "=r"(o[5]), "=r"(o[6]), "=r"(o[7]) : "r"(x[0]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(z[0]), "r"(z[1]), "r"(z[2]), "r"(z[3]), "r"(z[4]), "r"(z[5]), "r"(z[6]), "r"(z[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 8, 32, 16, float> &d, const fragment<matrix_a, 8, 32, 16, __half, col_major> &p, const fragment<matrix_b, 8, 32, 16, __half, col_major> &q, const fragment<accumulator, 8, 32, 16, float> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const float *z = (const float *)s.x;
    float *o = (float *)d.x;
    asm volatile("wmma.mma.sync.aligned.col.col.m8n32k16.f32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23}, {%24, %25, %26, %27, %28, %29, %30, %31};" : "=f"(o[0]), "=f"(o[1]), "=f"(o[2]), "=f"(o[3]), "=f"(o[4]), "=f"(o[5]), "=f"(o[6]), "=f"(o[7]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]), "r"(x[6]), "r"(x[7]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(y[4]), "r"(y[5]), "r"(y[6]), "r"(y[7]), "f"(z[0]), "f"(z[1]), "f"(z[2]), "f"(z[3]), "f"(z[4]), "f"(z[5]), "f"(z[6]), "f"(z[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 8, 32, 16, __half> &d, const fragment<matrix_a, 8, 32, 16, __half, col_major> &p, const fragment<matrix_b, 8, 32, 16, __half, col_major> &q, const fragment<accumulator, 8, 32, 16, __half> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const unsigned *z = (const unsigned *)s.x;
    unsigned *o = (unsigned *)d.x;
    asm volatile("wmma.mma.sync.aligned.col.col.m8n32k16.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15, %16, %17, %18, %19}, {%20, %21, %22, %23};" : "=r"(o[0]), "=r"(o[1]), "=r"(o[2]), "=r"(o[3]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]), "r"(x[6]), "r"(x[7]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(y[4]), "r"(y[5]), "r"(y[6]), "r"(y[7]), "r"(z[0]), "r"(z[1]), "r"(z[2]), "r"(z[3]));
}
__device__ inline void mma_sync(fragment<accumulator, 8, 32, 16, float> &d, const fragment<matrix_a, 8, 32, 16, __nv_bfloat16, col_major> &p, const fragment<matrix_b, 8, 32, 16, __nv_bfloat16, col_major> &q, const fragment<accumulator, 8, 32, 16, float> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const float *z = (const float *)s.x;
    float *o = (float *)d.x;
    asm volatile("wmma.mma.sync.aligned.col.col.m8n32k16.f32.bf16.bf16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13, %14, %15, %16, %17}, {%18, %19, %20, %21, %22, %23, %24, %25};" : "=f"(o[0]), "=f"(o[1]), "=f"(o[2]), "=f"(o[3]), "=f"(o[4]), "=f"(o[5]), "=f"(o[6]), "=f"(o[7]) : "r"(x[0]), "r"(x[1]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(y[4]), "r"(y[5]), "r"(y[6]), "r"(y[7]), "f"(z[0]), "f"(z[1]), "f"(z[2]), "f"(z[3]), "f"(z[4]), "f"(z[5]), "f"(z[6]), "f"(z[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 8, 32, 16, int> &d, const fragment<matrix_a, 8, 32, 16, signed char, col_major> &p, const fragment<matrix_b, 8, 32, 16, signed char, col_major> &q, const fragment<accumulator, 8, 32, 16, int> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const int *z = (const int *)s.x;
    int *o = (int *)d.x;
    asm volatile("wmma.mma.sync.aligned.col.col.m8n32k16.s32.s8.s8.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8}, {%9, %10, %11, %12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(o[0]), "=r"(o[1]), "=r"(o[2]), "=r"(o[3]), "=r"(o[4]), "=r"(o[5]), "=r"(o[6]), "=r"(o[7]) : "r"(x[0]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(z[0]), "r"(z[1]), "r"(z[2]), "r"(z[3]), "r"(z[4]), "r"(z[5]), "r"(z[6]), "r"(z[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 8, 32, 16, int> &d, const fragment<matrix_a, 8, 32, 16, unsigned char, col_major> &p, const fragment<matrix_b, 8, 32, 16, unsigned char, col_major> &q, const fragment<accumulator, 8, 32, 16, int> &s, bool saturate = false) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    const int *z = (const int *)s.x;
    int *o = (int *)d.x;
    asm volatile("wmma.mma.sync.aligned.col.col.m8n32k16.s32.u8.u8.s32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8}, {%9, %10, %11, %12}, {%13, %14, %15, %16, %17, %18, %19, %20};" : "=r"(o[0]), "=r"(o[1]), "=r"(o[2]), "=r"(o[3]), "=r"(o[4]), "=r"(o[5]), "=r"(o[6]), "=r"(o[7]) : "r"(x[0]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(z[0]), "r"(z[1]), "r"(z[2]), "r"(z[3]), "r"(z[4]), "r"(z[5]), "r"(z[6]), "r"(z[7]));
}
template <class L> struct __count<accumulator, 16, 16, 8, float, L> { static constexpr int value = 8; };
template <class L> struct __count<matrix_a, 16, 16, 8, precision::tf32, L> { static constexpr int value = 4; };
template <class L> struct __count<matrix_b, 16, 16, 8, precision::tf32, L> { static constexpr int value = 4; };
__device__ inline void load_matrix_sync(fragment<matrix_a, 16, 16, 8, precision::tf32, row_major> &f, const float *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.a.sync.aligned.row.m16n16k8.tf32 {%0, %1, %2, %3}, [%4], %5;" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<matrix_a, 16, 16, 8, precision::tf32, col_major> &f, const float *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.a.sync.aligned.col.m16n16k8.tf32 {%0, %1, %2, %3}, [%4], %5;" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<matrix_b, 16, 16, 8, precision::tf32, row_major> &f, const float *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.b.sync.aligned.row.m16n16k8.tf32 {%0, %1, %2, %3}, [%4], %5;" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<matrix_b, 16, 16, 8, precision::tf32, col_major> &f, const float *p, unsigned ldm) {
    unsigned *w = (unsigned *)f.x;
    asm volatile("wmma.load.b.sync.aligned.col.m16n16k8.tf32 {%0, %1, %2, %3}, [%4], %5;" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<accumulator, 16, 16, 8, float> &f, const float *p, unsigned ldm, layout_t layout) {
    if (layout == mem_row_major) asm volatile("wmma.load.c.sync.aligned.row.m16n16k8.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=f"(f.x[0]), "=f"(f.x[1]), "=f"(f.x[2]), "=f"(f.x[3]), "=f"(f.x[4]), "=f"(f.x[5]), "=f"(f.x[6]), "=f"(f.x[7]) : "l"(p), "r"(ldm) : "memory");
    else asm volatile("wmma.load.c.sync.aligned.col.m16n16k8.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;" : "=f"(f.x[0]), "=f"(f.x[1]), "=f"(f.x[2]), "=f"(f.x[3]), "=f"(f.x[4]), "=f"(f.x[5]), "=f"(f.x[6]), "=f"(f.x[7]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void store_matrix_sync(float *p, const fragment<accumulator, 16, 16, 8, float> &f, unsigned ldm, layout_t layout) {
    if (layout == mem_row_major) asm volatile("wmma.store.d.sync.aligned.row.m16n16k8.f32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, %9;" :: "l"(p), "f"(f.x[0]), "f"(f.x[1]), "f"(f.x[2]), "f"(f.x[3]), "f"(f.x[4]), "f"(f.x[5]), "f"(f.x[6]), "f"(f.x[7]), "r"(ldm) : "memory");
    else asm volatile("wmma.store.d.sync.aligned.col.m16n16k8.f32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, %9;" :: "l"(p), "f"(f.x[0]), "f"(f.x[1]), "f"(f.x[2]), "f"(f.x[3]), "f"(f.x[4]), "f"(f.x[5]), "f"(f.x[6]), "f"(f.x[7]), "r"(ldm) : "memory");
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 8, float> &d, const fragment<matrix_a, 16, 16, 8, precision::tf32, row_major> &p, const fragment<matrix_b, 16, 16, 8, precision::tf32, row_major> &q, const fragment<accumulator, 16, 16, 8, float> &s) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    asm volatile("wmma.mma.sync.aligned.row.row.m16n16k8.f32.tf32.tf32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23};" : "=f"(d.x[0]), "=f"(d.x[1]), "=f"(d.x[2]), "=f"(d.x[3]), "=f"(d.x[4]), "=f"(d.x[5]), "=f"(d.x[6]), "=f"(d.x[7]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "f"(s.x[0]), "f"(s.x[1]), "f"(s.x[2]), "f"(s.x[3]), "f"(s.x[4]), "f"(s.x[5]), "f"(s.x[6]), "f"(s.x[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 8, float> &d, const fragment<matrix_a, 16, 16, 8, precision::tf32, row_major> &p, const fragment<matrix_b, 16, 16, 8, precision::tf32, col_major> &q, const fragment<accumulator, 16, 16, 8, float> &s) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    asm volatile("wmma.mma.sync.aligned.row.col.m16n16k8.f32.tf32.tf32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23};" : "=f"(d.x[0]), "=f"(d.x[1]), "=f"(d.x[2]), "=f"(d.x[3]), "=f"(d.x[4]), "=f"(d.x[5]), "=f"(d.x[6]), "=f"(d.x[7]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "f"(s.x[0]), "f"(s.x[1]), "f"(s.x[2]), "f"(s.x[3]), "f"(s.x[4]), "f"(s.x[5]), "f"(s.x[6]), "f"(s.x[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 8, float> &d, const fragment<matrix_a, 16, 16, 8, precision::tf32, col_major> &p, const fragment<matrix_b, 16, 16, 8, precision::tf32, row_major> &q, const fragment<accumulator, 16, 16, 8, float> &s) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    asm volatile("wmma.mma.sync.aligned.col.row.m16n16k8.f32.tf32.tf32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23};" : "=f"(d.x[0]), "=f"(d.x[1]), "=f"(d.x[2]), "=f"(d.x[3]), "=f"(d.x[4]), "=f"(d.x[5]), "=f"(d.x[6]), "=f"(d.x[7]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "f"(s.x[0]), "f"(s.x[1]), "f"(s.x[2]), "f"(s.x[3]), "f"(s.x[4]), "f"(s.x[5]), "f"(s.x[6]), "f"(s.x[7]));
}
__device__ inline void mma_sync(fragment<accumulator, 16, 16, 8, float> &d, const fragment<matrix_a, 16, 16, 8, precision::tf32, col_major> &p, const fragment<matrix_b, 16, 16, 8, precision::tf32, col_major> &q, const fragment<accumulator, 16, 16, 8, float> &s) {
    const unsigned *x = (const unsigned *)p.x, *y = (const unsigned *)q.x;
    asm volatile("wmma.mma.sync.aligned.col.col.m16n16k8.f32.tf32.tf32.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, {%12, %13, %14, %15}, {%16, %17, %18, %19, %20, %21, %22, %23};" : "=f"(d.x[0]), "=f"(d.x[1]), "=f"(d.x[2]), "=f"(d.x[3]), "=f"(d.x[4]), "=f"(d.x[5]), "=f"(d.x[6]), "=f"(d.x[7]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "f"(s.x[0]), "f"(s.x[1]), "f"(s.x[2]), "f"(s.x[3]), "f"(s.x[4]), "f"(s.x[5]), "f"(s.x[6]), "f"(s.x[7]));
}
template <class L> struct __count<matrix_a, 8, 8, 4, double, L> { static constexpr int value = 1; };
template <class L> struct __count<matrix_b, 8, 8, 4, double, L> { static constexpr int value = 1; };
template <class L> struct __count<accumulator, 8, 8, 4, double, L> { static constexpr int value = 2; };
__device__ inline void load_matrix_sync(fragment<matrix_a, 8, 8, 4, double, row_major> &f, const double *p, unsigned ldm) {
    asm volatile("wmma.load.a.sync.aligned.row.m8n8k4.f64 {%0}, [%1], %2;" : "=d"(f.x[0]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<matrix_a, 8, 8, 4, double, col_major> &f, const double *p, unsigned ldm) {
    asm volatile("wmma.load.a.sync.aligned.col.m8n8k4.f64 {%0}, [%1], %2;" : "=d"(f.x[0]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<matrix_b, 8, 8, 4, double, row_major> &f, const double *p, unsigned ldm) {
    asm volatile("wmma.load.b.sync.aligned.row.m8n8k4.f64 {%0}, [%1], %2;" : "=d"(f.x[0]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<matrix_b, 8, 8, 4, double, col_major> &f, const double *p, unsigned ldm) {
    asm volatile("wmma.load.b.sync.aligned.col.m8n8k4.f64 {%0}, [%1], %2;" : "=d"(f.x[0]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void load_matrix_sync(fragment<accumulator, 8, 8, 4, double> &f, const double *p, unsigned ldm, layout_t layout) {
    if (layout == mem_row_major) asm volatile("wmma.load.c.sync.aligned.row.m8n8k4.f64 {%0, %1}, [%2], %3;" : "=d"(f.x[0]), "=d"(f.x[1]) : "l"(p), "r"(ldm) : "memory");
    else asm volatile("wmma.load.c.sync.aligned.col.m8n8k4.f64 {%0, %1}, [%2], %3;" : "=d"(f.x[0]), "=d"(f.x[1]) : "l"(p), "r"(ldm) : "memory");
}
__device__ inline void store_matrix_sync(double *p, const fragment<accumulator, 8, 8, 4, double> &f, unsigned ldm, layout_t layout) {
    if (layout == mem_row_major) asm volatile("wmma.store.d.sync.aligned.row.m8n8k4.f64 [%0], {%1, %2}, %3;" :: "l"(p), "d"(f.x[0]), "d"(f.x[1]), "r"(ldm) : "memory");
    else asm volatile("wmma.store.d.sync.aligned.col.m8n8k4.f64 [%0], {%1, %2}, %3;" :: "l"(p), "d"(f.x[0]), "d"(f.x[1]), "r"(ldm) : "memory");
}
__device__ inline void mma_sync(fragment<accumulator, 8, 8, 4, double> &d, const fragment<matrix_a, 8, 8, 4, double, row_major> &p, const fragment<matrix_b, 8, 8, 4, double, row_major> &q, const fragment<accumulator, 8, 8, 4, double> &s) {
    asm volatile("wmma.mma.sync.aligned.row.row.m8n8k4.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%4, %5};" : "=d"(d.x[0]), "=d"(d.x[1]) : "d"(p.x[0]), "d"(q.x[0]), "d"(s.x[0]), "d"(s.x[1]));
}
__device__ inline void mma_sync(fragment<accumulator, 8, 8, 4, double> &d, const fragment<matrix_a, 8, 8, 4, double, row_major> &p, const fragment<matrix_b, 8, 8, 4, double, col_major> &q, const fragment<accumulator, 8, 8, 4, double> &s) {
    asm volatile("wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%4, %5};" : "=d"(d.x[0]), "=d"(d.x[1]) : "d"(p.x[0]), "d"(q.x[0]), "d"(s.x[0]), "d"(s.x[1]));
}
__device__ inline void mma_sync(fragment<accumulator, 8, 8, 4, double> &d, const fragment<matrix_a, 8, 8, 4, double, col_major> &p, const fragment<matrix_b, 8, 8, 4, double, row_major> &q, const fragment<accumulator, 8, 8, 4, double> &s) {
    asm volatile("wmma.mma.sync.aligned.col.row.m8n8k4.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%4, %5};" : "=d"(d.x[0]), "=d"(d.x[1]) : "d"(p.x[0]), "d"(q.x[0]), "d"(s.x[0]), "d"(s.x[1]));
}
__device__ inline void mma_sync(fragment<accumulator, 8, 8, 4, double> &d, const fragment<matrix_a, 8, 8, 4, double, col_major> &p, const fragment<matrix_b, 8, 8, 4, double, col_major> &q, const fragment<accumulator, 8, 8, 4, double> &s) {
    asm volatile("wmma.mma.sync.aligned.col.col.m8n8k4.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%4, %5};" : "=d"(d.x[0]), "=d"(d.x[1]) : "d"(p.x[0]), "d"(q.x[0]), "d"(s.x[0]), "d"(s.x[1]));
}
} // namespace wmma
} // namespace nvcuda
