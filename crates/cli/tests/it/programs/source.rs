//! `lanework run program.cu`: whole programs from source, without a compiler of NVIDIA's.

use super::both_ways;
use std::process::{Command, Output};

/// Runs a program's source with arguments.
fn run(source: &str, arguments: &[&str]) -> Output {
    run_by("run", source, arguments)
}

/// Runs a program's source by a command.
fn run_by(by: &str, source: &str, arguments: &[&str]) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("program.cu");
    std::fs::write(&file, source).expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_lanework"));
    command.arg(by).arg(&file).arg("--").args(arguments).env("LANEWORK_LANG", "en");
    both_ways(command)
}

const ADD: &str = r#"
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void add(const float *x, const float *y, float *z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 10;
    std::vector<float> x(n), y(n), z(n);
    for (int i = 0; i < n; i++) { x[i] = i; y[i] = 2 * i; }
    float *a, *b, *c;
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, n * sizeof(float));
    cudaMalloc(&c, n * sizeof(float));
    cudaMemcpy(a, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(b, y.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    add<<<(n + 255) / 256, 256>>>(a, b, c, n);
    cudaError_t failed = cudaDeviceSynchronize();
    if (failed != cudaSuccess) { printf("%s\n", cudaGetErrorString(failed)); return 3; }
    cudaMemcpy(z.data(), c, n * sizeof(float), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < n; i++) wrong += z[i] != 3 * i;
    printf("%d of %d wrong\n", wrong, n);
    cudaFree(a); cudaFree(b); cudaFree(c);
    return wrong ? 1 : 0;
}
"#;

#[test]
fn a_program_computes_on_the_emulator_and_prints() {
    let ended = run(ADD, &["1000"]);
    let said = String::from_utf8_lossy(&ended.stdout).into_owned();
    assert!(ended.status.success(), "{said}{}", String::from_utf8_lossy(&ended.stderr));
    assert_eq!(said, "0 of 1000 wrong\n");
}

#[test]
fn tools_take_the_source_of_a_program() {
    for (by, expected) in [
        ("check", "add: nothing to report"),
        ("profile", "add: 4 blocks of 256 threads"),
        ("look", "add, block 0, warp 0"),
        ("predict", "add: predicted "),
    ] {
        let ended = run_by(by, ADD, &["1000"]);
        let said = String::from_utf8_lossy(&ended.stdout).into_owned();
        assert!(said.contains("0 of 1000 wrong\n") && said.contains(expected), "{by}: {said}");
    }
    let beyond = ADD.replace("if (i < n) ", "");
    let ended = run_by("check", &beyond, &["1000"]);
    assert_eq!(ended.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&ended.stdout).contains("program.cu:8"));
}

