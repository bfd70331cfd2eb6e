// Programs with one reported bug each, and their repaired versions: see `reported.h`.

#include "reported.h"

__managed__ int managed_total = 5;

__global__ void fill(int *x) { x[threadIdx.x] = threadIdx.x; }
__global__ void add(const int *x, int *y) { y[threadIdx.x] += x[threadIdx.x]; }

// A variable in managed memory, used by the host before any other call.
__global__ void use_managed(int *out) { out[threadIdx.x] = managed_total + threadIdx.x; }
void managed_used(bool) {
    managed_total += 2;
    int *x = device<int>(32);
    use_managed<<<1, 32>>>(x);
    cudaDeviceSynchronize();
}

// Work after a reset of the device.
void reset(bool) {
    int *x = device<int>(32);
    fill<<<1, 32>>>(x);
    cudaDeviceReset();
    x = device<int>(32);
    fill<<<1, 32>>>(x);
    cudaDeviceSynchronize();
}

// expect shared_limit: error[failed-call] | 1000000 | dynamic<<<1, 32, 1000000>>> | :37 | check incomplete: each launch of the program failed
__global__ void dynamic(int *x) {
    extern __shared__ int s[];
    s[threadIdx.x] = threadIdx.x;
    x[threadIdx.x] = s[threadIdx.x];
}
void shared_limit(bool right) {
    int *x = device<int>(32);
    dynamic<<<1, 32, right ? 128 : 1000000>>>(x);
    cudaDeviceSynchronize();
}

// expect block_limit: error[failed-call] | fill<<<1, 2048>>>
void block_limit(bool right) {
    int *x = device<int>(1024);
    fill<<<1, right ? 1024 : 2048>>>(x);
    cudaDeviceSynchronize();
}

// expect copy_too_long: error[failed-call] | cudaMemcpy(
void copy_too_long(bool right) {
    int *x = device<int>(32), h[64];
    fill<<<1, 32>>>(x);
    cudaMemcpy(h, x, right ? 128 : 256, cudaMemcpyDeviceToHost);
}

// expect double_free: error[failed-call] | `cudaFree(
void double_free(bool right) {
    int *x = device<int>(32);
    fill<<<1, 32>>>(x);
    cudaDeviceSynchronize();
    cudaFree(x);
    if (!right)
        cudaFree(x);
}

// expect only_reads: error[race] | move the barrier at line 73
__global__ void neighbours(const int *in, int *out, bool right) {
    __shared__ int s[128];
    for (int i = 0; i < 3; i++) {
        s[threadIdx.x] = in[threadIdx.x] + i;
        __syncthreads();
        out[threadIdx.x] += s[127 - threadIdx.x];
        if (right)
            __syncthreads();
    }
}
void only_reads(bool right) {
    int *x = device<int>(128), *y = device<int>(128);
    neighbours<<<1, 128>>>(x, y, right);
    cudaDeviceSynchronize();
}

// expect last_block: error[race]
__global__ void last(int *parts, unsigned *ticket, int *out, bool right) {
    __shared__ bool is_last;
    parts[blockIdx.x * 32 + threadIdx.x] = blockIdx.x;
    if (right)
        __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        is_last = atomicAdd(ticket, 1) == gridDim.x - 1;
    __syncthreads();
    if (is_last) {
        if (right)
            __threadfence();
        int sum = 0;
        for (int i = threadIdx.x; i < 128; i += 32)
            sum += parts[i];
        out[threadIdx.x] = sum;
    }
}
void last_block(bool right) {
    int *parts = device<int>(128), *out = device<int>(32);
    unsigned *ticket = device<unsigned>(1);
    last<<<4, 32>>>(parts, ticket, out, right);
    cudaDeviceSynchronize();
}

// expect narrow_scope: error[race] | widen the scope
__global__ void count(int *x, bool right) {
    if (right)
        atomicAdd(x, 1);
    else
        atomicAdd_block(x, 1);
}
void narrow_scope(bool right) {
    int *x = device<int>(1);
    count<<<4, 32>>>(x, right);
    cudaDeviceSynchronize();
}

// expect guarded_shuffle: error[inactive-lane] | shfl | 0xffffffff
__global__ void guarded(int *x, int n, bool right) {
    int i = threadIdx.x;
    if (right || i < n) {
        int v = i < n ? x[i] : 0;
        v += __shfl_down_sync(0xffffffff, v, 16);
        if (i < n)
            x[i] = v;
    }
    __syncthreads();
    if (i < n)
        x[i] += 1;
}
void guarded_shuffle(bool right) {
    int *x = device<int>(64);
    guarded<<<1, 64>>>(x, 58, right);
    cudaDeviceSynchronize();
}

// expect read_too_early: error[stream-race] | race with the host | cudaStreamSynchronize
void read_too_early(bool right) {
    int *x = device<int>(1024), *h;
    cudaMallocHost(&h, 4096);
    cudaStream_t s = stream();
    fill<<<1, 32, 0, s>>>(x);
    cudaMemcpyAsync(h, x, 4096, cudaMemcpyDeviceToHost, s);
    if (right)
        cudaStreamSynchronize(s);
    int sum = 0;
    for (int i = 0; i < 32; i++)
        sum += h[i];
    printf("%d\n", sum);
    cudaDeviceSynchronize();
}

