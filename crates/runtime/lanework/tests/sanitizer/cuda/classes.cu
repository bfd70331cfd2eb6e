// needs sm_90
// Classes of bugs of memory orders, phases and values: several variants of each, with correct twins.

#include <cuda/atomic>
#include <cuda/latch>
#include <cuda/semaphore>

#define K extern "C" __global__ void
#define T threadIdx.x
#define B blockIdx.x
#define SH(p) ((unsigned)__cvta_generic_to_shared(p))
#define INIT(b, n) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(SH(b)), "r"(n) : "memory")
#define ARRIVE(b) asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(SH(b)) : "memory")
#define EXPECT(b, n) asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(SH(b)), "r"(n) : "memory")
#define ANNOUNCE(b, n) asm volatile("mbarrier.expect_tx.relaxed.cta.shared.b64 [%0], %1;" ::"r"(SH(b)), "r"(n) : "memory")
#define WAIT(b, ph) for (unsigned ok = 0; !ok;) asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(ok) : "r"(SH(b)), "r"(ph) : "memory")
#define BULK(to, from, n, b) asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(SH(to)), "l"(from), "r"(n), "r"(SH(b)) : "memory")
#define RELAXED(p, v) asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory")

// Bytes of a phase

// launch tx_of_two_copies: block=64 zeros:f32:128 zeros:f32:64
K tx_of_two_copies(const float *in, float *out) {
    __shared__ __align__(128) float s[2][64];
    __shared__ unsigned long long bar;
    if (T == 0) INIT(&bar, 1);
    __syncthreads();
    if (T == 0) {
        EXPECT(&bar, 256);
        BULK(s[0], in, 256, &bar);
        BULK(s[1], in + 64, 256, &bar); // BUG async-order
    }
    WAIT(&bar, 0);
    out[T] = s[1][T];
}

// launch tx_of_half_a_copy: block=64 zeros:f32:64 zeros:f32:64
K tx_of_half_a_copy(const float *in, float *out) {
    __shared__ __align__(128) float s[64];
    __shared__ unsigned long long bar;
    if (T == 0) INIT(&bar, 1);
    __syncthreads();
    if (T == 0) {
        EXPECT(&bar, 128);
        BULK(s, in, 256, &bar); // BUG async-order
    }
    WAIT(&bar, 0); // MAYBE deadlock
    out[T] = s[T];
}

// launch tx_never_announced: block=64 zeros:f32:64 zeros:f32:64
K tx_never_announced(const float *in, float *out) {
    __shared__ __align__(128) float s[64];
    __shared__ unsigned long long bar;
    if (T == 0) INIT(&bar, 1);
    __syncthreads();
    if (T == 0) {
        BULK(s, in, 256, &bar); // BUG async-order
        ARRIVE(&bar);
    }
    WAIT(&bar, 0);
    out[T] = s[T];
}

// launch tx_of_second_phase: block=64 zeros:f32:64 zeros:f32:64
K tx_of_second_phase(const float *in, float *out) {
    __shared__ __align__(128) float s[64];
    __shared__ unsigned long long bar;
    if (T == 0) INIT(&bar, 1);
    __syncthreads();
    for (unsigned phase = 0; phase < 3; phase++) {
        if (T == 0) {
            EXPECT(&bar, phase == 2 ? 128 : 256);
            BULK(s, in, 256, &bar); // BUG async-order
        }
        WAIT(&bar, phase & 1); // MAYBE deadlock
        out[T] = s[T];
        __syncthreads();
    }
}

// launch tx_right: block=64 zeros:f32:128 zeros:f32:64
K tx_right(const float *in, float *out) {
    __shared__ __align__(128) float s[2][64];
    __shared__ unsigned long long bar;
    if (T == 0) INIT(&bar, 1);
    __syncthreads();
    for (unsigned phase = 0; phase < 4; phase++) {
        if (T == 0) {
            EXPECT(&bar, 512);
            BULK(s[0], in, 256, &bar);
            BULK(s[1], in + 64, 256, &bar);
        }
        WAIT(&bar, phase & 1);
        out[T] = s[0][T] + s[1][T];
        __syncthreads();
    }
}