#[test]
fn a_finding_names_the_variable_the_element_and_each_access() {
    let beyond = ADD.replace("if (i < n) ", "");
    let ended = run_by("check", &beyond, &["1000"]);
    let said = String::from_utf8_lossy(&ended.stdout).into_owned();
    for part in [
        "4 bytes at a+4000, `a` is 4000 bytes\n",
        "parameter 1 (`float const*`), element 1000 (0 to 999 exist): allocation 1: 4000 bytes of device memory; `cudaMalloc` in `main` at ",
        "= 72 times in all: 24 reads of a, 24 reads of b, 24 writes of c\n",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn a_failed_launch_names_the_call_and_the_size_that_it_asked_for() {
    let fill = "__global__ void fill(float *x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1; }";
    for (call, host) in [
        ("cudaMalloc", "fill<<<800, 256>>>(d);"),
        ("cudaMallocManaged", "cudaMallocManaged(&d, n * sizeof(float)); fill<<<800, 256>>>(d);"),
    ] {
        let ended = run(&program(fill, host), &[]);
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        let asked = format!("`{call}` was asked for 4000 bytes, and the GPU maps 4096");
        assert!(said.contains(&asked) && !said.contains("cuMem"), "{call}: {said}");
    }
}

#[test]
fn a_fault_stays_the_error_of_later_calls() {
    let source = "#include <cstdio>\n__device__ int total;\n__global__ void fail(int *x) { x[1 << 20] = 1; }\n__global__ void other(int *x) { x[0] = total; }\n\
        int main() {\n  int *d, h = 0;\n  cudaMalloc(&d, 4);\n  fail<<<1, 1>>>(d);\n  cudaDeviceSynchronize();\n  other<<<1, 1>>>(d);\n  \
        printf(\"%s %s\\n\", cudaGetErrorName(cudaGetLastError()), cudaGetErrorName(cudaMemcpyToSymbol(total, &h, 4)));\n}\n";
    let ended = run(source, &[]);
    let said = String::from_utf8_lossy(&ended.stdout).into_owned();
    assert_eq!(said, "cudaErrorIllegalAddress cudaErrorIllegalAddress\n");
}

#[test]
fn a_launch_that_is_too_large_is_explained_once() {
    let add = "__global__ void add(float *x) { x[threadIdx.x] += 1; }";
    let ended = run_by("check", &program(add, "add<<<1, dim3(64, 64)>>>(d);"), &[]);
    let [out, said] =
        [&ended.stdout, &ended.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
    assert!(out.contains("the GPU allows at most 1024"), "{out}");
    assert!(
        out.contains("use a smaller block and more blocks") && !out.contains("launch_bounds"),
        "{out}"
    );
    assert!(!said.contains("no kernel ran"), "{said}");
}

/// A program with a kernel, and host code between allocation and synchronization.
fn program(kernel: &str, host: &str) -> String {
    format!(
        "#include <cuda_runtime.h>\n{kernel}\nint main() {{\n    const int n = 1000;\n    float h[n] = {{}}, *d, *e;\n    \
         cudaMalloc(&d, n * sizeof(float));\n    cudaMalloc(&e, n * sizeof(float));\n    cudaMemset(d, 0, n * sizeof(float));\n    \
         cudaMemset(e, 0, n * sizeof(float));\n    {host}\n    cudaDeviceSynchronize();\n}}\n"
    )
}

#[test]
fn the_advice_names_the_mistake_of_a_beginner() {
    let scale = "__global__ void scale(const float *x, float *y, int n) {\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) y[i] = 2 * x[i];\n}";
    let table = "__constant__ float table[1000];\n__global__ void get(float *y) { y[threadIdx.x] = table[threadIdx.x]; }";
    let no_block = "__global__ void add(float *x) {\n    int i = threadIdx.x;\n    x[i] += 1;\n}";
    let tile = "__global__ void shift(float *x) {\n    __shared__ float s[64];\n    s[threadIdx.x] = 1;\n    x[threadIdx.x] = 2;\n}";
    for (kernel, host, parts) in [
        (
            scale,
            "cudaMemcpy(h, d, n * sizeof(float), cudaMemcpyHostToDevice);",
            &[
                "the direction is `cudaMemcpyHostToDevice`, but the source",
                "pass `cudaMemcpyDeviceToHost`",
            ][..],
        ),
        (
            table,
            "cudaMemcpy(table, h, n * sizeof(float), cudaMemcpyHostToDevice); get<<<1, 32>>>(d);",
            &[
                "the target is a variable of the device",
                "cudaMemcpyToSymbol(variable, source, bytes)",
            ],
        ),
        (
            no_block,
            "add<<<4, 256>>>(d);",
            &["help: each block accesses the same elements", "atomicAdd"],
        ),
        (tile, "shift<<<1, 128>>>(d);", &["declare `s` with at least 512 bytes"]),
        // The nearest allocation is that of another parameter.
        (
            scale,
            "float *p = new float[n]; scale<<<4, 256>>>(p, e, n);",
            &[
                "parameter 1 (`float const*`): ",
                "is memory of the host",
                "allocate it (`cudaMalloc`)",
            ],
        ),
        (
            scale,
            "float *p; cudaMalloc(&p, n); scale<<<4, 256>>>(d, p, n);",
            &["4 bytes at p+1000, `p` is 1000 bytes", "allocate 1000 * sizeof(float) bytes"],
        ),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("program.cu");
        std::fs::write(&file, program(kernel, host)).expect("a file");
        let mut command = Command::new(env!("CARGO_BIN_EXE_lanework"));
        command.arg("check").arg(&file).env("LANEWORK_LANG", "en");
        // One run: the distance of an address of the host from memory of the device differs from run to run.
        let ended = command.output().expect("it starts");
        let said = String::from_utf8_lossy(&ended.stdout).into_owned();
        let errors = String::from_utf8_lossy(&ended.stderr).into_owned();
        for part in parts {
            assert!(said.contains(part), "{part}: {said}{errors}");
        }
    }
}

#[test]
fn a_failed_launch_that_nobody_checks_is_mentioned_at_the_end() {
    let wide = ADD.replace("<<<(n + 255) / 256, 256>>>", "<<<1, n>>>");
    let failed = "note: a launch of `add` failed (cudaErrorInvalidValue), and the program did not ask for the error";
    for (source, threads, told) in [
        (wide.clone(), "2000", true),
        (wide.clone(), "100", false),
        (wide.replace("cudaDeviceSynchronize()", "cudaGetLastError()"), "2000", false),
    ] {
        let ended = run(&source, &[threads]);
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert_eq!(said.contains(failed), told, "{threads}: {said}");
    }
}

#[test]
fn an_argument_without_dashes_gets_the_command_line_of_the_program() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("add.cu"), ADD).expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_lanework"));
    command.args(["run", "add.cu", "1000"]).env("LANEWORK_LANG", "en").current_dir(&folder);
    let ended = command.output().expect("it starts");
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(2), "{said}");
    assert!(
        said.contains("help: lanework run add.cu -- 1000 (runs `main`), or for the kernel"),
        "{said}"
    );
}

