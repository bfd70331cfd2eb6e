// task: hgemm
// finds: lower-precision|wrong
// Tensor cores that add up in fp16.
#include <mma.h>
#include <cuda_fp16.h>
using namespace nvcuda;
extern "C" __global__ void hgemm(const __half* a, const __half* b, float* c, unsigned m, unsigned n, unsigned k) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, __half> fc;
    __shared__ __half tile[256];
    wmma::fill_fragment(fc, __half(0));
    for (unsigned p = 0; p < k; p += 16) {
        wmma::load_matrix_sync(fa, a + blockIdx.y * 16 * k + p, k);
        wmma::load_matrix_sync(fb, b + p * n + blockIdx.x * 16, n);
        wmma::mma_sync(fc, fa, fb, fc);
    }
    wmma::store_matrix_sync(tile, fc, 16, wmma::mem_row_major);
    __syncwarp();
    for (unsigned i = threadIdx.x; i < 256; i += 32)
        c[(blockIdx.y * 16 + i / 16) * n + blockIdx.x * 16 + i % 16] = __half2float(tile[i]);
}
