//! Functions that call themselves and each other, directly or by address; stack overflows; `alloca`.

use crate::common::{START, device, kernel, load, run};
use lanework_emulator::{FaultKind, LaunchConfig, Options};

/// Returns a module with functions and one kernel, whose body follows [`START`].
fn text(functions: &str, body: &str) -> String {
    kernel(&format!("{START}{body}")).replacen(".visible", &format!("{functions}\n.visible"), 1)
}

/// Returns the words that two warps wrote, one per thread, after checking that both register modes agree.
fn words(functions: &str, body: &str) -> Vec<u32> {
    let text = text(functions, body);
    let [classed, varying] = [false, true].map(|all_varying| {
        run(&text, all_varying, [1, 1, 1], [64, 1, 1], &[0; 64], 64)
            .unwrap_or_else(|fault| panic!("{fault}"))
            .words
    });
    assert_eq!(classed, varying);
    classed
}

fn each(f: impl Fn(u32) -> u32) -> Vec<u32> {
    (0..64).map(f).collect()
}

/// PTX for `call (%r20), f, (%r10)` with parameters in memory, as compilers generate it.
fn called(f: &str) -> String {
    format!(
        "{{ .param .b32 p0; st.param.b32 [p0], %r10; .param .b32 q0; call.uni (q0), {f}, (p0);
         ld.param.b32 %r20, [q0]; }}"
    )
}

const STORE: &str = "st.global.u32 [%rd5], %r20; ret;";

const FIBONACCI: &str = ".func (.param .b32 out) fib(.param .b32 n) {
    .reg .b32 %r<12>; .reg .pred %p1;
    ld.param.u32 %r1, [n]; setp.gt.u32 %p1, %r1, 1; @%p1 bra MORE;
    st.param.b32 [out], %r1; ret;
    MORE: sub.u32 %r2, %r1, 1; sub.u32 %r3, %r1, 2;
    { .param .b32 a; .param .b32 b; st.param.b32 [a], %r2; call.uni (b), fib, (a);
      ld.param.b32 %r4, [b]; }
    { .param .b32 a; .param .b32 b; st.param.b32 [a], %r3; call.uni (b), fib, (a);
      ld.param.b32 %r5, [b]; }
    add.u32 %r6, %r4, %r5; st.param.b32 [out], %r6; ret; }";

fn fibonacci(n: u32) -> u32 {
    (0..n).fold((0, 1), |(a, b), _| (b, a + b)).0
}

#[test]
fn a_function_calls_itself_twice_at_a_depth_of_each_lanes_own() {
    let body = format!("rem.u32 %r10, %r1, 12; {} {STORE}", called("fib"));
    assert_eq!(words(FIBONACCI, &body), each(|i| fibonacci(i % 12)));
}

#[test]
fn lanes_are_together_again_after_the_outermost_call() {
    let body = format!(
        "rem.u32 %r10, %r1, 9; {} mov.u32 %r30, %r20; bar.sync 0; activemask.b32 %r31;
         {} bar.sync 0; shfl.sync.idx.b32 %r32, %r20, 8, 31, -1;
         setp.ne.u32 %p1, %r31, -1; @%p1 mov.u32 %r32, 0; add.u32 %r20, %r30, %r32; {STORE}",
        called("fib"),
        called("fib")
    );
    let of_lane_8 = |i: u32| fibonacci((i / 32 * 32 + 8) % 9);
    assert_eq!(words(FIBONACCI, &body), each(|i| fibonacci(i % 9) + of_lane_8(i)));
}