#[test]
fn a_predicted_program_has_counts_of_launches_and_a_total() {
    let often = ADD.replace(
        "    add<<<(n + 255) / 256, 256>>>(a, b, c, n);",
        "    for (int k = 0; k < 5; k++) add<<<(n + 255) / 256, 256>>>(a, b, c, n);\n    add<<<8, 128>>>(a, b, c, n);",
    );
    let ended = run_by("predict", &often, &["1000"]);
    let said = String::from_utf8_lossy(&ended.stdout).into_owned();
    assert_eq!(said.matches("add: predicted ").count(), 2, "{said}");
    assert!(said.contains("  5 launches: "), "{said}");
    assert!(said.contains("\n6 launches: predicted "), "{said}");
}

#[test]
fn the_exit_code_is_that_of_main() {
    assert_eq!(run("int main() { return 7; }", &[]).status.code(), Some(7));
}

#[test]
fn a_wrong_access_of_the_host_names_its_line() {
    let source = "#include <cstdlib>\nint main() {\n  int *x = (int *)malloc(8);\n  x[2] = 1;\n}\n";
    let ended = run(source, &[]);
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(!ended.status.success(), "{said}");
    assert!(said.contains("program.cu:4"), "{said}");
}

#[test]
fn a_race_of_streams_names_the_lines_that_launch_and_copy() {
    let source = r"__global__ void twice(float *x) { x[threadIdx.x] *= 2; }
void send(float *d, const float *h, cudaStream_t s) {
    cudaMemcpyAsync(d, h, 256, cudaMemcpyHostToDevice, s);
}
int main() {
    float *d, *h;
    cudaMalloc(&d, 256);
    cudaMallocHost(&h, 256);
    for (int i = 0; i < 64; i++) h[i] = i;
    cudaStream_t s, t;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    send(d, h, s);
    twice<<<1, 64, 0, t>>>(d);
    cudaDeviceSynchronize();
}
";
    let ended = run_by("check", source, &[]);
    let said = String::from_utf8_lossy(&ended.stdout).into_owned();
    let mut places = said.lines().filter(|line| line.contains("program.cu:"));
    for (what, line) in [("-->", 1), ("called at", 14), ("-->", 3)] {
        let place = places.next().unwrap_or_default();
        let fits = place.contains(what)
            && place.split("program.cu:").nth(1).and_then(|at| at.split(':').next())
                == Some(line.to_string().as_str());
        assert!(fits, "{what} {line}: {place}\n{said}");
    }
    assert!(said.contains("the other access is in `cudaMemcpyAsync`"), "{said}");
}

