//! Modules as generators write them: kernels of many instructions and registers, many functions.

use lanework_ptx::Module;
use lanework_ptx_ir::inspect::{View, inspect};
use std::fmt::Write;

fn pressure(text: &str) -> String {
    let module = Module::parse(text).expect("PTX");
    module.validate().expect("names are declared");
    let entry = module.entries().last().expect("an entry");
    inspect(&module, entry, View::Pressure).unwrap_or_else(|e| panic!("{e}"))
}

fn head() -> String {
    ".version 8.0\n.target sm_90\n.address_size 64\n".to_owned()
}

/// Registers that live in one block cost no memory in the others.
#[test]
fn a_kernel_of_many_registers_and_branches_is_analyzed() {
    let count = 70_000;
    let mut text = head();
    write!(text, ".entry k(.param .u64 p) {{\n.reg .b32 %r<{count}>; .reg .pred %p<2>;\n").unwrap();
    text.push_str("mov.u32 %r0, %tid.x;\n");
    for i in 1..count {
        writeln!(text, "add.s32 %r{i}, %r{}, {i};", i - 1).unwrap();
        if i % 20 == 0 {
            write!(
                text,
                "setp.lt.s32 %p1, %r{i}, 5;\n@%p1 bra L{i};\nadd.s32 %r{i}, %r{i}, 1;\nL{i}:\n"
            )
            .unwrap();
        }
    }
    text.push_str("ret; }\n");
    assert!(pressure(&text).contains("registers"));
}

#[test]
fn a_kernel_that_calls_thousands_of_functions_is_lowered() {
    let count = 3_000;
    let mut text = head();
    for i in 0..count {
        writeln!(
            text,
            ".func (.reg .b32 r) f{i}(.reg .b32 a) {{ add.s32 r, a, {i}; ret; }}\n.shared .b32 s{i};"
        )
        .unwrap();
    }
    text.push_str(".entry k() {\n.reg .b32 %r<2>; mov.u32 %r0, %tid.x;\n");
    for i in 0..count {
        writeln!(text, "call (%r0), f{i}, (%r0);\nst.shared.b32 [s{i}], %r0;").unwrap();
    }
    text.push_str("ret; }\n");
    assert!(pressure(&text).contains("registers"));
}