#[test]
fn functions_with_registers_as_parameters_call_each_other() {
    let functions = "
        .func (.reg .u32 %out) odd(.reg .u32 %n);
        .func (.reg .u32 %out) even(.reg .u32 %n) { .reg .u32 %m; .reg .pred %p;
          setp.eq.u32 %p, %n, 0; @%p mov.u32 %out, 1; @%p ret;
          sub.u32 %m, %n, 1; call (%out), odd, (%m); add.u32 %out, %out, %n; ret; }
        .func (.reg .u32 %out) odd(.reg .u32 %n) { .reg .u32 %m; .reg .pred %p;
          setp.eq.u32 %p, %n, 0; @%p mov.u32 %out, 0; @%p ret;
          sub.u32 %m, %n, 1; call (%out), even, (%m); mad.lo.u32 %out, %out, 2, %n; ret; }";
    fn even(n: u32) -> u32 {
        if n == 0 { 1 } else { odd(n - 1).wrapping_add(n) }
    }
    fn odd(n: u32) -> u32 {
        if n == 0 { 0 } else { even(n - 1).wrapping_mul(2).wrapping_add(n) }
    }
    let body = "and.b32 %r10, %r1, 15; call (%r20), even, (%r10); call (%r21), odd, (%r10);
        mad.lo.u32 %r20, %r21, 1000, %r20; st.global.u32 [%rd5], %r20; ret;";
    assert_eq!(words(functions, body), each(|i| even(i & 15) + 1000 * odd(i & 15)));
}

#[test]
fn pointers_and_predicates_survive_calls() {
    // walk(n, p) adds to the caller's variable through a pointer at each level.
    let functions = ".func walk(.param .b32 n, .param .b64 p) {
        .local .align 8 .b32 mine[3]; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<3>; .reg .f64 %d<3>;
        ld.param.u32 %r1, [n]; ld.param.u64 %rd1, [p];
        setp.eq.u32 %p1, %r1, 0; @%p1 bra DONE;
        and.b32 %r2, %r1, 1; setp.ne.u32 %p2, %r2, 0; cvt.rn.f64.u32 %d1, %r1;
        mul.lo.u32 %r3, %r1, 100; st.local.u32 [mine+4], %r3;
        sub.u32 %r4, %r1, 1; mov.u64 %rd2, mine; cvta.local.u64 %rd3, %rd2; add.u64 %rd3, %rd3, 4;
        { .param .b32 a; .param .b64 b; st.param.b32 [a], %r4; st.param.b64 [b], %rd3;
          call.uni walk, (a, b); }
        ld.local.u32 %r5, [mine+4]; cvt.rzi.u32.f64 %r6, %d1; add.u32 %r5, %r5, %r6;
        @%p2 add.u32 %r5, %r5, 7;
        ld.u32 %r7, [%rd1]; add.u32 %r7, %r7, %r5; st.u32 [%rd1], %r7;
        DONE: ret; }";
    fn walk(n: u32, to: &mut u32) {
        if n > 0 {
            let mut mine = n * 100;
            walk(n - 1, &mut mine);
            *to += mine + n + if n & 1 == 1 { 7 } else { 0 };
        }
    }
    let body = "and.b32 %r10, %r1, 7;
        { .param .b32 a; .param .b64 b; st.param.b32 [a], %r10; mov.u32 %r11, 5;
          st.global.u32 [%rd5], %r11; st.param.b64 [b], %rd5; call.uni walk, (a, b); } ret;";
    let expected = each(|i| {
        let mut out = 5;
        walk(i & 7, &mut out);
        out
    });
    assert_eq!(words(functions, body), expected);
}

