// Matrices of `wmma` and rows of `ldmatrix` that are not aligned: each kernel in a wrong and a right version.

#define PAIR(name, parameters, arguments)                                              \
    extern "C" __global__ void name##_bug parameters { name<false> arguments; }        \
    extern "C" __global__ void name##_right parameters { name<true> arguments; }

typedef unsigned short half;

struct A {
    unsigned x[8];
};

__device__ void a_out(const A &a, unsigned *out) {
    unsigned all = 0;
    for (int i = 0; i < 8; i++)
        all ^= a.x[i];
    out[threadIdx.x] = all;
}

// pair start_of_a: block=32 zeros:f16:1024 zeros:u32:32
template <bool RIGHT> __device__ void start_of_a(const half *in, unsigned *out) {
    A a;
    asm volatile("wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8], 32;"
                 : "=r"(a.x[0]), "=r"(a.x[1]), "=r"(a.x[2]), "=r"(a.x[3]),
                   "=r"(a.x[4]), "=r"(a.x[5]), "=r"(a.x[6]), "=r"(a.x[7])
                 : "l"(in + (RIGHT ? 16 : 4))); // BUG misaligned
    a_out(a, out);
}
PAIR(start_of_a, (const half *in, unsigned *out), (in, out))

// pair pitch_of_a: block=32 zeros:f16:1024 zeros:u32:32 u32:0
template <bool RIGHT> __device__ void pitch_of_a(const half *in, unsigned *out, unsigned zero) {
    A a;
    asm volatile("wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8], %9;"
                 : "=r"(a.x[0]), "=r"(a.x[1]), "=r"(a.x[2]), "=r"(a.x[3]),
                   "=r"(a.x[4]), "=r"(a.x[5]), "=r"(a.x[6]), "=r"(a.x[7])
                 : "l"(in), "r"((RIGHT ? 24 : 20) + zero)); // BUG misaligned
    a_out(a, out);
}
PAIR(pitch_of_a, (const half *in, unsigned *out, unsigned zero), (in, out, zero))

// pair pitch_of_c: block=32 zeros:f32:512 zeros:f32:512
template <bool RIGHT> __device__ void pitch_of_c(const float *in, float *out) {
    float c[8];
    asm volatile("wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8], %9;"
                 : "=f"(c[0]), "=f"(c[1]), "=f"(c[2]), "=f"(c[3]), "=f"(c[4]), "=f"(c[5]), "=f"(c[6]), "=f"(c[7])
                 : "l"(in), "r"(RIGHT ? 20 : 18)); // BUG misaligned
    for (int i = 0; i < 8; i++)
        out[8 * threadIdx.x + i] = c[i];
}
PAIR(pitch_of_c, (const float *in, float *out), (in, out))

// pair store_of_d: block=32 zeros:f32:512
template <bool RIGHT> __device__ void store_of_d(float *out) {
    float x = threadIdx.x;
    asm volatile("wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%0], {%2,%2,%2,%2,%2,%2,%2,%2}, %1;" ::"l"(out + (RIGHT ? 8 : 2)), "r"(16), "f"(x) : "memory"); // BUG misaligned
}
PAIR(store_of_d, (float *out), (out))

// pair shared_pitch: block=32 zeros:u32:32
template <bool RIGHT> __device__ void shared_pitch(unsigned *out) {
    __shared__ __align__(32) half tile[16 * 24];
    for (int i = threadIdx.x; i < 16 * 24; i += 32)
        tile[i] = i;
    __syncwarp();
    A a;
    asm volatile("wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8], %9;"
                 : "=r"(a.x[0]), "=r"(a.x[1]), "=r"(a.x[2]), "=r"(a.x[3]),
                   "=r"(a.x[4]), "=r"(a.x[5]), "=r"(a.x[6]), "=r"(a.x[7])
                 : "r"((unsigned)__cvta_generic_to_shared(tile)), "r"(RIGHT ? 24 : 18) : "memory"); // BUG misaligned
    a_out(a, out);
}
PAIR(shared_pitch, (unsigned *out), (out))

// pair second_tile: block=32 zeros:u32:32
template <bool RIGHT> __device__ void second_tile(unsigned *out) {
    __shared__ __align__(32) half tile[32 * 40];
    for (int i = threadIdx.x; i < 32 * 40; i += 32)
        tile[i] = i;
    __syncwarp();
    A a;
    asm volatile("wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8], 40;"
                 : "=r"(a.x[0]), "=r"(a.x[1]), "=r"(a.x[2]), "=r"(a.x[3]),
                   "=r"(a.x[4]), "=r"(a.x[5]), "=r"(a.x[6]), "=r"(a.x[7])
                 : "r"((unsigned)__cvta_generic_to_shared(tile + (RIGHT ? 16 : 8))) : "memory"); // BUG misaligned
    a_out(a, out);
}
PAIR(second_tile, (unsigned *out), (out))

// pair matrix_row: block=32 zeros:u32:32
template <bool RIGHT> __device__ void matrix_row(unsigned *out) {
    __shared__ __align__(16) half tile[8 * 12];
    for (int i = threadIdx.x; i < 96; i += 32)
        tile[i] = i;
    __syncwarp();
    unsigned row = (unsigned)__cvta_generic_to_shared(tile + threadIdx.x % 8 * (RIGHT ? 8 : 12));
    unsigned x;
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(x) : "r"(row) : "memory"); // BUG misaligned
    out[threadIdx.x] = x;
}
PAIR(matrix_row, (unsigned *out), (out))
