//! Programs from source that use more of CUDA's runtime and libraries: textures, graphs, pipelines, several files.

use std::path::Path;
use std::process::{Command, Output};

/// Runs the program that files form, with arguments after `--`.
fn run_files(folder: &Path, files: &[(&str, &str)], arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lanework"));
    command.arg("run");
    for (name, text) in files {
        let file = folder.join(name);
        std::fs::write(&file, text).expect("a file");
        if !name.ends_with(".h") {
            command.arg(file);
        }
    }
    command.arg("--").args(arguments).env("LANEWORK_LANG", "en").output().expect("it starts")
}

/// The output of a program of one file, which must end with 0.
fn output(source: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let ended = run_files(folder.path(), &[("program.cu", source)], &[]);
    let said = String::from_utf8_lossy(&ended.stdout).into_owned();
    assert!(ended.status.success(), "{said}{}", String::from_utf8_lossy(&ended.stderr));
    said
}

/// Ends a program with the line of a call that fails.
const CHECK: &str = "#define CHECK(call) do { cudaError_t e = (call); if (e) { printf(\"line %d: %s\\n\", __LINE__, cudaGetErrorString(e)); return 1; } } while (0)\n";

#[test]
fn textures_and_surfaces_read_arrays_and_linear_memory() {
    let expected = concat!(
        "4.5 5.5 6.5 7 5 11\n",
        "1 2 3 201, 5 205\n",
        "-8 7 -6 5 \n",
        "4,3 2,1 8,7 6,5 32 32 0 2\n",
        "32\n",
    );
    assert_eq!(output(&format!("{CHECK}{}", include_str!("sources/textures.cu"))), expected);
}

#[test]
fn graphs_pools_addresses_and_configured_launches() {
    let expected = concat!("48 after 3 nodes\n", "1 1 1 1\n", "7 16 1\n", "348\n", "3 7 9\n",);
    assert_eq!(output(&format!("{CHECK}{}", include_str!("sources/devices.cu"))), expected);
}

#[test]
fn graphs_are_made_node_by_node() {
    let expected = concat!(
        "9 nodes, 8 edges, 1 root, 1, 1\n",
        "call 1\ncall 2\n",
        "0 10 9\n",
        "call 3\n",
        "31 30 3\n",
        "call 4\ncall 5\ncall 6\n",
        "10 6\n",
    );
    assert_eq!(output(&format!("{CHECK}{}", include_str!("sources/graph_nodes.cu"))), expected);
}

#[cfg(all(unix, feature = "host"))]
#[test]
fn streams_call_functions_while_the_frames_of_their_callers_live() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("program.cu");
    std::fs::write(&file, include_str!("sources/host_functions.cu")).expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_lanework"));
    command.arg("run").arg(file).arg("--");
    let ended = super::both_ways(command);
    assert_eq!(String::from_utf8_lossy(&ended.stdout), "bad 0 v 21 d 3\n");
}

#[test]
fn parts_of_words_products_in_double_and_small_floats() {
    let expected = concat!(
        "12ef4100 a33f0000 1f33b37f e21da060 6875a929 af84a29a d4909a9d d6eeed3d\n",
        "569d0080 5d945f00 0848f6e4 e33a6b54 60fc0b72 b6adb5aa bcba6a25 ead715d6\n",
        "be6824cc 0fb7d8ea a7a44790 34074790 440a335b 199b6d7e 6fd92a7e 00000000\n",
        "2d649864 deb2a947 3f26bca0 c4da4200 a7231818 8fcbda00 5f13c569 00000000\n",
        "40050e4e ea2b0af9 eef32d2e 8b4033a0 a89c2e0a 94e4b682 bcba6a25 6dceafb5\n",
        "bd348310\n",
        "2.5 -29.5 -1565.5\n",
        "11184001.804688 7155.240234\n",
    );
    assert_eq!(output(include_str!("sources/parts.cu")), expected);
}

#[test]
fn barriers_pipelines_atomics_and_groups_of_libcu() {
    let expected = concat!(
        "2016\n",
        "636 384\n",
        "320 475\n",
        "16 1 32 189 0\n",
        "805 3213 1413 1111 1010\n",
        "128 0\n",
    );
    assert_eq!(output(include_str!("sources/libcu.cu")), expected);
}

