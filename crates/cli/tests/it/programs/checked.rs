//! `lanework check program.cu --`: planted mistakes, the advice about them, and the programs as the advice repairs them; and what
//! tools say about parts of a program that they cannot observe.

use std::process::Command;

/// Checks a program and returns its findings, and whether it had none.
fn check(source: &str) -> (String, bool) {
    by("check", source)
}

/// Runs a command on a program and returns what it prints, and whether it succeeds.
fn by(tool: &str, source: &str) -> (String, bool) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("program.cu");
    std::fs::write(&file, source).expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_lanework"));
    command.arg(tool).arg(&file).arg("--").env("LANEWORK_LANG", "en");
    let ended = command.output().expect("it starts");
    let text = [&ended.stdout[..], &ended.stderr[..]].concat();
    (String::from_utf8_lossy(&text).into_owned(), ended.status.code() == Some(0))
}

/// A program with a kernel `k`, whose arguments are arrays of 1024 zeros, and a launch.
fn program(kernel: &str, launch: &str) -> String {
    format!(
        "#include <cstdio>\n#include <cuda_pipeline.h>\n{kernel}\nint main() {{\n    int *a, *b, *c;\n    \
         for (int **p : {{&a, &b, &c}}) {{ cudaMalloc(p, 4096); cudaMemset(*p, 0, 4096); }}\n    {launch};\n    \
         return cudaDeviceSynchronize() != cudaSuccess;\n}}\n"
    )
}

