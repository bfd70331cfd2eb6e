// Memory that was never written: each kernel in a wrong and a right version.

#define PAIR(name, parameters, arguments)                                              \
    extern "C" __global__ void name##_bug parameters { name<false> arguments; }        \
    extern "C" __global__ void name##_right parameters { name<true> arguments; }

// pair halo_forgotten: block=64 iota:u32:64 zeros:u32:64
template <bool RIGHT> __device__ void halo_forgotten(const unsigned *in, unsigned *out) {
    __shared__ unsigned tile[66];
    unsigned t = threadIdx.x;
    tile[t + 1] = in[t];
    if (RIGHT && t < 2)
        tile[65 * t] = 0;
    __syncthreads();
    out[t] = tile[t] + tile[t + 2]; // BUG uninitialized
}
PAIR(halo_forgotten, (const unsigned *in, unsigned *out), (in, out))

// pair uneven_tree: block=64 iota:u32:48 zeros:u32:1
template <bool RIGHT> __device__ void uneven_tree(const unsigned *in, unsigned *out) {
    __shared__ unsigned sums[64];
    unsigned t = threadIdx.x;
    if (t < 48)
        sums[t] = in[t];
    else if (RIGHT)
        sums[t] = 0;
    __syncthreads();
    for (unsigned step = 32; step > 0; step /= 2) {
        if (t < step)
            sums[t] += sums[t + step]; // BUG uninitialized
        __syncthreads();
    }
    if (t == 0)
        *out = sums[0];
}
PAIR(uneven_tree, (const unsigned *in, unsigned *out), (in, out))

// pair bins_not_zeroed: block=64 zeros:u32:32
template <bool RIGHT> __device__ void bins_not_zeroed(unsigned *out) {
    __shared__ unsigned bins[32];
    if (RIGHT && threadIdx.x < 32)
        bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[threadIdx.x % 32], 1); // BUG uninitialized
    __syncthreads();
    if (threadIdx.x < 32)
        out[threadIdx.x] = bins[threadIdx.x];
}
PAIR(bins_not_zeroed, (unsigned *out), (out))

// pair room_not_written: block=32 shared=256 zeros:u32:32
template <bool RIGHT> __device__ void room_not_written(unsigned *out) {
    extern __shared__ unsigned room[];
    room[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = room[RIGHT ? 31 - threadIdx.x : 32 + threadIdx.x]; // BUG uninitialized
}
PAIR(room_not_written, (unsigned *out), (out))

// pair buffer_not_written: block=32 uninit:u32:32 zeros:u32:32
template <bool RIGHT> __device__ void buffer_not_written(unsigned *a, unsigned *out) {
    if (RIGHT)
        a[threadIdx.x] = 1;
    out[threadIdx.x] = a[threadIdx.x]; // BUG uninitialized
}
PAIR(buffer_not_written, (unsigned *a, unsigned *out), (a, out))

// pair sum_into_nothing: block=32 uninit:u32:1
template <bool RIGHT> __device__ void sum_into_nothing(unsigned *sum) {
    if (RIGHT && threadIdx.x == 0)
        *sum = 0;
    __syncwarp();
    atomicAdd(sum, threadIdx.x); // BUG uninitialized
}
PAIR(sum_into_nothing, (unsigned *sum), (sum))

// pair every_second: block=32 uninit:u32:64 zeros:u32:32
template <bool RIGHT> __device__ void every_second(unsigned *a, unsigned *out) {
    a[2 * threadIdx.x] = 1;
    if (RIGHT)
        a[2 * threadIdx.x + 1] = 2;
    uint2 both = ((uint2 *)a)[threadIdx.x]; // BUG uninitialized
    out[threadIdx.x] = both.x + both.y;
}
PAIR(every_second, (unsigned *a, unsigned *out), (a, out))

// pair one_byte_short: block=32 uninit:u32:32 zeros:u32:32
template <bool RIGHT> __device__ void one_byte_short(unsigned *a, unsigned *out) {
    unsigned char *bytes = (unsigned char *)&a[threadIdx.x];
    for (int i = 0; i < (RIGHT ? 4 : 3); i++)
        bytes[i] = i;
    asm volatile("" ::: "memory");
    out[threadIdx.x] = 2 * a[threadIdx.x]; // BUG uninitialized
}
PAIR(one_byte_short, (unsigned *a, unsigned *out), (a, out))

// pair local_not_written: block=32 iota:u32:32 zeros:u32:32
template <bool RIGHT> __device__ void local_not_written(const unsigned *in, unsigned *out) {
    volatile unsigned stack[16];
    for (unsigned i = 0; i < (RIGHT ? 16 : 10); i++)
        stack[i] = i;
    out[threadIdx.x] = stack[in[threadIdx.x] % 16]; // BUG uninitialized
}
PAIR(local_not_written, (const unsigned *in, unsigned *out), (in, out))

// pair by_other_block: grid=2 block=32 zeros:u32:64
template <bool RIGHT> __device__ void by_other_block(unsigned *out) {
    __shared__ unsigned tile[32];
    if (RIGHT || blockIdx.x == 0)
        tile[threadIdx.x] = 3;
    __syncthreads();
    out[32 * blockIdx.x + threadIdx.x] = tile[31 - threadIdx.x]; // BUG uninitialized
}
PAIR(by_other_block, (unsigned *out), (out))

// pair tail_of_copy: block=32 iota:u32:32 zeros:u32:32
template <bool RIGHT> __device__ void tail_of_copy(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tile[128];
    if (RIGHT || threadIdx.x < 28)
        tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[(threadIdx.x + 1) % 32]; // BUG uninitialized
}
PAIR(tail_of_copy, (const unsigned *in, unsigned *out), (in, out))