#[test]
fn structures_are_passed_and_returned_at_every_depth() {
    let functions = ".func (.param .align 8 .b8 out[24]) add(.param .align 8 .b8 in[24]) {
        .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .pred %p1;
        ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [in+8]; ld.param.u32 %r1, [in+16];
        setp.eq.u32 %p1, %r1, 0; @%p1 bra END;
        sub.u32 %r2, %r1, 1;
        { .param .align 8 .b8 a[24]; .param .align 8 .b8 b[24];
          st.param.b64 [a], %rd2; add.u64 %rd3, %rd1, %rd2; st.param.b64 [a+8], %rd3; st.param.b32 [a+16], %r2;
          call.uni (b), add, (a); ld.param.b64 %rd4, [b]; ld.param.b64 %rd5, [b+8]; }
        add.u64 %rd4, %rd4, %rd1; st.param.b64 [out], %rd4; st.param.b64 [out+8], %rd5; ret;
        END: st.param.b64 [out], %rd1; st.param.b64 [out+8], %rd2; ret; }";
    fn add((a, b, n): (u64, u64, u32)) -> (u64, u64) {
        if n == 0 {
            return (a, b);
        }
        let (x, y) = add((b, a + b, n - 1));
        (x + a, y)
    }
    let body = "cvt.u64.u32 %rd10, %r1; mov.u64 %rd11, 3; and.b32 %r10, %r1, 15;
        { .param .align 8 .b8 a[24]; .param .align 8 .b8 b[24];
          st.param.b64 [a], %rd10; st.param.b64 [a+8], %rd11; st.param.b32 [a+16], %r10;
          call.uni (b), add, (a); ld.param.b64 %rd12, [b]; ld.param.b64 %rd13, [b+8]; }
        mul.lo.u64 %rd13, %rd13, 31; add.u64 %rd12, %rd12, %rd13; cvt.u32.u64 %r20, %rd12;
        st.global.u32 [%rd5], %r20; ret;";
    let expected = each(|i| {
        let (x, y) = add((u64::from(i), 3, i & 15));
        (x + 31 * y) as u32
    });
    assert_eq!(words(functions, body), expected);
}

#[test]
fn recursion_through_an_address_calls_the_addressed_function() {
    let functions = "
        .func (.param .b32 out) up(.param .b32 n, .param .b64 f);
        .func (.param .b32 out) down(.param .b32 n, .param .b64 f) { .reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .pred %p;
          ld.param.u32 %r1, [n]; ld.param.u64 %rd1, [f]; mov.u32 %r4, 1; setp.eq.u32 %p, %r1, 0; @%p bra E;
          sub.u32 %r2, %r1, 1; mov.u64 %rd2, up;
          { .param .b32 a; .param .b64 b; .param .b32 c; st.param.b32 [a], %r2; st.param.b64 [b], %rd2;
            prototype_0: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _);
            call (c), %rd1, (a, b), prototype_0; ld.param.b32 %r3, [c]; }
          mad.lo.u32 %r4, %r3, 3, %r1;
          E: st.param.b32 [out], %r4; ret; }
        .func (.param .b32 out) up(.param .b32 n, .param .b64 f) { .reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .pred %p;
          ld.param.u32 %r1, [n]; ld.param.u64 %rd1, [f]; mov.u32 %r4, 2; setp.eq.u32 %p, %r1, 0; @%p bra E;
          sub.u32 %r2, %r1, 1; mov.u64 %rd2, down;
          { .param .b32 a; .param .b64 b; .param .b32 c; st.param.b32 [a], %r2; st.param.b64 [b], %rd2;
            prototype_0: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _);
            call (c), %rd1, (a, b), prototype_0; ld.param.b32 %r3, [c]; }
          mad.lo.u32 %r4, %r3, 5, %r1;
          E: st.param.b32 [out], %r4; ret; }";
    // down(n, f) calls f(n - 1, up); up(n, f) calls f(n - 1, down).
    fn go(is_down: bool, n: u32, f_is_down: bool) -> u32 {
        match (n, is_down) {
            (0, true) => 1,
            (0, false) => 2,
            (_, true) => go(f_is_down, n - 1, false).wrapping_mul(3).wrapping_add(n),
            (_, false) => go(f_is_down, n - 1, true).wrapping_mul(5).wrapping_add(n),
        }
    }
    let body = "and.b32 %r10, %r1, 7; and.b32 %r11, %r1, 8; setp.ne.u32 %p1, %r11, 0;
        mov.u64 %rd10, up; mov.u64 %rd11, down; selp.b64 %rd12, %rd10, %rd11, %p1;
        { .param .b32 a; .param .b64 b; .param .b32 c; st.param.b32 [a], %r10; st.param.b64 [b], %rd10;
          prototype_1: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _);
          call (c), %rd12, (a, b), prototype_1; ld.param.b32 %r20, [c]; }
        st.global.u32 [%rd5], %r20; ret;";
    assert_eq!(words(functions, body), each(|i| go(i & 8 == 0, i & 7, false)));
}

