#include <cstdio>
#include <mma.h>
#include <cuda_fp8.h>
// Integer functions on parts of a word, products in double, and small floats. The expected hashes are those of nvcc's program.
__global__ void parts(unsigned *o) {
    unsigned a = 0x80ff7f01u + threadIdx.x * 0x01234567u, b = 0x7f80fe02u ^ threadIdx.x * 0x9e3779b9u;
    int i = 0;
    auto put = [&](unsigned v) { o[threadIdx.x * 64 + i++] = v; };
    put(__vadd4(a, b)); put(__vadd2(a, b)); put(__vaddss4(a, b)); put(__vaddus2(a, b)); put(__vsubss2(a, b)); put(__vsubus4(a, b));
    put(__vavgs4(a, b)); put(__vavgs2(a, b)); put(__vavgu4(a, b)); put(__vhaddu2(a, b)); put(__vabsdiffs4(a, b)); put(__vabsdiffu2(a, b));
    put(__vmaxs4(a, b)); put(__vmaxu2(a, b)); put(__vmins2(a, b)); put(__vminu4(a, b)); put(__vabs4(a)); put(__vabsss2(a));
    put(__vneg2(a)); put(__vnegss4(a)); put(__vsads4(a, b)); put(__vsadu2(a, b)); put(__vcmpgts4(a, b)); put(__vcmpeq4(a, b));
    put(__vcmpleu2(a, b)); put(__vsetges2(a, b)); put(__vsetltu4(a, b)); put(__vsetne4(a, b));
    put(__viaddmax_s32(a, b, 5)); put(__viaddmin_u32(a, b, 77)); put(__vimax3_s32(a, b, 3)); put(__vimin_s32_relu(a, b));
    put(__viaddmax_s16x2(a, b, a)); put(__viaddmin_u16x2(a, b, a)); put(__vimax3_s16x2_relu(a, b, b + 1)); put(__vimin3_u16x2(a, b, a ^ b));
    bool p, q;
    put(__vibmax_s32(a, b, &p)); put(p); put(__vibmin_s16x2(a, b, &p, &q)); put(p * 2 + q); put(__viaddmax_s16x2_relu(a, b, a));
}
__global__ void product(const double *a, const double *b, double *c) {
    using namespace nvcuda::wmma;
    fragment<matrix_a, 8, 8, 4, double, row_major> fa;
    fragment<matrix_b, 8, 8, 4, double, col_major> fb;
    fragment<accumulator, 8, 8, 4, double> fc;
    fill_fragment(fc, 0.5);
    load_matrix_sync(fa, a, 4);
    load_matrix_sync(fb, b, 4);
    mma_sync(fc, fa, fb, fc);
    store_matrix_sync(c, fc, 8, mem_row_major);
}
__global__ void small(float *o) {
    int i = threadIdx.x;
    __nv_fp8_e4m3 a(i * 1.7f), b(i);
    __nv_fp8x2_e5m2 c(make_float2(i * 3.3f, -i));
    __nv_fp8x4_e4m3 d(make_float4(i, -i * 0.3f, i * i, 1));
    float2 cc = (float2)c;
    float4 dd = (float4)d;
    o[i] = (float)a + (float)b * 1000 + cc.x * 0.01f + cc.y + dd.x + dd.y + dd.z + dd.w + (float)__half(a) + a.__x;
}
int main() {
    unsigned *o;
    cudaMallocManaged(&o, 32 * 64 * 4);
    parts<<<1, 32>>>(o);
    cudaDeviceSynchronize();
    for (int j = 0; j < 41; j++) {
        unsigned h = 0;
        for (int t = 0; t < 32; t++) h = h * 31 + o[t * 64 + j];
        printf("%08x%c", h, j % 8 == 7 || j == 40 ? '\n' : ' ');
    }
    double *a, *b, *c;
    cudaMallocManaged(&a, 256); cudaMallocManaged(&b, 256); cudaMallocManaged(&c, 512);
    for (int i = 0; i < 32; i++) { a[i] = i * 0.5; b[i] = 3 - i; }
    product<<<1, 32>>>(a, b, c);
    cudaDeviceSynchronize();
    printf("%g %g %g\n", c[0], c[9], c[63]);
    float *f;
    cudaMallocManaged(&f, 128);
    small<<<1, 32>>>(f);
    cudaDeviceSynchronize();
    double s = 0;
    for (int i = 0; i < 32; i++) s += f[i] * (i + 1);
    printf("%.6f %f\n", s, f[7]);
}
