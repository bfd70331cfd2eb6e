// Microbenchmarks for the time model on sm_90: starts of blocks, cold reads and copies, random accesses, atomics, swaps, the
// memory of the host, and rates of instructions. Prints one JSON object per line; docs/results/time/probe.jsonl has those of an H200. Needs 9 GiB of device memory.
//
//     nvcc -arch=sm_90 -O3 -std=c++17 -cudart static -o time_probe scripts/time_probe.cu && ./time_probe > probe.jsonl
#include <cstdio>
#include <cstdint>
#include <vector>
#include <algorithm>
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#define OK(x) do { cudaError_t e_ = (x); if (e_) { printf("{\"error\":\"%s\",\"line\":%d}\n", cudaGetErrorString(e_), __LINE__); fflush(stdout); return 1; } } while (0)
typedef unsigned long long u64;

static cudaEvent_t from_, to_;
static char* flush_; static const size_t FLUSH = 512u << 20;
__global__ void sweep(const float4* p, size_t n, float* out) {
  float s = 0; for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) s += p[i].x;
  if (s == 12345.f) *out = s;
}
static float* sink_;
template <class F> float cold_us(F launch, int reps = 7) {
  std::vector<float> t;
  for (int i = 0; i < reps; i++) {
    sweep<<<1320, 256>>>((const float4*)flush_, FLUSH / 16, sink_);
    cudaEventRecord(from_); launch(); cudaEventRecord(to_); cudaEventSynchronize(to_);
    float ms; cudaEventElapsedTime(&ms, from_, to_); t.push_back(ms * 1e3f);
  }
  std::sort(t.begin(), t.end()); return t[t.size() / 2];
}
template <class F> float warm_us(F launch, int n) {
  launch(); cudaDeviceSynchronize(); float best = 1e30f;
  for (int r = 0; r < 3; r++) {
    cudaEventRecord(from_); for (int i = 0; i < n; i++) launch(); cudaEventRecord(to_); cudaEventSynchronize(to_);
    float ms; cudaEventElapsedTime(&ms, from_, to_); best = std::min(best, ms * 1e3f / n);
  }
  return best;
}

// block launch
__global__ void empty() {}
__global__ void spin(int cycles) { long long t = clock64(); while (clock64() - t < cycles) {} }

// cold reads
__global__ void read1(const float* p, float* out) { size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; float v = p[i]; if (v == 12345.f) *out = v; }
__global__ void read4(const float4* p, float* out) { size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; float4 v = p[i]; if (v.x == 12345.f) *out = v.y; }
__global__ void copy1(const float* p, float* q) { size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; q[i] = p[i]; }
__global__ void copy4(const float4* p, float4* q) { size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; q[i] = p[i]; }

// random chunks
__device__ __forceinline__ uint32_t mix(uint32_t x) { x ^= x >> 16; x *= 0x7feb352dU; x ^= x >> 15; x *= 0x846ca68bU; x ^= x >> 16; return x; }
template <int KIND> __global__ void scattered(float* p, u64 chunks, int width, int each, float* out) {
  uint32_t t = blockIdx.x * blockDim.x + threadIdx.x; float s = 0;
#pragma unroll 4
  for (int i = 0; i < each; i++) {
    u64 c = ((u64)mix(t / width + i * 0x9e3779b9u) * chunks) >> 32;
    float* a = p + c * width + t % width;
    if (KIND == 0) s += *a; else if (KIND == 1) *a = i; else atomicAdd(a, 1.f);
  }
  if (KIND == 0 && s == 12345.f) *out = s;
}

// sums in the L2 on few lines: block b adds 32 neighbors of word (b * 32) % words, `each` times
template <class T> __global__ void sums(T* p, int words, int each) {
  for (int i = 0; i < each; i++) atomicAdd(p + (blockIdx.x * 32 + threadIdx.x % 32) % words, (T)1);
}
template <class T> __global__ void one_sum(T* p) { atomicAdd(p, (T)1); }
template <class T> __global__ void sums_returned(T* p, int words, T* out) {
  T v = atomicAdd(p + (blockIdx.x * 32 + threadIdx.x % 32) % words, (T)1); if (v == (T)-5) *out = v;
}

