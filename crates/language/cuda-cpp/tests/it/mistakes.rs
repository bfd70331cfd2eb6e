//! Error messages for common mistakes, compared with golden text. `LANEWORK_BLESS=1` rewrites it.

use lanework_cuda_cpp::{CompileOptions, NoFiles, compile};
use std::fmt::Write;

/// Sources with one mistake each.
const MISTAKES: &[&str] = &[
    "__global__ void k(float* x) {\n    x[threadIdx.x] = 1.0f\n}",
    "__global__ void k(float* x) {\n    int i = threadIdx.x;\n    x[j] = 1.0f;\n}",
    "__global__ void k(float* x) {\n    int index = threadIdx.x;\n    x[indx] = 1.0f;\n}",
    "__global__ void k(float* x) {\n    x[threadIdx.x] = sqrtff(2.0f);\n}",
    "__global__ void k(float* x) {\n    x[threadidx.x] = 1.0f;\n}",
    "__global__ void k(const float* x) {\n    x[threadIdx.x] = 1.0f;\n}",
    "__global__ int k(float* x) {\n    return 1;\n}",
    "__global__ void k(float* x, int n) {\n    __shared__ float tile[n];\n    tile[0] = x[0];\n}",
    "__global__ void k(float* x) {\n    float y = x;\n    x[0] = y;\n}",
    "__global__ void k(float* x) {\n    int* p = x;\n    p[0] = 1;\n}",
    "float half_of(float x) { return x / 2; }\n__global__ void k(float* x) {\n    x[0] = half_of(x[0]);\n}",
    "__device__ float f(float a, float b) { return a + b; }\n__global__ void k(float* x) {\n    x[0] = f(x[0]);\n}",
    "__global__ void k(float* x) {\n    x[0] = x[1] % 2.0f;\n}",
    "struct P { float a, b; };\n__global__ void k(P* p) {\n    p->c = 1;\n}",
    "struct P { float a; };\n__global__ void k(P* p) {\n    p.a = 1;\n}",
    "__global__ void k(float* x) {\n    if (x[0] > 0) {\n        x[0] = 1;\n}",
    "__global__ void k(float* x) {\n    x[0] = 1;\n    }\n}",
    "__global__ void k(float* x) {\n    for (int i = 0, i < 4; i++) x[i] = 0;\n}",
    "__global__ void k(float* x) {\n    else x[0] = 1;\n}",
    "__global__ void k(float* x) {\n    const int n = 4;\n    n = 5;\n    x[0] = n;\n}",
    "template <typename T> __device__ T twice(T a, T b) { return a + b; }\n__global__ void k(float* x) {\n    x[0] = twice(1, 2.0f);\n}",
    "template <int N> struct A { static_assert(N > 4, \"N is too small\"); float x[N]; };\n__global__ void k(float* x) {\n    A<2> a;\n    x[0] = a.x[0];\n}",
    "#define SQUARE(x) ((x) * (x)\n__global__ void k(float* x) {\n    x[0] = SQUARE(x[0]);\n}",
    "#define ADD(a, b) ((a) + (b))\n__global__ void k(float* x) {\n    x[0] = ADD(x[0]);\n}",
    "#include \"missing.h\"\n__global__ void k(float* x) { x[0] = 1; }",
    "#ifdef A\n__global__ void k(float* x) { x[0] = 1; }",
    "float table[4];\n__global__ void k(float* x) {\n    x[0] = table[threadIdx.x];\n}",
    "__global__ void k(float* x) {\n    break;\n}",
    "__global__ void k(float* x) {\n    __half h = x[0];\n    x[0] = h;\n}",
    "__global__ void a(float* x) { x[0] = 1; }\n__global__ void b(float* x) {\n    a(x);\n}",
    "__global__ void k(float* x) {\n    int i = 0;\n    int i = 1;\n    x[i] = 0;\n}",
    "__global__ void k(float* x) {\n    __shared__ float s = 1;\n    x[0] = s;\n}",
    "__global__ void k(float* x) {\n    x[1.5f] = 0;\n}",
    "__global__ void k(float* x) {\n    float a[2] = {1, 2, 3};\n    x[0] = a[0];\n}",
    "__global__ void k(float* x) {\n    x[0] = cub::ThreadReduce(x[1]);\n}",
    "struct A {};\nstruct S : virtual A {};\n__global__ void k(float* x) { x[0] = 1; }",
    "template <class T> __device__ void first(T **to, int n) { *to = nullptr; }\n__global__ void k(float* x) {\n    float *d;\n    first(d, 4);\n}",
    "__device__ void fill(int *to) { *to = 1; }\n__global__ void k(float* x) {\n    int n;\n    fill(n);\n    x[n] = 0;\n}",
    "#include <cstring>\n__device__ int length(const char* text) {\n    return strlen(text);\n}\n__global__ void k(int* x) { x[0] = length(\"ab\"); }",
    "__global__ void k(float* x) {\n    unsigned char d;\n    cudaMalloc(&d, 4);\n    x[0] = d;\n}",
    "#define SET(i) x[i] = y\n__global__ void k(float* x) {\n    SET(0);\n}",
];

