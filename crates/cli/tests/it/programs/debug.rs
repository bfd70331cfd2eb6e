//! `lanework debug` on programs and rungs, as its users run it.

use super::exec::{LANEWORK, SOUND, json, text};
use std::process::{Command, Output};

#[cfg(all(unix, feature = "host"))]
const PROGRAM: &str = r#"
#include <cstdio>
#include <cstdlib>
__device__ unsigned seen;
__global__ void fill(unsigned* x, unsigned first) { x[threadIdx.x] = first + threadIdx.x; }
__global__ void twice(unsigned* x) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned before = x[i];
    x[i] = 2 * before;
    atomicAdd(&seen, 1);
}
int main(int argc, char** argv) {
    unsigned n = 64, *x, last;
    cudaMalloc(&x, n * sizeof(unsigned));
    fill<<<1, n>>>(x, atoi(argv[1]));
    for (int i = 0; i < 2; i++) twice<<<2, n / 2>>>(x);
    cudaMemcpy(&last, x + n - 1, sizeof last, cudaMemcpyDeviceToHost);
    printf("the last element is %u\n", last);
    return 0;
}
"#;

/// Runs the debugger with a script on what the arguments name.
fn debug(script: &str, files: &[(&str, &str)], arguments: &[&str]) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files.iter().chain(&[("script.txt", script)]) {
        std::fs::write(folder.path().join(name), text).expect("a file");
    }
    let mut command = Command::new(LANEWORK);
    command.args(["debug", "--script", "script.txt"]).args(arguments);
    command.env("LANEWORK_LANG", "en").current_dir(folder.path());
    command.output().expect("the command runs")
}

/// Checks that a text has these parts in this order.
fn expect(output: &Output, wanted: &[&str]) {
    let shown = text(&output.stdout);
    let mut rest = shown.as_str();
    for part in wanted {
        let at = rest.find(part);
        let at =
            at.unwrap_or_else(|| panic!("`{part}` is missing in order in\n{output:?}\n{shown}"));
        rest = &rest[at + 1..];
    }
}

#[cfg(all(unix, feature = "host"))]
#[test]
fn findings_of_a_program_know_the_size_that_it_asked_for() {
    let source = "__global__ void fill(int* x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1; }\nint main() {\n  int *x;\n  \
        cudaMalloc(&x, 4000);\n  fill<<<4, 256>>>(x);\n  cudaFree(x);\n  cudaMalloc(&x, 4090);\n  fill<<<3, 256>>>(x);\n}\n";
    let output = debug("findings\n", &[("program.cu", source)], &["program.cu"]);
    let of = "global write: 4 bytes at cudaMalloc+4000, `cudaMalloc` is 4000 bytes";
    expect(&output, &["launch 1 of 2", of]);
    // The second launch has memory of another size, perhaps at the same address.
    let output = debug("findings\n", &[("program.cu", source)], &["--launch", "2", "program.cu"]);
    expect(&output, &["launch 2 of 2", "found nothing"]);
}

#[cfg(all(unix, feature = "host"))]
#[test]
fn a_program_s_launches_are_debugged_one_after_the_other() {
    let output = debug(
        "launches
print first
break 9 if i == 35
continue
continue
print before
print x[i]
next
print x[i]
print seen
continue
continue
print before
print seen
who wrote x[i]
rcontinue
rcontinue
print before",
        &[("program.cu", PROGRAM)],
        &["program.cu", "--", "5"],
    );
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    expect(
        &output,
        &[
            "the last element is 272\n",
            "launch 1 of 3, step 0 of ",
            ">   1: fill, grid (1,1,1), block (64,1,1)",
            "    3: twice, grid (2,1,1), block (32,1,1)",
            "> print first\nfirst = 5",
            "the breakpoint applies to the other launches",
            "> continue\nlaunch 1 of 3",
            "the launch has ended",
            "> continue\nlaunch 2 of 3",
            "breakpoint 1: thread (3,0,0) of block (1,0,0), program.cu:9 in twice",
            "before = 40",
            "x[i] = 40",
            "x[i] = 80",
            "seen = 32",
            "the launch has ended",
            "> continue\nlaunch 3 of 3",
            "breakpoint 1",
            "before = 80",
            "seen = 96",
            "it holds its value from before the launch",
            "> rcontinue\nlaunch 3 of 3, step 0",
            "> rcontinue\nlaunch 2 of 3",
            "breakpoint 1",
            "before = 40",
        ],
    );
}

#[cfg(all(unix, feature = "host"))]
#[test]
fn json_has_the_launch_of_each_reply_and_later_launches_can_be_saved_alone() {
    let output = debug(
        "launches\nlaunch 1\nlaunch 3\nprint x[0]\n",
        &[("program.cu", PROGRAM)],
        &["--json", "--launch", "2", "program.cu", "--", "5"],
    );
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let found = json(&output);
    let replies = found["replies"].as_array().expect("replies");
    assert_eq!(replies[0]["launch"], 2);
    assert_eq!(replies[1]["text"], "error: launch 1 is not saved: it is before launch 2");
    assert_eq!(replies[2]["launch"], 3);
    assert_eq!(replies[3]["text"], "x[0] = 10");
    assert!(text(&output.stderr).contains("the last element is 272"), "{output:?}");
}