#[test]
fn leaks_name_the_lines_that_allocate() {
    let source = r"
__global__ void fill(int *p) { p[threadIdx.x] = threadIdx.x; }
int *made() {
    int *p;
    cudaMalloc(&p, 128);
    return p;
}
int main() {
    int *a = made(), *b = made(), *h;
    cudaMallocHost(&h, 64);
    fill<<<1, 32>>>(a);
    fill<<<1, 32>>>(b);
    cudaDeviceSynchronize();
}
";
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("program.cu");
    std::fs::write(&file, source).expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_lanework"));
    command.args(["check", "--leaks"]).arg(&file).arg("--").env("LANEWORK_LANG", "en");
    let ended = both_ways(command);
    let said = String::from_utf8_lossy(&ended.stdout);
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "error[leak]: 2 blocks of device memory with 256 bytes in total were never freed: allocated by `cudaMalloc` in `",
        "program.cu:5",
        "error[leak]: 1 block of page-locked host memory with 64 bytes in total were never freed: allocated by `cudaMallocHost` in `main`",
        "program.cu:10",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn a_program_with_an_error_is_refused_at_its_line() {
    let ended = run("int main() {\n  return y;\n}\n", &[]);
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(2), "{said}");
    assert!(said.contains(":2:"), "{said}");
}

#[test]
fn inline_ptx_may_need_a_newer_gpu_and_assertions_may_be_off() {
    let source = r#"
#define NDEBUG
#include <cassert>
#include <cstdio>
__global__ void wait() {
    __shared__ unsigned long long barrier;
    unsigned at = (unsigned)__cvta_generic_to_shared(&barrier);
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 32;" :: "r"(at));
    __syncthreads();
    asm volatile("{ .reg .b64 t; mbarrier.arrive.shared.b64 t, [%0]; }" :: "r"(at));
    asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @!p bra W; }" :: "r"(at));
    assert(threadIdx.x == 100);
    if (threadIdx.x == 0) printf("passed\n");
}
int main() {
    assert(false);
    wait<<<1, 32>>>();
    printf("%d\n", cudaDeviceSynchronize());
}
"#;
    let ended = run(source, &[]);
    let said = String::from_utf8_lossy(&ended.stdout).into_owned();
    assert_eq!(said, "passed\n0\n", "{}", String::from_utf8_lossy(&ended.stderr));
}

#[test]
fn a_copy_against_its_direction_returns_an_error() {
    let source = r#"
#include <cstdio>
int main() {
    int host[4] = {1, 2, 3, 4}, *device;
    cudaMalloc(&device, sizeof host);
    printf("%s ", cudaGetErrorName(cudaMemcpy(device, host, 16, cudaMemcpyDeviceToHost)));
    printf("%s ", cudaGetErrorName(cudaMemcpy(host, device, 16, cudaMemcpyHostToDevice)));
    printf("%s ", cudaGetErrorName(cudaMemcpy(host, device, 16, (cudaMemcpyKind)9)));
    printf("%s\n", cudaGetErrorName(cudaMemcpy(device, host, 16, cudaMemcpyHostToDevice)));
}
"#;
    let ended = run(source, &[]);
    let said = String::from_utf8_lossy(&ended.stdout).into_owned();
    let texts =
        "cudaErrorInvalidValue cudaErrorInvalidValue cudaErrorInvalidMemcpyDirection cudaSuccess\n";
    assert_eq!(said, texts, "{}", String::from_utf8_lossy(&ended.stderr));
}

#[test]
fn host_and_kernels_share_managed_variables_and_all_types_add_atomically() {
    let source = r#"
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp8.h>
__managed__ int total = 1;
__device__ __managed__ float list[2] = {3, 4};
__device__ __nv_bfloat16 sum;
__device__ __nv_bfloat162 pair;
__global__ void add() {
    atomicAdd(&total, 1);
    atomicAdd(&sum, __float2bfloat16(1.0f));
    atomicAdd(&pair, __floats2bfloat162_rn(1, 2));
    __syncthreads();
    if (threadIdx.x == 0) {
        list[1] += (float)sum + (float)(__nv_fp8_e4m3)1.3f;
        list[0] = __high2float(pair);
        int *values = new int[3]{7, 8};
        printf("%d %d\n", values[1], values[2]);
        delete[] values;
    }
}
int main() {
    total += 4;
    add<<<1, 32>>>();
    cudaDeviceSynchronize();
    printf("%d %g %g\n", total, list[0], list[1]);
}
"#;
    let ended = run(source, &[]);
    let said = String::from_utf8_lossy(&ended.stdout).into_owned();
    assert_eq!(said, "8 0\n37 64 37.25\n", "{}", String::from_utf8_lossy(&ended.stderr));
}

