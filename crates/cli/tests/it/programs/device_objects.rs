//! Programs whose device code launches kernels, and creates and destroys objects.

use super::both_ways;
use std::process::Command;

/// The output of a program.
fn output(source: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("program.cu");
    std::fs::write(&file, source).expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_lanework"));
    command.arg("run").arg(&file).env("LANEWORK_LANG", "en");
    let ended = both_ways(command);
    let said = String::from_utf8_lossy(&ended.stdout).into_owned();
    assert!(ended.status.success(), "{said}{}", String::from_utf8_lossy(&ended.stderr));
    said
}

#[test]
fn kernels_launch_kernels() {
    let source = r#"
#include <cstdio>
struct Range { char tag; double scale; int from, to; };
template <class T> __global__ void fill(T *x, Range r, short add, const T *y) {
    int i = r.from + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < r.to) x[i] = (T)(i * r.scale) + add + (y ? y[i] : 0) + (r.tag == 'r');
}
extern __shared__ int shared[];
__global__ void sum(const int *x, int n, int *total) {
    shared[threadIdx.x] = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) shared[threadIdx.x] += x[i];
    __syncthreads();
    if (threadIdx.x == 0) for (unsigned i = 0; i < blockDim.x; i++) *total += shared[i];
}
__global__ void divide(int *x, int from, int to) {
    if (to - from <= 8) {
        for (int i = from; i < to; i++) x[i] += 1;
        return;
    }
    int middle = (from + to) / 2;
    cudaStream_t a, b;
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    divide<<<1, 1, 0, a>>>(x, from, middle);
    divide<<<1, 1, 0, b>>>(x, middle, to);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
}
__global__ void start(int *x, int n, int *total) {
    if (threadIdx.x) return;
    sum<<<1, 32, 32 * sizeof(int), cudaStreamTailLaunch>>>(x, n, total);
    dim3 blocks((n + 31) / 32, 1), threads(32);
    fill<<<blocks, threads>>>(x, Range{'r', 2.0, 0, n}, (short)-1, (const int *)nullptr);
    divide<<<1, 1>>>(x, 0, n);
}
int main() {
    int *x, n = 100;
    cudaMallocManaged(&x, (n + 1) * sizeof(int));
    x[n] = 0;
    start<<<1, 64>>>(x, n, x + n);
    printf("%s ", cudaGetErrorString(cudaDeviceSynchronize()));
    printf("%d %d %d\n", x[0], x[99], x[n]);
}
"#;
    assert_eq!(output(source), "no error 1 199 10000\n");
}

#[test]
fn device_code_destroys_what_it_created() {
    let source = r#"
#include <cstdio>
#include <new>
struct A { int v; __device__ A(int v = 6) : v(v) {} __device__ ~A() { printf("~%d ", v); } };
struct V { int n; __device__ V() : n(1) {} __device__ virtual ~V() { printf("~V "); } __device__ virtual int f() { return n; } };
struct First { int pad; };
struct W : First, V { A a; __device__ W(int x) : a(x) {} __device__ ~W() { printf("~W "); } __device__ int f() override { return a.v; } };
struct Made { int v; __device__ Made() : v(8) {} };
struct Arena { char *at; };
struct InArena { int v; __device__ void *operator new(size_t n, Arena &a) { char *p = a.at; a.at += n; return p; } };
__global__ void k() {
    A *a = new A(5); delete a;
    A *list = new A[2]; list[1].v = 7; delete[] list;
    V *v = new W(9); printf("%d ", v->f()); delete v;
    Made *made = new Made[3]; printf("%d ", made[2].v); delete[] made;
    char memory[16]; Arena arena{memory}; InArena *x = new (arena) InArena{1}, *y = new (arena) InArena{2};
    printf("%d %d ", (int)((char *)y - (char *)x), x->v + y->v);
    int *n = new (std::nothrow) int[4]; printf("%d\n", n != nullptr); delete[] n;
}
template <class T> __device__ T pack(float2 a) { return a; }
template <> __device__ int pack(float2 a) { return (int)(a.x * 10 + a.y); }
template <class T> __global__ void packed(T *out) { *out = pack<T>(make_float2(4, 2)); }
int main() {
    k<<<1, 1>>>();
    int *out;
    cudaMallocManaged(&out, 4);
    packed<<<1, 1>>>(out);
    cudaDeviceSynchronize();
    printf("%d\n", *out);
}
"#;
    assert_eq!(output(source), "~5 ~7 ~6 9 ~W ~9 ~V 8 4 3 1\n42\n");
}