// launch tx_announced_late: block=64 zeros:f32:64 zeros:f32:64
K tx_announced_late(const float *in, float *out) {
    __shared__ __align__(128) float s[64];
    __shared__ unsigned long long bar;
    if (T == 0) INIT(&bar, 1);
    __syncthreads();
    if (T == 0) {
        BULK(s, in, 256, &bar);
        ANNOUNCE(&bar, 128);
        EXPECT(&bar, 128);
    }
    WAIT(&bar, 0);
    out[T] = s[T];
}

// Strong accesses of different sizes

// launch wide_volatile_poll: grid=2 block=32 zeros:u64:1 zeros:u32:1
K wide_volatile_poll(unsigned long long *state, unsigned *out) {
    if (T) return;
    if (B) {
        unsigned long long v;
        do v = *(volatile unsigned long long *)state; // BUG race
        while (!(v >> 32));
        *out = (unsigned)v;
    } else {
        volatile unsigned *half = (volatile unsigned *)state;
        half[1] = 1;
        half[0] = 5;
    }
}

// launch wide_relaxed_poll: grid=2 block=32 zeros:u64:1 zeros:u32:1
K wide_relaxed_poll(unsigned long long *state, unsigned *out) {
    if (T) return;
    if (B) {
        unsigned long long v;
        do asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(v) : "l"(state) : "memory"); // BUG race
        while (!(v >> 32));
        *out = (unsigned)v;
    } else {
        RELAXED((unsigned *)state + 1, 1);
        RELAXED((unsigned *)state, 5);
    }
}

// launch narrow_poll: grid=2 block=32 zeros:u64:1 zeros:u32:1
K narrow_poll(unsigned long long *state, unsigned *out) {
    if (T) return;
    if (B) {
        while (*((volatile unsigned *)state + 1) == 0) {} // BUG race
        *out = 1;
    } else {
        *(volatile unsigned long long *)state = (1ull << 32) | 5;
    }
}

// launch byte_flag: grid=2 block=32 zeros:u32:1 zeros:u32:1
K byte_flag(unsigned *state, unsigned *out) {
    if (T) return;
    if (B) {
        unsigned v;
        while (((v = *(volatile unsigned *)state) >> 24) == 0) {} // BUG race
        *out = v;
    } else {
        *((volatile unsigned char *)state + 3) = 1;
    }
}

// launch one_size: grid=2 block=32 zeros:u64:1 zeros:u32:1
K one_size(unsigned long long *state, unsigned *out) {
    if (T) return;
    if (B) {
        unsigned long long v;
        do v = *(volatile unsigned long long *)state;
        while (!(v >> 32));
        *out = (unsigned)v;
    } else {
        *(volatile unsigned long long *)state = (1ull << 32) | 5;
    }
}

// launch elements_of_a_vector: grid=2 block=32 zeros:u32:4 zeros:u32:1
K elements_of_a_vector(unsigned *state, unsigned *out) {
    if (T) return;
    if (B) {
        while (*((volatile unsigned *)state + 3) == 0) {}
        *out = 1;
    } else {
        asm volatile("st.volatile.global.v4.u32 [%0], {5, 6, 7, 1};" ::"l"(state) : "memory");
    }
}

// launch sizes_with_a_barrier: block=64 zeros:u64:1 zeros:u32:1
K sizes_with_a_barrier(unsigned long long *state, unsigned *out) {
    if (T == 0) atomicExch((unsigned *)state, 1u);
    __syncthreads();
    if (T == 32) *out = (unsigned)atomicAdd(state, 0ull);
}

// Waits whose registers change

// launch counted_in_vain: block=64 zeros:u32:1
K counted_in_vain(unsigned *flag) {
    unsigned n = 0;
    while (*(volatile unsigned *)flag == 0) n++; // BUG deadlock
    flag[0] = n;
}

// launch timed_in_vain: block=64 zeros:u32:1
K timed_in_vain(unsigned *flag) {
    long long start = clock64();
    while (*(volatile unsigned *)flag == 0) { // BUG deadlock
        if (clock64() - start > (1ll << 60)) break;
    }
}

// launch atomic_wait_in_vain: block=64 zeros:u32:1
K atomic_wait_in_vain(unsigned *flag) {
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> r(*flag);
    r.wait(0); // BUG deadlock
}