// expect flag_for_host: error[stream-race] | no fence of system scope | __threadfence_system()
__global__ void tell(int *data, volatile int *flag, bool right) {
    data[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        if (right)
            __threadfence_system();
        *flag = 1;
    }
}
void flag_for_host(bool right) {
    int *data, *flag;
    cudaMallocHost(&data, 4096);
    cudaMallocHost(&flag, 4);
    *flag = 0;
    tell<<<1, 128>>>(data, flag, right);
    while (*(volatile int *)flag == 0) {
    }
    printf("%d\n", data[5]);
    cudaDeviceSynchronize();
}

// Blocks of the device's heap that one warp frees and another one gets.
__global__ void heap(int *out) {
    for (int i = 0; i < 4; i++) {
        int *x = (int *)malloc(64);
        if (!x)
            return;
        x[i] = threadIdx.x;
        out[threadIdx.x] += x[i];
        free(x);
    }
}
void heap_reuse(bool) {
    int *x = device<int>(128);
    heap<<<1, 128>>>(x);
    cudaDeviceSynchronize();
}

// Structures with padding.
struct Pair {
    short key;
    float value;
};
__global__ void swap(float *out) {
    __shared__ Pair s[32];
    int i = threadIdx.x;
    s[i].key = i;
    s[i].value = 2 * i;
    __syncwarp();
    Pair other = s[31 - i];
    __syncwarp();
    s[i] = other;
    __syncwarp();
    out[i] = s[i].key + s[i].value;
}
void padding(bool) {
    float *x = device<float>(32);
    swap<<<1, 32>>>(x);
    cudaDeviceSynchronize();
}

// expect mixed_sizes: error[race]
__global__ void mixed(unsigned long long *word, unsigned *out, bool right) {
    if (threadIdx.x)
        return;
    volatile unsigned *half = (volatile unsigned *)word;
    if (blockIdx.x == 0) {
        half[1] = 1;
    } else if (right) {
        while (half[1] == 0) {
        }
        *out = 1;
    } else {
        while (!(*(volatile unsigned long long *)word >> 32)) {
        }
        *out = 1;
    }
}
void mixed_sizes(bool right) {
    auto *word = device<unsigned long long>(1);
    unsigned *out = device<unsigned>(1);
    mixed<<<2, 32>>>(word, out, right);
    cudaDeviceSynchronize();
}

// expect same_value: error[race]
__global__ void same(int *x, bool right) {
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0 && !right)
        *x = 3;
    __syncwarp();
    asm volatile("st.relaxed.gpu.global.u32 [%0], 9;" ::"l"(x) : "memory");
}
void same_value(bool right) {
    int *x = device<int>(1);
    same<<<2, 32>>>(x, right);
    cudaDeviceSynchronize();
}

// expect endless_wait: error[deadlock]
__global__ void wait(volatile int *flag, int *out, bool right) {
    if (right && threadIdx.x == 32)
        *flag = 1;
    if (threadIdx.x == 0) {
        while (*flag == 0)
            ;
        *out = 1;
    }
}
void endless_wait(bool right) {
    int *flag = device<int>(1), *out = device<int>(1);
    wait<<<1, 64>>>(flag, out, right);
    cudaDeviceSynchronize();
}

// expect barrier_in_branch: error[race]
__global__ void part(const int *in, int *out, int warps) {
    __shared__ int s[128];
    s[threadIdx.x] = in[threadIdx.x];
    if (threadIdx.x / 32 < warps)
        __syncthreads();
    out[threadIdx.x] = s[127 - threadIdx.x];
}
void barrier_in_branch(bool right) {
    int *x = device<int>(128), *y = device<int>(128);
    part<<<1, 128>>>(x, y, right ? 4 : 2);
    cudaDeviceSynchronize();
}

// A loop goes one element past a local array, into the next one.
// expect local_neighbor: error[out-of-bounds] | 4 bytes at a+32, `a` is 32 bytes
__global__ void overrun(const int *x, int *y, int n) {
    int a[8], b[8];
    for (int i = 0; i < 8; ++i) { a[i] = i; b[i] = 10 * i; }
    int sum = 0;
    for (int i = 0; i < n; ++i) {
        a[i] += x[i];
        sum += b[(3 * i + threadIdx.x) & 7] + a[(i + threadIdx.x) & 7];
    }
    y[threadIdx.x] = sum;
}
void local_neighbor(bool right) {
    overrun<<<1, 32>>>(device<int>(32), device<int>(32), right ? 8 : 9);
    cudaDeviceSynchronize();
}

const Program all[] = {
    {"managed_used", managed_used},         {"reset", reset},           {"shared_limit", shared_limit},
    {"block_limit", block_limit}, {"copy_too_long", copy_too_long}, {"double_free", double_free},
    {"only_reads", only_reads},   {"last_block", last_block}, {"narrow_scope", narrow_scope},
    {"guarded_shuffle", guarded_shuffle}, {"read_too_early", read_too_early},
    {"flag_for_host", flag_for_host}, {"heap_reuse", heap_reuse}, {"padding", padding},
    {"mixed_sizes", mixed_sizes}, {"same_value", same_value}, {"endless_wait", endless_wait},
    {"barrier_in_branch", barrier_in_branch}, {"local_neighbor", local_neighbor},
};

int main(int count, char **arguments) { return run(all, count, arguments); }