#[test]
fn a_nest_within_a_nest_has_frames_above_it() {
    let inner = ".func (.param .b32 out) sum(.param .b32 n) { .reg .b32 %r<9>; .reg .pred %p1;
        ld.param.u32 %r1, [n]; mov.u32 %r3, 0; setp.eq.u32 %p1, %r1, 0; @%p1 bra E; sub.u32 %r2, %r1, 1;
        { .param .b32 a; .param .b32 b; st.param.b32 [a], %r2; call.uni (b), sum, (a); ld.param.b32 %r3, [b]; }
        add.u32 %r3, %r3, %r1; E: st.param.b32 [out], %r3; ret; }";
    let outer = ".func (.param .b32 out) sums(.param .b32 n) { .reg .b32 %r<9>; .reg .pred %p1;
        ld.param.u32 %r1, [n]; mov.u32 %r5, 0; setp.eq.u32 %p1, %r1, 0; @%p1 bra E; sub.u32 %r2, %r1, 1;
        { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call.uni (b), sum, (a); ld.param.b32 %r3, [b]; }
        { .param .b32 a; .param .b32 b; st.param.b32 [a], %r2; call.uni (b), sums, (a); ld.param.b32 %r4, [b]; }
        { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call.uni (b), sum, (a); ld.param.b32 %r6, [b]; }
        mad.lo.u32 %r5, %r4, 3, %r3; add.u32 %r5, %r5, %r6; E: st.param.b32 [out], %r5; ret; }";
    let sum = |n: u32| n * (n + 1) / 2;
    let sums = |n: u32| (1..=n).fold(0, |below, k| below * 3 + 2 * sum(k));
    let body = format!("and.b32 %r10, %r1, 7; {} {STORE}", called("sums"));
    assert_eq!(words(&format!("{inner}{outer}"), &body), each(|i| sums(i & 7)));
}

#[test]
fn a_long_chain_of_calls_is_not_recursion() {
    let mut functions =
        String::from(".func (.reg .u32 %o) f0(.reg .u32 %i) { add.u32 %o, %i, 1; ret; }\n");
    for n in 1..400 {
        functions.push_str(&format!(
            ".func (.reg .u32 %o) f{n}(.reg .u32 %i) {{ .reg .u32 %t; call (%t), f{}, (%i); add.u32 %o, %t, 1; ret; }}\n",
            n - 1
        ));
    }
    let body = format!("call (%r20), f399, (%r1); {STORE}");
    assert_eq!(words(&functions, &body), each(|i| i + 400));
}

#[test]
fn recursion_without_an_end_fills_the_stack_and_names_its_call() {
    let functions = ".func f(.param .b32 n) { .reg .b32 %r1; ld.param.u32 %r1, [n];
        { .param .b32 a; st.param.b32 [a], %r1;\n\ncall f, (a); } ret; }";
    let body = "{ .param .b32 a; st.param.b32 [a], %r1; call f, (a); } ret;";
    let text = text(functions, body);
    for all_varying in [false, true] {
        let fault = run(&text, all_varying, [1, 1, 1], [32, 1, 1], &[0], 1).err().expect("a fault");
        assert_eq!(fault.kind, FaultKind::StackOverflow);
        let line = text.lines().position(|line| line.starts_with("call f")).expect("the call") + 1;
        assert_eq!(
            (fault.instruction.as_str(), fault.text_line as usize),
            ("call", line),
            "{fault}"
        );
        assert!(fault.to_string().contains("stack overflow"), "{fault}");
    }
}

#[test]
fn recursion_is_clean_under_the_checks() {
    let checks = Some(lanework_emulator::sanitize::Checks::all());
    let emulator = lanework_emulator::Emulator::new(Options { checks, ..Options::default() });
    let body = format!("rem.u32 %r10, %r1, 6; {} {STORE}", called("fib"));
    let program = load(&emulator, &text(FIBONACCI, &body)).expect("loads");
    let out = crate::common::upload(&emulator, "out", &[0; 64]);
    let launch = LaunchConfig::new("k", [1, 1, 1], [64, 1, 1]);
    let arguments: [&[u8]; 3] = [&[0; 8], &out.to_le_bytes(), &[0; 4]];
    let checked = emulator.check(&program, &launch, &arguments).expect("runs");
    assert!(checked.reports.is_empty(), "{:?}", checked.reports);
}