/// A kernel with a mistake, how to launch it, what the check says, and the change that it advises.
struct Planted {
    kernel: &'static str,
    launch: &'static str,
    says: &'static str,
    change: [&'static str; 2],
}

#[test]
fn the_advice_makes_the_finding_vanish() {
    let all = [
        // Another thread waits for a flag that is written plainly.
        Planted {
            kernel: "__global__ void k(int *lock, int *sum, int *) {\n    if (threadIdx.x) return;\n    while (atomicCAS(lock, 0, 1));\n    __threadfence();\n    \
                     *sum += 1;\n    *lock = 0;\n}",
            launch: "k<<<4, 32>>>(a, b, c)",
            says: "write the flag or lock at line 8 of program.cu by an atomic (`atomicExch`), since the atomic at line 5 of program.cu waits for it; \
                   put a fence, `__threadfence()` (`fence.acq_rel.gpu`), before it, after the write at line 7",
            change: ["*lock = 0;", "__threadfence(); atomicExch(lock, 0);"],
        },
        // The block that reads does not wait, or waits for another flag.
        Planted {
            kernel: "__global__ void k(int *data, int *flag, int *out) {\n    if (threadIdx.x) return;\n    if (blockIdx.x == 0) {\n        data[0] = 7;\n        \
                     __threadfence();\n        atomicExch(&flag[0], 1);\n    } else {\n        while (atomicAdd(&flag[1], 0) != 0);\n        \
                     __threadfence();\n        out[0] = data[0];\n    }\n}",
            launch: "k<<<2, 32>>>(a, b, c)",
            says: "wait in a loop until the atomic at line 8 of program.cu has written its flag",
            change: [
                "while (atomicAdd(&flag[1], 0) != 0);",
                "while (atomicAdd(&flag[0], 0) == 0);",
            ],
        },
        // A test and a write that only one thread may pass.
        Planted {
            kernel: "__global__ void k(int *owner, int *out, int *) {\n    int old = owner[0];\n    if (old == 0) owner[0] = blockIdx.x + 1;\n    \
                     if (old == 0) out[0] = blockIdx.x;\n}",
            launch: "k<<<4, 1>>>(a, b, c)",
            says: "make the test of the word read at line 4 of program.cu and the write at line 5 of program.cu one atomic operation (`atomicCAS`)",
            change: [
                "int old = owner[0];\n    if (old == 0) owner[0] = blockIdx.x + 1;",
                "int old = atomicCAS(owner, 0, blockIdx.x + 1);",
            ],
        },
        // The same by volatile accesses.
        Planted {
            kernel: "__global__ void k(int *next, int *out, int *) {\n    int mine = *(volatile int *)next;\n    *(volatile int *)next = mine + 1;\n    \
                     out[blockIdx.x] = mine;\n}",
            launch: "k<<<4, 1>>>(a, b, c)",
            says: "make the read at line 4 of program.cu and the write at line 5 of program.cu one atomic operation (`atomicAdd`)",
            change: [
                "int mine = *(volatile int *)next;\n    *(volatile int *)next = mine + 1;",
                "int mine = atomicAdd(next, 1);",
            ],
        },
        // Two parts of the dynamic shared memory overlap.
        Planted {
            kernel: "__global__ void k(int *out, int *, int *) {\n    extern __shared__ char raw[];\n    float *f = (float *)raw;\n    \
                     int *i = (int *)(raw + 64 * 2);\n    f[threadIdx.x] = threadIdx.x;\n    i[threadIdx.x] = threadIdx.x;\n    __syncthreads();\n    \
                     out[threadIdx.x] = f[threadIdx.x] + i[63 - threadIdx.x];\n}",
            launch: "k<<<1, 64, 512>>>(a, b, c)",
            says: "two arrays with elements of different types (`f32` at line 7 of program.cu, `u32` at line 8 of program.cu) overlap in shared memory",
            change: ["raw + 64 * 2", "raw + 64 * 4"],
        },
        // A barrier cannot be between the two sides of a branch.
        Planted {
            kernel: "__global__ void k(int *out, int *, int *) {\n    __shared__ int s[32];\n    if (threadIdx.x < 32) {\n        s[threadIdx.x] = threadIdx.x;\n    \
                     } else {\n        out[threadIdx.x] = s[63 - threadIdx.x];\n    }\n}",
            launch: "k<<<1, 64>>>(a, b, c)",
            says: "are on two sides of a branch: end the branch between them, put `__syncthreads()`",
            change: ["} else {", "}\n    __syncthreads();\n    if (threadIdx.x >= 32) {"],
        },
        // An index that leaves its array is the cause of both findings.
        Planted {
            kernel: "__global__ void k(int *out, int *, int *) {\n    int i = blockIdx.x * 512 + threadIdx.x;\n    out[i + i / 512 * 100] = i;\n    \
                     out[i] = i;\n}",
            launch: "k<<<2, 512>>>(a, b, c)",
            says: "repair the out-of-bounds finding at line 5 of program.cu first",
            change: ["out[i + i / 512 * 100] = i;", ""],
        },
        // Two groups of warps use one barrier at once.
        Planted {
            kernel: "__global__ void k(int *out, int *, int *) {\n    __shared__ int s[128];\n    int w = threadIdx.x / 64;\n    s[threadIdx.x] = threadIdx.x;\n    \
                     asm volatile(\"bar.sync %0, 64;\" :: \"r\"(1) : \"memory\");\n    out[threadIdx.x] = s[w * 64 + 63 - threadIdx.x % 64];\n}",
            launch: "k<<<1, 128>>>(a, b, c)",
            says: "two groups of warps use barrier 1 at once",
            change: ["\"r\"(1)", "\"r\"(1 + w)"],
        },
    ];
    for Planted { kernel, launch, says, change: [from, to] } in all {
        let (said, clean) = check(&program(kernel, launch));
        assert!(!clean && said.contains(says), "{says}:\n{said}");
        assert!(!said.contains("barrier of the grid"), "{said}");
        assert!(kernel.contains(from), "{from}");
        let (said, clean) = check(&program(&kernel.replace(from, to), launch));
        assert!(clean, "after the change:\n{said}");
    }
}

#[test]
fn an_index_into_the_next_allocation_is_found() {
    let kernel = "__global__ void k(float *x, float *y) { x[threadIdx.x + AWAY] = 1; y[threadIdx.x] = 2; }\n";
    for (bytes, allocate) in [
        (4096, "cudaMalloc"),
        (400, "cudaMalloc"),
        (4096, "cudaMallocManaged"),
        (400, "cudaMallocHost"),
    ] {
        for away in [bytes / 4, 2048, 1 << 20] {
            let source = format!(
                "#define AWAY {away}\n{kernel}int main() {{ float *x, *y; {allocate}(&x, {bytes}); {allocate}(&y, {bytes}); k<<<1, 32>>>(x, y); \
                 return cudaDeviceSynchronize() != cudaSuccess; }}\n"
            );
            let (said, clean) = check(&source);
            assert!(!clean && said.contains("out-of-bounds"), "{allocate} {bytes} {away}: {said}");
        }
    }
}

#[test]
fn a_copy_that_is_filled_with_zeros_reads_only_the_bytes_before_them() {
    let source = |bytes: &str| {
        format!(
            "#include <cstdio>\n#include <cuda_pipeline.h>\n__global__ void k(int *out, const int *x, int n) {{\n    __shared__ alignas(16) int s[256];\n    \
             int i = threadIdx.x * 4, left = n - i < 0 ? 0 : n - i < 4 ? n - i : 4;\n    __pipeline_memcpy_async(&s[i], &x[i], 16, {bytes});\n    \
             __pipeline_commit();\n    __pipeline_wait_prior(0);\n    __syncthreads();\n    for (int j = 0; j < 4; j++) out[i + j] = s[i + j];\n}}\n\
             int main() {{\n    int h[256], *out, *x;\n    for (int i = 0; i < 256; i++) h[i] = i + 1;\n    cudaMalloc(&out, 1024);\n    \
             cudaMalloc(&x, 102 * 4);\n    cudaMemcpy(x, h, 102 * 4, cudaMemcpyHostToDevice);\n    k<<<1, 64>>>(out, x, 102);\n    \
             cudaMemcpy(h, out, 1024, cudaMemcpyDeviceToHost);\n    for (int i = 0; i < 256; i++) if (h[i] != (i < 102 ? i + 1 : 0)) {{ printf(\"wrong at %d\\n\", i); return 3; }}\n    \
             return 0;\n}}\n"
        )
    };
    let (said, clean) = check(&source("16 - left * 4"));
    assert!(clean && !said.contains("wrong"), "{said}");
    // Three of the elements are read beyond the end.
    let (said, clean) = check(&source("left ? 0 : 16"));
    assert!(!clean && said.contains("out-of-bounds"), "{said}");
}

#[test]
fn a_note_tells_that_the_end_of_a_copied_array_was_never_written() {
    let source = |blocks: u32| {
        format!(
            "__global__ void k(int *out) {{ out[blockIdx.x * 64 + threadIdx.x] = 1; }}\nint main() {{ int h[256], *a, *out; \
             cudaMalloc(&a, 4); cudaMalloc(&out, 1024); k<<<{blocks}, 64>>>(out); cudaMemcpy(h, out, 1024, cudaMemcpyDeviceToHost); }}\n"
        )
    };
    let note = "note: a copy to the host takes 1024 bytes at out+0, and nothing has written the last 256 of them";
    let (said, clean) = check(&source(3));
    assert!(clean && said.contains(note), "{said}");
    let (said, clean) = check(&source(4));
    assert!(clean && !said.contains("never") && !said.contains("nothing has written"), "{said}");
}

#[test]
fn a_profile_says_why_it_has_no_patterns_of_a_kernel_that_waits() {
    let kernel = "__global__ void k(int *flag, int *out, int *) {\n    if (blockIdx.x == 0) atomicExch(flag, 1);\n    else while (atomicAdd(flag, 0) == 0);\n    \
                  out[blockIdx.x * 32 + threadIdx.x] = 1;\n}";
    let (said, success) = by("profile", &program(kernel, "k<<<2, 32>>>(a, b, c)"));
    assert!(success && said.contains("their kernels wait for values in memory"), "{said}");
    assert!(!said.contains("exceeds 1 GiB"), "{said}");
}

#[test]
fn an_address_far_from_all_memory_is_named_in_words_of_the_program() {
    let kernel = "__global__ void k(int *x, int *, int *) { x[1ull << 28] = 1; }";
    let (said, clean) = check(&program(kernel, "k<<<1, 1>>>(a, b, c)"));
    assert!(!clean && said.contains("out-of-bounds global write"), "{said}");
    for word in ["cuMemAlloc", "memory of the host", "large block of `malloc`"] {
        assert!(!said.contains(word), "{word}: {said}");
    }
}
