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
