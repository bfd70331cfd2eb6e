// needs sm_80
// Tensor cores from sm_80 on: other types by wmma, and products by mma with ldmatrix and cp.async.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

extern "C" __global__ void wmma_brain(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::load_matrix_sync(sum, c, 16, wmma::mem_row_major);
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(sum, fa, fb, sum);
    wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}

extern "C" __global__ void wmma_tf32(const float *a, const float *b, float *c) {
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    wmma::load_matrix_sync(fa, a, 8);
    wmma::load_matrix_sync(fb, b, 8);
    for (int i = 0; i < fa.num_elements; i++) fa.x[i] = wmma::__float_to_tf32(fa.x[i]);
    for (int i = 0; i < fb.num_elements; i++) fb.x[i] = wmma::__float_to_tf32(fb.x[i]);
    wmma::mma_sync(sum, fa, fb, sum);
    wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}

extern "C" __global__ void wmma_double(const double *a, const double *b, double *c) {
    wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 8, 8, 4, double> sum;
    wmma::fill_fragment(sum, 0.0);
    for (int k = 0; k < 16; k += 4) {
        wmma::load_matrix_sync(fa, a + k, 16);
        wmma::load_matrix_sync(fb, b + k, 16);
        wmma::mma_sync(sum, fa, fb, sum);
    }
    wmma::store_matrix_sync(c, sum, 8, wmma::mem_row_major);
}

__device__ unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void copy16(void *to, const void *from) { asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from)); }

// 64 x 64 results per block of four warps, two stages of copies in flight, swizzled rows of 64 bytes.
extern "C" __global__ void __launch_bounds__(128) mma_pipeline(const half *a, const half *bt, float *c, int n, int k) {
    __shared__ __align__(128) half sa[2][64][32], sb[2][64][32];
    int t = threadIdx.x, lane = t % 32, warp = t / 32, row = blockIdx.y * 64, col = blockIdx.x * 64;
    auto place = [](int r, int chunk) { return (chunk ^ (r / 2 & 3)) * 8; };
    auto load = [&](int stage, int k0) {
        for (int i = t; i < 256; i += 128) {
            int r = i / 4, chunk = i % 4;
            copy16(&sa[stage][r][place(r, chunk)], a + (row + r) * k + k0 + chunk * 8);
            copy16(&sb[stage][r][place(r, chunk)], bt + (col + r) * k + k0 + chunk * 8);
        }
        asm volatile("cp.async.commit_group;");
    };
    float acc[4][2][2][4] = {};
    load(0, 0);
    for (int k0 = 0, stage = 0; k0 < k; k0 += 32, stage ^= 1) {
        if (k0 + 32 < k) {
            load(stage ^ 1, k0 + 32);
            asm volatile("cp.async.wait_group 1;");
        } else asm volatile("cp.async.wait_group 0;");
        __syncthreads();
        for (int kk = 0; kk < 2; kk++) {
            unsigned fa[4][4], fb[4];
            for (int i = 0; i < 4; i++) {
                int r = i * 16 + lane % 16;
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(fa[i][0]), "=r"(fa[i][1]), "=r"(fa[i][2]), "=r"(fa[i][3]) : "r"(shared_address(&sa[stage][r][place(r, kk * 2 + lane / 16)])));
            }
            int r = warp * 16 + lane % 8 + lane / 16 * 8;
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(fb[0]), "=r"(fb[1]), "=r"(fb[2]), "=r"(fb[3]) : "r"(shared_address(&sb[stage][r][place(r, kk * 2 + lane / 8 % 2)])));
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 2; j++) {
                    float *d = acc[i][j][0];
                    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(fa[i][0]), "r"(fa[i][1]), "r"(fa[i][2]), "r"(fa[i][3]), "r"(fb[j * 2]), "r"(fb[j * 2 + 1]));
                }
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 2; j++)
            for (int h = 0; h < 2; h++) {
                float *at = &c[(row + i * 16 + lane / 4 + h * 8) * n + col + warp * 16 + j * 8 + lane % 4 * 2];
                *(float2 *)at = make_float2(acc[i][j][0][h * 2], acc[i][j][0][h * 2 + 1]);
            }
}

// Bytes, signed times unsigned.
extern "C" __global__ void mma_bytes(const int *a, const int *b, int *c) {
    int lane = threadIdx.x, g = lane / 4, q = lane % 4, d[4] = {};
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32.satfinite {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                 : "r"(a[g * 8 + q]), "r"(a[(g + 8) * 8 + q]), "r"(a[g * 8 + q + 4]), "r"(a[(g + 8) * 8 + q + 4]), "r"(b[g * 8 + q]), "r"(b[g * 8 + q + 4]));
    c[g * 8 + q * 2] = d[0];
    c[g * 8 + q * 2 + 1] = d[1];
    c[(g + 8) * 8 + q * 2] = d[2];
    c[(g + 8) * 8 + q * 2 + 1] = d[3];
}

extern "C" __global__ void ldmatrix_transposed(const unsigned short *in, unsigned *out) {
    __shared__ __align__(16) unsigned short tile[16][8];
    for (int i = threadIdx.x; i < 128; i += 32) tile[i / 8][i % 8] = in[i];
    __syncwarp();
    unsigned r[2];
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(shared_address(&tile[threadIdx.x % 16][0])));
    out[threadIdx.x * 2] = r[0];
    out[threadIdx.x * 2 + 1] = r[1];
}
