// For clang: packed structures with pointers in them, thread-local arrays, atomics, inline assembly.
struct __attribute__((packed)) Packed { char tag; const int *where; short code; };
__device__ int target[4] = {1, 2, 3, 4};
__device__ Packed packed = {'p', &target[2], -3};
__constant__ float weights[2][3] = {{1.0f, -0.5f, 1e-8f}, {0.0f}};
extern "C" __device__ int external(int *p, double d);

template <typename T> __device__ T tile_sum(T *tile, int n) {
    T total = 0;
#pragma unroll 1
    for (int i = 0; i < n; i++) total += tile[i];
    return total;
}

extern "C" __global__ void __launch_bounds__(128, 4) mixed(float *out, int n) {
    __shared__ float tile[128];
    unsigned t = __nvvm_read_ptx_sreg_tid_x(), b = __nvvm_read_ptx_sreg_ctaid_x();
    tile[t] = weights[b & 1][t % 3] * n;
    __syncthreads();
    float total = tile_sum(tile, 128);
    __nvvm_atom_add_gen_f(out, total);
    int clock;
    asm volatile("{ .reg .u64 c; mov.u64 c, %%clock64; cvt.u32.u64 %0, c; }" : "=r"(clock));
    int local[16];
    for (int i = 0; i < 16; i++) local[i] = clock >> i;
    if (t < 16) out[local[t] & 15] += *packed.where + packed.code + external(local, total);
    switch (n) { case 1: out[0] = 1; break; case 2: out[1] = 7; break; case 3: out[5] = 5; break; case 4: out[9] = 2; break; default: __builtin_trap(); }
}