#[test]
fn alloca_gives_memory_until_the_function_returns() {
    let functions = ".func (.reg .u32 %o) squares(.reg .u32 %n) {
        .reg .u64 %p, %q, %s; .reg .u32 %i, %v; .reg .pred %c;
        mul.wide.u32 %s, %n, 4; add.u64 %s, %s, 4; alloca.u64 %p, %s; alloca.u64 %q, 64, 16;
        st.local.u32 [%q+60], -1; mov.u32 %i, 0; mov.u64 %q, %p;
        FILL: mul.lo.u32 %v, %i, %i; st.local.u32 [%q], %v; add.u64 %q, %q, 4; add.u32 %i, %i, 1;
        setp.le.u32 %c, %i, %n; @%c bra FILL;
        mov.u32 %o, 0;
        SUM: sub.u64 %q, %q, 4; ld.local.u32 %v, [%q]; add.u32 %o, %o, %v; setp.gt.u64 %c, %q, %p;
        @%c bra SUM; ret; }";
    let body = "and.b32 %r10, %r1, 15; mov.u32 %r20, 0; mov.u32 %r12, 0;
        AGAIN: call (%r11), squares, (%r10); add.u32 %r20, %r20, %r11; add.u32 %r12, %r12, 1;
        setp.lt.u32 %p1, %r12, 1000; @%p1 bra AGAIN; st.global.u32 [%rd5], %r20; ret;";
    let squares = |n: u32| (0..=n).map(|k| k * k).sum::<u32>();
    assert_eq!(words(functions, body), each(|i| 1000 * squares(i & 15)));
}

#[test]
fn stackrestore_frees_and_an_overflow_faults() {
    let body = "mov.u32 %r10, 0; L: stacksave.u64 %rd10; alloca.u64 %rd11, 1024, 256; and.b64 %rd12, %rd11, 255;
        st.local.u32 [%rd11+1020], %r10; ld.local.u32 %r20, [%rd11+1020]; cvt.u32.u64 %r21, %rd12;
        add.u32 %r20, %r20, %r21; stackrestore.u64 %rd10; add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, 100;
        @%p1 bra L; st.global.u32 [%rd5], %r20; ret;";
    assert_eq!(words("", body), each(|_| 99));
    let full = text("", &body.replace("stackrestore.u64 %rd10;", ""));
    let fault = run(&full, false, [1, 1, 1], [32, 1, 1], &[0], 1).err().expect("a fault");
    assert_eq!((fault.kind, fault.instruction.as_str()), (FaultKind::StackOverflow, "alloca.u64"));
    let huge = text("", "alloca.u64 %rd10, -8; ret;");
    let fault = run(&huge, false, [1, 1, 1], [32, 1, 1], &[0], 1).err().expect("a fault");
    assert_eq!(fault.kind, FaultKind::StackOverflow);
    let odd = text("", "alloca.u64 %rd10, 8, 3; ret;");
    let error = load(&device(false), &odd).expect_err("refused");
    assert!(error.text_line > 0 && error.message.contains("power of two"), "{error}");
}

#[test]
fn a_functions_static_shared_variable_exists_once() {
    let functions = ".func (.reg .u32 %o) next() { .shared .u32 count;
        atom.shared.add.u32 %o, [count], 1; ret; }";
    let body = "call (%r10), next; bar.sync 0; call (%r11), next; sub.u32 %r20, %r11, %r10;
        setp.ge.s32 %p1, %r20, 1; selp.u32 %r20, 1, 0, %p1; st.global.u32 [%rd5], %r20; ret;";
    assert_eq!(words(functions, body), each(|_| 1));
}