#[test]
fn a_profile_of_a_program_has_patterns_and_caches() {
    let strided = ADD.replace("z[i] = x[i] + y[i]", "z[i] = x[(33 * i) % n] + y[i]");
    let ended = run_by("profile", &strided, &["4096"]);
    let said = String::from_utf8_lossy(&ended.stdout).into_owned();
    let notes = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(said.contains("modeled, first 16 blocks: L1"), "{said}");
    assert!(said.contains("stride 132 B"), "{said}");
    assert!(!notes.contains("are unknown"), "{notes}");
    // The runs for patterns have no effect on the program.
    assert!(run_by("profile", ADD, &["1000"]).stdout.starts_with(b"0 of 1000 wrong"));
}

#[test]
fn a_report_takes_a_program() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, page) = (folder.path().join("program.cu"), folder.path().join("page.html"));
    std::fs::write(&file, ADD).expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_lanework"));
    command.arg("report").arg(&file).arg("-o").arg(&page).args(["--", "1000"]);
    let ended = command.env("LANEWORK_LANG", "en").output().expect("it starts");
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    assert!(std::fs::read_to_string(&page).expect("a page").contains("add"));
}

/// A program with a mistake of the host in each line of `main`.
const MISTAKES: &str = r#"
#include <cstdio>
#include <cstdlib>
__global__ void fill(int *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] = i; }
int main(int argc, char **argv) {
    int mode = atoi(argv[1]), h[1000], *d;
    cudaMalloc(&d, 4000);
    if (mode == 0) fill<<<0, 256>>>(d, 1000);
    if (mode == 1) fill<<<dim3(4, 2), 2048>>>(d, 1000);
    if (mode == 2) { cudaFree(d); cudaFree(d); }
    if (mode == 3) cudaMemcpy(d, h, 4000, cudaMemcpyDeviceToHost);
    if (mode == 4) cudaMemcpy(h, d, 8000, cudaMemcpyDeviceToHost);
    if (mode == 5) h[1000 + argc * 100000] = 1;
    if (mode == 6) printf("no launch\n");
    if (mode == 7) cudaFree(malloc(64));
    return 0;
}
"#;

#[test]
fn mistakes_of_the_host_have_its_line_and_the_call_as_written() {
    let nothing = "check incomplete: each launch of the program failed";
    for (mode, code, expected) in [
        ("0", 1, &["error[failed-call]: `fill<<<0, 256>>>` failed", "program.cu:8", nothing][..]),
        ("1", 1, &["`fill<<<(4, 2, 1), 2048>>>` failed", "program.cu:9", "1024", nothing]),
        ("2", 1, &["`cudaFree(address=", "program.cu:10", "it was freed before"]),
        ("7", 1, &["`cudaFree(address=", "it is not from CUDA", "`malloc` by `free`"]),
        (
            "3",
            1,
            &[
                "the direction is `cudaMemcpyDeviceToHost`, but the target",
                "program.cu:11",
                "exchange",
            ],
        ),
        (
            "4",
            134,
            &["`cudaMemcpy`: invalid write of 8000 bytes", "only the first", "program.cu:12"],
        ),
        ("5", 134, &["invalid write of 4 bytes", "check the index", "program.cu:13"]),
        ("6", 11, &["the program launched nothing, so nothing was checked"]),
    ] {
        let ended = run_by("check", MISTAKES, &[mode]);
        let said = [&ended.stdout, &ended.stderr].map(|text| String::from_utf8_lossy(text));
        // Lines are broken at the width of the terminal.
        let said = said.concat().split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(ended.status.code(), Some(code), "{mode}: {said}");
        for part in expected {
            assert!(said.contains(part), "{mode}, {part}: {said}");
        }
        for wrong in ["not next to this command", "cuLaunch", "cuMem", "device memory directly"] {
            assert!(!said.contains(wrong), "{mode}, {wrong}: {said}");
        }
    }
}

#[test]
fn an_unknown_way_to_run_host_code_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("program.cu");
    std::fs::write(&file, ADD).expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_lanework"));
    command.arg("run").arg(&file).env("LANEWORK_LANG", "en").env("LANEWORK_HOST_CODE", "fast");
    let ended = command.output().expect("it starts");
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(2), "{said}");
    assert!(said.contains("LANEWORK_HOST_CODE=fast is unknown"), "{said}");
}