#[test]
fn every_instance_that_a_program_launches_is_compiled() {
    let source = r#"
#include <cstdio>
typedef float (*Change)(float);
__device__ float twice(float x) { return 2 * x; }
__device__ float halved(float x) { return x / 2; }
template <Change F> __device__ float changed(float x) { return F(x) + 1; }
template <float (*F)(float), int N> __global__ void change(float *o) { o[N] = changed<F>(3); }
template <class T, int N> __global__ void fill(T *o, int n) { if (threadIdx.x < n) o[threadIdx.x] = N; }
template <class T> __constant__ T mask[4];
template <class T> __global__ void masked(T *o) { o[0] = mask<T>[1]; }
template <class T> double constant(T second) {
    T m[4] = {1, second, 3, 4}, *o;
    cudaMemcpyToSymbol(mask<T>, m, sizeof m);
    cudaMallocManaged(&o, sizeof(T));
    masked<<<1, 1>>>(o);
    cudaDeviceSynchronize();
    return (double)*o;
}
template <class T> void in_loop(T *o, int n, int size) {
    constexpr int count = sizeof(uint4) / sizeof(T);
    fill<T, count><<<1, size>>>(o, n);
}
template <int A, class T> void passed(T *o, int n) { fill<T, 7 + A><<<1, n>>>(o, n); }
void call(void (*f)(float *, int), float *o) { f(o, 4); }
template <class T> struct Engine { void run(T *o); };
template <class T> void Engine<T>::run(T *o) { fill<T, 99><<<1, 1>>>(o, 1); }
struct Fives { template <class T> __device__ T next() { return (T)5; } };
template <class T, class R> __global__ void drawn(T *o) { R r; *o = r.template next<T>(); }
int main() {
    float *o;
    cudaMallocManaged(&o, 64);
    change<twice, 0><<<1, 1>>>(o);
    change<halved, 1><<<1, 1>>>(o);
    cudaDeviceSynchronize();
    printf("%g %g ", o[0], o[1]);
    printf("%g ", constant<float>(2.5f));
    printf("%g\n", constant<double>(7));
    int sizes[] = {4, 8};
    for (int size : sizes) in_loop(o, 4, size);
    cudaDeviceSynchronize();
    printf("%g ", o[3]);
    call(passed<1, float>, o);
    cudaDeviceSynchronize();
    printf("%g ", o[2]);
    Engine<float> engine;
    engine.run(o);
    cudaDeviceSynchronize();
    printf("%g ", o[0]);
    drawn<float, Fives><<<1, 1>>>(o);
    cudaDeviceSynchronize();
    printf("%g\n", o[0]);
}
"#;
    assert_eq!(output(source), "7 2.5 2.5 7\n4 8 99 5\n");
}

#[test]
fn generic_lambdas_launch_the_instances_that_their_arguments_choose() {
    let source = r#"
#include <cstdio>
#include <type_traits>
template <class T> __global__ void put(T *x, T value) { *x = value; }
template <int N> __global__ void put_number(int *x) { *x = N; }
template <class F> void choose(bool flag, F f) {
    if (flag) f(std::true_type()); else f(std::false_type());
}
template <class Kernel, class... List> void call(Kernel kernel, List... list) { kernel(list...); }
int main() {
    int *i; float *f;
    cudaMallocManaged(&i, 4); cudaMallocManaged(&f, 4);
    auto run = [&](auto *x, auto value) { put<<<1, 1>>>(x, value); cudaDeviceSynchronize(); };
    run(i, 7); run(f, 2.5f);
    printf("%d %g\n", *i, *f);
    auto number = [&]<int N>() { put_number<N><<<1, 1>>>(i); cudaDeviceSynchronize(); };
    number.operator()<3>();
    printf("%d\n", *i);
    choose(true, [&](auto flag) {
        cudaFuncAttributes attributes;
        printf("%d ", (int)cudaFuncGetAttributes(&attributes, put_number<decltype(flag)::value ? 11 : 12>));
        put_number<decltype(flag)::value ? 11 : 12><<<1, 1>>>(i);
    });
    printf("%d %d\n", (int)cudaDeviceSynchronize(), *i);
    // Without <<<>>>, the call through a pointer launches nothing.
    call(put<int>, i, 5);
    printf("%d %d\n", (int)cudaDeviceSynchronize(), *i);
}
"#;
    assert_eq!(output(source), "7 2.5\n3\n0 0 11\n0 11\n");
}

#[test]
fn copies_to_and_from_symbols_follow_a_stream() {
    let source = r#"
#include <cstdio>
struct S { static __device__ int id() { return 3; } enum { K = 2 }; int v; };
__constant__ float factors[4];
__device__ int count;
__global__ void k(float *out) {
    S list[4] = {}; int i = 0;
    count += list[i++].id() + list[i++].K;
    *out = factors[1] * i;
}
int main() {
    float host[4] = {1, 2, 3, 4}, *device, result;
    int counted;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMemcpyToSymbolAsync(factors, host, sizeof host, 0, cudaMemcpyHostToDevice, stream);
    cudaMalloc(&device, sizeof(float));
    k<<<1, 1, 0, stream>>>(device);
    cudaMemcpyAsync(&result, device, sizeof(float), cudaMemcpyDeviceToHost, stream);
    cudaMemcpyFromSymbolAsync(&counted, count, sizeof counted, 0, cudaMemcpyDeviceToHost, stream);
    printf("%s ", cudaGetErrorString(cudaStreamSynchronize(stream)));
    printf("%g %d\n", result, counted);
}
"#;
    assert_eq!(output(source), "no error 4 5\n");
}