#[test]
fn an_executable_and_a_rung_are_debugged_by_their_lines() {
    let run = [LANEWORK, "run", "double.ptx", "--grid", "1", "--block", "64", "rand:f32:128"];
    let output = debug(
        "launches\nbreak instruction st.global\ncontinue\nprint (%rd1 as f32*)[0]\nprint %f1\n",
        &[("double.ptx", SOUND)],
        &[&["--"], &run[..]].concat(),
    );
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    expect(&output, &[">   1: double, grid (1,1,1), block (64,1,1)", "breakpoint 1", "%f1 = 0x"]);
    let output = debug(
        "launches\nfindings\nbreak instruction st.global\ncontinue\nlist\n",
        &[],
        &["transpose/naive", "--size", "64"],
    );
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    expect(
        &output,
        &["verified", ">   1: ", "the sanitizer found nothing", "breakpoint 1", "naive.rs:", "> "],
    );
}

/// `shift` stores each element one place too far, so `sum` adds an element that no kernel wrote.
#[cfg(all(unix, feature = "host"))]
const SHIFT: &str = r#"
#include <cstdio>
__global__ void shift(const unsigned* x, unsigned* y, unsigned n) {
    unsigned i = threadIdx.x;
    if (i + 1 < n) y[i + 1] = x[i];
}
__global__ void sum(const unsigned* y, unsigned* total) {
    unsigned own = y[threadIdx.x];
    atomicAdd(total, own);
}
int main() {
    unsigned host[32], *x, *y, *total;
    for (unsigned i = 0; i < 32; i++) host[i] = i + 1;
    cudaMalloc(&x, sizeof host);
    cudaMalloc(&y, sizeof host);
    cudaMalloc(&total, 4);
    cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset(y, 0, sizeof host);
    cudaMemset(total, 0, 4);
    shift<<<1, 32>>>(x, y, 32);
    sum<<<1, 32>>>(y, total);
    cudaMemcpy(host, total, 4, cudaMemcpyDeviceToHost);
    printf("the sum is %u\n", host[0]);
}
"#;

#[cfg(all(unix, feature = "host"))]
#[test]
fn a_wrong_sum_of_a_program_is_traced_to_the_launch_before_it() {
    let output = debug(
        "break 9 if own == 0
continue
continue
print own
who wrote y[threadIdx.x]
launch 1
goto end
who wrote y[0]
who wrote y[1]
print y[0..3]",
        &[("program.cu", SHIFT)],
        &["program.cu", "--"],
    );
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    expect(
        &output,
        &[
            "the sum is 496\n",
            "launch 2 of 2",
            "breakpoint 1: thread (0,0,0) of block (0,0,0), program.cu:9 in sum",
            "own = 0\n",
            "it holds its value from before the launch",
            "launch 1 of 2",
            "no step before step",
            "y[1]: 0 -> 1 by thread (0,0,0) of block (0,0,0), program.cu:5",
            "    5 |     if (i + 1 < n) y[i + 1] = x[i];",
            "y[0..3] = [0, 1, 2]",
        ],
    );
}

#[test]
fn a_rung_s_values_have_the_names_of_its_source() {
    let output = debug(
        "break 19 if x == 3 && y == 2
continue
locals
args
print src[y * cols + x]
next
print tile[[2, 3]]
who wrote tile[[2, 3]]",
        &[],
        &["transpose/padded", "--size", "64"],
    );
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    expect(
        &output,
        &[
            "breakpoint 1: thread (3,2,0) of block (0,0,0)",
            "padded.rs:19 in padded",
            "tile[[thread_idx.y, thread_idx.x]] = src[y * cols + x];",
            "x = 3\n",
            "t = 32\n",
            "src = 0x",
            "rows = 64\n",
            "> print src[y * cols + x]\nsrc",
            "> print tile[[2, 3]]\ntile[[2, 3]] = ",
            "thread (3,2,0) of block (0,0,0)",
        ],
    );
}

#[test]
fn a_program_without_launches_is_an_error_and_its_failure_is_kept() {
    let output = debug("", &[], &["--", LANEWORK, "gpus"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(text(&output.stderr).contains("the program launches no kernel at all"), "{output:?}");
    let output = debug("", &[], &["--", LANEWORK, "run", "missing.ptx"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}

#[cfg(all(unix, feature = "host", feature = "tui"))]
#[test]
fn the_screen_goes_from_one_launch_to_the_next() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("program.cu"), PROGRAM).expect("a file");
    let arguments = ["debug", "--tui", "program.cu", "--", "5"];
    // To the end of the first launch, and on to the next one.
    let steps = "launch 1 of 3=>>|=>c|launch 2 of 3=>q";
    let shown = crate::pseudo_terminal::on_terminal(folder.path(), steps, &arguments);
    let Some(shown) = shown else { return };
    assert!(shown.contains("MODE restored, STATUS 0, LEFT 0"), "{shown}");
}