// the memory of the host
__global__ void fill(float* p) { size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; p[i] = i; }
__global__ void again(const float* p, size_t n, float* out) { size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; if (__ldcg(p + i % n) == 12345.f) *out = 1; }
__global__ void chase(size_t* p, long long* out) {
  size_t i = 0; long long t = clock64(); for (int k = 0; k < 64; k++) i = ((volatile size_t*)p)[i]; *out = clock64() - t + (i == 99);
}

// swaps of one word: sums in a loop, one swap per lane, minima of descending numbers, and a lock that one lane of a block takes
__global__ void swap_sum(u64* p) { u64 a = *(volatile u64*)p, b; do { b = a; a = atomicCAS(p, b, b + 1); } while (a != b); }
__global__ void swap_once(u64* p) { atomicCAS(p, 0ull, 1ull); }
__global__ void swap_min(u64* p, u64 n) {
  u64 v = n - (blockIdx.x * blockDim.x + threadIdx.x), a = *(volatile u64*)p;
  while (v < a) { u64 b = a; if ((a = atomicCAS(p, b, v)) == b) break; }
}
__global__ void lock(int* p, int* data) { if (threadIdx.x == 0) { while (atomicCAS(p, 0, 1)); ++*(volatile int*)data; __threadfence(); atomicExch(p, 0); } }

// atomics on shared memory
template <class T> __global__ void shared_atomics(int pattern, int reps, long long* out) {
  __shared__ T word[1024 + 64];
  for (int i = threadIdx.x; i < 1088; i += blockDim.x) word[i] = 0;
  __syncthreads();
  int at = pattern == 0 ? threadIdx.x : pattern == 1 ? threadIdx.x % 32 : pattern == 2 ? 0 : threadIdx.x / 32;
  long long t = clock64();
  for (int i = 0; i < reps; i++) atomicAdd(&word[at], (T)1);
  __syncthreads();
  t = clock64() - t;
  if (threadIdx.x == 0) out[blockIdx.x] = t + (word[0] == (T)77);
}

// rates; each op is applied to four independent values
#define RATE(NAME, DECL, OP, USE) __global__ void rate_##NAME(long long* out, int seed) { DECL; long long t0 = clock64(); \
  _Pragma("unroll 1") for (int i = 0; i < 32; i++) { OP OP OP OP OP OP OP OP } __syncthreads(); long long t1 = clock64() - t0; USE; if (threadIdx.x == 0) out[0] = t1; }
