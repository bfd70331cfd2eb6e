// Microbenchmarks for the time model on sm_90: bandwidth of the L2 by footprint and sharing, single sectors, and the data path
// of the L1. Prints one JSON object per line; docs/results/time/l2_probe.jsonl has those of an H200. Needs 2 GiB of device
// memory. Rates are per cycle of a multiprocessor, the median of its blocks.
//
//     nvcc -arch=sm_90 -O3 -std=c++17 -cudart static -o l2_probe scripts/l2_probe.cu && ./l2_probe > l2_probe.jsonl
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>
#define OK(x) do { cudaError_t e_ = (x); if (e_) { printf("{\"error\":\"%s\",\"line\":%d}\n", cudaGetErrorString(e_), __LINE__); exit(1); } } while (0)
typedef unsigned long long u64;

static float* sink_;
__device__ long long ticks_[2048];
#define START __syncthreads(); long long start_ = clock64();
#define END __syncthreads(); if (threadIdx.x == 0) ticks_[blockIdx.x] = clock64() - start_;
// Cycles of the median block in the second run.
template <class F> double cycles(F launch, int blocks) {
  for (int i = 0; i < 2; i++) { launch(); OK(cudaDeviceSynchronize()); }
  std::vector<long long> t(blocks);
  OK(cudaMemcpyFromSymbol(t.data(), ticks_, blocks * 8));
  std::sort(t.begin(), t.end());
  return t[blocks / 2];
}

// Which part of the data a multiprocessor reads. 0: all, from the start; 1: all, from its own place; 2: its own part; 3: as for a
// product, alternately one of 11 panels and one of 12, so that 12 or 11 multiprocessors share each.
__global__ void reads(const float4* p, size_t n, size_t total, int mode, float* out) {
  float s = 0;
  size_t sm = blockIdx.x % 132, half = (blockIdx.x / 132) * blockDim.x * 8, at = threadIdx.x + half, base = 0, length = n;
  if (mode == 1) at += n / 132 * sm;
  if (mode == 2) { length = n / 132; base = length * sm; }
  size_t times = total / 16 / blockDim.x / 8;
  START
  if (mode == 3) {
    size_t rows = n / 2 / 11, columns = n / 2 / 12, top = rows * (sm % 11), left = n / 2 + columns * (sm / 11), x = threadIdx.x + half, y = x;
    for (size_t k = 0; k < times; k++) {
#pragma unroll
      for (int j = 0; j < 4; j++) { s += __ldcg(p + top + x).x; x += blockDim.x; if (x >= rows) x -= rows; }
#pragma unroll
      for (int j = 0; j < 4; j++) { s += __ldcg(p + left + y).x; y += blockDim.x; if (y >= columns) y -= columns; }
    }
  } else {
    while (at >= length) at -= length;
    for (size_t k = 0; k < times; k++)
#pragma unroll
      for (int j = 0; j < 8; j++) { s += __ldcg(p + base + at).x; at += blockDim.x; if (at >= length) at -= length; }
  }
  END
  if (s == 12345.f) *out = s;
}

// The same by bulk copies of `chunk` bytes to shared memory, eight in flight.
__global__ void copies(const char* p, size_t bytes, int chunk, int count, int mode) {
  extern __shared__ __align__(128) char tile[];
  __shared__ __align__(8) u64 full[8];
  size_t sm = blockIdx.x % 132, base = 0, length = bytes, at = 0, rows = bytes / 2 / 11 / chunk * chunk, columns = bytes / 2 / 12 / chunk * chunk;
  if (mode == 1) at = bytes / 132 / chunk * chunk * sm;
  if (mode == 2) { length = bytes / 132 / chunk * chunk; base = length * sm; }
  if (threadIdx.x == 0) for (int i = 0; i < 8; i++) asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"((unsigned)__cvta_generic_to_shared(full + i)));
  asm volatile("fence.mbarrier_init.release.cluster;");
  START
  if (threadIdx.x == 0) {
    size_t x = 0, y = 0;
    for (int k = 0; k < count + 8; k++) {
      unsigned barrier = (unsigned)__cvta_generic_to_shared(full + k % 8);
      if (k >= 8) asm volatile("{.reg .pred q; W: mbarrier.try_wait.parity.shared.b64 q, [%0], %1; @!q bra W;}" :: "r"(barrier), "r"((k / 8 - 1) & 1) : "memory");
      if (k >= count) continue;
      const char* from = p + base + at;
      if (mode == 3 && k % 2) { from = p + rows * (sm % 11) + x; x += chunk; if (x >= rows) x = 0; }
      else if (mode == 3) { from = p + bytes / 2 / chunk * chunk + columns * (sm / 11) + y; y += chunk; if (y >= columns) y = 0; }
      else { at += chunk; if (at >= length) at = 0; }
      asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" :: "r"(barrier), "r"(chunk) : "memory");
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" :: "r"((unsigned)__cvta_generic_to_shared(tile + k % 8 * chunk)), "l"(from), "r"(chunk), "r"(barrier) : "memory");
    }
  }
  END
}

