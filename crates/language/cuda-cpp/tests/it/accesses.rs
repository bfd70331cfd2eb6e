//! Widths and numbers of memory accesses: values of small floats move as one, and local arrays become registers.

use lanework_cuda_cpp::{CompileOptions, NoFiles, compile};

/// The PTX of a source.
fn ptx(source: &str) -> String {
    let compiled = compile(source, "kernel.cu", &CompileOptions::default(), &mut NoFiles);
    compiled.unwrap_or_else(|failure| panic!("{}", failure.text)).text
}

/// The instructions of a text that start with a word, without their operands.
fn opcodes<'a>(text: &'a str, word: &str) -> Vec<&'a str> {
    let opcode = |line: &'a str| line.trim_start().split([' ', '\t']).next().unwrap_or_default();
    text.lines().map(opcode).filter(|opcode| opcode.starts_with(word)).collect()
}

/// Bytes of each access with these opcodes.
fn widths(opcodes: &[&str]) -> Vec<u32> {
    let width = |opcode: &&str| {
        let count =
            if opcode.contains(".v4.") { 4 } else { 1 + u32::from(opcode.contains(".v2.")) };
        let digits =
            opcode.rsplit('.').next().unwrap_or_default().trim_start_matches(['b', 'u', 's', 'f']);
        count * digits.parse::<u32>().expect("a width in bits") / 8
    };
    opcodes.iter().map(width).collect()
}

#[test]
fn a_pair_of_small_floats_moves_by_one_access() {
    for (kind, header) in [("half2", "cuda_fp16.h"), ("__nv_bfloat162", "cuda_bf16.h")] {
        for body in [
            "to[threadIdx.x] = from[threadIdx.x];",
            "to[threadIdx.x] = T(from[threadIdx.x].x, from[threadIdx.x].x);",
            "to[threadIdx.x] = {value.y, value.x};",
            "T t = from[threadIdx.x]; t.x = t.y; to[threadIdx.x] = t;",
            "T t; t = __hadd2(from[threadIdx.x], value); to[threadIdx.x] = t;",
        ] {
            let source = format!(
                "#include <{header}>\nusing T = {kind};\n\
                 __global__ void k(T *to, const T *from, T value) {{ {body} }}"
            );
            let text = ptx(&source);
            assert_eq!(widths(&opcodes(&text, "st.")), [4], "{source}\n{text}");
        }
        let source = format!(
            "#include <{header}>\n__global__ void k({kind} *to, const {kind} *from) {{ to[1] = from[1]; }}"
        );
        let text = ptx(&source);
        assert_eq!(widths(&opcodes(&text, "ld.global")), [4], "{source}\n{text}");
    }
}

#[test]
fn a_class_with_other_assignments_is_copied_as_bytes() {
    // Only `operator=` of the class's own type replaces the copy.
    let source = r#"
        struct alignas(16) Four {
            float v[4];
            __device__ Four &operator=(float all) { v[0] = v[1] = v[2] = v[3] = all; return *this; }
        };
        __global__ void k(Four *to, const Four *from) { to[threadIdx.x] = from[threadIdx.x]; }
"#;
    let text = ptx(source);
    assert_eq!(widths(&opcodes(&text, "st.")), [16], "{text}");
    let source = r#"
        #include <cuda_fp16.h>
        #include <type_traits>
        struct Own { int x; __device__ Own &operator=(const Own &other) { x = other.x + 1; return *this; } };
        struct Template { int x; template <class T> __device__ Template &operator=(const T &) { return *this; } };
        static_assert(std::is_trivially_copyable<half>::value && std::is_trivially_copyable<half2>::value, "");
        static_assert(std::is_trivially_copyable<Template>::value && !std::is_trivially_copyable<Own>::value, "");
        struct Outer { Own own; };
        __global__ void k(Outer *to, const Outer *from) { *to = *from; }
"#;
    assert!(ptx(source).contains("add"), "the member's own assignment runs");
}

#[test]
fn loops_over_the_elements_of_a_local_array_leave_no_array() {
    for body in [
        "float a[4] = {p[0], p[1], p[2], p[3]}; for (float &x : a) x *= 2; for (auto x : a) s += x;",
        "float a[4][4]; for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) a[i][j] = p[i * 32 + j]; \
         for (auto &row : a) for (auto x : row) s += x;",
        "float a[8]; for (int i = 0; i < 8; i++) a[i] = p[i]; for (float *q = a; q < a + 8; q += 2) s += *q;",
        "float a[8]; for (int i = 0; i < 8; i++) a[i] = p[i]; for (float *q = a + 8; q-- != a;) s += *q;",
        "List a; for (int i = 0; i < 4; i++) a.v[i] = p[i]; for (float x : a) s += x;",
        // Large after its inner loop is unrolled.
        "float a[4] = {}; for (int k = 0; k < (int)p[0]; k++) for (int d = 0; d < 4; d++) { float t = a[d] * p[k]; \
         for (int c = 0; c < 32; c++) t += p[c * 32] * p[c + d]; a[d] = t; } for (int d = 0; d < 4; d++) s += a[d];",
    ] {
        let source = format!(
            "struct List {{ float v[4]; __device__ float *begin() {{ return v; }} __device__ float *end() {{ return v + 4; }} }};\n\
             __global__ void k(float *p) {{ float s = 0; {body} p[threadIdx.x] = s; }}"
        );
        let text = ptx(&source);
        assert!(!text.contains(".local"), "{source}\n{text}");
    }
}
