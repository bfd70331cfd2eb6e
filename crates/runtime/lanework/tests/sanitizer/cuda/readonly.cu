// Loads through the read-only cache: each kernel in a wrong and a right version.

#define PAIR(name, parameters, arguments)                                              \
    extern "C" __global__ void name##_bug parameters { name<false> arguments; }        \
    extern "C" __global__ void name##_right parameters { name<true> arguments; }

#define ONCE(value, at) asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory")

// pair own_word: block=32 zeros:u32:32 zeros:u32:32
template <bool RIGHT> __device__ void own_word(unsigned *a, unsigned *out) {
    a[threadIdx.x] = threadIdx.x;
    asm volatile("" ::: "memory");
    unsigned x;
    if (RIGHT)
        x = a[threadIdx.x];
    else
        ONCE(x, &a[threadIdx.x]); // BUG race
    out[threadIdx.x] = x;
}
PAIR(own_word, (unsigned *a, unsigned *out), (a, out))

// pair after_barrier: block=64 zeros:u32:64 zeros:u32:64
template <bool RIGHT> __device__ void after_barrier(unsigned *a, unsigned *out) {
    a[threadIdx.x] = threadIdx.x;
    __syncthreads();
    const unsigned *at = &a[63 - threadIdx.x];
    unsigned x;
    if (RIGHT)
        x = *at;
    else
        ONCE(x, at); // BUG race
    out[threadIdx.x] = x;
}
PAIR(after_barrier, (unsigned *a, unsigned *out), (a, out))

// pair after_flag: grid=2 block=32 zeros:u32:32 zeros:u32:1 zeros:u32:32
template <bool RIGHT> __device__ void after_flag(unsigned *a, unsigned *flag, unsigned *out) {
    if (blockIdx.x == 0) {
        a[threadIdx.x] = threadIdx.x;
        __threadfence();
        __syncwarp();
        if (threadIdx.x == 0)
            atomicExch(flag, 1);
    } else {
        while (*(volatile unsigned *)flag == 0) {
        }
        __threadfence();
        unsigned x;
    if (RIGHT)
        x = a[threadIdx.x];
    else
        ONCE(x, &a[threadIdx.x]); // BUG race
    out[threadIdx.x] = x;
    }
}
PAIR(after_flag, (unsigned *a, unsigned *flag, unsigned *out), (a, flag, out))

// pair after_atomic: block=32 zeros:u32:32 zeros:u32:32
template <bool RIGHT> __device__ void after_atomic(unsigned *a, unsigned *out) {
    atomicAdd(&a[threadIdx.x], 3);
    asm volatile("" ::: "memory");
    unsigned x;
    if (RIGHT)
        x = atomicAdd(&a[threadIdx.x], 0);
    else
        ONCE(x, &a[threadIdx.x]); // BUG race
    out[threadIdx.x] = x;
}
PAIR(after_atomic, (unsigned *a, unsigned *out), (a, out))

// pair other_half: block=64 zeros:u32:128 zeros:u32:64
template <bool RIGHT> __device__ void other_half(unsigned *a, unsigned *out) {
    a[threadIdx.x] = threadIdx.x;
    __syncthreads();
    unsigned x;
    ONCE(x, &a[threadIdx.x + (RIGHT ? 64 : 0)]); // BUG race
    out[threadIdx.x] = x;
}
PAIR(other_half, (unsigned *a, unsigned *out), (a, out))

// pair vector_of_four: block=32 zeros:f32:128 zeros:f32:32
template <bool RIGHT> __device__ void vector_of_four(float *a, float *out) {
    if (threadIdx.x == 3)
        a[6] = 1;
    __syncthreads();
    const float4 *at = (const float4 *)a + threadIdx.x;
    float4 v;
    if (RIGHT)
        v = *at;
    else
        asm volatile("ld.global.nc.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(at) : "memory"); // BUG race
    out[threadIdx.x] = v.x + v.y + v.z + v.w;
}
PAIR(vector_of_four, (float *a, float *out), (a, out))

// pair in_a_loop: block=32 zeros:u32:32 zeros:u32:32
template <bool RIGHT> __device__ void in_a_loop(unsigned *a, unsigned *out) {
    for (int i = 0; i < 3; i++) {
        unsigned *to = RIGHT ? out : a;
        unsigned x;
        ONCE(x, &a[threadIdx.x]); // BUG race
        to[threadIdx.x] = x + i;
        asm volatile("" ::: "memory");
    }
}
PAIR(in_a_loop, (unsigned *a, unsigned *out), (a, out))
