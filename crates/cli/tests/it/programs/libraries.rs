//! `lanework run program.cu` with libraries of the toolkit, which are headers of this command: Thrust, CUB, cuRAND; and the
//! options of a compilation.

use super::both_ways;
use std::process::{Command, Output};

/// Runs a program of several files; the options precede the first file.
fn run(files: &[(&str, &str)], options: &[&str]) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }
    let sources = files.iter().map(|(name, _)| *name).filter(|name| !name.ends_with(".h"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_lanework"));
    command.current_dir(folder.path()).arg("run").args(options).args(sources);
    command.env("LANEWORK_LANG", "en");
    both_ways(command)
}

/// The output of a program that succeeds.
fn output(files: &[(&str, &str)], options: &[&str]) -> String {
    let ended = run(files, options);
    let said = String::from_utf8_lossy(&ended.stdout).into_owned();
    assert!(ended.status.success(), "{said}{}", String::from_utf8_lossy(&ended.stderr));
    said
}

#[test]
fn thrust_computes_on_vectors_and_on_memory_of_the_device() {
    let source = r#"
#include <cstdio>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/sort.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/transform.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/execution_policy.h>
struct Square { __host__ __device__ int operator()(int x) const { return x * x; } };
__global__ void twice(int *x, int n) { int i = threadIdx.x; if (i < n) x[i] *= 2; }
int main() {
    thrust::host_vector<int> h(6);
    for (int i = 0; i < 6; i++) h[i] = (i * 5 + 2) % 6;
    thrust::device_vector<int> d = h, e(6), keys(d);
    thrust::sequence(e.begin(), e.end());
    thrust::sort_by_key(d.begin(), d.end(), e.begin());
    twice<<<1, 32>>>(thrust::raw_pointer_cast(d.data()), 6);
    for (int i = 0; i < 6; i++) printf("%d:%d ", (int)d[i], (int)e[i]);
    thrust::transform(thrust::device, d.begin(), d.end(), d.begin(), Square());
    printf("\nsum %d, largest %d\n", thrust::reduce(d.begin(), d.end()), thrust::reduce(d.begin(), d.end(), 0, thrust::maximum<int>()));
    thrust::exclusive_scan(d.begin(), d.end(), e.begin());
    thrust::copy(e.begin(), e.end(), h.begin());
    for (int x : h) printf("%d ", x);
    int *raw;
    cudaMalloc(&raw, 4 * sizeof(int));
    int start[4] = {7, -3, 9, 1};
    cudaMemcpy(raw, start, sizeof(start), cudaMemcpyHostToDevice);
    thrust::device_ptr<int> p(raw);
    thrust::sort(p, p + 4, thrust::greater<int>());
    auto pair = thrust::make_zip_iterator(thrust::make_tuple(p, thrust::make_counting_iterator(10)));
    int mixed = thrust::transform_reduce(pair, pair + 4, [] __host__ __device__ (thrust::tuple<int, int> t) { return thrust::get<0>(t) * thrust::get<1>(t); }, 0, thrust::plus<int>());
    cudaMemcpy(start, raw, sizeof(start), cudaMemcpyDeviceToHost);
    printf("\n%d %d %d %d, %d\n", start[0], start[1], start[2], start[3], mixed);
    printf("%d\n", (int)(thrust::unique(d.begin(), d.end()) - d.begin()));
}
"#;
    let wanted =
        "0:2 2:1 4:0 6:5 8:4 10:3 \nsum 220, largest 100\n0 0 4 20 56 120 \n9 7 1 -3, 140\n6\n";
    assert_eq!(output(&[("program.cu", source)], &[]), wanted);
}

#[test]
fn device_memory_is_closed_to_the_host_outside_of_a_library() {
    let source = r#"
#include <thrust/sort.h>
int main() {
    int *raw;
    cudaMalloc(&raw, 16);
    thrust::fill(thrust::device, raw, raw + 4, 1);
    return raw[0];
}
"#;
    let ended = run(&[("program.cu", source)], &[]);
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(134), "{said}");
    assert!(said.contains("invalid read") && said.contains("program.cu:7"), "{said}");
}

