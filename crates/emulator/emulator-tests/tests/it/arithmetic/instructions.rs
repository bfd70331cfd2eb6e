//! Compares each instruction with the host's result, for random and special values, and for varying,
//! uniform and affine operands.

use crate::common::triples::check;
use crate::common::{kernel, run};
use half::{bf16, f16};

#[test]
fn integers() {
    let two = |op: &str| format!("{op} %r20, %r10, %r11;");
    let three = |op: &str| format!("{op} %r20, %r10, %r11, %r12;");
    check("add", &two("add.s32"), |a, b, _| a.wrapping_add(b));
    check("sub", &two("sub.u32"), |a, b, _| a.wrapping_sub(b));
    check("add.sat", &two("add.sat.s32"), |a, b, _| (a as i32).saturating_add(b as i32) as u32);
    check("sub.sat", &two("sub.sat.s32"), |a, b, _| (a as i32).saturating_sub(b as i32) as u32);
    check("mul.lo", &two("mul.lo.s32"), |a, b, _| a.wrapping_mul(b));
    check("mul.hi.u32", &two("mul.hi.u32"), |a, b, _| ((u64::from(a) * u64::from(b)) >> 32) as u32);
    check("mul.hi.s32", &two("mul.hi.s32"), |a, b, _| {
        ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32
    });
    check("mad.lo", &three("mad.lo.u32"), |a, b, c| a.wrapping_mul(b).wrapping_add(c));
    check("mad.hi.s32", &three("mad.hi.s32"), |a, b, c| {
        (((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32).wrapping_add(c)
    });
    check("div.s32", &two("div.s32"), |a, b, _| {
        if b == 0 { u32::MAX } else { (a as i32).wrapping_div(b as i32) as u32 }
    });
    check("div.u32", &two("div.u32"), |a, b, _| a.checked_div(b).unwrap_or(u32::MAX));
    check("rem.s32", &two("rem.s32"), |a, b, _| {
        if b == 0 { u32::MAX } else { (a as i32).wrapping_rem(b as i32) as u32 }
    });
    check("rem.u32", &two("rem.u32"), |a, b, _| a.checked_rem(b).unwrap_or(u32::MAX));
    check("min.s32", &two("min.s32"), |a, b, _| (a as i32).min(b as i32) as u32);
    check("max.u32", &two("max.u32"), |a, b, _| a.max(b));
    check("abs.s32", "abs.s32 %r20, %r10;", |a, _, _| (a as i32).wrapping_abs() as u32);
    check("neg.s32", "neg.s32 %r20, %r10;", |a, _, _| a.wrapping_neg());
    check("sad.s32", &three("sad.s32"), |a, b, c| (a as i32).abs_diff(b as i32).wrapping_add(c));
    check("mul24.lo.s32", &two("mul24.lo.s32"), |a, b, _| {
        let low = |x: u32| i64::from((x << 8) as i32 >> 8);
        (low(a) * low(b)) as u32
    });
    check("dp4a", "dp4a.s32.u32 %r20, %r10, %r11, %r12;", |a, b, c| {
        let (a, b) = (a.to_le_bytes(), b.to_le_bytes());
        (0..4).fold(c, |s, i| s.wrapping_add((i32::from(a[i] as i8) * i32::from(b[i])) as u32))
    });
    check(
        "mul.wide",
        "mul.wide.s32 %rd20, %r10, %r11; shr.u64 %rd21, %rd20, 16; cvt.u32.u64 %r20, %rd21;",
        |a, b, _| ((i64::from(a as i32) * i64::from(b as i32)) as u64 >> 16) as u32,
    );
    check(
        "mad.wide",
        "mov.u64 %rd21, 99; mad.wide.u32 %rd20, %r10, %r11, %rd21; shr.u64 %rd21, %rd20, 9; cvt.u32.u64 %r20, %rd21;",
        |a, b, _| ((u64::from(a) * u64::from(b)).wrapping_add(99) >> 9) as u32,
    );
}

#[test]
fn narrow_and_wide_integers() {
    check(
        "add.s16",
        "cvt.u16.u32 %h1, %r10; cvt.u16.u32 %h2, %r11; add.s16 %h3, %h1, %h2; cvt.s32.s16 %r20, %h3;",
        |a, b, _| i32::from((a as i16).wrapping_add(b as i16)) as u32,
    );
    check(
        "mul.wide.u16",
        "cvt.u16.u32 %h1, %r10; cvt.u16.u32 %h2, %r11; mul.wide.u16 %r20, %h1, %h2;",
        |a, b, _| u32::from(a as u16) * u32::from(b as u16),
    );
    check(
        "shr.s16",
        "cvt.u16.u32 %h1, %r10; shr.s16 %h3, %h1, 3; cvt.s32.s16 %r20, %h3;",
        |a, _, _| i32::from(a as i16 >> 3) as u32,
    );
    let wide = |op: &str| {
        format!(
            "mov.b64 %rd20, {{%r10, %r11}}; mov.b64 %rd21, {{%r12, %r10}}; {op} %rd22, %rd20, %rd21;
             mov.b64 {{%r21, %r22}}, %rd22; xor.b32 %r20, %r21, %r22;"
        )
    };
    let join = |low: u32, high: u32| u64::from(high) << 32 | u64::from(low);
    let fold = |x: u64| x as u32 ^ (x >> 32) as u32;
    check("add.u64", &wide("add.u64"), |a, b, c| fold(join(a, b).wrapping_add(join(c, a))));
    check("mul.lo.u64", &wide("mul.lo.u64"), |a, b, c| fold(join(a, b).wrapping_mul(join(c, a))));
    check("mul.hi.s64", &wide("mul.hi.s64"), |a, b, c| {
        fold(((i128::from(join(a, b) as i64) * i128::from(join(c, a) as i64)) >> 64) as u64)
    });
    check("div.u64", &wide("div.u64"), |a, b, c| {
        fold(join(a, b).checked_div(join(c, a)).unwrap_or(u64::MAX))
    });
    check("rem.s64", &wide("rem.s64"), |a, b, c| {
        let (x, y) = (join(a, b) as i64, join(c, a) as i64);
        fold(if y == 0 { -1 } else { x.wrapping_rem(y) } as u64)
    });
    check("max.s64", &wide("max.s64"), |a, b, c| {
        fold((join(a, b) as i64).max(join(c, a) as i64) as u64)
    });
}

#[test]
fn bit_patterns() {
    let one = |op: &str| format!("{op} %r20, %r10;");
    let two = |op: &str| format!("{op} %r20, %r10, %r11;");
    check("popc", &one("popc.b32"), |a, _, _| a.count_ones());
    check("clz", &one("clz.b32"), |a, _, _| a.leading_zeros());
    check("brev", &one("brev.b32"), |a, _, _| a.reverse_bits());
    check("not", &one("not.b32"), |a, _, _| !a);
    check(
        "bfind.u32",
        &one("bfind.u32"),
        |a, _, _| if a == 0 { u32::MAX } else { 31 - a.leading_zeros() },
    );
    check("bfind.s32", &one("bfind.s32"), |a, _, _| {
        let x = if (a as i32) < 0 { !a } else { a };
        if x == 0 { u32::MAX } else { 31 - x.leading_zeros() }
    });
    check("bfind.shiftamt", &one("bfind.shiftamt.u32"), |a, _, _| {
        if a == 0 { u32::MAX } else { a.leading_zeros() }
    });
    check("shl", &two("shl.b32"), |a, b, _| a.checked_shl(b).unwrap_or(0));
    check("shr.u32", &two("shr.u32"), |a, b, _| a.checked_shr(b).unwrap_or(0));
    check("shr.s32", &two("shr.s32"), |a, b, _| ((a as i32) >> b.min(31)) as u32);
    check("and", &two("and.b32"), |a, b, _| a & b);
    check("shf.l.wrap", "shf.l.wrap.b32 %r20, %r10, %r11, %r12;", |a, b, c| {
        ((u64::from(b) << 32 | u64::from(a)) << (c & 31) >> 32) as u32
    });
    check("shf.r.clamp", "shf.r.clamp.b32 %r20, %r10, %r11, %r12;", |a, b, c| {
        ((u64::from(b) << 32 | u64::from(a)) >> c.min(32)) as u32
    });
    check("lop3", "lop3.b32 %r20, %r10, %r11, %r12, 0xE8;", |a, b, c| (a & b) | (a & c) | (b & c));
    check("lop3.xor", "lop3.b32 %r20, %r10, %r11, %r12, 0x96;", |a, b, c| a ^ b ^ c);
    check("lop3.select", "lop3.b32 %r20, %r10, %r11, %r12, 0xCA;", |a, b, c| (a & b) | (!a & c));
    check("prmt", "prmt.b32 %r20, %r10, %r11, 0x3725;", |a, b, _| {
        let bytes = (u64::from(b) << 32 | u64::from(a)).to_le_bytes();
        u32::from_le_bytes([bytes[5], bytes[2], bytes[7], bytes[3]])
    });
    check("prmt.sign", "prmt.b32 %r20, %r10, %r11, 0x8888;", |a, _, _| {
        if a & 0x80 != 0 { u32::MAX } else { 0 }
    });
    check(
        "bfe.u32",
        "and.b32 %r13, %r11, 31; and.b32 %r14, %r12, 15; bfe.u32 %r20, %r10, %r13, %r14;",
        |a, b, c| {
            let (pos, len) = (b & 31, c & 15);
            ((u64::from(a) >> pos) & ((1 << len) - 1)) as u32
        },
    );
    check("bfe.s32", "bfe.s32 %r20, %r10, 5, 9;", |a, _, _| {
        ((a << (32 - 14)) as i32 >> (32 - 9)) as u32
    });
    check("bfi", "bfi.b32 %r20, %r10, %r11, 7, 11;", |a, b, _| {
        let mask = ((1u32 << 11) - 1) << 7;
        (b & !mask) | (a << 7 & mask)
    });
    check("selp", "setp.lt.u32 %p1, %r10, %r11; selp.b32 %r20, %r11, %r12, %p1;", |a, b, c| {
        if a < b { b } else { c }
    });
    check(
        "slct",
        "slct.u32.s32 %r20, %r10, %r11, %r12;",
        |a, b, c| if c as i32 >= 0 { a } else { b },
    );
    check("set", "set.gt.u32.s32 %r20, %r10, %r11;", |a, b, _| {
        if a as i32 > b as i32 { u32::MAX } else { 0 }
    });
    check(
        "setp.pair",
        "setp.lt.s32 %p3, %r11, 0; setp.eq.and.u32 %p1|%p2, %r10, %r12, %p3; selp.u32 %r21, 1, 0, %p1; selp.u32 %r22, 2, 0, %p2; add.u32 %r20, %r21, %r22;",
        |a, b, c| {
            let p = (b as i32) < 0;
            u32::from(a == c && p) + 2 * u32::from(a != c && p)
        },
    );
    check(
        "predicates",
        "setp.lt.u32 %p1, %r10, %r11; setp.lt.u32 %p2, %r11, %r12; and.pred %p3, %p1, %p2; xor.pred %p4, %p3, %p1; not.pred %p5, %p4; selp.u32 %r20, 1, 0, %p5;",
        |a, b, c| {
            let (p, q) = (a < b, b < c);
            u32::from(!((p && q) ^ p))
        },
    );
}

fn float(bits: u32) -> f32 {
    f32::from_bits(bits)
}

/// The bits of a float, with all NaNs replaced by one.
fn bits(x: f32) -> u32 {
    if x.is_nan() { 0x7fff_ffff } else { x.to_bits() }
}

/// Checks a float instruction; the device also replaces all NaNs by one.
fn check_float(name: &str, text: &str, expected: impl Fn(f32, f32, f32) -> f32) {
    let text = format!(
        "mov.b32 %f10, %r10; mov.b32 %f11, %r11; mov.b32 %f12, %r12; {text}
         testp.notanumber.f32 %p9, %f20; mov.b32 %r20, %f20; selp.b32 %r20, 0x7fffffff, %r20, %p9;"
    );
    check(name, &text, |a, b, c| bits(expected(float(a), float(b), float(c))));
}

#[test]
fn floats() {
    check_float("add.f32", "add.rn.f32 %f20, %f10, %f11;", |a, b, _| a + b);
    check_float("sub.f32", "sub.f32 %f20, %f10, %f11;", |a, b, _| a - b);
    check_float("mul.f32", "mul.f32 %f20, %f10, %f11;", |a, b, _| a * b);
    check_float("div.rn.f32", "div.rn.f32 %f20, %f10, %f11;", |a, b, _| a / b);
    check_float("fma", "fma.rn.f32 %f20, %f10, %f11, %f12;", |a, b, c| a.mul_add(b, c));
    check_float("sqrt", "sqrt.rn.f32 %f20, %f10;", |a, _, _| a.sqrt());
    check_float("rcp", "rcp.rn.f32 %f20, %f10;", |a, _, _| 1.0 / a);
    check_float("abs", "abs.f32 %f20, %f10;", |a, _, _| a.abs());
    check_float("neg", "neg.f32 %f20, %f10;", |a, _, _| -a);
    check_float("sat", "add.sat.f32 %f20, %f10, %f11;", |a, b, _| {
        if (a + b).is_nan() { 0.0 } else { (a + b).clamp(0.0, 1.0) + 0.0 }
    });
    check_float("ftz", "mul.ftz.f32 %f20, %f10, %f11;", |a, b, _| {
        let flush = |x: f32| if x.is_subnormal() { 0.0f32.copysign(x) } else { x };
        flush(flush(a) * flush(b))
    });
    let ordered = |pick: fn(f32, f32) -> bool| {
        move |a: f32, b: f32| match (a.is_nan(), b.is_nan()) {
            (true, _) => b,
            (_, true) => a,
            _ if a == b => {
                if pick(a.signum(), b.signum()) {
                    a
                } else {
                    b
                }
            }
            _ => {
                if pick(a, b) {
                    a
                } else {
                    b
                }
            }
        }
    };
    check_float("min.f32", "min.f32 %f20, %f10, %f11;", move |a, b, _| ordered(|a, b| a < b)(a, b));
    check_float("max.f32", "max.f32 %f20, %f10, %f11;", move |a, b, _| ordered(|a, b| a > b)(a, b));
    check_float("cvt.rni", "cvt.rni.f32.f32 %f20, %f10;", |a, _, _| a.round_ties_even());
    check_float("cvt.rmi", "cvt.rmi.f32.f32 %f20, %f10;", |a, _, _| a.floor());
    check_float("s2f", "cvt.rn.f32.s32 %f20, %r10;", |a, _, _| a.to_bits() as i32 as f32);
    check_float("u2f.rz", "cvt.rz.f32.u32 %f20, %r10;", |a, _, _| {
        let x = a.to_bits();
        let nearest = x as f32;
        if f64::from(nearest) > f64::from(x) { nearest.next_down() } else { nearest }
    });
    check_float(
        "d2f",
        "cvt.f64.f32 %d1, %f10; mul.f64 %d2, %d1, 0d3FF0000000000001; cvt.rn.f32.f64 %f20, %d2;",
        |a, _, _| (f64::from(a) * f64::from_bits(0x3FF0_0000_0000_0001)) as f32,
    );
    check("f2s", "mov.b32 %f10, %r10; cvt.rzi.s32.f32 %r20, %f10;", |a, _, _| {
        float(a) as i32 as u32
    });
    check("f2u", "mov.b32 %f10, %r10; cvt.rni.u32.f32 %r20, %f10;", |a, _, _| {
        float(a).round_ties_even() as u32
    });
    check("f2u8.sat", "mov.b32 %f10, %r10; cvt.rzi.sat.u8.f32 %r20, %f10;", |a, _, _| {
        u32::from(float(a) as u8)
    });
    check("sat.s8", "cvt.sat.s8.s32 %r20, %r10;", |a, _, _| (a as i32).clamp(-128, 127) as u32);
    check("sat.u16", "cvt.sat.u16.s32 %h1, %r10; cvt.u32.u16 %r20, %h1;", |a, _, _| {
        (a as i32).clamp(0, 65_535) as u32
    });
    check(
        "cvt.s64",
        "cvt.s64.s32 %rd20, %r10; shr.s64 %rd21, %rd20, 4; cvt.u32.u64 %r20, %rd21;",
        |a, _, _| (i64::from(a as i32) >> 4) as u32,
    );
    for (name, f) in [
        ("lt", (|a, b| a < b) as fn(f32, f32) -> bool),
        ("ltu", |a, b| a.partial_cmp(&b).is_none_or(|o| o.is_lt())),
        ("ne", |a, b| a.partial_cmp(&b).is_some_and(|o| o.is_ne())),
        ("neu", |a, b| a != b),
        ("equ", |a, b| a.partial_cmp(&b).is_none_or(|o| o.is_eq())),
        ("ge", |a, b| a >= b),
        ("geu", |a, b| a.partial_cmp(&b).is_none_or(|o| o.is_ge())),
        ("num", |a, b| !a.is_nan() && !b.is_nan()),
        ("nan", |a, b| a.is_nan() || b.is_nan()),
    ] {
        let text = format!(
            "mov.b32 %f10, %r10; mov.b32 %f11, %r11; setp.{name}.f32 %p1, %f10, %f11; selp.u32 %r20, 1, 0, %p1;"
        );
        check(name, &text, |a, b, _| u32::from(f(float(a), float(b))));
    }
}

#[test]
fn halves() {
    let half = |op: &str| {
        format!("cvt.u16.u32 %h1, %r10; cvt.u16.u32 %h2, %r11; cvt.u16.u32 %h3, %r12; {op}")
    };
    let canonical = |x: f16| if x.is_nan() { 0x7fff } else { u32::from(x.to_bits()) };
    let out = "cvt.f32.f16 %f20, %h4; testp.notanumber.f32 %p9, %f20; cvt.u32.u16 %r20, %h4; selp.b32 %r20, 0x7fff, %r20, %p9;";
    check("add.f16", &half(&format!("add.f16 %h4, %h1, %h2; {out}")), move |a, b, _| {
        canonical(f16::from_f32(
            f16::from_bits(a as u16).to_f32() + f16::from_bits(b as u16).to_f32(),
        ))
    });
    check("fma.f16", &half(&format!("fma.rn.f16 %h4, %h1, %h2, %h3; {out}")), move |a, b, c| {
        let [a, b, c] = [a, b, c].map(|x| f16::from_bits(x as u16).to_f64());
        canonical(f16::from_f64(a * b + c))
    });
    check(
        "cvt.f16",
        &format!("mov.b32 %f10, %r10; cvt.rn.f16.f32 %h4, %f10; {out}"),
        move |a, _, _| canonical(f16::from_f32(float(a))),
    );
    check(
        "widen",
        "cvt.u16.u32 %h1, %r10; cvt.f32.f16 %f20, %h1; testp.notanumber.f32 %p9, %f20; mov.b32 %r20, %f20; selp.b32 %r20, 0x7fffffff, %r20, %p9;",
        |a, _, _| bits(f16::from_bits(a as u16).to_f32()),
    );
    check(
        "cvt.bf16x2",
        "mov.b32 %f10, %r10; mov.b32 %f11, %r11; cvt.rn.bf16x2.f32 %r20, %f10, %f11; and.b32 %r20, %r20, 0x7f807f80;",
        |a, b, _| {
            (u32::from(bf16::from_f32(float(a)).to_bits()) << 16
                | u32::from(bf16::from_f32(float(b)).to_bits()))
                & 0x7f80_7f80
        },
    );
    check("abs.f16x2", "abs.f16x2 %r20, %r10;", |a, _, _| {
        let abs = |h: u32| if h & 0x7fff > 0x7c00 { 0x7fff } else { h & 0x7fff };
        abs(a) | abs(a >> 16) << 16
    });
}

#[test]
fn offsets_of_32_bit_addresses_wrap() {
    for all_varying in [false, true] {
        // -4 + 4, and lanes on both sides of zero, with scalar and with varying operands.
        let body = ".reg .b32 %r<6>; .reg .b64 %rd<4>; .shared .align 4 .b8 words[128];
            mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; add.s32 %r3, %r2, -4;
            st.shared.u32 [%r3+4], %r1; bar.sync 0; ld.shared.u32 %r4, [%r3+4];
            ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;
            add.s32 %r4, %r4, 1; st.global.u32 [%rd3], %r4; ret;";
        let run = run(&kernel(body), all_varying, [1, 1, 1], [32, 1, 1], &[0], 32).expect("runs");
        assert_eq!(run.words, (1..=32).collect::<Vec<u32>>());
    }
}
