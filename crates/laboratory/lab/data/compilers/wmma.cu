// Tensor cores through the wmma interface, half and integer, and inline mma with ldmatrix.
#include <mma.h>
using namespace nvcuda;

extern "C" __global__ void wmma_half(const half *a, const half *b, float *c, int n) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.0f);
    for (int k = 0; k < n; k += 16) {
        wmma::load_matrix_sync(fa, a + blockIdx.y * 16 * n + k, n);
        wmma::load_matrix_sync(fb, b + blockIdx.x * 16 * n + k, n);
        wmma::mma_sync(fc, fa, fb, fc);
    }
    wmma::store_matrix_sync(c + blockIdx.y * 16 * n + blockIdx.x * 16, fc, n, wmma::mem_row_major);
}

extern "C" __global__ void wmma_s8(const signed char *a, const signed char *b, int *c) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> fc;
    wmma::fill_fragment(fc, 0);
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}

extern "C" __global__ void mma_tile(const uint4 *in, float4 *out) {
    __shared__ __align__(16) uint4 tile[64];
    tile[threadIdx.x] = in[threadIdx.x];
    tile[threadIdx.x + 32] = in[threadIdx.x + 32];
    __syncthreads();
    unsigned at = (unsigned)__cvta_generic_to_shared(&tile[threadIdx.x]);
    unsigned a0, a1, a2, a3, b0, b1;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a0), "=r"(a1), "=r"(a2), "=r"(a3) : "r"(at));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2 + 512];"
                 : "=r"(b0), "=r"(b1) : "r"(at));
    float4 d = {0, 0, 0, 0};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d.x), "+f"(d.y), "+f"(d.z), "+f"(d.w)
                 : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
    out[threadIdx.x] = d;
}
