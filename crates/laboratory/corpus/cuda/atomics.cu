// Atomics of every kind and type, loops of compare-and-swap, and locks.
#include <cuda_fp16.h>
#include <cuda_bf16.h>

extern "C" __global__ void atomics_32(int *s, unsigned *u, int *old) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&s[0], i);
    atomicSub(&s[1], i);
    atomicMin(&s[2], -i);
    atomicMax(&s[3], i);
    atomicAnd(&u[0], ~(1u << i % 32));
    atomicOr(&u[1], 1u << i % 29);
    atomicXor(&u[2], i * 2654435761u);
    atomicInc(&u[3], 6);
    atomicDec(&u[4], 9);
    atomicMin(&u[5], 0x80000000u + i);
    atomicMax(&u[6], 0x80000000u - i);
    atomicExch(&s[4], 77);
    atomicCAS(&s[5], 5, 6);
    old[i] = atomicAdd(&s[6], 3);
    atomicAdd_block(&s[7], 1);
    atomicAdd_system(&s[8], 1);
}

extern "C" __global__ void atomics_64(unsigned long long *u, long long *s, double *d) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&u[0], 0x100000001ull * i);
    atomicMin(&u[1], 1ull << 63 | i);
    atomicMax(&u[2], (1ull << 40) * i);
    atomicAnd(&u[3], ~(1ull << i % 64));
    atomicOr(&u[4], 1ull << i % 61);
    atomicXor(&u[5], i * 0x9e3779b97f4a7c15ull);
    atomicExch(&u[6], 77ull);
    atomicCAS(&u[7], 5ull, 6ull);
    atomicMin(&s[0], -(long long)i << 33);
    atomicMax(&s[1], (long long)i << 33);
    atomicAdd(&d[0], i * 0.5);
}

// In shared memory, then added to global memory.
extern "C" __global__ void atomics_shared(int *out, float *floats, unsigned long long *wide) {
    __shared__ int sum, least;
    __shared__ float total;
    __shared__ unsigned long long big;
    if (threadIdx.x == 0) {
        sum = 0;
        least = 1 << 30;
        total = 0;
        big = 0;
    }
    __syncthreads();
    atomicAdd(&sum, threadIdx.x);
    atomicMin(&least, 1000 - (int)threadIdx.x);
    atomicAdd(&total, 0.25f * threadIdx.x);
    atomicMax(&big, 0x700000000ull + threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(&out[0], sum);
        atomicAdd(&out[1], least);
        atomicAdd(floats, total);
        atomicAdd(wide, big);
    }
}

// Operations without an instruction, as compare-and-swap loops: maximum of floats, product of doubles, sum of bytes.
extern "C" __global__ void cas_loops(const float *in, float *greatest, double *product, unsigned *bytes) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int *word = (int *)greatest, seen = *word;
    while (__int_as_float(seen) < in[i]) {
        int old = atomicCAS(word, seen, __float_as_int(in[i]));
        if (old == seen) break;
        seen = old;
    }
    unsigned long long *p = (unsigned long long *)product, last = *p, assumed;
    do {
        assumed = last;
        last = atomicCAS(p, assumed, __double_as_longlong(__longlong_as_double(assumed) * (i % 7 == 0 ? 2.0 : 1.0)));
    } while (last != assumed);
    unsigned at = i % 4 * 8, was = bytes[0], next;
    do {
        next = was;
        unsigned byte = (next >> at & 0xff) + 1;
        was = atomicCAS(bytes, next, next & ~(0xffu << at) | (byte & 0xff) << at);
    } while (was != next);
}

extern "C" __global__ void atomics_short(unsigned short *words) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned short *mine = &words[i % 3], seen = *mine, old;
    do {
        old = seen;
        seen = atomicCAS(mine, old, (unsigned short)(old + i));
    } while (seen != old);
}

extern "C" __global__ void atomics_half(__half2 *h, __nv_bfloat162 *b, __half *one) {
    atomicAdd(h, __floats2half2_rn(1.0f, -2.0f));
    atomicAdd(b, __floats2bfloat162_rn(0.5f, 4.0f));
    atomicAdd(one, __float2half(0.25f));
}

// A lock that one lane of each warp takes; the section adds without atomics.
extern "C" __global__ void spin_lock(int *lock, volatile int *value, volatile int *log) {
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(lock, 0, 1) != 0) __nanosleep(20);
        __threadfence();
        int n = value[0];
        value[0] = n + 1;
        value[1] += blockIdx.x;
        log[n] = 1;
        __threadfence();
        atomicExch(lock, 0);
    }
}

// The same by every lane of a warp: needs independent thread scheduling.
extern "C" __global__ void lane_lock(int *lock, volatile int *value) {
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            value[0] = value[0] + 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}

// Tickets: each block polls a volatile flag for its turn, in the order of arrival.
__device__ unsigned ticket = 0;
__device__ volatile unsigned serving = 0;
extern "C" __global__ void ticket_lock(unsigned *order) {
    if (threadIdx.x == 0) {
        unsigned mine = atomicAdd(&ticket, 1);
        while (serving != mine) {}
        order[mine] = mine * mine;
        __threadfence();
        serving = mine + 1;
    }
}

// A queue of bounded size between two warps of one block.
extern "C" __global__ void ring(const int *in, int *out, int n) {
    __shared__ volatile int slots[8];
    __shared__ volatile unsigned written, read;
    if (threadIdx.x == 0) written = read = 0;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int i = 0; i < n; i++) {
            while (written - read == 8) {}
            slots[written % 8] = in[i] * 3;
            __threadfence_block();
            written = written + 1;
        }
    else if (threadIdx.x == 32)
        for (int i = 0; i < n; i++) {
            while (written == read) {}
            out[i] = slots[read % 8] + 1;
            __threadfence_block();
            read = read + 1;
        }
}
