// Programs with one bug each in kernels, of kinds that forums and issues describe, and their repaired versions: see
// `reported.h`.

#include <mma.h>
#include "reported.h"

// The smallest element by an atomic, and its index by a plain store.
// expect index_of_min: error[race]
template <bool R> __global__ void argmin(const int *x, unsigned long long *best, int *index) {
    int v = x[T] + 63 - T;
    if (R) { atomicMin(best + 1, ((unsigned long long)v << 32) | T); return; }
    if (atomicMin((int *)best, v) > v) *index = T;
}
void index_of_min(bool right) {
    auto best = device<unsigned long long>(2);
    int big[4] = {1 << 30, 0, -1, 0x7fffffff};
    cudaMemcpy(best, big, 16, cudaMemcpyHostToDevice);
    RUN(argmin, 1, 64, device<int>(64), best, device<int>(1));
}

// A histogram by plain increments.
// expect plain_bins: error[race] | atomic
template <bool R> __global__ void bins(const int *x, int *y) {
    __shared__ int h[8];
    if (T < 8) h[T] = 0;
    __syncthreads();
    if (R) atomicAdd(&h[(x[T] + T) & 7], 1); else h[(x[T] + T) & 7]++;
    __syncthreads();
    if (T < 8) y[T] = h[T];
}
void plain_bins(bool right) { RUN(bins, 1, 64, device<int>(64), device<int>(8)); }

// Bins are cleared by some threads, and no barrier follows.
// expect bins_cleared_late: error[race] | `__syncthreads()`
template <bool R> __global__ void cleared_late(const int *x, int *y) {
    __shared__ int h[8];
    if (T < 8) h[T] = 0;
    if (R) __syncthreads();
    atomicAdd(&h[(x[T] + T) & 7], 1);
    __syncthreads();
    if (T < 8) y[T] = h[T];
}
void bins_cleared_late(bool right) { RUN(cleared_late, 1, 64, device<int>(64), device<int>(8)); }

// A counter that was never set to zero.
// expect counter_unset: error[uninitialized] | atomic: 4 bytes at n+0
template <bool R> __global__ void counts(int *n) { atomicAdd(n, 1); }
void counter_unset(bool right) {
    int *n;
    cudaMalloc(&n, 4);
    if (right) cudaMemset(n, 0, 4);
    RUN(counts, 1, 32, n);
}

// A mask of `__syncwarp` without the lane that executes it.
// expect syncwarp_mask: error[inactive-lane] | lacks lane 16
template <bool R> __global__ void warpmask(int *y) {
    __shared__ int s[32];
    s[T] = T;
    __syncwarp(R ? 0xffffffffu : 0xffffu);
    y[T] = s[T ^ 1];
}
void syncwarp_mask(bool right) { RUN(warpmask, 1, 32, device<int>(32)); }

// A ballot of all lanes in a loop that some have left.
// expect ballot_in_loop: error[deadlock]
template <bool R> __global__ void ballots(const int *x, int *y) {
    int n = x[T] + T % 4, sum = 0;
    for (int i = 0; R ? i < 4 : i < n; ++i) {
        sum += __popc(__ballot_sync(0xffffffffu, i < n));
    }
    __syncwarp();
    y[T] = sum;
}
void ballot_in_loop(bool right) { RUN(ballots, 1, 32, device<int>(32), device<int>(32)); }

// `__reduce_add_sync` names lanes that are not in the branch.
// expect reduce_mask: error[deadlock]
template <bool R> __global__ void reduced(int *y) {
    int v = T;
    if (T < 16) v = __reduce_add_sync(R ? 0xffffu : 0xffffffffu, T);
    __syncwarp();
    y[T] = v;
}
void reduce_mask(bool right) { RUN(reduced, 1, 32, device<int>(32)); }

// `__syncthreads_or` in a branch.
// expect or_in_branch: error[barrier-divergence]
template <bool R> __global__ void any_of(const int *x, int *y) {
    int v = 0;
    if (R || T < 48) v = __syncthreads_or(x[T] > 0);
    y[T] = v;
    __syncthreads();
    y[T] += y[63 - T] * 0;
}
void or_in_branch(bool right) { RUN(any_of, 1, 64, device<int>(64), device<int>(64)); }

// The result of a `malloc` that fails is used.
// expect malloc_fails: error[out-of-bounds] | null
template <bool R> __global__ void allocates(int *y) {
    int *p = (int *)malloc(R ? 64 : 1ull << 33);
    p[0] = T;
    y[T] = p[0];
    free(p);
}
void malloc_fails(bool right) { RUN(allocates, 1, 1, device<int>(32)); }

