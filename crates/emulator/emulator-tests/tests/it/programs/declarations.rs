//! Declarations: vector registers, variables of functions, module-scope local memory, names that another
//! module defines, prototypes of old compilers, constant expressions.

use crate::common::{START, device, download, kernel, load, run};
use lanework_emulator::{FaultKind, LaunchConfig, NullObserver};

/// Returns the words that one warp wrote, one per thread, after checking that both register modes agree.
fn words(text: &str) -> Vec<u32> {
    let input: Vec<u32> = (0..128).map(|i| i * 3 + 1).collect();
    let [classed, varying] = [false, true].map(|all_varying| {
        run(text, all_varying, [1, 1, 1], [32, 1, 1], &input, 32)
            .unwrap_or_else(|fault| panic!("{fault}"))
            .words
    });
    assert_eq!(classed, varying);
    classed
}

#[test]
fn a_vector_register_is_its_elements() {
    let body = "
        .reg .v4 .b32 %v<2>; .reg .v2 .b32 %w; .reg .b64 %q;
        shl.b32 %r10, %r1, 4; cvt.u64.u32 %q, %r10; add.s64 %q, %q, %rd1;
        ld.global.v4.b32 %v0, [%q];
        mov.v4.b32 %v1, {%v0.w, %v0.z, %v0.y, %v0.x};
        mov.v2.b32 %w, {%v1.r, %v1.a}; mov.v2.b32 %w, {%w.y, %w.x};
        mov.b64 %q, %w; mov.b64 {%r11, %r12}, %q; mov.b64 %w, %q;
        shl.b32 %r13, %w.y, 16; or.b32 %r13, %r13, %r11;
        st.global.b32 [%rd5], %r13; ret;";
    let expected: Vec<u32> = (0..32u32)
        .map(|i| {
            let element = |n: u32| (4 * i + n) * 3 + 1;
            element(3) << 16 | element(0)
        })
        .collect();
    assert_eq!(words(&kernel(&format!("{START}{body}"))), expected);
}

#[test]
fn vectors_are_passed_and_returned_in_registers() {
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n\
         .func (.reg .v2 .u32 %o) swap(.reg .v4 .u32 %i) {{ .reg .u32 %t; add.u32 %t, %i.x, %i.w;\n\
         mov.u32 %o.x, %i.y; sub.u32 %o.y, %t, %i.z; ret; }}\n\
         .visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n) {{ {START}
         .reg .v4 .u32 %v; .reg .v2 .u32 %w; mov.v4.u32 %v, {{%r1, 5, 7, 9}};
         call (%w), swap, (%v); mad.lo.u32 %r10, %w.x, 1000, %w.y;
         st.global.u32 [%rd5], %r10; ret; }}"
    );
    assert_eq!(words(&text), (0..32).map(|i| 5000 + i + 2).collect::<Vec<u32>>());
    let short = text.replace("(%v); mad", "(%w); mad");
    let error = load(&device(false), &short).expect_err("refused");
    assert!(error.message.contains("a vector of 4"), "{error}");
}

#[test]
fn a_vector_register_is_not_a_scalar_operand() {
    let body = ".reg .v2 .b32 %v; add.s32 %r1, %v, 1; ret;";
    let error = load(&device(false), &kernel(&format!("{START}{body}"))).expect_err("refused");
    assert!(error.text_line > 0 && error.message.contains("`add.s32`"), "{error}");
}

#[test]
fn functions_have_variables_of_their_own_in_global_and_constant_memory() {
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.global .u32 g = 1000;\n\
         .func (.reg .u32 %o) f() {{ .global .u32 g = 40; .const .u32 c[2] = {{0, 2 > 1 ? 2 : 3}};\n\
         .global .u64 p = g; .reg .u32 %a, %b; .reg .u64 %q;\n\
         ld.global.u64 %q, [p]; ld.global.u32 %a, [%q]; ld.const.u32 %b, [c+4];\n\
         add.u32 %o, %a, %b; add.u32 %a, %a, 1; ret; }}\n\
         .visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n) {{ {START}
         call (%r10), f; call (%r11), f; add.u32 %r10, %r10, %r11;
         ld.global.u32 %r11, [g]; add.u32 %r10, %r10, %r11;
         {{ .global .u32 g = 5; ld.global.u32 %r11, [g]; add.u32 %r10, %r10, %r11; }}
         {{ .global .u32 g = 6; ld.global.u32 %r11, [g]; add.u32 %r10, %r10, %r11; }}
         st.global.u32 [%rd5], %r10; ret; }}"
    );
    assert_eq!(words(&text), [42 + 42 + 1000 + 5 + 6; 32]);
}

