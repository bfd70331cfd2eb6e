// Every scalar width, conversions, packed halves, local arrays, switches, float functions, clocks.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void halves(const __half2 *a, const __nv_bfloat162 *b, __half2 *c, __nv_bfloat162 *d, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    c[i] = __hfma2(a[i], c[i], __float2half2_rn(0.5f));
    d[i] = __hmax2(__hadd2(b[i], d[i]), __float2bfloat162_rn(-1.0f));
}

extern "C" __global__ void mixed(const unsigned char *bytes, short *shorts, long long *longs, double *doubles, float *floats) {
    unsigned local[24];
    for (int i = 0; i < 24; i++) local[i] = bytes[threadIdx.x * 24 + i];
    unsigned picked = local[bytes[0] % 24];
    switch (picked) {
    case 0: shorts[0] = (short)longs[0]; break;
    case 1: shorts[1] = (short)doubles[1]; break;
    case 2: longs[2] = __mul64hi(longs[1], longs[2]); break;
    case 3: doubles[3] = fma(doubles[1], doubles[2], 1e-300); break;
    case 4: floats[4] = sinf(floats[3]) + __expf(floats[2]) * rsqrtf(floats[1]); break;
    case 5: floats[5] = (float)(picked / 7u) + truncf(floats[0]) + __int_as_float(0x7fc00000); break;
    case 6: longs[6] = clock64() + __clz(picked) + __brev(picked) + __byte_perm(picked, 3, 0x1203); break;
    default: shorts[7] = min((int)shorts[1], -5) % 11;
    }
    doubles[threadIdx.x] = pow(doubles[threadIdx.x], 1.0 / 3.0);
}