// An object with virtual functions is copied from the host.
// expect host_virtual: error[out-of-bounds] | virtual functions
struct Shape { __host__ __device__ virtual int area() const { return 1; } int a = 2; };
struct Square : Shape { __host__ __device__ int area() const override { return a * a; } };
__global__ void construct(Square *s) { new (s) Square; }
__global__ void uses(Shape *s, int *y) { y[T] = s->area(); }
void host_virtual(bool right) {
    Square *d, h;
    cudaMalloc(&d, sizeof(Square));
    if (right) construct<<<1, 1>>>(d); else cudaMemcpy((void *)d, (void *)&h, sizeof h, cudaMemcpyHostToDevice);
    uses<<<1, 1>>>(d, device<int>(1));
    cudaDeviceSynchronize();
}

// A list whose second node is memory of the host.
// expect host_list: error[out-of-bounds] | is memory of the host: 0 bytes into a block of 16 bytes
struct Node { int v; Node *next; };
__global__ void walk(Node *n, int *y) { int s = 0; for (; n; n = n->next) s += n->v; *y = s; }
void host_list(bool right) {
    Node *a, *b;
    cudaMallocManaged(&a, sizeof(Node));
    if (right) cudaMallocManaged(&b, sizeof(Node)); else b = new Node;
    *b = {2, nullptr};
    *a = {1, b};
    walk<<<1, 1>>>(a, device<int>(1));
    cudaDeviceSynchronize();
}

// Vectors of four in an array whose size is no multiple of 16 bytes.
// expect float4_tail: error[out-of-bounds] | 16 bytes at x+240
template <bool R> __global__ void fours(const float *x, float *y, int n) {
    for (int i = T; R ? 4 * i + 3 < n : 4 * i < n; i += 32) {
        float4 v = ((const float4 *)x)[i];
        y[i] = v.x + v.y + v.z + v.w;
    }
}
void float4_tail(bool right) { RUN(fours, 1, 32, device<float>(62), device<float>(32), 62); }

// A matrix at an address that is not aligned to 32 bytes.
// expect wmma_aligned: error[misaligned]
template <bool R> __global__ void tiles(const half *x, float *y) {
    using namespace nvcuda::wmma;
    fragment<matrix_a, 16, 16, 16, half, row_major> a;
    fragment<matrix_b, 16, 16, 16, half, col_major> b;
    fragment<accumulator, 16, 16, 16, float> c;
    fill_fragment(c, 0.0f);
    load_matrix_sync(a, x + (R ? 0 : 4), 16);
    load_matrix_sync(b, x, 16);
    mma_sync(c, a, b, c);
    store_matrix_sync(y, c, 16, mem_row_major);
}
void wmma_aligned(bool right) { RUN(tiles, 1, 32, device<half>(512), device<float>(256)); }

// A named barrier with a count below the number of threads.
// expect named_count: error[race]
template <bool R> __global__ void named(int *y) {
    __shared__ int s[96];
    s[T] = T;
    if (R) asm volatile("bar.sync 1, 96;" ::: "memory"); else asm volatile("bar.sync 1, 64;" ::: "memory");
    y[T] = s[95 - T];
}
void named_count(bool right) { RUN(named, 1, 96, device<int>(96)); }

// A product by tiles without the second barrier.
// expect matmul_barrier: error[race] | `__syncthreads()`
template <bool R> __global__ void matmul(const float *a, const float *b, float *c) {
    __shared__ float s[16][16], t[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    float sum = 0;
    for (int k = 0; k < 32; k += 16) {
        s[y][x] = a[y * 32 + k + x];
        t[y][x] = b[(k + y) * 16 + x];
        __syncthreads();
        for (int i = 0; i < 16; ++i) sum += s[y][i] * t[i][x];
        if (R) __syncthreads();
    }
    c[y * 16 + x] = sum;
}
void matmul_barrier(bool right) { RUN(matmul, 1, dim3(16, 16), device<float>(512), device<float>(512), device<float>(256)); }

// Blocks update an array in place that their neighbors read.
// expect jacobi_in_place: error[race] | by another block
template <bool R> __global__ void jacobi(const int *x, int *y) {
    int i = blockIdx.x * 32 + T;
    const int *from = R ? x : y;
    if (i > 0 && i < 63) y[i] = from[i - 1] + from[i + 1];
}
void jacobi_in_place(bool right) { RUN(jacobi, 2, 32, device<int>(64), device<int>(64)); }

// The element after a tile is never filled.
// expect halo_unset: error[uninitialized] | at s+128
template <bool R> __global__ void row_limit(const int *x, int *y, int n) {
    __shared__ int s[33];
    s[T] = x[T];
    if (R && T == 0) s[32] = 0;
    __syncthreads();
    y[T] = s[T + 1];
}
void halo_unset(bool right) { RUN(row_limit, 1, 32, device<int>(32), device<int>(32), 32); }

// The result of a leading lane is read without `__syncwarp`.
// expect leader_result: error[race] | `__syncwarp()`
template <bool R> __global__ void aggregated(int *n, int *y) {
    __shared__ int base;
    unsigned active = __activemask();
    if (T == 0) base = atomicAdd(n, __popc(active));
    if (R) __syncwarp();
    y[base + T] = T;
}
void leader_result(bool right) { RUN(aggregated, 1, 32, device<int>(1), device<int>(32)); }

// A reduction over a whole tile in a branch.
// expect reduce_in_branch: error[deadlock]
template <bool R> __global__ void greduce(int *y) {
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int v = T;
    if (R || T % 2) v = cg::reduce(tile, v, cg::plus<int>());
    tile.sync();
    y[T] = v;
}
void reduce_in_branch(bool right) { RUN(greduce, 1, 32, device<int>(32)); }

// `ldmatrix` of rows that another warp has copied, without a barrier.
// expect copied_matrix: error[race]
template <bool R> __global__ void matrix(const half *x, unsigned *y) {
    __shared__ alignas(16) half s[8 * 8 * 4];
    if (T < 32) copy16(&s[T * 8], x + T * 8);
    committed(); waited<0>();
    if (R) __syncthreads();
    unsigned v;
    if (T >= 32) {
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(v) : "r"(shared(&s[(T % 8) * 8])) : "memory");
        y[T] = v;
    }
}
void copied_matrix(bool right) { RUN(matrix, 1, 64, device<half>(256), device<unsigned>(64)); }