#define INTS int a = seed + threadIdx.x, b = a * 3, c = a * 5, d = a * 7; (void)b; (void)c; (void)d
#define USEI if (a + b + c + d == 123456789) out[1] = a
#define I1(T) asm volatile(T : "+r"(a)); asm volatile(T : "+r"(b)); asm volatile(T : "+r"(c)); asm volatile(T : "+r"(d));
#define LONGS long long a = seed + threadIdx.x, b = a * 3, c = a * 5, d = a * 7
#define L1_(T) asm volatile(T : "+l"(a)); asm volatile(T : "+l"(b)); asm volatile(T : "+l"(c)); asm volatile(T : "+l"(d));
#define FLTS float a = seed + threadIdx.x, b = a * 3, c = a * 5, d = a * 7
#define F1(T) asm volatile(T : "+f"(a)); asm volatile(T : "+f"(b)); asm volatile(T : "+f"(c)); asm volatile(T : "+f"(d));
#define DBLS double a = seed + threadIdx.x, b = a * 3, c = a * 5, d = a * 7
#define D1(T) asm volatile(T : "+d"(a)); asm volatile(T : "+d"(b)); asm volatile(T : "+d"(c)); asm volatile(T : "+d"(d));
RATE(i2d_d2i, INTS, I1("{.reg .f64 x; cvt.rn.f64.s32 x, %0; cvt.rzi.s32.f64 %0, x;}"), USEI)
RATE(f2d_d2f, FLTS, F1("{.reg .f64 x; cvt.f64.f32 x, %0; cvt.rn.f32.f64 %0, x;}"), USEI)
RATE(l2d_d2l, LONGS, L1_("{.reg .f64 x; cvt.rn.f64.s64 x, %0; cvt.rzi.s64.f64 %0, x;}"), USEI)
RATE(l2f_f2l, LONGS, L1_("{.reg .f32 x; cvt.rn.f32.s64 x, %0; cvt.rzi.s64.f32 %0, x;}"), USEI)
RATE(i2f_f2i, INTS, I1("{.reg .f32 x; cvt.rn.f32.s32 x, %0; cvt.rzi.s32.f32 %0, x;}"), USEI)
RATE(f2h_h2f, FLTS, F1("{.reg .b16 x; cvt.rn.f16.f32 x, %0; cvt.f32.f16 %0, x;}"), USEI)
RATE(frnd, FLTS, F1("cvt.rni.f32.f32 %0, %0;"), USEI)
RATE(dadd, DBLS, D1("add.f64 %0, %0, %0;"), USEI)
RATE(dfma, DBLS, D1("fma.rn.f64 %0, %0, %0, %0;"), USEI)
RATE(popc, INTS, I1("popc.b32 %0, %0;"), USEI)
RATE(clz, INTS, I1("clz.b32 %0, %0;"), USEI)
RATE(brev, INTS, I1("brev.b32 %0, %0;"), USEI)
RATE(imad, INTS, I1("mad.lo.s32 %0, %0, %0, %0;"), USEI)
RATE(imul_hi, INTS, I1("mul.hi.u32 %0, %0, %0;"), USEI)
RATE(lop3, INTS, I1("lop3.b32 %0, %0, %0, 12345, 0x96;"), USEI)
RATE(iadd, INTS, I1("add.s32 %0, %0, 12345;"), USEI)
RATE(shf, INTS, I1("shf.l.wrap.b32 %0, %0, 17, 5;"), USEI)
RATE(prmt, INTS, I1("prmt.b32 %0, %0, 17, 0x3120;"), USEI)
RATE(dp4a, INTS, I1("dp4a.s32.s32 %0, %0, %0, %0;"), USEI)
RATE(imax, INTS, I1("max.s32 %0, %0, 12345;"), USEI)
RATE(setp_selp, INTS, I1("{.reg .pred q; setp.lt.s32 q, %0, 777; selp.b32 %0, 5, %0, q;}"), USEI)
RATE(ffma, FLTS, F1("fma.rn.f32 %0, %0, %0, %0;"), USEI)
RATE(fmax, FLTS, F1("max.f32 %0, %0, 0f3f800000;"), USEI)
RATE(ex2, FLTS, F1("ex2.approx.ftz.f32 %0, %0;"), USEI)
RATE(rsqrt, FLTS, F1("rsqrt.approx.ftz.f32 %0, %0;"), USEI)
RATE(tanh, FLTS, F1("tanh.approx.f32 %0, %0;"), USEI)
RATE(hfma2, INTS, I1("fma.rn.f16x2 %0, %0, %0, %0;"), USEI)
RATE(bfma2, INTS, I1("fma.rn.bf16x2 %0, %0, %0, %0;"), USEI)
RATE(shfl, INTS, I1("shfl.sync.bfly.b32 %0, %0, 1, 31, 0xffffffff;"), USEI)
RATE(vote, INTS, I1("{.reg .pred q; setp.lt.s32 q, %0, 777; vote.sync.ballot.b32 %0, q, 0xffffffff;}"), USEI)
RATE(match, INTS, I1("match.any.sync.b32 %0, %0, 0xffffffff;"), USEI)
RATE(redux, INTS, I1("redux.sync.add.s32 %0, %0, 0xffffffff;"), USEI)
RATE(idiv, INTS, I1("div.u32 %0, %0, 77; add.u32 %0, %0, 99999;"), USEI)
#define MMA(T, AB) float x0 = seed, x1 = seed, x2 = seed, x3 = seed, y0 = 0, y1 = 0, y2 = 0, y3 = 0; int r = seed
#define M1(SHAPE) asm volatile("mma.sync.aligned." SHAPE " {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%0,%1,%2,%3};" : "+f"(x0), "+f"(x1), "+f"(x2), "+f"(x3) : "r"(r)); \
  asm volatile("mma.sync.aligned." SHAPE " {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%0,%1,%2,%3};" : "+f"(y0), "+f"(y1), "+f"(y2), "+f"(y3) : "r"(r));