#[test]
fn a_function_keeps_the_value_of_its_static_variable() {
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n\
         .func (.reg .u32 %o) next() {{ .global .u32 g; atom.global.add.u32 %o, [g], 1; ret; }}\n\
         .visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n) {{ {START}
         call (%r10), next; call (%r11), next;
         setp.lt.u32 %p1, %r10, %r11; selp.u32 %r10, 1, 0, %p1;
         st.global.u32 [%rd5], %r10; ret; }}"
    );
    assert_eq!(words(&text), [1; 32]);
}

#[test]
fn local_memory_of_module_scope_is_each_threads_own() {
    let text = format!(
        ".version 2.3\n.target sm_20\n.address_size 64\n.local .align 4 .b32 mine[2];\n\
         .func bump() {{ .reg .b32 %a; ld.local.u32 %a, [mine+4]; add.u32 %a, %a, 5;\n\
         st.local.u32 [mine+4], %a; ret; }}\n\
         .visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n) {{ {START}
         st.local.u32 [mine+4], %r1; call bump; call bump; ld.local.u32 %r10, [mine+4];
         st.global.u32 [%rd5], %r10; ret; }}"
    );
    assert_eq!(words(&text), (10..42).collect::<Vec<u32>>());
}

#[test]
fn a_name_of_another_module_refuses_only_the_entries_that_use_it() {
    let text = ".version 8.0\n.target sm_80\n.address_size 64\n.extern .global .u32 there;\n\
        .extern .func helper(.param .b32 a)\n\
        .visible .entry good(.param .u64 out) { .reg .b64 %rd1; ld.param.u64 %rd1, [out];\n\
        st.global.u32 [%rd1], 1 ? 7 : 8; ret; }\n\
        .visible .entry reads(.param .u64 out) { .reg .b32 %r1; ld.global.u32 %r1, [there]; ret; }\n\
        .visible .entry takes(.param .u64 out) { .reg .b64 %r1; mov.u64 %r1, there; ret; }\n\
        .visible .entry calls(.param .u64 out) { call helper, (5); ret; }";
    let emulator = device(false);
    let program = load(&emulator, text).expect("one entry can run");
    let out = emulator.allocate(4, "out").expect("memory");
    let launch = |name: &str| {
        let config = LaunchConfig::new(name, [1, 1, 1], [1, 1, 1]);
        emulator.launch(&program, &config, &[&out.to_le_bytes()], &mut NullObserver)
    };
    launch("good").expect("runs");
    assert_eq!(download(&emulator, out, 1), [7]);
    for (name, line, what) in [
        ("reads", 8, "`there` is defined in another module"),
        ("takes", 9, "`there` is defined"),
        ("calls", 10, "`helper`"),
    ] {
        let fault = launch(name).expect_err(name);
        assert_eq!((fault.kind, fault.text_line), (FaultKind::Unsupported, line), "{fault}");
        assert!(fault.message.contains(what), "{fault}");
    }
}

#[test]
fn an_alias_calls_its_function() {
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n\
         .visible .func (.param .b32 r) other(.param .b32 a);\n\
         .visible .func (.param .b32 r) twice(.param .b32 a) {{ .reg .b32 %a; ld.param.b32 %a, [a];\n\
         add.u32 %a, %a, %a; st.param.b32 [r], %a; ret; }}\n\
         .visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n) {{ {START}\n\
         .param .b32 a; .param .b32 r; st.param.b32 [a], %r1; call (r), other, (a);\n\
         ld.param.b32 %r10, [r]; st.global.u32 [%rd5], %r10; ret; }}\n.alias other, twice;"
    );
    assert_eq!(words(&text), (0..32).map(|i| 2 * i).collect::<Vec<u32>>());
}
