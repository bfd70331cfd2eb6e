// Products on a warpgroup's tensor cores in CUDA C++, which needs inline PTX for them.
// products.ptx is made from it by nvcc 13.0:
//   nvcc -gencode=arch=compute_90a,code=sm_90a -O3 -lineinfo -ptx products.cu
#include <cuda_bf16.h>
#include <cuda_fp16.h>

typedef unsigned long long u64;
typedef unsigned int u32;

__device__ u32 shared_address(const void *p) { return (u32)__cvta_generic_to_shared(p); }

// The descriptor of a matrix whose rows of 64 halves are swizzled over 128 bytes.
__device__ u64 swizzled(u32 at) {
    return (u64)((at & 0x3ffff) >> 4) | (u64)1 << 16 | (u64)(1024 >> 4) << 32 | (u64)1 << 62;
}

// The descriptor of an unswizzled matrix: core matrices are `leading` bytes apart along k, and `stride` bytes along m or n.
__device__ u64 plain(u32 at, u32 leading, u32 stride) {
    return (u64)((at & 0x3ffff) >> 4) | (u64)(leading >> 4) << 16 | (u64)(stride >> 4) << 32;
}

__device__ void fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ void commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int N> __device__ void wait() { asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory"); }

#define EIGHT(d, i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])

__device__ void multiply_f16(float (&d)[32], u64 a, u64 b, int more) {
    asm volatile("{.reg .pred p; setp.ne.b32 p, %34, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
                 "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"
                 "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, %32, %33, p, 1, 1, 0, 0;}\n"
                 : EIGHT(d, 0), EIGHT(d, 8), EIGHT(d, 16), EIGHT(d, 24) : "l"(a), "l"(b), "r"(more));
}

__device__ void multiply_bf16(float (&d)[32], u64 a, u64 b, int more) {
    asm volatile("{.reg .pred p; setp.ne.b32 p, %34, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
                 "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"
                 "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, %32, %33, p, 1, 1, 0, 0;}\n"
                 : EIGHT(d, 0), EIGHT(d, 8), EIGHT(d, 16), EIGHT(d, 24) : "l"(a), "l"(b), "r"(more));
}

__device__ void store(float *c, const float (&d)[32], int row, int column, int n) {
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
    for (int i = 0; i < 32; i++) {
        int r = row + warp * 16 + lane / 4 + (i & 2 ? 8 : 0), q = column + i / 4 * 8 + lane % 4 * 2 + (i & 1);
        c[r * n + q] = d[i];
    }
}

// C = A B^T, A m x k and B n x k by rows; tiles of 64 x 64, rows of 64 halves swizzled by hand.
extern "C" __global__ void __launch_bounds__(128)
swizzled_product(const __half *a, const __half *b, float *c, int n, int k) {
    __shared__ alignas(1024) __half tile_a[64 * 64], tile_b[64 * 64];
    int row = blockIdx.y * 64, column = blockIdx.x * 64;
    float d[32];
    for (int i = 0; i < 32; i++) d[i] = 0;
    for (int at = 0; at < k; at += 64) {
        for (int i = threadIdx.x; i < 64 * 8; i += 128) {
            int line = i / 8, chunk = i % 8, to = line * 64 + (chunk ^ (line & 7)) * 8;
            *(uint4 *)&tile_a[to] = *(const uint4 *)&a[(row + line) * k + at + chunk * 8];
            *(uint4 *)&tile_b[to] = *(const uint4 *)&b[(column + line) * k + at + chunk * 8];
        }
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        fence();
        u64 of_a = swizzled(shared_address(tile_a)), of_b = swizzled(shared_address(tile_b));
        for (int step = 0; step < 4; step++) multiply_f16(d, of_a + 2 * step, of_b + 2 * step, at + step);
        commit();
        wait<0>();
        __syncthreads();
    }
    store(c, d, row, column, n);
}

__device__ void init(u32 bar, u32 count) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(count)); }
__device__ void arrive(u32 bar) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(bar) : "memory"); }
__device__ void expect(u32 bar, u32 bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes) : "memory");
}
__device__ void wait_for(u32 bar, u32 parity) {
    asm volatile("{.reg .pred done;\nWAIT: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra WAIT;}\n" ::"r"(bar), "r"(parity) : "memory");
}
__device__ void copy(u32 to, const void *from, u32 bytes, u32 bar) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 ::"r"(to), "l"(from), "r"(bytes), "r"(bar) : "memory");
}

// The same with a producer and two consumers over a ring of stages. A and B are stored as contiguous tiles of core matrices, 128 x 64 and
// 64 x 64. One thread of each warpgroup releases a stage for the others.
constexpr int STAGES = 3, BYTES_A = 128 * 64 * 2, BYTES_B = 64 * 64 * 2;

extern "C" __global__ void __launch_bounds__(384)
specialised_product(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c, int n, int k) {
    extern __shared__ __align__(128) unsigned char ring[];
    __shared__ u64 bars[2 * STAGES];
    u32 full = shared_address(bars), empty = full + 8 * STAGES, at = shared_address(ring);
    int tiles = k / 64, group = threadIdx.x / 128;
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) { init(full + 8 * i, 1); init(empty + 8 * i, 2); }
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    if (group == 2) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 256) {
            for (int i = 0; i < tiles; i++) {
                int stage = i % STAGES;
                wait_for(empty + 8 * stage, i / STAGES % 2 ^ 1);
                u32 to = at + stage * (BYTES_A + BYTES_B), bar = full + 8 * stage;
                expect(bar, BYTES_A + BYTES_B);
                copy(to, a + ((size_t)blockIdx.y * tiles + i) * (BYTES_A / 2), BYTES_A, bar);
                copy(to + BYTES_A, b + ((size_t)blockIdx.x * tiles + i) * (BYTES_B / 2), BYTES_B, bar);
            }
        }
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    float d[32];
    for (int i = 0; i < tiles; i++) {
        int stage = i % STAGES;
        wait_for(full + 8 * stage, i / STAGES % 2);
        u32 of_a = at + stage * (BYTES_A + BYTES_B), of_b = of_a + BYTES_A;
        fence();
        for (int step = 0; step < 4; step++)
            multiply_bf16(d, plain(of_a + group * 1024 + step * 4096, 2048, 128),
                          plain(of_b + step * 2048, 1024, 128), i + step);
        commit();
        wait<0>();
        if (threadIdx.x % 128 == 0) arrive(empty + 8 * stage);
    }
    store(c, d, blockIdx.y * 128 + group * 64, blockIdx.x * 64, n);
}