#define USEM if (x0 + y0 + x1 + x2 + x3 + y1 + y2 + y3 == 123456789.f) out[1] = 1
RATE(mma_f16, MMA(,), M1("m16n8k16.row.col.f32.f16.f16.f32"), USEM)
RATE(mma_bf16, MMA(,), M1("m16n8k16.row.col.f32.bf16.bf16.f32"), USEM)
RATE(mma_tf32, MMA(,), M1("m16n8k8.row.col.f32.tf32.tf32.f32"), USEM)
#define LDS_DECL __shared__ int4 tile[1024]; tile[threadIdx.x] = make_int4(seed, seed, seed, seed); __syncthreads(); int a = 0, b = 0, c = 0, d = 0; unsigned p = (unsigned)__cvta_generic_to_shared(tile)
#define STS1(T, S) { unsigned q = p + threadIdx.x % 32 * S; asm volatile(T " [%0], %1;" :: "r"(q), "r"(a)); asm volatile(T " [%0+4096], %1;" :: "r"(q), "r"(a)); asm volatile(T " [%0+8192], %1;" :: "r"(q), "r"(a)); asm volatile(T " [%0+512], %1;" :: "r"(q), "r"(a)); }
RATE(sts32, LDS_DECL, STS1("st.shared.b32", 4), USEI)
#define STS16(S) { unsigned q = p + threadIdx.x % 32 * S; asm volatile("{.reg .b16 x; cvt.u16.u32 x, %1; st.shared.b16 [%0], x; st.shared.b16 [%0+2], x; st.shared.b16 [%0+4096], x; st.shared.b16 [%0+4098], x;}" :: "r"(q), "r"(a)); }
RATE(sts16_stride8, LDS_DECL, STS16(8), USEI)
RATE(sts16_stride2, LDS_DECL, STS16(2), USEI)

