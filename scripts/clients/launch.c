// Time of 10,000 launches of a small kernel through the driver: cc -O2 launch.c -o launch -ldl; LD_LIBRARY_PATH=... ./launch
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>
#include <stdint.h>
static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry add(.param .u64 x, .param .f32 a, .param .u32 n) {"
" .reg .pred %p; .reg .b32 %r<8>; .reg .f32 %f<3>; .reg .b64 %d<4>; ld.param.u64 %d1, [x]; ld.param.f32 %f1, [a]; ld.param.u32 %r1, [n];"
" mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.u32 %r2, %r2, %r3, %r4; setp.ge.u32 %p, %r2, %r1; @%p ret;"
" cvta.to.global.u64 %d1, %d1; mul.wide.u32 %d2, %r2, 4; add.u64 %d1, %d1, %d2; ld.global.f32 %f2, [%d1]; add.f32 %f2, %f2, %f1; st.global.f32 [%d1], %f2; ret; }";
#define F(name, ...) static int (*name)(__VA_ARGS__)
F(cuInit, unsigned); F(cuDevicePrimaryCtxRetain, void **, int); F(cuCtxSetCurrent, void *); F(cuModuleLoadData, void **, const void *);
F(cuModuleGetFunction, void **, void *, const char *); F(cuMemAlloc_v2, uint64_t *, size_t); F(cuCtxSynchronize, void);
F(cuLaunchKernel, void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + 1e-9 * t.tv_nsec; }
int main(void) {
  void *l = dlopen("libcuda.so.1", RTLD_NOW), *context, *module, *function; uint64_t x; float a = 1; unsigned n = 32;
  if (!l) return puts(dlerror()), 1;
#define G(name) *(void **)&name = dlsym(l, #name)
  G(cuInit); G(cuDevicePrimaryCtxRetain); G(cuCtxSetCurrent); G(cuModuleLoadData); G(cuModuleGetFunction); G(cuMemAlloc_v2); G(cuCtxSynchronize); G(cuLaunchKernel);
  int bad = cuInit(0) | cuDevicePrimaryCtxRetain(&context, 0) | cuCtxSetCurrent(context);
  double t0 = now(); bad |= cuModuleLoadData(&module, ptx) | cuModuleGetFunction(&function, module, "add") | cuMemAlloc_v2(&x, 128); double t1 = now();
  void *arguments[] = {&x, &a, &n};
  bad |= cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, 0, arguments, 0); double t2 = now();
  for (int i = 0; i < 10000; i++) bad |= cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, 0, arguments, 0);
  bad |= cuCtxSynchronize(); double t3 = now();
  if (bad) return printf("status %d\n", bad), 1;
  printf("load %.0f us, first launch %.0f us, then %.2f us a launch\n", 1e6 * (t1 - t0), 1e6 * (t2 - t1), 1e6 * (t3 - t2) / 10000);
}
