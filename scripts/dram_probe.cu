// Microbenchmarks for the time model on sm_90: how the bandwidth of device memory depends on the number of accesses in flight,
// their width, and the size of blocks. Prints one JSON object per line; docs/results/time/dram_probe.jsonl has those of an H200.
// Needs 2.6 GiB of device memory. Each time is the median of five, with the L2 swept before.
//
//     nvcc -arch=sm_90 -O3 -std=c++17 -cudart static -o dram_probe scripts/dram_probe.cu && ./dram_probe > dram_probe.jsonl
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>
#define OK(x) do { cudaError_t e_ = (x); if (e_) { printf("{\"error\":\"%s\",\"line\":%d}\n", cudaGetErrorString(e_), __LINE__); exit(1); } } while (0)

static cudaEvent_t from_, to_;
static char* flush_;
static float* sink_;
static const size_t FLUSH = 512u << 20;
__global__ void sweep(const float4* p, size_t n, float* out) {
  float s = 0;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) s += p[i].x;
  if (s == 12345.f) *out = s;
}
template <class F> float cold_us(F launch) {
  std::vector<float> t;
  for (int i = 0; i < 5; i++) {
    sweep<<<1320, 256>>>((const float4*)flush_, FLUSH / 16, sink_);
    cudaEventRecord(from_); launch(); cudaEventRecord(to_); cudaEventSynchronize(to_);
    float ms;
    cudaEventElapsedTime(&ms, from_, to_);
    t.push_back(ms * 1e3f);
  }
  OK(cudaGetLastError());
  std::sort(t.begin(), t.end());
  return t[2];
}

__device__ __forceinline__ void get(const float* p, float& v) { v = *p; }
__device__ __forceinline__ void get(const float* p, float4& v) { v = *(const float4*)p; }
__device__ __forceinline__ void put(float* p, float v) { *p = v; }
__device__ __forceinline__ void put(float* p, float4 v) { *(float4*)p = v; }
__device__ __forceinline__ float sum(float v) { return v; }
__device__ __forceinline__ float sum(float4 v) { return v.x + v.y + v.z + v.w; }

// A thread of a block makes EACH accesses; those of the block are contiguous.
template <int EACH, class T, bool STORE> __global__ void span(const float* p, float* q) {
  const int width = sizeof(T) / 4;
  size_t i = (blockIdx.x * (size_t)blockDim.x * EACH + threadIdx.x) * width;
  T v[EACH];
  float s = 0;
#pragma unroll
  for (int k = 0; k < EACH; k++) get(p + i + k * blockDim.x * width, v[k]);
#pragma unroll
  for (int k = 0; k < EACH; k++) if (STORE) put(q + i + k * blockDim.x * width, v[k]); else s += sum(v[k]);
  if (s == 12345.f) *q = s;
}
// Resident blocks walk through the data with the stride of the grid, EACH accesses at a time.
template <int EACH, class T> __global__ void stride(const float* p, float* q, size_t n) {
  const int width = sizeof(T) / 4;
  size_t step = (size_t)gridDim.x * blockDim.x * width;
  for (size_t i = (blockIdx.x * (size_t)blockDim.x + threadIdx.x) * width; i < n; i += step * EACH) {
    T v[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) get(p + i + k * step, v[k]);
#pragma unroll
    for (int k = 0; k < EACH; k++) put(q + i + k * step, v[k]);
  }
}
__global__ void write1(float* q) { q[blockIdx.x * (size_t)blockDim.x + threadIdx.x] = 1.f; }
__global__ void write4(float4* q) { q[blockIdx.x * (size_t)blockDim.x + threadIdx.x] = make_float4(1, 1, 1, 1); }

int main() {
  OK(cudaEventCreate(&from_));
  OK(cudaEventCreate(&to_));
  OK(cudaMalloc(&flush_, FLUSH));
  OK(cudaMalloc(&sink_, 4096));
  OK(cudaMemset(flush_, 0, FLUSH));
  size_t most = (size_t)2 << 30, n = (size_t)1 << 25;
  float* data;
  OK(cudaMalloc(&data, most));
  OK(cudaMemset(data, 0, most));
  float* to = data + (1 << 28);
  cudaDeviceProp device;
  OK(cudaGetDeviceProperties(&device, 0));
  printf("{\"test\":\"gpu\",\"name\":\"%s\",\"sms\":%d}\n", device.name, device.multiProcessorCount);
  for (int t : {32, 64, 128, 256, 512, 1024}) {
#define SPAN(EACH, T) if (t * EACH * sizeof(T) <= 262144) printf("{\"test\":\"span\",\"threads\":%d,\"each\":" #EACH ",\"floats\":%zu,\"copy_us\":%.2f,\"read_us\":%.2f}\n", t, sizeof(T) / 4, \
    cold_us([&] { span<EACH, T, true><<<n / t / EACH / (sizeof(T) / 4), t>>>(data, to); }), cold_us([&] { span<EACH, T, false><<<n / t / EACH / (sizeof(T) / 4), t>>>(data, to); }));
    SPAN(1, float) SPAN(2, float) SPAN(4, float) SPAN(8, float) SPAN(16, float) SPAN(1, float4) SPAN(2, float4) SPAN(4, float4) SPAN(8, float4)
    printf("{\"test\":\"write\",\"threads\":%d,\"us1\":%.2f,\"us4\":%.2f}\n", t, cold_us([&] { write1<<<n / t, t>>>(data); }), cold_us([&] { write4<<<n / 4 / t, t>>>((float4*)data); }));
  }
  for (int t : {128, 256, 512, 1024}) for (int per : {1, 2, 4, 8}) if (t * per <= 2048) {
    int b = 132 * per;
#define STRIDE(EACH, T) printf("{\"test\":\"stride\",\"threads\":%d,\"per_sm\":%d,\"each\":" #EACH ",\"floats\":%zu,\"copy_us\":%.2f}\n", t, per, sizeof(T) / 4, \
    cold_us([&] { stride<EACH, T><<<b, t>>>(data, to, n - (size_t)b * t * EACH * (sizeof(T) / 4)); }));
    STRIDE(1, float) STRIDE(2, float) STRIDE(4, float) STRIDE(8, float) STRIDE(1, float4) STRIDE(2, float4) STRIDE(4, float4)
  }
  OK(cudaDeviceSynchronize());
  printf("{\"test\":\"done\"}\n");
}
