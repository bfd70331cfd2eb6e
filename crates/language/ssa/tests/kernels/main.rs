//! Typical kernels: their PTX is valid and equals the golden files. `LANEWORK_BLESS=1` rewrites `golden`.

mod dsl;
mod forms;
mod memory;
mod random;
mod warp;

use lanework_ssa::{Optimization, SsaModule, compile, verify};
use std::path::Path;

/// Compiles a module and compares its PTX with a file.
fn expect(name: &str, module: SsaModule) {
    let compiled =
        compile(module, &Optimization::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
    let text = compiled.to_string();
    let parsed =
        lanework_ptx::Module::parse(&text).unwrap_or_else(|e| panic!("{name}: {e}\n{text}"));
    parsed.validate().unwrap_or_else(|e| panic!("{name}: {e}\n{text}"));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/{name}.ptx"));
    lanework_testing::expect_file(path, &text);
}

/// Checks a module and its PTX, and returns the PTX.
fn valid(name: &str, module: SsaModule, enabled: bool) -> String {
    verify(&module).unwrap_or_else(|e| panic!("{name}: {e}"));
    let compiled = compile(module, &Optimization { enabled, ..Optimization::default() })
        .unwrap_or_else(|e| panic!("{name}: {e}"));
    let text = compiled.to_string();
    let parsed =
        lanework_ptx::Module::parse(&text).unwrap_or_else(|e| panic!("{name}: {e}\n{text}"));
    parsed.validate().unwrap_or_else(|e| panic!("{name}: {e}\n{text}"));
    text
}

#[test]
fn random_programs_compile() {
    for seed in 0..40 {
        for enabled in [false, true] {
            valid(&format!("random program {seed}"), random::program(seed), enabled);
        }
    }
}

#[test]
fn all_forms_are_valid() {
    for enabled in [false, true] {
        for constants in [false, true] {
            valid("forms", forms::forms(constants), enabled);
        }
        valid("calls", forms::calls(), enabled);
    }
    expect("calls", forms::calls());
}

#[test]
fn kernels_compile_as_expected() {
    expect("saxpy", memory::saxpy());
    expect("gemm", memory::gemm());
    expect("naive", memory::naive());
    expect("histogram", memory::histogram());
    expect("transpose", memory::transpose());
    expect("reduction", memory::reduction());
    expect("softmax", warp::softmax());
    expect("scan", warp::scan());
    expect("stencil", warp::stencil());
    expect("locals", warp::locals());
    expect("recursion", warp::recursion());
}

#[test]
fn expressions_of_shared_values_and_towers_of_calls_stay_small() {
    use lanework_ssa::*;
    let mut module = dsl::module();
    let mut last = None;
    // Each function calls the previous one twice: inlining all calls would give 2^40.
    for level in 0..40 {
        let name = format!("level{level}");
        let i64s = [ValueType::I64];
        let mut k = dsl::KernelBuilder::with_linkage(&name, FunctionLinkage::Device, &i64s, &i64s);
        let mut value = k.parameter(0);
        if let Some(callee) = last {
            for _ in 0..2 {
                value = k.call(callee, &i64s, &[value])[0];
            }
        } else {
            for _ in 0..60 {
                let shift = k.i32(3);
                let mixed = k.integer(IntegerBinary::ShiftRightUnsigned, value, shift);
                let sum = k.integer(IntegerBinary::Add, value, mixed);
                value = k.integer(IntegerBinary::Subtract, sum, value);
                value = k.integer(IntegerBinary::Add, sum, value);
            }
        }
        k.return_values(&[value]);
        last = Some(module.add_function(k.finish()));
    }
    let mut k = dsl::KernelBuilder::new("tower", &[ValueType::POINTER, ValueType::I64]);
    let (out, mut value) = (k.parameter(0), k.parameter(1));
    value = k.call(last.unwrap(), &[ValueType::I64], &[value])[0];
    let narrow = k.convert(ValueConversion::Truncate, value, ValueType::I32);
    k.store(out, narrow, MemoryFlags::aligned(4));
    module.add_function(k.end());
    let text = valid("tower", module, true);
    assert!(text.lines().count() < 200_000);
}
