//! Typical kernels: their PTX is valid and as expected. `LANEWORK_BLESS=1` writes `golden`.

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

/// The PTX of a module, after the module and the PTX were checked.
fn valid(name: &str, module: SsaModule, enabled: bool) -> String {
    verify(&module).unwrap_or_else(|e| panic!("{name}: {e}"));
    let compiled =
        compile(module, &Optimization { enabled }).unwrap_or_else(|e| panic!("{name}: {e}"));
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