// Each lane reads one word; lanes are `step` words apart.
__global__ void sectors(const float* p, size_t n, int step, int count, float* out) {
  size_t warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, i = (warp * 8191 * 32) % n + threadIdx.x % 32 * step;
  float s = 0;
  START
  for (int k = 0; k < count; k += 8)
#pragma unroll
    for (int j = 0; j < 8; j++) { s += __ldcg(p + i); i += 1024 + 32 * j; if (i >= n) i -= n; }
  END
  if (s == 12345.f) *out = s;
}

__device__ __forceinline__ float load(const float* p) { float v; asm volatile("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(p) : "memory"); return v; }
__device__ __forceinline__ void store(float* p, float v) { asm volatile("st.global.f32 [%0], %1;" :: "l"(p), "f"(v) : "memory"); }
__device__ __forceinline__ float load(const unsigned short* p) { unsigned short v; asm volatile("ld.global.u16 %0, [%1];" : "=h"(v) : "l"(p) : "memory"); return v; }
__device__ __forceinline__ void store(unsigned short* p, float v) { asm volatile("st.global.u16 [%0], %1;" :: "l"(p), "h"((unsigned short)v) : "memory"); }
// Each lane walks along a row of its own, so that an access touches 32 lines. WHAT has bit 0 for a load of a, 1 for one of b, and 2
// for a store to c.
template <int WHAT, class T> __global__ void rows(T* a, T* b, T* c, size_t stride, int count) {
  size_t row = (blockIdx.x * (size_t)blockDim.x + threadIdx.x) * stride;
  float s = threadIdx.x;
  START
  for (int k = 0; k < count; k++) {
    float v = s;
    if (WHAT & 1) v += load(a + row + k);
    if (WHAT & 2) v += load(b + row + k);
    if (WHAT & 4) store(c + row + k, v); else s = v;
  }
  END
  if (s == 12345.f) store(c, s);
}

int main() {
  OK(cudaMalloc(&sink_, 4096));
  float* data;
  size_t most = (size_t)2 << 30;
  OK(cudaMalloc(&data, most));
  OK(cudaMemset(data, 0, most));
  OK(cudaFuncSetAttribute(copies, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
  cudaDeviceProp device;
  OK(cudaGetDeviceProperties(&device, 0));
  printf("{\"test\":\"gpu\",\"name\":\"%s\",\"sms\":%d}\n", device.name, device.multiProcessorCount);
  for (double mb : {1.0, 2.5, 6.0, 12.0, 20.0, 28.0, 36.0, 44.0}) for (int mode = 0; mode < 4; mode++) {
    size_t bytes = (size_t)(mb * 1048576) / (132 * 16384) * (132 * 16384), total = 8 << 20;
    if (!bytes) bytes = 132 * 8192;
    double c = cycles([&] { reads<<<264, 1024>>>((float4*)data, bytes / 16, total / 2, mode, sink_); }, 264);
    printf("{\"test\":\"l2_read\",\"mb\":%.1f,\"mode\":%d,\"bytes_per_cycle_sm\":%.2f}\n", mb, mode, total / c);
    for (int chunk : {8192, 16384}) {
      int count = total / chunk;
      c = cycles([&] { copies<<<132, 32, 8 * chunk>>>((char*)data, bytes, chunk, count, mode); }, 132);
      printf("{\"test\":\"l2_bulk\",\"mb\":%.1f,\"mode\":%d,\"chunk\":%d,\"bytes_per_cycle_sm\":%.2f}\n", mb, mode, chunk, (double)chunk * count / c);
    }
  }
  for (size_t mb : {4, 24}) for (int step : {1, 2, 4, 8, 16, 32}) for (int warps : {8, 32}) {
    double c = cycles([&] { sectors<<<132, warps * 32>>>(data, mb << 18, step, 256, sink_); }, 132) / 256 / warps;
    printf("{\"test\":\"l2_sectors\",\"mb\":%zu,\"step\":%d,\"warps\":%d,\"cycles_per_load\":%.2f,\"sector_bytes_per_cycle\":%.2f}\n", mb, step, warps, c, std::min(32, 4 * step) * 32 / c);
  }
  for (int active : {1, 8, 33, 66, 132}) {
    size_t bytes = 8 << 20;
    double c = cycles([&] { reads<<<active, 1024>>>((float4*)data, bytes / 16, bytes, 1, sink_); }, active);
    printf("{\"test\":\"l2_read_active\",\"blocks\":%d,\"bytes_per_cycle_sm\":%.2f}\n", active, bytes / c);
  }
  float *a = data, *b = data + (1 << 27), *c = data + (1 << 28);
  int n = 256;
  for (int blocks : {1, 8, 132}) for (int warps : {1, 2, 4, 8, 16, 32}) for (size_t stride : {8, 768}) {
#define ROWS(WHAT, T) printf("{\"test\":\"rows\",\"what\":" #WHAT ",\"bytes\":%zu,\"stride\":%zu,\"blocks\":%d,\"warps\":%d,\"cycles_per_warp_iteration\":%.2f}\n", sizeof(T), stride, blocks, warps, \
    cycles([&] { rows<WHAT, T><<<blocks, warps * 32>>>((T*)a, (T*)b, (T*)c, stride, n); }, blocks) / n / warps);
    ROWS(1, float) ROWS(4, float) ROWS(5, float) ROWS(7, float) ROWS(1, unsigned short) ROWS(4, unsigned short) ROWS(7, unsigned short)
  }
}
