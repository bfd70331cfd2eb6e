// A product on Blackwell's tensor cores as tutorials write it: 128 rows a block, 64 columns, 64 of K a step, tiles in the
// swizzle of 128 bytes, accumulators in tensor memory.

__device__ __forceinline__ unsigned address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

// The descriptor of a tile whose rows have 128 bytes along K: eight rows are 1024 bytes apart.
__device__ __forceinline__ unsigned long long describe(unsigned at) {
    return (unsigned long long)((at & 0x3ffff) >> 4) | 1ull << 16 | 64ull << 32 | 1ull << 46 | 2ull << 61;
}

template <int ROWS> __device__ void load(unsigned short *tile, const unsigned short *from, int k) {
    for (int i = threadIdx.x; i < ROWS * 8; i += 128) {
        int row = i / 8, chunk = i % 8;
        *(uint4 *)(tile + row * 64 + (chunk ^ row % 8) * 8) = *(const uint4 *)(from + (size_t)row * k + chunk * 8);
    }
}

__device__ __forceinline__ void wait(unsigned barrier, unsigned parity) {
    asm volatile("{\n.reg .pred p;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
                 "@p bra DONE;\nbra AGAIN;\nDONE:\n}" ::"r"(barrier), "r"(parity) : "memory");
}

// C (m x n) = A (m x k) B^T (n x k).
extern "C" __global__ void __launch_bounds__(128) product(const unsigned short *a, const unsigned short *b, float *c, int n, int k) {
    __shared__ __align__(1024) unsigned short tile_a[128 * 64];
    __shared__ __align__(1024) unsigned short tile_b[64 * 64];
    __shared__ __align__(8) unsigned long long bar;
    __shared__ unsigned base;
    int warp = threadIdx.x / 32;
    unsigned barrier = address(&bar);
    if (warp == 0) {
        asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 64;" ::"r"(address(&base)) : "memory");
        asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
    }
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
    __syncthreads();
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
    unsigned d = base, parity = 0;
    // f16 times f16 to f32, 128 x 64.
    const unsigned types = 1u << 4 | (64 / 8) << 17 | (128 / 16) << 24;
    for (int at = 0; at < k; at += 64) {
        load<128>(tile_a, a + (size_t)blockIdx.y * 128 * k + at, k);
        load<64>(tile_b, b + (size_t)blockIdx.x * 64 * k + at, k);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (threadIdx.x == 0) {
            for (int step = 0; step < 4; step++)
                asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %4, 0;\n"
                             "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p;\n}"
                             ::"r"(d), "l"(describe(address(tile_a) + 32 * step)), "l"(describe(address(tile_b) + 32 * step)),
                             "r"(types), "r"(at + step) : "memory");
            asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(barrier) : "memory");
        }
        wait(barrier, parity);
        parity ^= 1;
        asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
    }
    float *row = c + ((size_t)blockIdx.y * 128 + threadIdx.x) * n + blockIdx.x * 64;
    for (int column = 0; column < 64; column += 8) {
        unsigned r[8];
        asm volatile("tcgen05.ld.sync.aligned.32x32b.x8.b32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8];\n"
                     "tcgen05.wait::ld.sync.aligned;"
                     : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7])
                     : "r"(d + (warp << 21) + column) : "memory");
        for (int i = 0; i < 8; i++) row[column + i] = __uint_as_float(r[i]);
    }
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
    __syncthreads();
    if (warp == 0) asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 64;" ::"r"(d));
}
