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
fn a_module_for_32_bit_addresses_gives_one_error() {
    let body = "ld.param.u32 %r1, [p];\n ld.global.u32 %r2, [%r1];\n st.global.u32 [%r1], %r2; }";
    let found = |head: &str| problems(&format!("{head}\n{body}"));
    let narrow = ".entry k(.param .u32 p) { .reg .u32 %r<4>;";
    assert_eq!(found(narrow), ["5: only 64-bit addresses are supported"]);
    // A module with 64-bit integers names each register.
    let mixed = found(".entry k(.param .u32 p) { .reg .u32 %r<4>; .reg .u64 %d;");
    assert_eq!(mixed.len(), 2, "{mixed:?}");
    // Addresses of shared memory have 32 bits in every module.
    let shared =
        ".shared .u32 s; .entry k { .reg .u32 %r<4>; mov.u32 %r1, s; st.shared.u32 [%r1], %r1; }";
    assert_eq!(problems(shared), [""; 0]);
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

/// Compilers emit modules with only variables, and drivers load them.
#[test]
fn a_module_without_code_is_fine() {
    assert_eq!(problems(""), [""; 0]);
    assert_eq!(problems(".const .u32 c = 5;"), [""; 0]);
}

#[test]
fn conversions_between_the_16_bit_floats_need_no_rounding() {
    // ptxas accepts these forms, and Triton emits them.
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

/// ptxas 13.0.88 for sm_90a accepts the first list and rejects the second.
#[test]
fn matrix_and_asynchronous_forms_match_ptxas() {
    let of = |instruction: &str| {
        let text = format!(
            ".version 9.0\n.target sm_90a\n.entry k {{ .reg .b32 r<12>; .reg .b64 q<8>; .reg .f32 f<8>; .reg .f64 d<12>;
             .reg .b16 h<8>; .reg .pred p; .reg .v4 .u16 v;\n{instruction}\nret; }}"
        );
        Module::parse(&text).unwrap_or_else(|e| panic!("{instruction}: {e}")).validate()
    };
    let eight = "{f0,f1,f2,f3,f4,f5,f6,f7}";
    let ab = "{r0,r1,r2,r3,r4,r5,r6,r7}";
    let fine = [
        "mov.v4.u16 v, {h0,h1,h2,h3};".to_owned(),
        "mov.v2.f64 {d1,d2}, {d3,d4};".to_owned(),
        "istypep.surfref p, q1;".to_owned(),
        "prefetch.L2::evict_normal [q1];".to_owned(),
        "prefetch.param.tensormap [q1];".to_owned(),
        "prefetchu.L1 [q1];".to_owned(),
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.f32 [r1], {f0,f1}, [r2];".to_owned(),
        "st.async.cluster.shared::cluster.mbarrier::complete_tx::bytes.b64 [r1], q0, [r2];".to_owned(),
        "st.shared.v2.u32 [r1], {%clock, r2};".to_owned(),
        "st.shared.v2.u64 [r1], {%clock64, q1};".to_owned(),
        "st.shared.v2.f32 [r1], {%laneid, f1};".to_owned(),
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.s64 [r1], q0, [r2];".to_owned(),
        "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [r1];".to_owned(),
        "movmatrix.sync.aligned.m8n8.trans.b16 r0, r1;".to_owned(),
        format!("mma.sync.aligned.m8n8k4.col.col.f32.f16.f16.f16 {eight}, {{r4,r5}}, {{r6,r7}}, {{r0,r1,r2,r3}};"),
        "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64.rn {d0,d1,d2,d3}, {d4,d5}, {d4}, {d0,d1,d2,d3};".to_owned(),
        "mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e5m2.f16 {r0,r1}, {r4,r5,r6,r7}, {r8,r9}, {r0,r1};".to_owned(),
        format!("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f16 {eight}, {ab}, {ab}, {{r0,r1,r2,r3}};"),
        format!("wmma.mma.sync.aligned.row.col.m8n32k16.f32.bf16.bf16.f32 {eight}, {{r0,r1}}, {ab}, {eight};"),
        "wmma.load.b.sync.aligned.col.m8n8k32.s4 {r0}, [q1], 32;".to_owned(),
        "wmma.store.d.sync.aligned.row.m8n8k128.s32 [q1], {r0,r1};".to_owned(),
        "shfl.sync.down.b32 r0, r1, 1, 31, -1;".to_owned(),
    ];
    for instruction in fine {
        assert_eq!(of(&instruction).err().map(|e| e.to_string()), None, "{instruction}");
    }
    let refused = [
        "mov.gt.v4.u16 v, {h0,h1,h2,h3};".to_owned(),
        "mov.v2.u32 {r0,r1}, {r2,r3}, {r2,r3};".to_owned(),
        "mov.v4 v, v;".to_owned(),
        "istypep.surfref.u32 p, q1;".to_owned(),
        "prefetch.b128 [q1];".to_owned(),
        "prefetchu.L2 [q1];".to_owned(),
        "st.async.u64 [r1], q0;".to_owned(),
        "st.async.weak.cluster.shared::cluster.mbarrier::complete_tx::bytes.b64 [r1], q0, [r2];".to_owned(),
        "st.async.cluster.shared::cta.mbarrier::complete_tx::bytes.b64 [r1], q0, [r2];".to_owned(),
        "st.shared.v2.u32 [r1], {%tid, r2};".to_owned(),
        "st.shared.v2.u16 [r1], {%laneid, h1};".to_owned(),
        "st.shared.u32 [r1], %tid.x;".to_owned(),
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.u16 [r1], h0, [r2];".to_owned(),
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.min.u64 [r1], q0, [r2];".to_owned(),
        "cp.async.mbarrier.arrive.b64;".to_owned(),
        "movmatrix.sync.aligned.m8n8.trans.b16 r0, 1;".to_owned(),
        format!("mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f32 {{r0,r1,r2,r3}}, {{r4,r5}}, {{r6,r7}}, {eight};"),
        "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {d0,d1,d2,d3}, {d4,d5}, d4, {d0,d1,d2,d3};".to_owned(),
        "mma.m8n8k128.aligned.row.col.s32.b1.b1.s32.and.popc {r0,r1}, {r2}, {r3}, {r0,r1};".to_owned(),
        format!("wmma.mma.aligned.row.col.m16n16k16.f32.f32 {eight}, {ab}, {ab}, {eight};"),
        format!("wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.u8.s32 {ab}, {{r0,r1}}, {{r2,r3}}, {ab};"),
        "wmma.load.a.sync.aligned.row.m16n16k16.f16 {r0,r1,r2,r3}, [q1];".to_owned(),
        "wmma.load.a.sync.aligned.col.m8n8k32.s4 {r0}, [q1], 32;".to_owned(),
    ];
    for instruction in refused {
        assert!(of(&instruction).is_err(), "{instruction}");
    }
}