#[test]
fn cub_computes_on_device_memory() {
    let source = r#"
#include <cstdio>
#include <cub/cub.cuh>
int main() {
    int start[8] = {3, 1, 4, 1, 5, 9, 2, 6}, *x, *y, *count;
    cudaMalloc(&x, 32); cudaMalloc(&y, 32); cudaMalloc(&count, 4);
    cudaMemcpy(x, start, 32, cudaMemcpyHostToDevice);
    void *storage = nullptr;
    size_t bytes = 0;
    cub::DeviceReduce::Sum(storage, bytes, x, count, 8);
    cudaMalloc(&storage, bytes);
    cub::DeviceReduce::Sum(storage, bytes, x, count, 8);
    int sum, list[8];
    cudaMemcpy(&sum, count, 4, cudaMemcpyDeviceToHost);
    cub::DeviceScan::ExclusiveSum(storage, bytes, x, y, 8);
    cudaMemcpy(list, y, 32, cudaMemcpyDeviceToHost);
    printf("%d, %d %d\n", sum, list[1], list[7]);
    cub::DeviceRadixSort::SortKeysDescending(storage, bytes, x, y, 8);
    cudaMemcpy(list, y, 32, cudaMemcpyDeviceToHost);
    for (int value : list) printf("%d ", value);
    struct Odd { __device__ bool operator()(int x) const { return x & 1; } };
    cub::DeviceSelect::If(storage, bytes, x, y, count, 8, Odd());
    cudaMemcpy(&sum, count, 4, cudaMemcpyDeviceToHost);
    printf("\n%d odd\n", sum);
}
"#;
    assert_eq!(output(&[("program.cu", source)], &[]), "31, 3 25\n9 6 5 4 3 2 1 1 \n5 odd\n");
}

#[test]
fn random_generators_skip_ahead_and_philox_gives_its_known_answers() {
    let source = r#"
#include <cstdio>
#include <curand_kernel.h>
#include <curand.h>
__global__ void make(unsigned *x, float *y) {
    curandState a, b;
    curand_init(1234, 0, 0, &a);
    curand_init(1234, 0, 5, &b);
    for (int i = 0; i < 5; i++) curand(&a);
    x[0] = curand(&a) == curand(&b);
    curand_init(1234, 3, 0, &a);
    curand_init(1234, 1, 0, &b);
    skipahead_sequence(2ull, &b);
    x[1] = curand(&a) == curand(&b);
    curandStatePhilox4_32_10_t c;
    curand_init(0, 0, 0, &c);
    x[2] = curand(&c);
    x[3] = curand(&c);
    y[0] = curand_uniform(&a);
    y[1] = curand_normal(&b);
}
int main() {
    unsigned *x, list[4];
    float *y, real[2], uniform[5000];
    cudaMalloc(&x, 16); cudaMalloc(&y, 20000);
    make<<<1, 1>>>(x, y);
    cudaMemcpy(list, x, 16, cudaMemcpyDeviceToHost);
    cudaMemcpy(real, y, 8, cudaMemcpyDeviceToHost);
    printf("%u %u %08x %08x %d\n", list[0], list[1], list[2], list[3], real[0] > 0 && real[0] <= 1 && real[1] > -6 && real[1] < 6);
    curandGenerator_t g;
    curandCreateGenerator(&g, CURAND_RNG_PSEUDO_DEFAULT);
    curandSetPseudoRandomGeneratorSeed(g, 42);
    curandGenerateUniform(g, y, 5000);
    cudaMemcpy(uniform, y, 20000, cudaMemcpyDeviceToHost);
    double mean = 0;
    for (float u : uniform) mean += u / 5000;
    printf("%d\n", mean > 0.48 && mean < 0.52);
}
"#;
    // The known answers of Random123 (Salmon et al. 2011) for a key and a counter of zeros.
    assert_eq!(output(&[("program.cu", source)], &[]), "1 1 6627e8d5 e169c58d 1\n1\n");
}

#[test]
fn options_name_folders_macros_and_the_compiler() {
    let source = "#include <cstdio>\n#include \"own.h\"\nint main() { printf(\"%d %s\\n\", N + more, TEXT); }\n";
    let files = [("program.cu", source), ("folder/own.h", "const int more = 30;\n")];
    let options = ["-Ifolder", "-D", "N=12", "-DTEXT=\"a\"", "--compiler", "own"];
    assert_eq!(output(&files, &options), "42 a\n");
    let refused = run(&files, &["--compiler", "nvrtc", "-Ifolder"]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("NVRTC compiles device code only"), "{said}");
}

