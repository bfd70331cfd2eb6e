// Processor time to load modules through the driver, and again in the same process: cc -O2 load.c -o load -ldl; LD_LIBRARY_PATH=... ./load FILE...
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#define F(name, ...) static int (*name)(__VA_ARGS__)
F(cuInit, unsigned); F(cuDevicePrimaryCtxRetain, void **, int); F(cuCtxSetCurrent, void *); F(cuModuleLoad, void **, const char *);
F(cuModuleUnload, void *); F(cuModuleGetFunctionCount, unsigned *, void *); F(cuModuleEnumerateFunctions, void **, unsigned, void *);
F(cuFuncGetAttribute, int *, int, void *);
static double now(void) { struct timespec t; clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); return t.tv_sec + 1e-9 * t.tv_nsec; }
int main(int count, char **files) {
  void *l = dlopen("libcuda.so.1", RTLD_NOW), *context, *module;
  if (!l) return puts(dlerror()), 1;
#define G(name) *(void **)&name = dlsym(l, #name)
  G(cuInit); G(cuDevicePrimaryCtxRetain); G(cuCtxSetCurrent); G(cuModuleLoad); G(cuModuleUnload); G(cuModuleGetFunctionCount);
  G(cuModuleEnumerateFunctions); G(cuFuncGetAttribute);
  if (cuInit(0) | cuDevicePrimaryCtxRetain(&context, 0) | cuCtxSetCurrent(context)) return puts("no context"), 1;
  for (int file = 1; file < count; file++)
    for (int time = 0; time < 2; time++) {
      unsigned kernels = 0;
      double t0 = now();
      int status = cuModuleLoad(&module, files[file]);
      double t1 = now();
      if (status) { printf("%s: status %d\n", files[file], status); break; }
      cuModuleGetFunctionCount(&kernels, module);
      void **all = calloc(kernels + 1, sizeof *all);
      int registers = 0;
      cuModuleEnumerateFunctions(all, kernels, module);
      for (unsigned i = 0; i < kernels; i++) cuFuncGetAttribute(&registers, 4, all[i]);
      double t2 = now();
      printf("%s: load %.1f ms, registers of %u kernels %.1f ms\n", files[file], 1e3 * (t1 - t0), kernels, 1e3 * (t2 - t1));
      free(all), cuModuleUnload(module);
    }
}
