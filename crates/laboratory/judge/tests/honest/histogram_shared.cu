// task: histogram
// judge: grid = [4]
// judge: block = [128]
extern "C" __global__ void histogram(const int* x, unsigned* bins, unsigned n) {
    __shared__ unsigned own[64];
    for (unsigned b = threadIdx.x; b < 64; b += blockDim.x) own[b] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(own + x[i], 1);
    __syncthreads();
    for (unsigned b = threadIdx.x; b < 64; b += blockDim.x) if (own[b]) atomicAdd(bins + b, own[b]);
}
