//! Tests of the validation: accepted modules and reported problems.

use super::*;

fn problems(text: &str) -> Vec<String> {
    let text = format!(".version 8.0\n.target sm_90\n{text}");
    let module = Module::parse(&text).unwrap_or_else(|e| panic!("{e}"));
    match module.validate() {
        Ok(()) => Vec::new(),
        Err(problems) => problems.iter().map(|d| format!("{}: {}", d.line, d.message)).collect(),
    }
}

#[test]
fn declared_names_are_fine() {
    let text = ".global .u32 g; .extern .shared .b8 s[]; .extern .shared .b8 s[];
        .extern .func f(.param .b32 x);
        .entry k(.param .u64 p) {
          .reg .b32 %r<3>, a; .reg .pred %p1; .reg .v4 .f32 v;
          ld.param.u32 %r2, [p+4]; mov.u32 %r0, %tid.x; mov.u32 a, s; mov.f32 a, v.x;
          @%p1 bra DONE;
          { .reg .b32 a; .param .b32 q; st.param.b32 [q], a; call f, (q); }
          { .param .b32 q; }
          shfl.sync.idx.b32 %r1|%p1, %r0, 1, 31, -1;
          DONE: ret;
        }";
    assert_eq!(problems(text), [""; 0]);
}

#[test]
fn unknown_names_are_found_with_their_line() {
    assert_eq!(
        problems(
            ".entry k {\n.reg .b32 %r<3>;\nmov.u32 %r1, %r3;\nmov.u32 %r01, nope;\nbra %r1;\n@p bra L;\n}"
        ),
        [
            "5: the register `%r3` is not declared",
            "6: the register `%r01` is not declared",
            "6: the name `nope` is not declared",
            "7: there is no label `%r1` to branch to",
            "8: the name `p` is not declared",
            "8: there is no label `L` to branch to",
        ]
    );
}

#[test]
fn a_scope_ends_with_its_brace() {
    assert_eq!(
        problems(".entry k {\n{ .reg .b32 a; }\nmov.b32 a, 0;\n}"),
        ["5: the name `a` is not declared"]
    );
}

#[test]
fn duplicates_are_found() {
    assert_eq!(
        problems(
            ".global .u32 g; .global .u32 g; .entry k(.param .u32 p) {\nL:\nL: ret; }\n.entry k { ret; }"
        ),
        [
            "0: `g` is declared twice at module scope",
            "0: `k` is declared twice at module scope",
            "5: `L` is declared twice in the same scope of `k`",
        ]
    );
    assert_eq!(problems(".func f; .func f { ret; } .func f;"), [""; 0]);
}

/// Compilers emit modules of variables alone, and drivers load them.
#[test]
fn a_module_without_code_is_fine() {
    assert_eq!(problems(""), [""; 0]);
    assert_eq!(problems(".const .u32 c = 5;"), [""; 0]);
}

#[test]
fn conversions_between_the_16_bit_floats_need_no_rounding() {
    // As ptxas has it; Triton writes them so.
    let cvt = |modifiers: &str| {
        let from = if modifiers.ends_with("32") { "f" } else { "h" };
        problems(&format!(
            ".entry k {{\n.reg .b16 %h<2>; .reg .f32 %f0; cvt{modifiers} %h1, %{from}0; ret;\n}}"
        ))
    };
    for modifiers in [".bf16.f16", ".f16.bf16", ".rn.bf16.f16", ".rz.f16.bf16"] {
        assert_eq!(cvt(modifiers), [""; 0], "{modifiers}");
    }
    for modifiers in [".sat.bf16.f16", ".sat.f16.bf16", ".f16.f32", ".bf16.f32"] {
        assert_eq!(cvt(modifiers).len(), 1, "{modifiers}");
    }
}
