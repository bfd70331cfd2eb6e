// task: histogram
extern "C" __global__ void histogram(const int* x, unsigned* bins, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned active = __ballot_sync(~0u, i < n);
    if (i >= n) return;
    unsigned peers = __match_any_sync(active, x[i]);
    if (threadIdx.x % 32 == __ffs(peers) - 1) atomicAdd(bins + x[i], __popc(peers));
}
