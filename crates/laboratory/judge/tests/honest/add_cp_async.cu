// task: add
// judge: grid = ["ceil_div(n, 128)"]
// judge: block = [128]
__device__ void copy16(float* to, const float* from) {
    unsigned shared = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(shared), "l"(from) : "memory");
}
extern "C" __global__ void add(const float* a, const float* b, float* c, unsigned n) {
    __shared__ float x[128], y[128];
    unsigned i = blockIdx.x * 128 + threadIdx.x;
    if (i < n) {
        copy16(x + threadIdx.x, a + i);
        copy16(y + threadIdx.x, b + i);
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    if (i < n) c[i] = x[threadIdx.x] + y[threadIdx.x];
}