#[test]
fn each_file_of_a_program_has_its_own_static_names_and_macros() {
    let first = r#"
#include <cstdio>
#define WIDTH 3
static int helper(int x) { return x + WIDTH; }
struct Local { int x; };
int other(int x);
int main() { Local l{helper(1)}; printf("%d %d\n", l.x, other(1)); }
"#;
    let second = r#"
#ifndef WIDTH
#define WIDTH 10
#endif
static int helper(int x) { return x * WIDTH; }
struct Local { float y, z; };
int other(int x) { Local l{1, (float)helper(x)}; return (int)l.z; }
"#;
    assert_eq!(output(&[("a.cu", first), ("b.cu", second)], &[]), "4 10\n");
}

#[test]
fn files_of_a_program_exchange_objects_of_classes_that_each_defines() {
    let first = r#"
#include <cstdio>
#include "own.h"
typedef struct { int n; float *x; } Problem;
struct Total { float sum; };
void solve(const Problem &problem, Total *result);
__global__ void fill(Problem problem) { problem.x[threadIdx.x] = squared(threadIdx.x); }
int main() {
    Problem p{4, nullptr};
    Total r;
    cudaMallocManaged(&p.x, 16);
    fill<<<1, 4>>>(p);
    cudaDeviceSynchronize();
    solve(p, &r);
    printf("%g\n", r.sum);
}
"#;
    let second = r#"
typedef struct { int n; float *x; } Problem;
struct Total { float sum; };
typedef struct { float x, y, z, w; } float4;
inline float4 operator*(float4 a, float b) { return {a.x * b, a.y * b, a.z * b, a.w * b}; }
float squared(float x) { return x / 10; }
void solve(const Problem &problem, Total *result) {
    float4 all = {problem.x[0], problem.x[1], problem.x[2], problem.x[3]};
    all = all * 2;
    result->sum = squared(all.x + all.y + all.z + all.w);
}
"#;
    let header = "inline __device__ float squared(float x) { return x * x; }";
    let files = [("a.cu", first), ("b.cpp", second), ("own.h", header)];
    assert_eq!(output(&files, &[]), "2.8\n");
}

/// The expected numbers are those of NVIDIA's header, compiled by nvcc 13.5 (2026-11-30).
#[test]
fn random_numbers_are_those_of_nvidia_s_header() {
    let source = r#"
#include <cstdio>
#include <curand_kernel.h>
__global__ void numbers(unsigned *words, double *reals) {
    curandStateXORWOW_t x;
    curandStatePhilox4_32_10_t p;
    curand_init(1234, 77, 1000, &x);
    curand_init(1234, 77, 1000, &p);
    for (int i = 0; i < 3; i++) { words[i] = curand(&x); words[3 + i] = curand(&p); }
    int n = 0;
    reals[n++] = curand_uniform(&x); reals[n++] = curand_uniform(&p);
    reals[n++] = curand_uniform_double(&x); reals[n++] = curand_uniform_double(&p);
    reals[n++] = curand_normal(&x); reals[n++] = curand_log_normal(&x, 1, 0.5f); reals[n++] = curand_normal(&x);
    reals[n++] = curand_normal(&x); reals[n++] = curand_log_normal(&x, 1, 0.5f); reals[n++] = curand_normal(&p);
    reals[n++] = curand_normal_double(&x); reals[n++] = curand_log_normal_double(&x, 1, 0.5);
    reals[n++] = curand_normal_double(&p); reals[n++] = curand_normal_double(&p); reals[n++] = curand_uniform_double(&p);
    float4 u = curand_uniform4(&p); reals[n++] = u.z; reals[n++] = curand_normal2(&p).y; reals[n++] = curand_uniform2_double(&p).y;
}
int main() {
    unsigned *words; double *reals;
    cudaMallocManaged(&words, 64); cudaMallocManaged(&reals, 256);
    numbers<<<1, 1>>>(words, reals);
    cudaDeviceSynchronize();
    for (int i = 0; i < 6; i++) printf("%u ", words[i]);
    for (int i = 0; i < 18; i++) printf("%.6f ", reals[i]);
    printf("\n");
}"#;
    let expected = "77765795 2007910389 1498978577 1372889015 189164107 180448604 0.549205 0.164392 \
        0.394549 0.918822 -0.648479 4.992002 0.504844 -0.566705 2.819304 -1.431771 \
        -1.809860 1.923279 -0.341214 0.381866 0.023135 0.181200 0.068157 0.882969 \n";
    assert_eq!(output(&[("program.cu", source)], &[]), expected);
}
