// Products by the warp's matrix instructions, in halves.
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

// 16 x 16 results per warp; sums in T.
template <typename T> __global__ void wmma_halves(const half *a, const half *b, T *c, int n, int k) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, T> sum;
    wmma::fill_fragment(sum, T(0.0f));
    int row = blockIdx.y * 16, col = blockIdx.x * 16;
    for (int i = 0; i < k; i += 16) {
        wmma::load_matrix_sync(fa, a + row * k + i, k);
        wmma::load_matrix_sync(fb, b + col * k + i, k);
        wmma::mma_sync(sum, fa, fb, sum);
    }
    for (int i = 0; i < sum.num_elements; i++) sum.x[i] = sum.x[i] + T(1.0f);
    wmma::store_matrix_sync(c + row * n + col, sum, n, wmma::mem_row_major);
}
template __global__ void wmma_halves<float>(const half *, const half *, float *, int, int);
template __global__ void wmma_halves<half>(const half *, const half *, half *, int, int);

// Through shared memory, in another shape.
extern "C" __global__ void wmma_wide(const half *a, const half *b, float *c) {
    __shared__ half sa[32 * 16];
    for (int i = threadIdx.x; i < 32 * 16; i += 32) sa[i] = a[i];
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 32, 8, 16, half, wmma::col_major> fa;
    wmma::fragment<wmma::matrix_b, 32, 8, 16, half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 32, 8, 16, float> sum;
    wmma::load_matrix_sync(fa, sa, 32);
    wmma::load_matrix_sync(fb, b, 8);
    wmma::fill_fragment(sum, 0.0f);
    wmma::mma_sync(sum, fa, fb, sum);
    wmma::store_matrix_sync(c, sum, 8, wmma::mem_row_major);
}

extern "C" __global__ void wmma_bytes(const signed char *a, const signed char *b, int *c) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> sum;
    wmma::fill_fragment(sum, 5);
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(sum, fa, fb, sum);
    wmma::store_matrix_sync(c, sum, 16, wmma::mem_col_major);
}
