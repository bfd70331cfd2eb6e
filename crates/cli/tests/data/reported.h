// Shared by the programs `reported*.cu`, each of which has one bug per function and a repaired version. The first argument
// names the program, the second one is `right` for the repaired version. `// expect NAME: TEXT | TEXT` in a source lists
// parts of the output for the bug; a program without such a line, and every repaired version, has nothing to report.
// Include this file last: the headers of CUB have types called `T`.

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;

#define T threadIdx.x
#define RUN(kernel, grid, block, ...)                                                        \
    do {                                                                                     \
        if (right) kernel<true><<<grid, block>>>(__VA_ARGS__);                               \
        else kernel<false><<<grid, block>>>(__VA_ARGS__);                                    \
        cudaDeviceSynchronize();                                                             \
    } while (0)

// Zeros on the device.
template <class V> V *device(int count) {
    V *x;
    cudaMalloc(&x, count * sizeof(V));
    cudaMemset(x, 0, count * sizeof(V));
    cudaDeviceSynchronize();
    return x;
}
// Zeros in page-locked and in managed memory.
inline int *pinned(int n) {
    int *h;
    cudaMallocHost(&h, n * 4);
    memset(h, 0, n * 4);
    return h;
}
inline int *managed(int n) {
    int *h;
    cudaMallocManaged(&h, n * 4);
    memset(h, 0, n * 4);
    return h;
}
// A stream that does not wait for the default stream.
inline cudaStream_t stream() {
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    return s;
}
// `second` waits for the work of `first`.
inline void after(cudaStream_t second, cudaStream_t first) {
    cudaEvent_t e;
    cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    cudaEventRecord(e, first);
    cudaStreamWaitEvent(second, e, 0);
}

// Mbarriers, bulk copies and `cp.async`.
__device__ inline uint32_t shared(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ inline void init(uint64_t *b, int n) { asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared(b)), "r"(n) : "memory"); }
__device__ inline void ready() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
__device__ inline void expect(uint64_t *b, int bytes) { asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared(b)), "r"(bytes) : "memory"); }
__device__ inline void arrive(uint64_t *b) { asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared(b)) : "memory"); }
__device__ inline void wait(uint64_t *b, int phase) {
    asm volatile("{\n.reg .pred p;\nAGAIN:\nmbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n@p bra DONE;\nbra AGAIN;\nDONE:\n}" ::"r"(shared(b)), "r"(phase) : "memory");
}
__device__ inline bool tested(uint64_t *b, int phase) {
    int done;
    asm volatile("{\n.reg .pred p;\nmbarrier.test_wait.parity.shared.b64 p, [%1], %2;\nselp.b32 %0, 1, 0, p;\n}" : "=r"(done) : "r"(shared(b)), "r"(phase) : "memory");
    return done;
}
__device__ inline void load(void *to, const void *from, int bytes, uint64_t *b) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared(to)), "l"(from), "r"(bytes), "r"(shared(b)) : "memory");
}
__device__ inline void store(void *to, const void *from, int bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(shared(from)), "r"(bytes) : "memory");
}
__device__ inline void commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
__device__ inline void proxy() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
__device__ inline void copy4(void *to, const void *from, int bytes = 4) { asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared(to)), "l"(from), "r"(bytes) : "memory"); }
__device__ inline void copy16(void *to, const void *from) { asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared(to)), "l"(from) : "memory"); }
__device__ inline void committed() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int N> __device__ inline void waited() { asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory"); }

struct Program {
    const char *name;
    void (*run)(bool right);
};
// Runs the program that the arguments name.
template <int N> int run(const Program (&all)[N], int count, char **arguments) {
    for (const Program &program : all)
        if (count > 2 && !strcmp(program.name, arguments[1])) {
            program.run(!strcmp(arguments[2], "right"));
            return 0;
        }
    return 99;
}