#[test]
fn errors_read_well() {
    let mut text = String::new();
    for source in MISTAKES {
        let failure = match compile(source, "kernel.cu", &CompileOptions::default(), &mut NoFiles) {
            Ok(_) => "compiles\n".to_owned(),
            Err(failure) => failure.text,
        };
        let _ = writeln!(text, "{failure}{}", "-".repeat(60));
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mistakes.txt");
    if std::env::var_os("LANEWORK_BLESS").is_some() {
        std::fs::write(path, &text).expect("a writable file");
    }
    let known = std::fs::read_to_string(path).expect("the golden file");
    assert!(known == text, "LANEWORK_BLESS=1 writes the file; see the difference with git\n{text}");
}

#[test]
fn a_macro_that_changes_its_meaning_is_reported() {
    let warnings = |source: &str, defines: &[&str]| {
        let options = CompileOptions {
            defines: defines.iter().map(|define| (*define).to_owned()).collect(),
            ..CompileOptions::default()
        };
        let source = format!("{source}\n__global__ void k(float* x) {{ x[0] = N; }}");
        compile(&source, "kernel.cu", &options, &mut NoFiles).expect("compiles").warnings
    };
    let text = warnings("#define N 4\n#define N 5", &[]);
    for part in ["warning: macro `N` is redefined", "kernel.cu:2:9", "kernel.cu:1:9", "#undef N"] {
        assert!(text.contains(part), "{text}");
    }
    assert!(warnings("#define N 5", &["N=4"]).contains("`-D`"));
    assert!(warnings("#define N (x)[1]\n#define N(x) x\n#undef N\n#define N 1", &[]).contains("N"));
    for same in [
        "#define N 4\n#define N   4 // the same",
        "#define N 4\n#undef N\n#define N 5",
        "#define N 1\n#define __CUDA_ARCH__ 100\n#define min(a, b) a",
    ] {
        assert_eq!(warnings(same, &[]), "");
    }
}

#[test]
fn a_format_that_does_not_suit_its_arguments_is_reported() {
    let warnings = |call: &str| {
        let source =
            format!("enum E {{ A }};\n__global__ void k(float* x, long n) {{\n{call};\n}}");
        let options = CompileOptions::default();
        compile(&source, "kernel.cu", &options, &mut NoFiles).expect("compiles").warnings
    };
    for (call, part) in [
        ("printf(\"%d\\n\", x[0])", "`%d` prints an `int`, but the argument is"),
        ("printf(\"%d %d\\n\", 1, n)", "write `%ld`"),
        ("printf(\"%f\\n\", threadIdx.x)", "`%f` prints a `double`"),
        ("printf(\"%s\\n\", 3)", "`%s` prints a string"),
        ("printf(\"%ld\\n\", 3)", "prints a 64-bit integer"),
        ("printf(\"%d %d\\n\", 3)", "reads 2 arguments, but 1 are given"),
    ] {
        let text = warnings(call);
        assert!(text.contains(part) && text.contains("kernel.cu:3:"), "{call}: {text}");
    }
    for right in [
        "printf(\"%d %u %c %hd\\n\", 'a', 1, 'b', (short)3)",
        "printf(\"%f %g %5.1e\\n\", x[0], 2.0, 1.0f)",
        "printf(\"%ld %zu %llu %lx\\n\", n, sizeof(n), 3ull, n)",
        "printf(\"%s %p %*d %d\\n\", \"a\", x, 3, 4, A)",
        "printf(\"100 %%\\n\")",
    ] {
        assert_eq!(warnings(right), "", "{right}");
    }
}
