//! PTX of intrinsic functions: it is valid, also for constant arguments, and means what CUDA documents.

use lanework_cuda_cpp::{CompileOptions, NoFiles, compile};
use lanework_ptx::Module;

/// The PTX of a source, checked by the rules of PTX.
fn valid(source: &str) -> String {
    let compiled = compile(source, "kernel.cu", &CompileOptions::default(), &mut NoFiles);
    let text = compiled.unwrap_or_else(|failure| panic!("{}", failure.text)).text;
    let parsed = Module::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    parsed.validate().unwrap_or_else(|error| panic!("{error}\n{text}"));
    text
}

/// Instructions of a text that contain a word.
fn lines<'a>(text: &'a str, word: &str) -> Vec<&'a str> {
    text.lines().filter(|line| line.contains(word)).collect()
}

#[test]
fn halves_of_constant_bits_are_valid_operands() {
    let source = r#"
        #include <cuda_bf16.h>
        #include <cuda_fp16.h>
        __global__ void k(float *o, half *h, __nv_bfloat16 *b, half2 *p, int *i) {
            half one = __ushort_as_half(0x3c00), x = h[0];
            o[0] = __half2float(one);
            o[1] = __half2float(__hadd(x, one)) + __half2float(__hfma(one, x, CUDART_INF_FP16));
            o[2] = __bfloat162float(__hmul(b[0], CUDART_ONE_BF16));
            i[0] = __half2int_rn(CUDART_MAX_NORMAL_FP16) + (int)CUDART_ONE_FP16;
            h[1] = hsqrt(one);
            h[2] = __hmax(x, CUDART_NEG_ZERO_FP16);
            b[1] = __float2bfloat16_ru(o[3]);
            b[2] = __float2bfloat16_rd(o[3]);
            b[3] = __float2bfloat16_rz(o[3]);
            p[1] = __hadd2(p[0], __half2(one, one));
            p[2] = __hfma2(p[0], __half2half2(one), __half2half2(CUDART_ONE_FP16));
        }
"#;
    let text = valid(source);
    for line in lines(&text, "f16") {
        let integer = |operand: &str| operand.trim_end_matches(';').parse::<i64>().is_ok();
        assert!(!line.split([' ', ',']).skip(1).any(integer), "{line}");
    }
}

#[test]
fn byte_perm_ignores_the_sign_bit_of_its_selectors() {
    let source = r#"
        __global__ void k(unsigned *o, unsigned x, unsigned y, unsigned s) {
            o[0] = __byte_perm(x, y, s);
            o[1] = __byte_perm(x, y, 0x8c3f);
        }
"#;
    let text = valid(source);
    // 0x7777, and 0x8c3f without the sign bits.
    assert!(text.contains("30583") && text.contains("1079"), "{text}");
}

#[test]
fn positive_differences_with_nan_are_nan() {
    let source = r#"
        __global__ void k(float *o, float x, double *p, double y) {
            o[0] = fdimf(x, 1.0f);
            p[0] = fdim(y, 1.0);
        }
"#;
    let text = valid(source);
    // A comparison that NaN fails selects the 0.
    for line in lines(&text, "setp.") {
        assert!(line.contains(".le.") || line.contains(".gtu."), "{text}");
    }
    assert!(!lines(&text, "setp.").is_empty(), "{text}");
}

#[test]
fn tiles_of_tiles_count_within_their_parent() {
    let source = r#"
        #include <cooperative_groups.h>
        namespace cg = cooperative_groups;
        __global__ void k(unsigned *o) {
            auto warp = cg::tiled_partition<32>(cg::this_thread_block());
            auto four = cg::tiled_partition<4>(warp);
            o[0] = four.meta_group_rank();
            o[1] = four.meta_group_size();
        }
"#;
    let text = valid(source);
    assert!(text.contains("%laneid") && !text.contains("%ntid"), "{text}");
    assert!(lines(&text, "st.global").iter().any(|line| line.contains(", 8;")), "{text}");
}

/// The texts of a module's strings.
fn strings(ptx: &str) -> Vec<String> {
    let bytes = |line: &str| {
        let list = line.split_once("= {")?.1.split_once('}')?.0;
        let bytes: Option<Vec<u8>> = list.split(',').map(|byte| byte.trim().parse().ok()).collect();
        let text = String::from_utf8(bytes?).ok()?;
        Some(text.trim_end_matches('\0').to_owned())
    };
    lines(ptx, ".b8").into_iter().filter_map(bytes).collect()
}

