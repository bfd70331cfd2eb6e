//! Instructions that share the carry flag, and operands other than plain registers: a register plus a
//! constant, negated predicates, results that are also guards.

use crate::common::triples::check;
use crate::common::{kernel, load};

/// Models the hardware's adder: the sum `a + b + carry`, and its carry.
fn adder(a: u32, b: u32, carry: bool) -> (u32, bool) {
    let sum = u64::from(a) + u64::from(b) + u64::from(carry);
    (sum as u32, sum >> 32 != 0)
}

#[test]
fn every_carry_writer_works_with_every_carry_reader() {
    type Half = fn(u32, u32, u32, bool) -> (u32, bool);
    let steps: [(&str, Half); 3] = [
        ("add", |a, b, _, c| adder(a, b, c)),
        ("sub", |a, b, _, c| adder(a, !b, c)),
        ("mad.lo", |a, b, d, c| adder(a.wrapping_mul(b), d, c)),
    ];
    // Without a carry-in flag, an addition starts with carry 0 and a subtraction with carry 1.
    let start = |name: &str| name == "sub";
    let text = |name: &str, c: &str, cc: &str, d: &str, a: &str, b: &str, e: &str| {
        let (base, part) = name.split_once('.').map_or((name, ""), |(base, _)| (base, ".lo"));
        let third = if part.is_empty() { String::new() } else { format!(", {e}") };
        format!("{base}{c}{part}{cc}.u32 {d}, {a}, {b}{third};")
    };
    for (first, one) in steps {
        for (second, two) in steps {
            for (third, three) in steps {
                let body = format!(
                    ".reg .b32 %w<3>; {} {} {} xor.b32 %r20, %w1, %w2;",
                    text(first, "", ".cc", "%w0", "%r10", "%r11", "%r12"),
                    text(second, "c", ".cc", "%w1", "%r11", "%r12", "%r10"),
                    text(third, "c", "", "%w2", "%r12", "%r10", "%r11"),
                );
                check(&format!("{first} {second} {third}"), &body, |a, b, c| {
                    let (_, flag) = one(a, b, c, start(first));
                    let (x, flag) = two(b, c, a, flag);
                    let (y, _) = three(c, a, b, flag);
                    x ^ y
                });
            }
        }
    }
}

#[test]
fn a_flag_of_one_width_is_read_by_the_other() {
    let wide = ".reg .b64 %q<3>; mov.b64 %q0, {%r10, %r11}; mov.b64 %q1, {%r11, %r12};";
    let flag = |a: u32, b: u32, c: u32| {
        let (x, y) = (u64::from(b) << 32 | u64::from(a), u64::from(c) << 32 | u64::from(b));
        (x.checked_add(y).is_none(), x >= y)
    };
    for (writer, difference) in [("add.cc.u64", false), ("sub.cc.s64", true)] {
        let expected = |a, b, c| if difference { flag(a, b, c).1 } else { flag(a, b, c).0 };
        let text = format!("{wide} {writer} %q2, %q0, %q1; addc.s32 %r20, 0, 0;");
        check(writer, &text, |a, b, c| u32::from(expected(a, b, c)));
        let text = format!("{wide} {writer} %q2, %q0, %q1; subc.u32 %r20, %r10, 0;");
        check(writer, &text, |a, b, c| a.wrapping_sub(u32::from(!expected(a, b, c))));
    }
}

#[test]
fn a_constant_is_added_to_a_register_wherever_a_value_is_read() {
    type Expected = fn(u32, u32, u32) -> u32;
    let cases: [(&str, Expected); 14] = [
        ("mov.u32 %r20, %r10+5;", |a, _, _| a.wrapping_add(5)),
        ("mov.b32 %r20, %r10 + -5;", |a, _, _| a.wrapping_sub(5)),
        ("mov.u32 %r20, %r10 + 1 << 3;", |a, _, _| a.wrapping_add(8)),
        ("mov.u32 %r20, %r10+8589934593;", |a, _, _| a.wrapping_add(1)),
        ("add.u32 %r20, %r10+5, %r11+7;", |a, b, _| a.wrapping_add(b).wrapping_add(12)),
        ("mul.lo.u32 %r20, %r10+5, %r11;", |a, b, _| a.wrapping_add(5).wrapping_mul(b)),
        ("mad.lo.s32 %r20, %r10, %r11, %r12+1;", |a, b, c| {
            a.wrapping_mul(b).wrapping_add(c).wrapping_add(1)
        }),
        ("shr.u32 %r20, %r10+1, 3;", |a, _, _| a.wrapping_add(1) >> 3),
        ("not.b32 %r20, %r10+1;", |a, _, _| !a.wrapping_add(1)),
        (
            ".reg .pred %q; setp.lt.u32 %q, %r10+9, %r11; selp.u32 %r20, %r12+1, 2, %q;",
            |a, b, c| {
                if a.wrapping_add(9) < b { c.wrapping_add(1) } else { 2 }
            },
        ),
        (
            ".reg .b64 %q; cvt.u64.u32 %q, %r10+1; shr.u64 %q, %q+4294967296, 32; cvt.u32.u64 %r20, %q;",
            |_, _, _| 1,
        ),
        (".reg .b16 %h; cvt.u16.u32 %h, %r10; mul.wide.u16 %r20, %h+65535, %h+3;", |a, _, _| {
            let h = a as u16;
            u32::from(h.wrapping_sub(1)) * u32::from(h.wrapping_add(3))
        }),
        ("cvt.s32.s8 %r20, %r10+200;", |a, _, _| a.wrapping_add(200) as i8 as u32),
        (
            ".shared .align 4 .b32 %cell[256]; .reg .u32 %m; mov.u32 %m, %tid.x;
             mad.lo.u32 %m, %m, 4, 0; .reg .u32 %v; mov.u32 %v, %cell; add.u32 %m, %m, %v;
             st.shared.u32 [%m], %r10+3; ld.shared.u32 %r20, [%m];",
            |a, _, _| a.wrapping_add(3),
        ),
    ];
    for (text, expected) in cases {
        check(text, text, expected);
    }
}

