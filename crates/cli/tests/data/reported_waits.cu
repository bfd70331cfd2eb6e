// Programs with one bug each in what the host waits for and in which memory is used, and their repaired versions: see
// `reported.h`.

#include <thread>
#include "reported.h"

__constant__ int table[64];

__global__ void fill(int *x) { x[threadIdx.x] = threadIdx.x; }
__global__ void look_up(int *x) { x[threadIdx.x] = table[threadIdx.x]; }

__global__ void in_turn(int *x, int *turn, bool right) {
    int block = blockIdx.x, thread = threadIdx.x;
    if (block > 0) {
        if (thread == 0) {
            while (atomicAdd(turn, 0) < block) {}
            __threadfence();
        }
        __syncthreads();
        x[thread] += 1;
    } else {
        x[thread] = 1;
    }
    if (right)
        __syncthreads();
    if (thread == 0) {
        __threadfence();
        atomicExch(turn, block + 1);
    }
}

// expect ignored_query: error[stream-race] | race between streams
void ignored_query(bool right) {
    cudaStream_t s = stream(), t = stream();
    int *x;
    cudaMalloc(&x, 256);
    cudaEvent_t e;
    cudaEventCreate(&e);
    fill<<<1, 64, 0, s>>>(x);
    cudaEventRecord(e, s);
    if (right)
        while (cudaEventQuery(e) == cudaErrorNotReady) {}
    else
        cudaEventQuery(e);
    fill<<<1, 64, 0, t>>>(x);
    cudaDeviceSynchronize();
}

// expect ignored_query_of_stream: error[stream-race] | race between streams
void ignored_query_of_stream(bool right) {
    cudaStream_t s = stream(), t = stream();
    int *x;
    cudaMalloc(&x, 256);
    fill<<<1, 64, 0, s>>>(x);
    cudaError_t ready = cudaStreamQuery(s);
    if (right && ready != cudaSuccess)
        cudaStreamSynchronize(s);
    fill<<<1, 64, 0, t>>>(x);
    cudaDeviceSynchronize();
}

// expect constants_in_use: error[stream-race] | at table+0, which kernel `look_up`
void constants_in_use(bool right) {
    cudaStream_t s = stream(), t = stream();
    int *x, *next;
    cudaMalloc(&x, 256);
    cudaMallocHost(&next, 256);
    memset(next, 0, 256);
    cudaMemcpyToSymbol(table, next, 256);
    cudaDeviceSynchronize();
    look_up<<<1, 32, 0, s>>>(x);
    // The kernel reads the first half.
    cudaMemcpyToSymbolAsync(table, next, 128, right ? 128 : 0, cudaMemcpyHostToDevice, t);
    cudaDeviceSynchronize();
}

// expect freed_before_use: error[use-after-free] | `cudaMalloc` in `freed_before_use` at | reported.cu:80; freed by `cudaFree` in `freed_before_use` at | reported.cu:82
void freed_before_use(bool right) {
    int *x;
    cudaMalloc(&x, 256);
    if (!right)
        cudaFree(x);
    fill<<<1, 64>>>(x);
    cudaDeviceSynchronize();
    if (right)
        cudaFree(x);
}

// expect read_before_copied: error[stream-race] | the host in `read_before_copied` reads | reported.cu:99 | `cudaMallocHost` in `read_before_copied` at | reported.cu:93
void read_before_copied(bool right) {
    int *x, *result;
    cudaMalloc(&x, 256);
    cudaMallocHost(&result, 256);
    cudaStream_t s = stream();
    fill<<<1, 64, 0, s>>>(x);
    cudaMemcpyAsync(result, x, 256, cudaMemcpyDeviceToHost, s);
    if (right)
        cudaStreamSynchronize(s);
    printf("%d\n", result[3]);
    cudaDeviceSynchronize();
}

// expect copied_before_waiting: error[stream-race] | the host in `copied_before_waiting` reads | reported.cu:113
void copied_before_waiting(bool right) {
    int *x, own[64];
    cudaMallocManaged(&x, 256);
    fill<<<1, 64>>>(x);
    // Another buffer may be used meanwhile.
    for (int i = 0; i < 64; i++)
        own[i] = i;
    if (right)
        cudaDeviceSynchronize();
    memcpy(own, x, 256);
    printf("%d\n", own[5]);
    cudaDeviceSynchronize();
}

void CUDART_CB release(void *memory) { cudaFree(memory); }
void CUDART_CB note(void *done) { *(bool *)done = true; }

// expect calls_in_a_host_function: error[failed-call] | cudaFree | a host function that a stream calls must not call CUDA
void calls_in_a_host_function(bool right) {
    cudaStream_t s = stream();
    int *x;
    bool done = false;
    cudaMalloc(&x, 256);
    fill<<<1, 64, 0, s>>>(x);
    if (right)
        cudaLaunchHostFunc(s, note, &done);
    else
        cudaLaunchHostFunc(s, release, x);
    cudaStreamSynchronize(s);
    if (right)
        cudaFree(x);
}

