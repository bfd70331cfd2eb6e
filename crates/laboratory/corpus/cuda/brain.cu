// needs sm_80
// Arithmetic of bfloat16.
#include <cuda_bf16.h>

extern "C" __global__ void brain_floats(const __nv_bfloat162 *in, __nv_bfloat162 *out, float *wide) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __nv_bfloat162 x = in[i], y = in[i ^ 1];
    __nv_bfloat162 *o = out + i * 6;
    o[0] = __hadd2(x, y);
    o[1] = __hmul2(x, y);
    o[2] = __hfma2(x, y, x);
    o[3] = __halves2bfloat162(__hmax(x.x, y.x), __hmin(x.y, y.y));
    o[4] = __floats2bfloat162_rn(__bfloat162float(x.x) * 1.01f, __low2float(y) / 3);
    o[5] = __hneg2(__habs2(x));
    wide[i] = __bfloat162float(x.x) + __high2float(y);
}