// launch latch_short_of_one: block=64 zeros:u32:1
K latch_short_of_one(unsigned *flag) {
    using L = cuda::latch<cuda::thread_scope_block>;
    __shared__ alignas(L) char raw[sizeof(L)];
    L &l = *(L *)raw;
    if (T == 0) new (&l) L(64);
    __syncthreads();
    if (T != 5) l.count_down();
    l.wait(); // BUG deadlock
}

// launch semaphore_never_released: block=64 zeros:u32:1
K semaphore_never_released(unsigned *flag) {
    __shared__ cuda::binary_semaphore<cuda::thread_scope_block> s;
    if (T == 0) new (&s) cuda::binary_semaphore<cuda::thread_scope_block>(0);
    __syncthreads();
    if (T == 0) s.acquire(); // BUG deadlock
}

// launch latch_complete: block=64 zeros:u32:1
K latch_complete(unsigned *flag) {
    using L = cuda::latch<cuda::thread_scope_block>;
    __shared__ alignas(L) char raw[sizeof(L)];
    L &l = *(L *)raw;
    if (T == 0) new (&l) L(64);
    __syncthreads();
    l.count_down();
    l.wait();
}

// launch delay: block=64 zeros:u32:64
K delay(unsigned *out) {
    long long start = clock64();
    while (clock64() - start < 3000000) {}
    out[T] = 1;
}

// launch timeout: block=64 zeros:u32:1 zeros:u32:64
K timeout(unsigned *flag, unsigned *out) {
    long long start = clock64();
    while (*(volatile unsigned *)flag == 0) {
        if (clock64() - start > 50000000) break;
    }
    out[T] = 1;
}

// launch counted_until_set: block=64 zeros:u32:64
K counted_until_set(unsigned *out) {
    __shared__ volatile unsigned flag;
    if (T == 0) flag = 0;
    __syncthreads();
    unsigned n = 0, x = 1;
    if (T < 32) {
        while (flag == 0) n++;
    } else if (T == 63) {
        for (int i = 0; i < 50000; i++) x = x * 1664525u + 1013904223u;
        flag = 1;
    }
    out[T] = n + x;
}

// Writes of one value

// launch replaced_by_a_relaxed_write: grid=2 block=32 zeros:u32:1
K replaced_by_a_relaxed_write(unsigned *c) {
    if (T) return;
    if (B == 0) *c = 3; // BUG race
    __syncwarp();
    RELAXED(c, 9);
}

// launch replaced_by_a_plain_write: grid=2 block=32 zeros:u32:1
K replaced_by_a_plain_write(unsigned *c) {
    if (T) return;
    if (B == 0) {
        *(volatile unsigned *)c = 3;
        *c = 9; // BUG race
    } else {
        *c = 9;
    }
}

// launch one_value: grid=2 block=64 zeros:u32:1
K one_value(unsigned *c) {
    *c = 9;
}

// launch one_value_again: block=64 zeros:u32:1
K one_value_again(unsigned *c) {
    if (T == 0) *(volatile unsigned *)c = 3;
    __syncthreads();
    *c = 9;
}

// Padding

struct Pad {
    char c;
    int i;
    short s;
};
struct KeyValue {
    short k;
    float v;
};

// launch padding_in_shared_memory: block=32 zeros:i32:32
K padding_in_shared_memory(int *out) {
    __shared__ Pad a[32], b[32];
    a[T].c = T;
    a[T].i = T;
    a[T].s = 3;
    __syncwarp();
    b[T] = a[31 - T];
    __syncwarp();
    out[T] = b[T].i + b[T].c + b[T].s;
}

// launch padding_swapped: block=32 zeros:f32:32 zeros:f32:32
K padding_swapped(const float *in, float *out) {
    __shared__ KeyValue s[32];
    s[T].k = T;
    s[T].v = in[T];
    __syncwarp();
    if (T < 16) {
        KeyValue x = s[T];
        s[T] = s[31 - T];
        s[31 - T] = x;
    }
    __syncwarp();
    out[T] = s[T].v + s[T].k;
}

// launch padding_in_global_memory: block=32 uninit:u32:64 uninit:u32:64
K padding_in_global_memory(KeyValue *g, KeyValue *h) {
    g[T].k = T;
    g[T].v = 1;
    h[T] = g[T];
}