// expect told_too_early: error[race] | error: 1 error in | the write at line 22 of reported.cu and the atomic at line 28
void told_too_early(bool right) {
    int *x, *turn;
    cudaMalloc(&x, 512);
    cudaMalloc(&turn, 4);
    cudaMemset(turn, 0, 4);
    in_turn<<<4, 128>>>(x, turn, right);
    cudaDeviceSynchronize();
}

void CUDART_CB ask(void *status) { *(cudaError_t *)status = cudaStreamSynchronize(0); }
void CUDART_CB ask_later(cudaStream_t, cudaError_t, void *status) { ask(status); }
void CUDART_CB ask_in_thread(void *status) { std::thread(ask, status).detach(); }

// expect calls_in_a_callback: error[failed-call] | cudaStreamSynchronize | 800 | called from `ask | a host function that a stream calls must not call CUDA
void calls_in_a_callback(bool right) {
    cudaStream_t s = stream();
    int *x;
    cudaError_t status = cudaErrorUnknown;
    cudaMalloc(&x, 256);
    fill<<<1, 64, 0, s>>>(x);
    if (right)
        cudaLaunchHostFunc(s, ask_in_thread, &status);
    else
        cudaStreamAddCallback(s, ask_later, &status, 0);
    cudaStreamSynchronize(s);
    if (status != (right ? cudaSuccess : cudaErrorNotPermitted))
        printf("error: status %d\n", status);
}

// expect never_written: error[uninitialized] | nothing has written any of its 256 bytes | `cudaMalloc` in `never_written` at | reported.cu:170
void never_written(bool right) {
    int *x, *y, own[64];
    cudaMalloc(&x, 256);
    cudaMalloc(&y, 256);
    fill<<<1, 64>>>(right ? x : y);
    cudaMemcpy(own, x, 256, cudaMemcpyDeviceToHost);
    printf("%d\n", own[3]);
}

__global__ void count(const int *x, int *found) {
    if (x[threadIdx.x] > 0)
        atomicAdd(found, 1);
}

// An atomic of the device's scope tells the host nothing.
// expect counted_too_early: error[stream-race] | the host in `counted_too_early` reads | and nothing has waited for the kernel
void counted_too_early(bool right) {
    int *x, *found;
    cudaMallocManaged(&x, 256);
    cudaMallocHost(&found, 4);
    for (int i = 0; i < 64; i++)
        x[i] = i - 9;
    *found = 0;
    count<<<1, 64>>>(x, found);
    if (right)
        cudaDeviceSynchronize();
    printf("%d\n", *found);
    cudaDeviceSynchronize();
}

// expect changed_too_early: error[stream-race] | the host in `changed_too_early` writes | and nothing has waited for the kernel
void changed_too_early(bool right) {
    int *x, *found;
    cudaMallocManaged(&x, 256);
    cudaMallocManaged(&found, 4);
    for (int i = 0; i < 64; i++)
        x[i] = i - 9;
    *found = 0;
    count<<<1, 64>>>(x, found);
    if (right)
        cudaDeviceSynchronize();
    x[3] = 5;
    cudaDeviceSynchronize();
}

// Copies with bytes that nothing has written: a buffer that is not full, and rows with their padding.
void partly_written(bool) {
    int *x, own[64];
    cudaMalloc(&x, 256);
    fill<<<1, 16>>>(x);
    cudaMemcpy(own, x, 256, cudaMemcpyDeviceToHost);
    char *rows, *all = (char *)malloc(8192);
    size_t pitch;
    cudaMallocPitch(&rows, &pitch, 100, 8);
    cudaMemset2D(rows, pitch, 1, 100, 8);
    cudaMemcpy(all, rows, 8 * pitch, cudaMemcpyDeviceToHost);
    printf("%d %d\n", own[3], all[pitch]);
}

const Program all[] = {
    {"ignored_query", ignored_query},
    {"ignored_query_of_stream", ignored_query_of_stream},
    {"constants_in_use", constants_in_use},
    {"freed_before_use", freed_before_use},
    {"read_before_copied", read_before_copied},
    {"copied_before_waiting", copied_before_waiting},
    {"calls_in_a_host_function", calls_in_a_host_function},
    {"told_too_early", told_too_early},
    {"calls_in_a_callback", calls_in_a_callback},
    {"never_written", never_written},
    {"counted_too_early", counted_too_early},
    {"changed_too_early", changed_too_early},
    {"partly_written", partly_written},
};

int main(int count, char **arguments) { return run(all, count, arguments); }
