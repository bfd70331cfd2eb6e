// task: hgemm
#include <mma.h>
#include <cuda_fp16.h>
using namespace nvcuda;
extern "C" __global__ void hgemm(const __half* a, const __half* b, float* c, unsigned m, unsigned n, unsigned k) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.0f);
    for (unsigned p = 0; p < k; p += 16) {
        wmma::load_matrix_sync(fa, a + blockIdx.y * 16 * k + p, k);
        wmma::load_matrix_sync(fb, b + p * n + blockIdx.x * 16, n);
        wmma::mma_sync(fc, fa, fb, fc);
    }
    wmma::store_matrix_sync(c + blockIdx.y * 16 * n + blockIdx.x * 16, fc, n, wmma::mem_row_major);
}