#[test]
fn blas_of_levels_1_to_3() {
    let expected = concat!("17 17 17 89 105 121 0\n", "-2 11.225 8 79.5625 385\n", "7\n",);
    assert_eq!(output(include_str!("sources/blas.cu")), expected);
}

#[test]
fn programs_compile_and_load_modules() {
    let expected = concat!(
        "NVRTC_SUCCESS 0 1 1 1\n",
        "0 9 8 12.5 52.5\n",
        "CUDA_ERROR_NOT_FOUND 0 0\n",
        "1 0 301\n",
        "NVRTC_ERROR_COMPILATION 1\n",
    );
    assert_eq!(output(include_str!("sources/driver_api.cu")), expected);
}

#[test]
fn products_of_all_sizes_and_types() {
    assert_eq!(output(include_str!("sources/products.cu")), "0\n0 1 7 6\n");
}

#[test]
fn blocks_reduce_and_scan_by_cub() {
    let expected = concat!("0\n", "1 1 1\n", "0 1\n",);
    assert_eq!(output(include_str!("sources/cub.cu")), expected);
}

#[test]
fn several_files_are_one_program() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = [
        ("scale.h", "#pragma once\nvoid scale(float *x, int n, float by);\n"),
        (
            "main.cpp",
            "#include <cstdio>\n#include <cstdlib>\n#include <cuda_runtime.h>\n#include \"scale.h\"\n\
             int main(int argc, char **argv) {\n  float *x;\n  cudaMallocManaged(&x, 4);\n  *x = 3;\n  \
             scale(x, 1, atof(argv[1]));\n  cudaDeviceSynchronize();\n  printf(\"%g of %d\\n\", *x, argc);\n}\n",
        ),
        (
            "scale.cu",
            "#include \"scale.h\"\n__global__ void times(float *x, int n, float by) { if (threadIdx.x < n) x[threadIdx.x] *= by; }\n\
             void scale(float *x, int n, float by) { times<<<1, 32>>>(x, n, by); }\n",
        ),
    ];
    let ended = run_files(folder.path(), &files, &["1.5"]);
    let said = String::from_utf8_lossy(&ended.stdout).into_owned();
    assert_eq!(said, "4.5 of 2\n", "{}", String::from_utf8_lossy(&ended.stderr));
}

#[test]
fn macros_of_a_header_stay_with_the_files_that_include_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = [
        ("inner.h", "#ifndef INNER\n#define INNER\n#define SCALE(x) ((x) * 3)\n#endif\n"),
        (
            "outer.h",
            "#ifndef OUTER\n#define OUTER\n#include \"inner.h\"\n#define C_a 1.5f\ninline int both() { return 1; }\n#endif\n",
        ),
        // Without a guard.
        (
            "print.h",
            "#include <cstdio>\ntemplate <class T> void print(T x) { printf(\"%g \", (double)x); }\n\
             template <class T, class... R> void print(T x, R... rest) { print(x); print(rest...); }\n",
        ),
        (
            "main.cu",
            "#include \"outer.h\"\n#include \"print.h\"\nint other(); int third();\n\
             __global__ void k(int *x) { *x = SCALE(2); }\n\
             int main() { int *x; cudaMallocManaged(&x, 4); k<<<1, 1>>>(x); cudaDeviceSynchronize(); print(*x, C_a, other(), third()); }\n",
        ),
        (
            "other.cpp",
            "#include \"print.h\"\nint other() { int C_a = 7, SCALE = 1; print(C_a, 2.5); return C_a + SCALE; }\n",
        ),
        (
            "third.cpp",
            "#include \"outer.h\"\nint third() { return SCALE(both() + 1) + (int)C_a; }\n",
        ),
    ];
    let ended = run_files(folder.path(), &files, &[]);
    let said = String::from_utf8_lossy(&ended.stdout).into_owned();
    assert_eq!(said, "7 2.5 6 1.5 8 7 ", "{}", String::from_utf8_lossy(&ended.stderr));
}
