//! No input makes the compiler panic or run for long.

use lanework_cuda_cpp::{CompileOptions, NoFiles, compile};

/// Fragments, so that random sequences get past the parser.
const PIECES: &[&str] = &[
    "__global__ void k(float* x) {",
    "}",
    "{",
    "(",
    ")",
    ";",
    "int i = 0;",
    "x[i] = 1;",
    "if (i)",
    "for (;;)",
    "while (i)",
    "template <typename T>",
    "template <int N>",
    "struct S",
    "struct S {",
    "};",
    "S<1>",
    "S<S<1>>",
    "T",
    "::",
    "<",
    ">",
    ">>",
    "<<<",
    ">>>",
    "k<<<1, 1>>>(x);",
    "int main() {",
    "[&]",
    "[=](auto v) { return v; }",
    "auto",
    "decltype(i)",
    "sizeof",
    "operator",
    "namespace n {",
    "using namespace n;",
    "#define M(a) a\n",
    "M(",
    "#if 1\n",
    "#endif\n",
    "#else\n",
    "...",
    "T... t",
    "constexpr",
    "static_assert(1);",
    "switch (i) {",
    "case 1:",
    "default:",
    "break;",
    "continue;",
    "return",
    "goto l;",
    "l:",
    "asm(\"mov.u32 %0, 1;\" : \"=r\"(i));",
    "enum E { A, B };",
    "union U { int a; float b; };",
    "->",
    ".",
    "x",
    "i",
    "1",
    "1.0f",
    "\"text\"",
    "'c'",
    "*",
    "&",
    "&&",
    "+",
    "-",
    "/",
    "?",
    ":",
    ",",
    "=",
    "==",
    "__shared__ int s[4];",
    "S s;",
    "s.a",
    "S() : a(1) {}",
    "int a;",
    "this",
    "new",
    "delete",
    "const",
    "volatile",
    "unsigned",
    "long",
    "\\",
    "@",
    "é",
    "/*",
    "//",
];

/// A small pseudo-random number generator (xorshift).
struct RandomBits(u64);

impl RandomBits {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

fn exercise(source: &str) {
    let result = compile(source, "random.cu", &CompileOptions::default(), &mut NoFiles);
    if let Err(failure) = result {
        assert!(!failure.text.contains("the compiler failed"), "panics:\n{source}");
        assert!(!failure.text.is_empty(), "{source}");
    }
}

#[test]
fn random_fragments_are_errors_without_a_panic() {
    let mut random = RandomBits(0x9e37_79b9_7f4a_7c15);
    for _ in 0..60 {
        let count = random.below(40);
        let source: Vec<&str> = (0..count).map(|_| PIECES[random.below(PIECES.len())]).collect();
        exercise(&source.join(" "));
    }
}

#[test]
fn damaged_sources_are_errors_without_a_panic() {
    let source = "#include <cuda_fp16.h>\ntemplate <int N, typename T> struct A { T x[N]; __device__ T sum() const { T s = 0; \
        for (T v : x) s += v; return s; } };\n__global__ void k(float* x, int n) { A<4, float> a = {1, 2, 3}; auto f = \
        [=](float v) { return v * n; }; switch (n) { case 1: x[0] = f(a.sum()); break; default: x[1] = __half2float(__float2half(x[2])); } }\n\
        int main() { float* p; k<<<1, 32>>>(p, 3); }";
    let mut random = RandomBits(42);
    for _ in 0..40 {
        let mut bytes: Vec<char> = source.chars().collect();
        for _ in 0..=random.below(3) {
            let at = random.below(bytes.len());
            match random.below(3) {
                0 => {
                    bytes.remove(at);
                }
                1 => bytes.insert(at, ['(', '}', '<', '"', ';', '#'][random.below(6)]),
                _ => {
                    let next = (at + 1) % bytes.len();
                    bytes.swap(at, next);
                }
            }
        }
        exercise(&bytes.into_iter().collect::<String>());
    }
}

#[test]
fn depth_is_limited() {
    for (open, close) in [
        ("(", ")"),
        ("{", "}"),
        ("-", ""),
        ("x[", "]"),
        ("*", ""),
        ("S<", ">"),
        ("[](){ return ", "; }"),
    ] {
        let source = format!(
            "__global__ void k(int* x) {{ int i = {}1{}; }}",
            open.repeat(5000),
            close.repeat(5000)
        );
        exercise(&source);
    }
    exercise(
        "template <int N> struct F { static constexpr int v = F<N + 1>::v; }; __global__ void k(int* x) { x[0] = F<0>::v; }",
    );
    exercise(
        "constexpr int f(int n) { return f(n + 1); } __global__ void k(int* x) { int a[f(0)]; x[0] = a[0]; }",
    );
    exercise(
        "constexpr int f() { while (true) {} return 1; } __global__ void k(int* x) { int a[f()]; x[0] = a[0]; }",
    );
    exercise(
        "#define A B B\n#define B C C\n#define C D D\n#define D E E\n#define E F F\n#define F A A\nA",
    );
    exercise(
        "struct S { S s; }; template <class T> struct R { R<T*> r; }; __global__ void k(R<int>* x) { S s; }",
    );
}