#[test]
fn the_lane_and_addresses_of_variables_move_too() {
    let body = ".shared .align 4 .b32 %cell[4]; .reg .u32 %m<3>;
        mov.u32 %m0, %cell; add.u32 %m1, %m0, %cell+8; sub.u32 %m1, %m1, %m0; sub.u32 %m1, %m1, %m0;
        mov.u32 %m2, %laneid+3; mov.u32 %m0, %laneid; sub.u32 %m2, %m2, %m0;
        mad.lo.u32 %r20, %m1, 100, %m2;";
    check("moved", body, |_, _, _| 803);
}

#[test]
fn predicates_may_be_negated_at_every_use() {
    let set = ".reg .pred %q<3>; setp.lt.u32 %q0, %r10, %r11;";
    let truth = "selp.u32 %r20, 1, 0, %q1;";
    for text in ["mov.pred %q1, !%q0;", "not.pred %q1, %q0;", "xor.pred %q1, !%q0, 0;"] {
        check(text, &format!("{set} {text} {truth}"), |a, b, _| u32::from(a >= b));
    }
    let text = "not.pred %q1, !%q0;";
    check(text, &format!("{set} {text} {truth}"), |a, b, _| u32::from(a < b));
    let text = "selp.u32 %r20, %r10, %r11, !%q0;";
    check(text, &format!("{set} {text}"), |a, b, _| if a < b { b } else { a });
}

#[test]
fn a_guard_that_is_also_a_result_is_read_first() {
    let set = ".reg .pred %q<3>; setp.lt.u32 %q0, %r10, %r11; setp.eq.u32 %q1, %r10, %r10;";
    let truth = "selp.u32 %r20, 1, 0, %q0; selp.u32 %r10, 2, 0, %q1; or.b32 %r20, %r20, %r10;";
    for (guard, p, q) in [("%q0", "%q0", "%q1"), ("!%q0", "%q0", "%q1"), ("%q0", "%q1", "%q0")] {
        let text = format!("{set} @{guard} setp.lt.u32 {p}|{q}, %r11, %r12; {truth}");
        check(&text.clone(), &text, |a, b, c| {
            let (mut q0, mut q1) = (a < b, true);
            if q0 != (guard == "!%q0") {
                let less = b < c;
                (q0, q1) = if p == "%q0" { (less, !less) } else { (!less, less) };
            }
            u32::from(q0) | u32::from(q1) << 1
        });
    }
}

#[test]
fn combinations_that_ptxas_refuses_are_refused() {
    let registers =
        ".reg .b32 %a, %b; .reg .b64 %d; .reg .f32 %f; .reg .pred %p; .shared .b32 %s[4];";
    for text in [
        "mov.b64 %d, {%a+1, %b};",
        "mov.u32 %a, %tid.x+1;",
        "mov.u32 %a, %b-1;",
        "mov.u32 %a, %s-4;",
        "mov.u32 %a, %b+1.0;",
        "mov.f32 %f, %f+1;",
        "add.f32 %f, %f+1, %f;",
        "mov.pred %p, %p+1;",
        "ld.shared.u32 %a, [%b-4];",
        "st.shared.v2.b32 [%b], {%a+1, %b};",
        "add.u32 %a, _, %b;",
    ] {
        let text = kernel(&format!("{registers} {text} ret;"));
        let parsed = lanework_ptx::Module::parse(&text);
        let refused = parsed.is_err() || load(&crate::common::device(false), &text).is_err();
        assert!(refused, "{text}");
    }
}