// The padding of a structure is hashed.
// expect hashed_padding: error[uninitialized] | local read
struct Padded { char a; int b; };
template <bool R> __global__ void hashed(unsigned *y) {
    Padded p[2];
    if (R) memset(p, 0, sizeof p);
    p[T & 1].a = 1; p[T & 1].b = 2; 
    const unsigned char *c = (const unsigned char *)&p[T & 1];
    unsigned h = 0;
    for (int i = 0; i < 8; ++i) h = h * 31 + c[i];
    y[T] = h;
}
void hashed_padding(bool right) { RUN(hashed, 1, 32, device<unsigned>(32)); }

// A variable that a `switch` sets only for some values.
// expect switch_default: error[uninitialized] | register
template <bool R> __global__ void switched(const int *x, int *y) {
    int v;
    if (R) v = 0;
    switch (x[T] + T % 4) { case 0: v = 1; break; case 1: v = 2; break; case 2: v = 3; break; }
    y[T] = v;
}
void switch_default(bool right) { RUN(switched, 1, 32, device<int>(32), device<int>(32)); }

// The index before the first one.
// expect index_before: error[out-of-bounds]
template <bool R> __global__ void before(const int *x, int *y, unsigned n) {
    unsigned i = T;
    y[i] = R && i == 0 ? 0 : x[i - 1];
}
void index_before(bool right) { RUN(before, 1, 32, device<int>(32), device<int>(32), 32); }

// An atomic addition to a `double` at a multiple of 4.
// expect double_aligned: error[misaligned] | not a multiple of 8
template <bool R> __global__ void doubles(float *x) { atomicAdd((double *)(x + (R ? 2 : 1)), 1.0); }
void double_aligned(bool right) { RUN(doubles, 1, 32, device<float>(8)); }

// A shuffle of all lanes in a function that a branch calls through another function: the finding names the calls.
// expect inlined_shuffle: error[inactive-lane] | = called at | move it out of the branch at line
__device__ inline int next_of(int v) { return __shfl_down_sync(0xffffffffu, v, 1); }
__device__ inline int next_twice(int v) {
    return 2 * next_of(v);
}
template <bool R> __global__ void inlined(int *y) {
    int v = T;
    if (R || T < 16) v = next_twice(v);
    y[T] = v;
}
void inlined_shuffle(bool right) { RUN(inlined, 1, 32, device<int>(32)); }

const Program all[] = {
    {"index_of_min", index_of_min},
    {"plain_bins", plain_bins},
    {"bins_cleared_late", bins_cleared_late},
    {"counter_unset", counter_unset},
    {"syncwarp_mask", syncwarp_mask},
    {"ballot_in_loop", ballot_in_loop},
    {"reduce_mask", reduce_mask},
    {"or_in_branch", or_in_branch},
    {"malloc_fails", malloc_fails},
    {"host_virtual", host_virtual},
    {"host_list", host_list},
    {"float4_tail", float4_tail},
    {"wmma_aligned", wmma_aligned},
    {"named_count", named_count},
    {"matmul_barrier", matmul_barrier},
    {"jacobi_in_place", jacobi_in_place},
    {"halo_unset", halo_unset},
    {"leader_result", leader_result},
    {"reduce_in_branch", reduce_in_branch},
    {"copied_matrix", copied_matrix},
    {"hashed_padding", hashed_padding},
    {"switch_default", switch_default},
    {"index_before", index_before},
    {"double_aligned", double_aligned},
    {"inlined_shuffle", inlined_shuffle},
};

int main(int count, char **arguments) { return run(all, count, arguments); }