// launch field_lost_in_a_copy: block=32 zeros:i32:32
K field_lost_in_a_copy(int *out) {
    __shared__ Pad a[32], b[32];
    a[T].c = T;
    a[T].s = 3;
    __syncwarp();
    b[T] = a[31 - T]; // BUG uninitialized
    __syncwarp();
    out[T] = 2 * b[T].i;
}

// launch padding_that_decides: block=32 zeros:i32:32
K padding_that_decides(int *out) {
    __shared__ Pad a[32], b[32];
    a[T].c = T;
    a[T].i = T;
    a[T].s = 3;
    __syncwarp();
    b[T] = a[31 - T];
    __syncwarp();
    out[T] = 3 * *(volatile unsigned *)&b[T]; // BUG uninitialized
}

// Matrix products

#define MMA(c0, c1, c2, c3)                                                                                        \
    asm volatile("{ .reg .f32 c<4>; mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%4}, {" c0 ", " c1 ", " c2 ", " c3 "}; }" \
                 : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3]) : "r"(x[T]), "r"(x[T ^ 1]))

// launch sums_from_nothing: block=32 zeros:u32:32 zeros:f32:128
K sums_from_nothing(const unsigned *x, float *out) {
    float d[4];
    MMA("c0", "c1", "c2", "c3");
    for (int i = 0; i < 4; i++) out[T * 4 + i] = d[i]; // BUG uninitialized
}

// launch one_sum_from_nothing: block=32 zeros:u32:32 zeros:f32:128
K one_sum_from_nothing(const unsigned *x, float *out) {
    float d[4];
    MMA("0f00000000", "0f00000000", "c2", "0f00000000");
    if (d[2] > 3) // BUG uninitialized
        out[T] = 1;
}

// launch sums_from_zero: block=32 zeros:u32:32 zeros:f32:128
K sums_from_zero(const unsigned *x, float *out) {
    float d[4];
    MMA("0f00000000", "0f00000000", "0f00000000", "0f00000000");
    for (int i = 0; i < 4; i++) out[T * 4 + i] = d[i];
}

// launch unused_sum_from_nothing: block=32 zeros:u32:32 zeros:f32:128
K unused_sum_from_nothing(const unsigned *x, float *out) {
    float d[4];
    MMA("0f00000000", "0f00000000", "0f00000000", "c3");
    for (int i = 0; i < 3; i++) out[T * 4 + i] = d[i];
}

// The heap

// launch heap_reused: block=64 zeros:i32:2
K heap_reused(int *out) {
    if (T % 32 == 0) {
        int *p = (int *)malloc(5 << 20);
        if (!p) {
            out[T / 32] = -1;
            return;
        }
        p[0] = T;
        out[T / 32] = p[0];
        free(p);
    }
}

// launch heap_reused_unwritten: block=64 zeros:i32:2
K heap_reused_unwritten(int *out) {
    if (T % 32 == 0) {
        int *p = (int *)malloc(5 << 20);
        if (!p) return;
        if (T == 0) p[0] = T;
        out[T / 32] = 2 * *(volatile int *)p; // BUG uninitialized
        free(p);
    }
}

// Shuffles

// launch shuffle_in_a_guard: grid=2 block=128 zeros:f32:256 zeros:f32:2 i32:250
K shuffle_in_a_guard(const float *x, float *o, int n) {
    __shared__ float s[4];
    int i = B * 128 + T;
    if (i < n) {
        float v = x[i];
        for (int d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d); // BUG inactive-lane
        if (T % 32 == 0) s[T / 32] = v;
    }
    __syncthreads();
    if (T == 0) o[B] = s[0] + s[1] + s[2] + s[3];
}

// launch shuffle_after_a_guard: grid=2 block=128 zeros:f32:256 zeros:f32:2 i32:250
K shuffle_after_a_guard(const float *x, float *o, int n) {
    __shared__ float s[4];
    int i = B * 128 + T;
    float v = i < n ? x[i] : 0;
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d);
    if (T % 32 == 0) s[T / 32] = v;
    __syncthreads();
    if (T == 0) o[B] = s[0] + s[1] + s[2] + s[3];
}