#[test]
fn an_entrys_array_has_a_size() {
    assert_eq!(problems(".entry k(.param .b32 p[]) { ret; }"), ["0: the array `p` has no size"]);
    assert_eq!(
        problems(".func f(.param .b32 p[]) { ret; } .entry k(.param .b32 p[2]) { ret; }"),
        [""; 0]
    );
}

#[test]
fn warp_exchanges_need_a_member_mask_from_6_4() {
    let of = |version: &str, target: &str| {
        let text = format!(
            ".version {version}\n.target {target}\n.entry k {{\n.reg .b32 %r<3>; .reg .pred p;\n\
             shfl.down.b32 %r1, %r0, 1, 31;\nvote.all.pred p, p;\nret; }}"
        );
        let module = Module::parse(&text).unwrap_or_else(|e| panic!("{e}"));
        module.validate().err().map_or(0, |problems| problems.iter().count())
    };
    assert_eq!(of("6.3", "sm_70"), 0);
    assert_eq!(of("6.4", "sm_60"), 0);
    assert_eq!(of("6.4", "sm_70"), 2);
    assert_eq!(of("8.0", "sm_90"), 2);
}

/// Behavior of ptxas 13.5.
#[test]
fn only_a_32_byte_store_may_discard_elements() {
    let of = |instruction: &str| {
        let text = format!(
            ".version 8.8\n.target sm_100\n.entry k {{ .reg .b64 %l<4>; .reg .b32 %r<4>;\n{instruction} ret; }}"
        );
        let module = Module::parse(&text).unwrap_or_else(|e| panic!("{e}"));
        module.validate().map_err(|problems| problems.to_string())
    };
    assert_eq!(of("st.global.v8.b32 [%l1], {%r1,_,%r2,_,_,_,%r3,%r1};"), Ok(()));
    assert_eq!(of("st.global.v4.b64 [%l1], {%l1,_,%l2,_};"), Ok(()));
    for refused in [
        "st.global.v8.b32 [%l1], {_,_,_,_,_,_,_,_};",
        "st.global.v4.b32 [%l1], {%r1,_,%r2,%r3};",
        "st.global.v2.b64 [%l1], {%l1,_};",
        "st.global.b32 [%l1], _;",
    ] {
        assert!(of(refused).is_err(), "{refused}");
    }
}

#[test]
fn the_last_parameter_of_a_variadic_function_accepts_any_size() {
    let call = ".extern .func f(.param .b64 a, .param .align 8 .b8 rest[]);
        .entry k { .param .b64 a; .param .align 8 .b8 b[24]; .reg .b32 %r;";
    assert_eq!(problems(&format!("{call} call f, (a, b); ret; }}")), [""; 0]);
    assert_ne!(problems(&format!("{call} call f, (b, b); ret; }}")), [""; 0]);
}

#[test]
fn a_parameter_may_be_an_address_of_an_image() {
    let text = ".entry k(.param .u64 .ptr .texref t, .param .u64 .ptr .samplerref s) { ret; }";
    assert_eq!(problems(text), [""; 0]);
}

/// Behavior of ptxas 13.5.
#[test]
fn early_wmma_has_no_aligned_and_may_saturate() {
    let of = |version: &str, instruction: &str| {
        let text = format!(
            ".version {version}\n.target sm_70\n.entry k {{ .reg .b64 %l; .reg .b32 %r<16>;\n{instruction} ret; }}"
        );
        let module = Module::parse(&text).unwrap_or_else(|e| panic!("{e}"));
        module.validate().is_ok()
    };
    let a = "{%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}";
    let load = |aligned: &str, shape: &str| {
        format!("wmma.load.a.sync{aligned}.row.{shape}.f16 {a}, [%l];")
    };
    let (square, wide) = ("m16n16k16", "m8n32k16");
    assert!(of("6.0", &load("", square)) && !of("6.0", &load(".aligned", square)));
    assert!(of("6.1", &load("", wide)) && !of("6.0", &load("", wide)));
    assert!(of("6.3", &load(".aligned", square)) && !of("6.3", &load("", square)));
    let c = "{%r0,%r1,%r2,%r3}";
    let saturated =
        format!("wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16.satfinite {c}, {a}, {a}, {c};");
    assert!(of("6.4", &saturated) && !of("6.5", &saturated));
}
