//! Commands on kernels of files without `--grid`: the grid follows from the accesses of the first blocks, or the command
//! asks for it.

use std::path::Path;
use std::process::{Command, Output};

/// The start of every kernel: the index of the thread.
const INDEX: &str = "int i = blockIdx.x * blockDim.x + threadIdx.x;";

/// Runs a command on a kernel with this declaration and body.
fn on_kernel(folder: &Path, command: &str, kernel: &str, line: &str) -> Output {
    let file = folder.join("kernel.cu");
    let source = kernel.replace("INDEX", INDEX);
    std::fs::write(&file, format!("__global__ void kernel({source}\n")).expect("written");
    Command::new(env!("CARGO_BIN_EXE_lanework"))
        .arg(command)
        .arg(&file)
        .args(["--compiler", "own"])
        .args(line.split_whitespace())
        .output()
        .expect("the command runs")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Checks kernels, which must end with `code` and say these words.
fn all(cases: &[(i32, &str, &str, &str)]) {
    let folder = tempfile::tempdir().expect("a folder");
    for (code, kernel, line, words) in cases {
        let output = on_kernel(folder.path(), "check", kernel, line);
        let text = said(&output);
        assert_eq!(output.status.code(), Some(*code), "{kernel} {line}\n{text}");
        assert!(text.contains(words), "{kernel} {line}\nno `{words}` in\n{text}");
        assert!(!text.contains("has a bug"), "{text}");
    }
}

#[test]
fn a_block_covers_what_its_threads_access() {
    let two = "float *x) { INDEX x[2 * i] *= 2; x[2 * i + 1] *= 2; }";
    let rows = "const float *x, float *y, int n) { INDEX float s = 0; \
                for (int k = 0; k < n; k++) s += x[i * n + k]; y[i] = s; }";
    all(&[
        (
            0,
            "float *x) { INDEX x[i] *= 2; }",
            "--block 256 rand:1024",
            "--grid 4: a block covers 256",
        ),
        (0, two, "--block 256 rand:1024", "--grid 2: a block covers 512 of the 1,024 elements"),
        (0, two, "--block 256 --grid auto rand:1024", "--grid 2: "),
        (0, "float4 *x) { INDEX x[i].x = 1; x[i].w = 2; }", "--block 64 rand:256", "--grid 4: "),
        // Blocks of two parts, each coalesced.
        (
            0,
            "float *x) { int i = 2 * blockIdx.x * blockDim.x + threadIdx.x; x[i] = 1; x[i + blockDim.x] = 2; }",
            "--block 128 rand:1024",
            "--grid 4: a block covers 256",
        ),
        (
            0,
            rows,
            "--block 32 rand:64x100 zeros:64 100",
            "--grid 2: a block covers 3,200 of the 6,400",
        ),
        // A block for each row, and a block for each column.
        (
            0,
            "float *x, int n) { for (int k = threadIdx.x; k < n; k += blockDim.x) x[blockIdx.x * n + k] = k; }",
            "--block 32 rand:12x100 100",
            "--grid 12: ",
        ),
        (
            0,
            "float *x, int n) { x[threadIdx.x * n + blockIdx.x] = 1; }",
            "--block 8 rand:8x30 30",
            "--grid 30: ",
        ),
    ]);
}

#[test]
fn kernels_that_guard_or_stride_have_a_grid() {
    let sum = "const float *x, float *sums, int n) { __shared__ float t[64]; INDEX \
               t[threadIdx.x] = i < n ? x[i] : 0; __syncthreads(); \
               if (threadIdx.x == 0) { float s = 0; for (int k = 0; k < 64; k++) s += t[k]; sums[blockIdx.x] = s; } }";
    all(&[
        (
            0,
            "float *x, int n) { INDEX if (i < n) x[i] *= 2; }",
            "--block 256 rand:1000 1000",
            "--grid 4: ",
        ),
        (
            0,
            "float *x, int n) { INDEX for (; i < n; i += gridDim.x * blockDim.x) x[i] *= 2; }",
            "--block 64 rand:1000 1000",
            "--grid 16: ",
        ),
        (0, sum, "--block 64 rand:1000 zeros:16 1000", "--grid 16: "),
        // An array of sums that is longer than needed does not enlarge the grid beyond the guarded data.
        (0, sum, "--block 64 rand:1000 zeros:16 1000", "elements of x"),
        // The next row's start is read, too: one more element than threads.
        (
            0,
            "const int *starts, int *y, int n) { INDEX if (i < n) y[i] = starts[i + 1] - starts[i]; }",
            "--block 64 zeros:129 zeros:128 128",
            "--grid 2: ",
        ),
        (
            0,
            "float *x) { x[threadIdx.x] = 1; }",
            "--block 64 rand:1000",
            "--grid 1: the kernel does not use",
        ),
        (
            0,
            "float *x, int n) { INDEX if (i < n) x[i] = 1; }",
            "--block 256 rand:100 100",
            "--grid 1: a second block would access no memory",
        ),
        (
            0,
            "const float *x, float *y, int n) { INDEX if (i > 0 && i + 1 < n) y[i] = x[i - 1] + x[i + 1]; }",
            "--block 64 rand:256 zeros:256 256",
            "--grid 4: a block covers 64",
        ),
    ]);
}

#[test]
fn grids_of_two_axes_follow_from_the_data() {
    let index =
        "int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;";
    let add =
        format!("float *a, int w, int h) {{ {index} if (x < w && y < h) a[y * w + x] += 1; }}");
    let transposed =
        format!("const float *a, float *b, int n) {{ {index} b[x * n + y] = a[y * n + x]; }}");
    let product = format!(
        "const float *a, const float *b, float *c, int n, int k) {{ {index} float s = 0; \
         for (int i = 0; i < k; i++) s += a[y * k + i] * b[i * n + x]; c[y * n + x] = s; }}"
    );
    let planes = "float *a, int n) { INDEX if (i < n) a[blockIdx.y * n + i] += 1; }";
    all(&[
        (
            0,
            &add,
            "--block 16x16 rand:40x50 50 40",
            "--grid 4x3: the blocks cover the 2,000 elements",
        ),
        // A flat array: the extent of a row follows from the threads.
        (0, &add, "--block 16x16 rand:2000 50 40", "--grid 4x3: "),
        (0, &transposed, "--block 16x16 rand:64x64 zeros:64x64 64", "--grid 4x4: "),
        (0, &product, "--block 8x8 rand:32x24 rand:24x16 zeros:32x16 16 24", "--grid 2x4: "),
        (0, planes, "--block 64 rand:5x256 256", "--grid 4x5: "),
    ]);
}

#[test]
fn true_errors_are_still_found() {
    all(&[
        (1, "float *x) { INDEX x[i] *= 2; }", "--block 256 rand:1000", "--grid 4: "),
        (
            1,
            "float *x, int n) { INDEX if (i <= n) x[i] *= 2; }",
            "--block 256 rand:1000 1000",
            "1 error",
        ),
    ]);
}

#[test]
fn a_grid_that_does_not_follow_is_asked_for() {
    // Scattered by a hash: no step leads from a block to the next one.
    let scattered =
        "unsigned *x, unsigned n) { INDEX unsigned at = (i * 2654435761u) >> 4; x[at % n] = i; }";
    let copy = "const float *x, float *y, int n) { INDEX if (i < n) y[i] = x[i]; }";
    // Blocks that take the next part of the data from a counter, and write a sum each.
    let queue = "const float *x, float *sums, unsigned *next, int n) { __shared__ unsigned part; float s = 0; \
                 while (true) { if (threadIdx.x == 0) part = atomicAdd(next, 1u); __syncthreads(); \
                 int i = part * 64 + threadIdx.x; __syncthreads(); if (i - (int)threadIdx.x >= n) break; if (i < n) s += x[i]; } \
                 atomicAdd(&sums[blockIdx.x], s); }";
    let ticket = "const float *x, float *y, unsigned *next, int n) { __shared__ unsigned part; \
                  if (threadIdx.x == 0) part = atomicAdd(next, 1u); __syncthreads(); \
                  int i = part * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i]; }";
    let sum = "const float *x, const float *w, float *y) { INDEX y[i] = x[i] + w[i]; }";
    let faulty = "unsigned *x, unsigned n) { INDEX unsigned at = (i * 2654435761u) >> 4; x[at % n] = i; if (i == 3) x[n] = 1; }";
    all(&[
        // The first block faults in every grid.
        (
            1,
            faulty,
            "--block 64 zeros:1000 1000",
            "--grid 1: the first block accesses memory out of bounds",
        ),
        // The suggestion covers what the kernel writes.
        (2, sum, "--block 64 rand:192 rand:384 zeros:256", "zeros:256 --grid 4"),
        (
            2,
            queue,
            "--block 64 rand:1000 zeros:8 zeros:u32:1 1000",
            "the blocks take their work from a counter in memory",
        ),
        (0, queue, "--grid 8 --block 64 rand:1000 zeros:8 zeros:u32:1 1000", ""),
        // The number of a block from a counter: a block takes one part.
        (
            2,
            ticket,
            "--block 256 rand:3000 uninit:3000 zeros:u32:1 3000",
            "zeros:u32:1 3000 --grid 12",
        ),
        (0, ticket, "--grid 12 --block 256 rand:3000 uninit:3000 zeros:u32:1 3000", ""),
        // One block with atomics and without blockIdx.
        (
            0,
            "const int *x, int *sum) { atomicAdd(sum, x[threadIdx.x]); }",
            "--block 64 zeros:64 zeros:1",
            "",
        ),
        // Atomics alone are no queue.
        (
            0,
            "const int *x, int *bins, int n) { INDEX if (i < n) atomicAdd(&bins[x[i] & 7], 1); }",
            "--block 64 zeros:1000 zeros:8 1000",
            "--grid 16: ",
        ),
        (2, scattered, "--block 64 zeros:1000 1000", "do not show how many blocks"),
        (2, copy, "--block 64 rand:256 zeros:128 256", "x takes 4, y takes 2"),
        // Every grid covers the array in its own way: parts of equal size, rows as wide as the grid, an order from the end.
        (
            2,
            "float *x, int n) { int part = n / gridDim.x; \
             for (int k = threadIdx.x; k < part; k += blockDim.x) x[blockIdx.x * part + k] = 1; }",
            "--block 64 zeros:1200 1200",
            "do not show how many blocks",
        ),
        (
            2,
            "float *x) { int w = gridDim.x * blockDim.x; INDEX x[(blockIdx.y * blockDim.y + threadIdx.y) * w + i] = 1; }",
            "--block 16x16 zeros:64x48",
            "--block 16x16 zeros:64x48 --grid 3x4",
        ),
        (
            2,
            "float *x) { int i = (gridDim.x - 1 - blockIdx.x) * blockDim.x + threadIdx.x; x[i] = 1; }",
            "--block 64 zeros:1024",
            "do not show how many blocks",
        ),
        // An unguarded border: the end of the array may belong to it or to the next block.
        (2, "float *x) { INDEX x[i + 1] = 1; }", "--block 32 zeros:66", "do not decide it"),
    ]);
}

#[test]
fn idle_blocks_are_left_out_and_linear_numbers_take_one_axis() {
    all(&[
        (
            0,
            "float *x, int n) { INDEX if (i < n) x[i] = 1; }",
            "--block 256 zeros:4000 500",
            "--grid 2: ",
        ),
        (
            0,
            "float *x) { int b = blockIdx.y * gridDim.x + blockIdx.x; x[b * blockDim.x + threadIdx.x] = 1; }",
            "--block 64 zeros:1024",
            "--grid 16: ",
        ),
        // A grid that is too small leaves a part of the result unwritten.
        (
            0,
            "float *x, int n) { INDEX if (i < n) x[i] = 1; }",
            "--grid 2 --block 64 uninit:1200 1200",
            "1,072 of the 1,200 elements of",
        ),
        // A tile of 8 rows for each block of 32 threads, with a halo that is read.
        (
            0,
            "const float *x, float *y, int n) { for (int k = threadIdx.x; k < 256; k += 32) { \
             int r = 8 * blockIdx.y + k / 32, c = 32 * blockIdx.x + k % 32; if (r > 0 && r + 1 < n && c > 0 && c + 1 < n) \
             y[r * n + c] = x[(r - 1) * n + c] + x[(r + 1) * n + c] + x[r * n + c - 1] + x[r * n + c + 1]; } }",
            "--block 32 rand:96x96 zeros:96x96 96",
            "--grid 3x12: ",
        ),
    ]);
}

#[test]
fn no_command_runs_one_thread_for_an_array() {
    let folder = tempfile::tempdir().expect("a folder");
    let kernel = "float *x, int n) { INDEX if (i < n) x[i] *= 2; }";
    for command in ["run", "check", "profile", "predict", "look"] {
        let output = on_kernel(folder.path(), command, kernel, "rand:1000 1000");
        let text = said(&output);
        assert_eq!(output.status.code(), Some(2), "{command}: {text}");
        assert!(text.contains("neither --grid nor --block is given"), "{command}: {text}");
        // The command line of the message works.
        let line =
            text.lines().find_map(|line| line.split_once("help: lanework ")).expect("a line").1;
        let output = Command::new(env!("CARGO_BIN_EXE_lanework"))
            .args(line.split(' '))
            .output()
            .expect("the command runs");
        let text = said(&output);
        assert!(output.status.success(), "{line}: {text}");
        assert!(text.contains("--grid 4: a block covers 256 of the 1,000 elements"), "{text}");
    }
}

#[test]
fn the_second_kernel_of_a_comparison_has_a_shape_of_its_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let other = folder.path().join("other.cu");
    let source = format!(
        "__global__ void __launch_bounds__(64) kernel(float *x, int n) {{ {INDEX} if (i < n) x[i] *= 2; }}\n"
    );
    std::fs::write(&other, source).expect("written");
    let kernel = "float *x, int n) { INDEX x[2 * i] *= 2; x[2 * i + 1] *= 2; }";
    let with = |command: &str, option: &str, more: &str| {
        let line = format!("{option} {} --block 128 {more} rand:1024 1024", other.display());
        on_kernel(folder.path(), command, kernel, &line)
    };
    for (command, option) in [("predict", "--compare"), ("profile", "--against")] {
        let refused = with(command, option, "");
        let text = said(&refused);
        assert_eq!(refused.status.code(), Some(2), "{text}");
        assert!(text.contains("this is the second kernel") && text.contains("--block-b"), "{text}");
        let output = with(command, option, "--block-b 64");
        let text = said(&output);
        assert!(output.status.success(), "{text}");
        assert!(text.contains("--grid 4: ") && text.contains("--grid 16: "), "{text}");
    }
}

#[test]
fn the_command_line_of_missing_arguments_works() {
    let folder = tempfile::tempdir().expect("a folder");
    let kernel = "float *x, const float *bias, int rows, int columns) { INDEX \
                  if (i < rows * columns) x[i] += bias[i % columns]; }";
    for given in ["", "rand:40x30", "--block 64"] {
        let output = on_kernel(folder.path(), "check", kernel, given);
        let text = said(&output);
        assert_eq!(output.status.code(), Some(2), "{text}");
        let line =
            text.lines().find_map(|line| line.split_once("help: lanework ")).expect("a line").1;
        let output = Command::new(env!("CARGO_BIN_EXE_lanework"))
            .args(line.split(' '))
            .output()
            .expect("the command runs");
        assert!(output.status.success(), "{line}: {}", said(&output));
    }
}
