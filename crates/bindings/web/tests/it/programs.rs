//! Requests about whole programs: host code in the interpreter, launches on the emulator.

use super::ask;
use serde_json::{Value, json};

fn run(source: &str, more: Value) -> Value {
    let mut request = json!({ "do": "run", "source": source });
    for (key, value) in more.as_object().expect("an object") {
        request[key] = value.clone();
    }
    ask(&request)
}

const PROGRAM: &str = r#"#include <cstdio>
#include <vector>
__global__ void twice(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 2;
    if (i == 0) printf("kernel\n");
}
int main(int argc, char **argv) {
    const int n = 1000;
    std::vector<float> host(n, 1.5f);
    float *device, *managed;
    cudaStream_t stream;
    cudaEvent_t start, stop;
    cudaStreamCreate(&stream);
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    cudaMalloc(&device, n * sizeof(float));
    cudaMallocManaged(&managed, n * sizeof(float));
    managed[7] = 3;
    cudaMemcpyAsync(device, host.data(), n * sizeof(float), cudaMemcpyHostToDevice, stream);
    printf("before\n");
    cudaEventRecord(start, stream);
    twice<<<(n + 255) / 256, 256, 0, stream>>>(device, n);
    twice<<<(n + 255) / 256, 256>>>(managed, n);
    cudaEventRecord(stop, stream);
    cudaDeviceSynchronize();
    float ms = -1;
    cudaEventElapsedTime(&ms, start, stop);
    cudaMemcpy(host.data(), device, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("after %g %g %s %d\n", host[999], managed[7], argc > 1 ? argv[1] : "-", ms >= 0);
    cudaFree(device);
    cudaFree(managed);
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    printf("%d multiprocessors\n", properties.multiProcessorCount);
    return cudaGetLastError();
}
"#;

#[test]
fn a_program_prints_in_order_and_ends_with_its_code() {
    let answer = run(PROGRAM, json!({ "arguments": ["word"], "check": true, "profile": true }));
    let expected = "before\nkernel\nkernel\nafter 3 6 word 1\n132 multiprocessors\n";
    assert_eq!((&answer["output"], &answer["exit"]), (&json!(expected), &json!(0)), "{answer}");
    assert_eq!((&answer["launches"], &answer["findings"]), (&json!(2), &json!([])), "{answer}");
    assert_eq!(answer["kernels"][0]["launches"], 2);
    assert!(answer["kernels"][0]["profile"]["lines"].as_array().expect("lines").len() > 2);
}

#[test]
fn failed_calls_and_kernel_faults_have_lines() {
    let source = r#"#include <cstdio>
__global__ void wild(int *x) { x[1 << 28] = 1; }
int main() {
    int *x;
    cudaMalloc(&x, 4);
    int y = 0;
    cudaMemcpy(x, &y, 4, cudaMemcpyDeviceToHost);
    wild<<<1, 1>>>(x);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
"#;
    let answer = run(source, json!({}));
    assert_eq!(answer["output"], "an illegal memory access was encountered\n", "{answer}");
    assert_eq!(
        (&answer["fault"]["line"], &answer["findings"][0]["line"]),
        (&json!(2), &json!(7)),
        "{answer}"
    );
}

#[test]
fn host_code_that_touches_device_memory_is_stopped() {
    let source = "int main() {\n    int *x;\n    cudaMalloc(&x, 4);\n    return *x;\n}\n";
    let answer = run(source, json!({}));
    assert_eq!(
        (&answer["exit"], &answer["host_fault"]["line"]),
        (&json!(134), &json!(4)),
        "{answer}"
    );
    assert!(
        answer["host_fault"]["help"].as_str().expect("text").contains("cudaMemcpy"),
        "{answer}"
    );
}

#[test]
fn thrust_and_rows_and_symbols_work() {
    let source = r#"#include <cstdio>
#include <thrust/device_vector.h>
#include <thrust/sort.h>
__constant__ int table[4];
__device__ int total;
__global__ void sum() { for (int i = 0; i < 4; i++) total += table[i]; }
int main() {
    thrust::device_vector<int> v(5);
    for (int i = 0; i < 5; i++) v[i] = (i * 3) % 5;
    thrust::sort(v.begin(), v.end());
    for (int i = 0; i < 5; i++) printf("%d ", (int)v[i]);
    int host[4] = {1, 2, 3, 4}, found = 0;
    cudaMemcpyToSymbol(table, host, sizeof(host));
    sum<<<1, 1>>>();
    cudaMemcpyFromSymbol(&found, total, 4);
    char *rows, image[3][5] = {"abcd", "efgh", "ijkl"}, back[3][5] = {};
    size_t pitch;
    cudaMallocPitch(&rows, &pitch, 5, 3);
    cudaMemcpy2D(rows, pitch, image, 5, 5, 3, cudaMemcpyHostToDevice);
    cudaMemcpy2D(back, 5, rows, pitch, 5, 3, cudaMemcpyDeviceToHost);
    printf("%d %s %d\n", found, back[2], pitch >= 5);
    return 0;
}
"#;
    let answer = run(source, json!({ "check": true }));
    assert_eq!(answer["output"], "0 1 2 3 4 10 ijkl 1\n", "{answer}");
}

#[test]
fn what_the_page_lacks_is_named() {
    let answer = run(
        "int main() {\n    cudaGraph_t g;\n    size_t n;\n    cudaGraphCreate(&g, 0);\n    cudaGraphGetEdges(g, nullptr, nullptr, &n);\n    return 0;\n}\n",
        json!({}),
    );
    let why = answer["host_fault"]["message"].as_str().expect("text");
    assert!(why.contains("are not supported in the page"), "{answer}");
    let answer = run("__global__ void f() {}\n", json!({}));
    assert!(answer["error"].as_str().expect("text").contains("no `main`"), "{answer}");
}

#[test]
fn a_captured_graph_repeats_its_work() {
    let source = r#"#include <cstdio>
__global__ void add(int *x, int step) { x[threadIdx.x] += step; }
void note(void *data) { ++*(int *)data; }
int main() {
    int *x, host[32] = {}, notes = 0, step = 2;
    cudaStream_t stream, other;
    cudaEvent_t forked, joined;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaMalloc(&x, sizeof(host));
    cudaStreamCreate(&stream);
    cudaStreamCreate(&other);
    cudaEventCreate(&forked);
    cudaEventCreate(&joined);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaMemsetAsync(x, 0, sizeof(host), stream);
    add<<<1, 32, 0, stream>>>(x, step);
    step = 100;
    cudaEventRecord(forked, stream);
    cudaStreamWaitEvent(other, forked);
    add<<<1, 32, 0, other>>>(x, 5);
    cudaLaunchHostFunc(other, note, &notes);
    cudaEventRecord(joined, other);
    cudaStreamWaitEvent(stream, joined);
    cudaMemcpyAsync(host, x, sizeof(host), cudaMemcpyDeviceToHost, stream);
    cudaStreamCaptureStatus capturing;
    cudaStreamIsCapturing(other, &capturing);
    printf("%d %d %d\n", capturing == cudaStreamCaptureStatusActive, host[3], notes);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&ready, graph, 0);
    cudaGraphDestroy(graph);
    for (int i = 0; i < 3; i++) cudaGraphLaunch(ready, stream);
    cudaStreamSynchronize(stream);
    printf("%d %d %d\n", host[3], notes, cudaGetLastError());
    cudaGraphExecDestroy(ready);
    printf("%d\n", cudaGraphLaunch(ready, stream));
    return 0;
}
"#;
    let answer = run(source, json!({ "check": true }));
    assert_eq!(answer["output"], "1 0 0\n7 3 0\n1\n", "{answer}");
    assert_eq!(
        (&answer["launches"], &answer["findings"][0]["line"]),
        (&json!(6), &json!(36)),
        "{answer}"
    );
}

#[test]
fn the_programs_of_the_course_notes_run() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../cuda-programs/driver/tests/notes");
    let mut count = 0;
    for file in std::fs::read_dir(folder).expect("the folder of the programs") {
        let path = file.expect("a file").path();
        let answer =
            run(&std::fs::read_to_string(&path).expect("a program"), json!({ "check": true }));
        assert_eq!(
            (&answer["exit"], &answer["findings"]),
            (&json!(0), &json!([])),
            "{path:?}: {answer}"
        );
        assert!(!answer["output"].as_str().expect("text").contains("WRONG"), "{path:?}: {answer}");
        count += 1;
    }
    assert_eq!(count, 4);
}