int main() {
  OK(cudaEventCreate(&from_)); OK(cudaEventCreate(&to_));
  OK(cudaMalloc(&flush_, FLUSH)); OK(cudaMalloc(&sink_, 64)); OK(cudaMemset(flush_, 0, FLUSH));
  long long* ticks; OK(cudaMallocManaged(&ticks, 4096 * 8));
  size_t big = (size_t)8 << 30; float* data; OK(cudaMalloc(&data, big)); OK(cudaMemset(data, 0, big));
  cudaDeviceProp prop; OK(cudaGetDeviceProperties(&prop, 0));
  printf("{\"test\":\"gpu\",\"name\":\"%s\",\"sms\":%d}\n", prop.name, prop.multiProcessorCount);

  for (int t : {32, 64, 128, 256, 512, 1024}) for (int b : {1, 132, 1320, 13200, 132000, 1056000})
    printf("{\"test\":\"empty\",\"threads\":%d,\"blocks\":%d,\"us\":%.3f}\n", t, b, warm_us([&] { empty<<<b, t>>>(); }, b > 100000 ? 5 : 50));
  for (int t : {32, 128, 256, 1024}) for (int c : {0, 500, 2000}) for (int waves : {1, 2, 8}) {
    int per = std::min(32, 2048 / t); int b = 132 * per * waves;
    printf("{\"test\":\"turnover\",\"threads\":%d,\"per_sm\":%d,\"waves\":%d,\"cycles\":%d,\"us\":%.3f}\n", t, per, waves, c, warm_us([&] { spin<<<b, t>>>(c); }, 50));
  }
  printf("{\"test\":\"cold_empty\",\"us\":%.3f}\n", cold_us([&] { empty<<<1, 32>>>(); }));
  for (int mb4 = 1; mb4 <= 1024; mb4 *= 2) {
    size_t n = (size_t)mb4 << 16; // floats: mb4/4 MiB
    for (int t : {32, 256, 1024}) {
      printf("{\"test\":\"cold_read1\",\"threads\":%d,\"bytes\":%zu,\"us\":%.3f}\n", t, n * 4, cold_us([&] { read1<<<n / t, t>>>(data, sink_); }, 5));
      printf("{\"test\":\"cold_read4\",\"threads\":%d,\"bytes\":%zu,\"us\":%.3f}\n", t, n * 4, cold_us([&] { read4<<<n / 4 / t, t>>>((float4*)data, sink_); }, 5));
    }
    printf("{\"test\":\"cold_copy1\",\"threads\":256,\"bytes\":%zu,\"us\":%.3f}\n", n * 4, cold_us([&] { copy1<<<n / 256, 256>>>(data, data + (1 << 28)); }, 5));
    printf("{\"test\":\"cold_copy4\",\"threads\":256,\"bytes\":%zu,\"us\":%.3f}\n", n * 4, cold_us([&] { copy4<<<n / 1024, 256>>>((float4*)data, (float4*)(data + (1 << 28))); }, 5));
  }
  for (int width : {8, 16, 32, 64}) for (size_t mb : {16, 256, 2048, 8192}) for (int kind : {0, 1, 2}) {
    u64 chunks = (mb << 20) / (width * 4); int each = 16, blocks = 132 * 8 * 4; auto go = [&] {
      if (kind == 0) scattered<0><<<blocks, 256>>>(data, chunks, width, each, sink_);
      else if (kind == 1) scattered<1><<<blocks, 256>>>(data, chunks, width, each, sink_);
      else scattered<2><<<blocks, 256>>>(data, chunks, width, each, sink_); };
    float us = mb == 16 ? warm_us(go, 5) : cold_us(go, 5); double bytes = (double)blocks * 256 * each * 4;
    printf("{\"test\":\"random\",\"kind\":\"%s\",\"chunk_bytes\":%d,\"footprint_mb\":%zu,\"us\":%.3f,\"gb_s\":%.1f}\n", kind == 0 ? "read" : kind == 1 ? "write" : "red.f32", width * 4, mb, us, bytes / us / 1e3);
  }
  for (int words : {32, 768, 8192, 1 << 20}) for (int blocks : {2112, 8448, 33792, 135168}) {
    float f = warm_us([&] { sums<float><<<blocks, 32>>>(data, words, 1); }, 5), i = warm_us([&] { sums<int><<<blocks, 32>>>((int*)data, words, 1); }, 5);
    float f4 = warm_us([&] { sums<float><<<blocks / 4, 128>>>(data, words, 4); }, 5);
    float r = warm_us([&] { sums_returned<float><<<blocks, 32>>>(data, words, sink_); }, 5);
    printf("{\"test\":\"sums\",\"words\":%d,\"warps\":%d,\"f32_us\":%.3f,\"s32_us\":%.3f,\"f32_four_each_us\":%.3f,\"f32_returned_us\":%.3f}\n", words, blocks, f, i, f4, r);
  }
  for (int threads : {1, 32, 256}) for (int blocks : {1056, 8448})
    printf("{\"test\":\"one_sum\",\"threads\":%d,\"blocks\":%d,\"f32_us\":%.3f,\"s32_us\":%.3f}\n", threads, blocks, warm_us([&] { one_sum<float><<<blocks, threads>>>(data); }, 5), warm_us([&] { one_sum<int><<<blocks, threads>>>((int*)data); }, 5));
  float *host, *other; OK(cudaMallocHost(&host, 1 << 28)); OK(cudaMallocHost(&other, 1 << 28));
  for (int b : {64, 1024, 4096, 65536, 262144}) {
    printf("{\"test\":\"host\",\"bytes\":%zu,\"read_us\":%.1f,\"write_us\":%.1f,\"copy_us\":%.1f,\"read_256_kib_again_us\":%.1f}\n", (size_t)b * 1024, warm_us([&] { read1<<<b, 256>>>(host, sink_); }, 1),
      warm_us([&] { fill<<<b, 256>>>(other); }, 1), warm_us([&] { copy1<<<b, 256>>>(host, other); }, 1), warm_us([&] { again<<<b, 256>>>(host, 65536, sink_); }, 1));
  }
  for (size_t i = 0; i < 64; i++) ((size_t*)host)[i * 512] = i * 512 + 512;
  chase<<<1, 1>>>((size_t*)host, ticks); OK(cudaDeviceSynchronize()); printf("{\"test\":\"host_latency\",\"cycles\":%.0f}\n", ticks[0] / 64.0);
  for (int t : {1, 32, 256}) for (int b : {1, 132, 1024}) { u64* w = (u64*)data; cudaMemset(w, 0, 64);
    float sum = warm_us([&] { swap_sum<<<b, t>>>(w); }, 1), once = warm_us([&] { swap_once<<<b, t>>>(w); }, 1);
    float least = warm_us([&] { cudaMemset(w, 255, 8); swap_min<<<b, t>>>(w, (u64)b * t); }, 1); cudaMemset(w, 0, 64);
    printf("{\"test\":\"swap\",\"threads\":%d,\"blocks\":%d,\"sum_us\":%.1f,\"once_us\":%.1f,\"min_us\":%.1f,\"lock_us\":%.1f}\n", t, b, sum, once, least, warm_us([&] { lock<<<b, t>>>((int*)w, (int*)w + 8); }, 1));
  }
  OK(cudaMemset(data, 0, 1 << 26));
  for (int warps : {1, 2, 4, 8, 16, 32}) for (int pattern = 0; pattern < 4; pattern++) for (int f = 0; f < 2; f++) {
    int reps = 256; for (int again = 0; again < 2; again++) {
      if (f) shared_atomics<float><<<1, warps * 32>>>(pattern, reps, ticks); else shared_atomics<int><<<1, warps * 32>>>(pattern, reps, ticks);
      OK(cudaDeviceSynchronize()); }
    printf("{\"test\":\"shared_atomic\",\"type\":\"%s\",\"warps\":%d,\"pattern\":\"%s\",\"cycles_per_op\":%.2f}\n", f ? "f32" : "s32", warps, pattern == 0 ? "own word" : pattern == 1 ? "word of lane" : pattern == 2 ? "one word" : "word of warp", (double)ticks[0] / reps);
  }
#define RUN(N) for (int w : {4, 8, 16, 32}) { for (int k = 0; k < 2; k++) { rate_##N<<<1, w * 32>>>(ticks, 3); OK(cudaDeviceSynchronize()); } \
    printf("{\"test\":\"rate\",\"op\":\"" #N "\",\"warps\":%d,\"cycles_per_op_and_scheduler\":%.3f}\n", w, (double)ticks[0] / (32.0 * 8 * 4 * w / 4)); }
  RUN(i2d_d2i) RUN(f2d_d2f) RUN(l2d_d2l) RUN(l2f_f2l) RUN(i2f_f2i) RUN(f2h_h2f) RUN(frnd) RUN(dadd) RUN(dfma) RUN(popc) RUN(clz) RUN(brev)
  RUN(imad) RUN(imul_hi) RUN(lop3) RUN(iadd) RUN(shf) RUN(prmt) RUN(dp4a) RUN(imax) RUN(setp_selp) RUN(ffma) RUN(fmax) RUN(ex2) RUN(rsqrt) RUN(tanh)
  RUN(hfma2) RUN(bfma2) RUN(shfl) RUN(vote) RUN(match) RUN(redux) RUN(idiv) RUN(sts32) RUN(sts16_stride8) RUN(sts16_stride2)
  // These have 2 operations where the others have 4.
  RUN(mma_f16) RUN(mma_bf16) RUN(mma_tf32)
  OK(cudaDeviceSynchronize());
  printf("{\"test\":\"done\"}\n");
}
