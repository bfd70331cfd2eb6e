// Programs with one bug each in the use of streams, graphs and memory, and their repaired versions. The first argument
// names the program, the second one is `right` for the repaired version. `// expect NAME: TEXT | TEXT` lists parts of the
// output for the bug; every repaired version has nothing to report.

#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

__global__ void fill(int *x) { x[threadIdx.x] = threadIdx.x; }
__global__ void add(const int *x, int *y) { y[threadIdx.x] += x[threadIdx.x]; }

int *device(int count) {
    int *x;
    cudaMalloc(&x, count * sizeof(int));
    cudaMemset(x, 0, count * sizeof(int));
    cudaDeviceSynchronize();
    return x;
}

cudaStream_t stream() {
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    return s;
}

// `second` waits for the work of `first`.
void after(cudaStream_t second, cudaStream_t first) {
    cudaEvent_t e;
    cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    cudaEventRecord(e, first);
    cudaStreamWaitEvent(second, e, 0);
}

// expect freed_in_another: error[stream-race] | cudaFreeAsync
void freed_in_another(bool right) {
    cudaStream_t s = stream(), t = stream();
    int *x;
    cudaMallocAsync(&x, 128, s);
    fill<<<1, 32, 0, s>>>(x);
    if (right)
        after(t, s);
    cudaFreeAsync(x, t);
    cudaDeviceSynchronize();
}

// expect used_before_allocated: error[stream-race]
void used_before_allocated(bool right) {
    cudaStream_t s = stream(), t = stream();
    int *x;
    cudaMallocAsync(&x, 128, s);
    if (right)
        after(t, s);
    fill<<<1, 32, 0, t>>>(x);
    cudaDeviceSynchronize();
    cudaFreeAsync(x, s);
    cudaDeviceSynchronize();
}

// expect freed_while_used: error[stream-race]
void freed_while_used(bool right) {
    cudaStream_t s = stream();
    int *x;
    cudaMallocAsync(&x, 128, s);
    fill<<<1, 32, 0, s>>>(x);
    if (right)
        cudaStreamSynchronize(s);
    cudaFree(x);
}

// expect recorded_too_early: error[stream-race]
void recorded_too_early(bool right) {
    cudaStream_t s = stream(), t = stream();
    int *x = device(32), *y = device(32);
    cudaEvent_t e;
    cudaEventCreate(&e);
    if (!right)
        cudaEventRecord(e, s);
    fill<<<1, 32, 0, s>>>(x);
    if (right)
        cudaEventRecord(e, s);
    cudaStreamWaitEvent(t, e, 0);
    add<<<1, 32, 0, t>>>(x, y);
    cudaDeviceSynchronize();
}

// expect waited_before_record: error[stream-race]
void waited_before_record(bool right) {
    cudaStream_t s = stream(), t = stream();
    int *x = device(32), *y = device(32);
    cudaEvent_t e;
    cudaEventCreate(&e);
    if (!right)
        cudaStreamWaitEvent(t, e, 0);
    fill<<<1, 32, 0, s>>>(x);
    cudaEventRecord(e, s);
    if (right)
        cudaStreamWaitEvent(t, e, 0);
    add<<<1, 32, 0, t>>>(x, y);
    cudaDeviceSynchronize();
}

// expect managed_without_wait: error[stream-race] | the host
void managed_without_wait(bool right) {
    int *x;
    cudaMallocManaged(&x, 4096);
    fill<<<1, 32>>>(x);
    if (right)
        cudaDeviceSynchronize();
    printf("%d\n", x[7]);
    cudaDeviceSynchronize();
}

// expect cleared_in_another: error[stream-race]
void cleared_in_another(bool right) {
    cudaStream_t s = stream(), t = stream();
    int *x = device(32), *y = device(32);
    cudaMemsetAsync(x, 1, 128, s);
    add<<<1, 32, 0, right ? s : t>>>(x, y);
    cudaDeviceSynchronize();
}

// expect beside_the_default_stream: error[stream-race]
void beside_the_default_stream(bool right) {
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, right ? cudaStreamDefault : cudaStreamNonBlocking);
    int *x = device(32), *y = device(32);
    fill<<<1, 32>>>(x);
    add<<<1, 32, 0, s>>>(x, y);
    cudaDeviceSynchronize();
}

// expect freed_before_replay: error
void freed_before_replay(bool right) {
    cudaStream_t s = stream();
    int *x = device(32);
    cudaGraph_t graph;
    cudaGraphExec_t run;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    fill<<<1, 32, 0, s>>>(x);
    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&run, graph, 0);
    if (!right)
        cudaFree(x);
    cudaGraphLaunch(run, s);
    cudaStreamSynchronize(s);
    if (right)
        cudaFree(x);
}

// expect fork_without_join: error[failed-call] | 904
void fork_without_join(bool right) {
    cudaStream_t s = stream(), t = stream();
    int *x = device(32), *y = device(32);
    cudaGraph_t graph;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    fill<<<1, 32, 0, s>>>(x);
    after(t, s);
    add<<<1, 32, 0, t>>>(x, y);
    if (right)
        after(s, t);
    cudaStreamEndCapture(s, &graph);
    fill<<<1, 32>>>(x);
    cudaDeviceSynchronize();
}

// expect waited_in_a_capture: error[failed-call] | 900
void waited_in_a_capture(bool right) {
    cudaStream_t s = stream();
    int *x = device(32);
    cudaGraph_t graph;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    fill<<<1, 32, 0, s>>>(x);
    if (!right)
        cudaStreamSynchronize(s);
    cudaStreamEndCapture(s, &graph);
    fill<<<1, 32>>>(x);
    cudaDeviceSynchronize();
}

// expect branches_of_a_graph: error[stream-race]
void branches_of_a_graph(bool right) {
    cudaStream_t s = stream(), t = stream();
    int *x = device(32), *y = device(32);
    cudaGraph_t graph;
    cudaGraphExec_t run;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    if (right)
        fill<<<1, 32, 0, s>>>(x);
    after(t, s);
    if (!right)
        fill<<<1, 32, 0, s>>>(x);
    add<<<1, 32, 0, t>>>(x, y);
    after(s, t);
    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&run, graph, 0);
    cudaGraphLaunch(run, s);
    cudaDeviceSynchronize();
}

// expect wrong_direction: error[failed-call]
void wrong_direction(bool right) {
    int *x = device(32), h[32];
    fill<<<1, 32>>>(x);
    cudaMemcpy(h, x, 128, right ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice);
}

int main(int count, char **arguments) {
    struct {
        const char *name;
        void (*run)(bool);
    } all[] = {
        {"freed_in_another", freed_in_another}, {"used_before_allocated", used_before_allocated},
        {"freed_while_used", freed_while_used}, {"recorded_too_early", recorded_too_early},
        {"waited_before_record", waited_before_record}, {"managed_without_wait", managed_without_wait},
        {"cleared_in_another", cleared_in_another}, {"beside_the_default_stream", beside_the_default_stream},
        {"freed_before_replay", freed_before_replay}, {"fork_without_join", fork_without_join},
        {"waited_in_a_capture", waited_in_a_capture}, {"branches_of_a_graph", branches_of_a_graph},
        {"wrong_direction", wrong_direction},
    };
    bool right = count > 2 && !strcmp(arguments[2], "right");
    for (auto &one : all)
        if (count > 1 && !strcmp(arguments[1], one.name)) {
            one.run(right);
            return 0;
        }
    return 99;
}
