#include <cstdio>
__global__ void k(int *x) { x[threadIdx.x] += 1; }
struct S { int *v; int n; };
// Streams and graphs call this function while `main` or `work` waits.
void host(void *p) { S *s = (S *)p; int big[64]; for (int i = 0; i < 64; i++) big[i] = 7; for (int i = 0; i < s->n; i++) s->v[i] += big[i % 64]; }
int work(cudaStream_t st, int round) {
    int keep[128]; for (int i = 0; i < 128; i++) keep[i] = i + round;
    int v[32]; for (int i = 0; i < 32; i++) v[i] = round;
    S s{v, 32};
    cudaLaunchHostFunc(st, host, &s);
    cudaStreamSynchronize(st);
    int sum = 0; for (int i = 0; i < 128; i++) sum += keep[i] - i - round;
    for (int i = 0; i < 32; i++) sum += v[i] - round - 7;
    return sum;
}
int main() {
    cudaStream_t st; cudaStreamCreate(&st);
    int bad = 0; for (int r = 0; r < 50; r++) bad += work(st, r);
    cudaGraph_t g; cudaGraphExec_t e; int v[32] = {}; S s{v, 32}; int *d; cudaMalloc(&d, 128);
    cudaMemset(d, 0, 128);
    cudaStreamBeginCapture(st, cudaStreamCaptureModeGlobal);
    k<<<1, 32, 0, st>>>(d); cudaLaunchHostFunc(st, host, &s);
    cudaStreamEndCapture(st, &g); cudaGraphInstantiate(&e, g, 0);
    for (int i = 0; i < 3; i++) cudaGraphLaunch(e, st);
    cudaStreamSynchronize(st); int h; cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);
    printf("bad %d v %d d %d\n", bad, v[5], h);
}