#[test]
fn assertions_name_their_function_as_nvcc_does() {
    let source = r#"
        struct S {
            int a;
            __device__ S(int v) : a(v) { assert(v != 7); }
            __device__ int get(int i) const { assert(i < 3); return a + i; }
            __device__ operator int() { assert(a); return a; }
            __device__ S &operator+=(const S &o) { assert(o.a); a += o.a; return *this; }
        };
        namespace n {
            namespace {
                __device__ void hidden(long long x, unsigned char *p, float (&r)[4], void (*f)(int)) { assert(x); }
            }
            template <class T, int N> __device__ T *twice(T *p, const T &q, unsigned long u) { assert(p); return p; }
            enum E { A };
        }
        extern "C" __global__ void kc(const int *ids, int n, float *o, int m) {
            assert(n);
            S s(n);
            s.get(m);
            s += s;
            int k = s;
            float r[4];
            n::hidden(n, (unsigned char *)o, r, nullptr);
            n::twice<int, 4>((int *)o, k, 4);
            auto f = [=](int z) { assert(z); return z; };
            o[0] = f(k);
        }
        template <class T, int N> __global__ void kt(T *__restrict__ a, const float4 v, dim3 d, size_t s, S o, const unsigned char *const c) {
            assert(a);
        }
        template __global__ void kt<float, 4>(float *, const float4, dim3, size_t, S, const unsigned char *const);
        __global__ void kv(volatile int *v, int a[8], int b[3][4], int **pp, S *s, const S &r, n::E e) { assert(v); }
"#;
    let texts = strings(&valid(source));
    // By nvcc 13.5.
    let expected = [
        "int S::get(int) const",
        "S::S(int)",
        "S::operator int()",
        "S &S::operator+=(const S &)",
        "void n::<unnamed>::hidden(long long, unsigned char *, float (&)[4], void (*)(int))",
        "void kc(const int *, int, float *, int)",
        "lambda [](int)->auto::operator()(int)->auto",
        "void kv(volatile int *, int *, int (*)[4], int **, S *, const S &, n::E)",
        "T *n::twice(T *, const T &, unsigned long) [with T = int; int N = 4]",
        "void kt(T *, float4, dim3, unsigned long, S, const unsigned char *) [with T = float; int N = 4]",
    ];
    for text in expected {
        assert!(texts.iter().any(|found| found == text), "{text}: {texts:#?}");
    }
}

#[test]
fn intrinsics_have_the_position_of_their_call() {
    let source = r#"
        __global__ void k(int *out, int n) {
            int warp = threadIdx.x / 32;
            if (n)
                out[1] = 2;
            warp = __shfl_sync(0x1f, warp, 0);
            out[threadIdx.x] = warp;
        }
"#;
    let text = valid(source);
    let before = text.split("shfl.sync").next().expect("a part");
    let position = before.rsplit(".loc").next().expect("a position");
    assert_eq!(position.split_whitespace().nth(1), Some("6"), "{text}");
}

#[test]
fn a_body_that_only_determines_a_type_is_not_compiled() {
    let source = r#"
        inline void check(int status) { if (status) throw status; }
        __device__ int helper(int x) { return 3 * x; }
        __global__ void k(double a, int *o) {
            auto f = [](int x) { return helper(x); };
            decltype(f(1)) sum = 2;
            o[0] = sum + f(o[1]);
        }
        int main() {
            auto f = [] { check(0); return 2.0; };
            double a = f();
            auto b = f();
            k<<<1, 1>>>(a + b, nullptr);
        }
"#;
    assert!(!valid(source).contains("check"));
    // The errors of a body do matter if device code calls it afterwards.
    let called = r#"
        __global__ void k(int *o) {
            auto f = [] { throw 1; return 2; };
            decltype(f()) sum = 2;
            o[0] = sum + f();
        }
"#;
    let failure = compile(called, "kernel.cu", &CompileOptions::default(), &mut NoFiles);
    let text = failure.expect_err("`throw` in device code").text;
    assert!(text.contains("`throw` in device code"), "{text}");
}
