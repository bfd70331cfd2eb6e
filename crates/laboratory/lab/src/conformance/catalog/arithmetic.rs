//! Instructions on integers (arithmetic, carry chains, bit fields, dot products, logic, shifts, comparison, selection,
//! video), on floats of 64, 32 and 16 bits, conversions, and data movement between registers.

use super::row::{NumberClass, Row, rest, row, text, values};

pub const ARITHMETIC: &[Row] = &[
    rest("add sub mul mad mul24 mad24 sad div rem abs neg", NumberClass::Integer),
    row("add{.u16x2,.s16x2}", "b32", "b32 b32"),
    values("mad.hi.sat.s32"),
    values("mad24.hi.sat.s32"),
    values("{min,max}{.u16,.s16}"),
    row("{min,max}{.u32,.s32,.relu.s32,.u16x2,.s16x2,.relu.s16x2}", "b32", "b32 b32"),
    values("{min,max}{.u64,.s64}"),
    rest("popc clz bfind", NumberClass::Integer),
    row("fns.b32", "b32", "b32 lane offset"),
    rest("brev", NumberClass::Integer),
    row("bfe{.u32,.s32}", "b32", "b32 amount amount"),
    row("bfe{.u64,.s64}", "b64", "b64 amount amount"),
    row("bfi.b32", "b32", "b32 b32 amount amount"),
    row("bfi.b64", "b64", "b64 b64 amount amount"),
    row("szext{.clamp,.wrap}{.u32,.s32}", "b32", "b32 amount"),
    row("bmsk{.clamp,.wrap}.b32", "b32", "amount amount"),
    rest("dp4a dp2a", NumberClass::Integer),
];

/// Each runs a chain: the last instruction reads the carry flag of the first.
pub const EXTENDED: &[Row] = &[
    text("add.cc{.u32,.s32}", "b32 b32", "b32 b32", "@ $d, $a, $b; addc.u32 $q, 0, 0;"),
    text("add.cc{.u64,.s64}", "b64 b32", "b64 b64", "@ $d, $a, $b; addc.u32 $q, 0, 0;"),
    text(
        "addc{,.cc}{.u32,.s32}",
        "b32 b32",
        "b32 b32 b32 b32",
        "add.cc.u32 $q, $a, $b; @ $d, $c, $e; addc.u32 $q, 0, 0;",
    ),
    text(
        "addc{,.cc}{.u64,.s64}",
        "b64 b32",
        "b32 b32 b64 b64",
        "add.cc.u32 $q, $a, $b; @ $d, $c, $e; addc.u32 $q, 0, 0;",
    ),
    text("sub.cc{.u32,.s32}", "b32 b32", "b32 b32", "@ $d, $a, $b; subc.u32 $q, 0, 0;"),
    text("sub.cc{.u64,.s64}", "b64 b32", "b64 b64", "@ $d, $a, $b; subc.u32 $q, 0, 0;"),
    text(
        "subc{,.cc}{.u32,.s32}",
        "b32 b32",
        "b32 b32 b32 b32",
        "sub.cc.u32 $q, $a, $b; @ $d, $c, $e; subc.u32 $q, 0, 0;",
    ),
    text(
        "subc{,.cc}{.u64,.s64}",
        "b64 b32",
        "b32 b32 b64 b64",
        "sub.cc.u32 $q, $a, $b; @ $d, $c, $e; subc.u32 $q, 0, 0;",
    ),
    text(
        "mad{.lo,.hi}.cc{.u32,.s32}",
        "b32 b32",
        "b32 b32 b32",
        "@ $d, $a, $b, $c; addc.u32 $q, 0, 0;",
    ),
    text(
        "mad{.lo,.hi}.cc{.u64,.s64}",
        "b64 b32",
        "b64 b64 b64",
        "@ $d, $a, $b, $c; addc.u32 $q, 0, 0;",
    ),
    text(
        "madc{.lo,.hi}{,.cc}{.u32,.s32}",
        "b32 b32",
        "b32 b32 b32 b32",
        "add.cc.u32 $q, $a, $e; @ $d, $a, $b, $c; addc.u32 $q, 0, 0;",
    ),
    text(
        "madc{.lo,.hi}{,.cc}{.u64,.s64}",
        "b64 b32",
        "b64 b64 b64 b32",
        "add.cc.u32 $q, $e, $e; @ $d, $a, $b, $c; addc.u32 $q, 0, 0;",
    ),
];

pub const LOGIC: &[Row] = &[
    rest("and or xor not cnot", NumberClass::Integer),
    text(
        "lop3.b32",
        "b32",
        "b32 b32 b32",
        "@ $d, $a, $b, $c, <0x00|0x1B|0x80|0x96|0xE8|0xCA|0xFE|0xFF>;",
    ),
    text(
        "lop3{.or,.and}.b32",
        "b32 pred",
        "b32 b32 b32 pred",
        "@ $d|$q, $a, $b, $c, <0x96|0x80|0x00>, $e;",
    ),
    row("shf{.l,.r}{.clamp,.wrap}.b32", "b32", "b32 b32 amount"),
    row("shl.b16", "b16", "b16 amount"),
    row("shl.b32", "b32", "b32 amount"),
    row("shl.b64", "b64", "b64 amount"),
    row("shr{.b16,.u16,.s16}", "b16", "b16 amount"),
    row("shr{.b32,.u32,.s32}", "b32", "b32 amount"),
    row("shr{.b64,.u64,.s64}", "b64", "b64 amount"),
];

pub const COMPARISON: &[Row] = &[
    values("setp{.eq,.ne}{.b16,.b32,.b64}"),
    values("setp{.eq,.ne,.lt,.le,.gt,.ge}{.u16,.s16,.u32,.s32,.u64,.s64}"),
    values("setp{.lo,.ls,.hi,.hs}{.u16,.u32,.u64}"),
    values(
        "setp{.eq,.ne,.lt,.le,.gt,.ge,.equ,.neu,.ltu,.leu,.gtu,.geu,.num,.nan}{,.ftz}{.f32,.f16}",
    ),
    values("setp{.eq,.ne,.lt,.le,.gt,.ge,.equ,.neu,.ltu,.leu,.gtu,.geu,.num,.nan}{.f64,.bf16}"),
    text(
        "setp{.eq,.ne,.lt,.le,.gt,.ge,.equ,.neu,.ltu,.leu,.gtu,.geu,.num,.nan}{,.ftz}.f16x2",
        "pred pred",
        "f16x2 f16x2",
        "@ $d|$q, $a, $b;",
    ),
    text(
        "setp{.eq,.ne,.lt,.le,.gt,.ge,.equ,.neu,.ltu,.leu,.gtu,.geu,.num,.nan}.bf16x2",
        "pred pred",
        "bf16x2 bf16x2",
        "@ $d|$q, $a, $b;",
    ),
    text(
        "setp{.eq,.lt}{.and,.or,.xor}{.s32,.u32}",
        "pred pred",
        "b32 b32 pred",
        "@ $d|$q, $a, $b, $c;",
    ),
    text(
        "setp{.lt,.geu}{.and,.or,.xor}{,.ftz}.f32",
        "pred pred",
        "f32 f32 pred",
        "@ $d|$q, $a, $b, !$c;",
    ),
    text(
        "setp{.ge,.ltu}{.and,.or,.xor}.f16x2",
        "pred pred",
        "f16x2 f16x2 pred",
        "@ $d|$q, $a, $b, $c;",
    ),
    row("set{.eq,.ne,.lt,.le,.gt,.ge}{.u32,.s32,.f32}{.u32,.s32}", "b32", "b32 b32"),
    row("set{.lt,.ge}{.u32,.f32}{.u16,.s16}", "b32", "b16 b16"),
    row("set{.lo,.ls,.hi,.hs}{.u32,.s32,.f32}.u64", "b32", "b64 b64"),
    row(
        "set{.eq,.ne,.lt,.le,.gt,.ge,.equ,.neu,.ltu,.leu,.gtu,.geu,.num,.nan}{,.ftz}{.u32,.f32}.f32",
        "b32",
        "f32 f32",
    ),
    row("set{.eq,.lt,.geu,.nan}{.u32,.s32,.f32}.f64", "b32", "f64 f64"),
    row("set{.lt,.gtu}{.and,.or,.xor}{.u32,.f32}.f32", "b32", "f32 f32 pred"),
    row("set{.eq,.ltu,.num}{,.ftz}{.f16,.u16,.s16}.f16", "b16", "f16 f16"),
    values("set{.eq,.ltu,.num}{,.ftz}{.u32,.s32}.f16"),
    row("set{.eq,.ltu,.num}{.bf16,.u16,.s16}.bf16", "b16", "bf16 bf16"),
    values("set{.eq,.ltu,.num}{.u32,.s32}.bf16"),
    row("set{.eq,.ltu,.num}{,.ftz}.f16x2.f16x2", "b32", "f16x2 f16x2"),
    row("set{.eq,.ltu,.num}.bf16x2.bf16x2", "b32", "bf16x2 bf16x2"),
    row("set{.eq,.lt}.f16{.s16,.u16}", "b16", "b16 b16"),
    values("selp{.b16,.u16,.s16}"),
    row("selp{.b32,.u32,.s32,.f32}", "b32", "b32 b32 pred"),
    row("selp{.b64,.u64,.s64,.f64}", "b64", "b64 b64 pred"),
    values("slct{.b16,.u16,.s16}.s32"),
    row("slct{.b32,.u32,.s32,.f32}.s32", "b32", "b32 b32 b32"),
    row("slct{.b64,.u64,.s64,.f64}.s32", "b64", "b64 b64 b32"),
    values("slct{,.ftz}{.b16,.u16,.s16}.f32"),
    row("slct{,.ftz}{.b32,.u32,.s32,.f32}.f32", "b32", "b32 b32 f32"),
    row("slct{,.ftz}{.b64,.u64,.s64,.f64}.f32", "b64", "b64 b64 f32"),
];

pub const VIDEO: &[Row] = &[
    values("{vadd,vsub,vabsdiff,vmin,vmax}{.u32,.s32}{.u32,.s32}{.u32,.s32}{,.sat}"),
    values("{vadd,vsub,vabsdiff,vmin,vmax}{.u32,.s32}{.u32,.s32}{.u32,.s32}{.add,.sat.min}"),
    values("{vadd,vsub,vabsdiff,vmin,vmax}{.u32.u32.s32,.s32.s32.u32}.max"),
    text(
        "{vadd,vsub,vabsdiff,vmin,vmax}{.u32.u32.s32,.s32.s32.u32,.s32.s32.s32.sat}",
        "b32",
        "b32 b32 b32",
        "@ $d<.b0|.h1>, $a<.b3|.h0>, $b<.b1|.h1>, $c;",
    ),
    row("{vshl,vshr}{.u32,.s32}{.u32,.s32}.u32{,.sat}{.clamp,.wrap}", "b32", "b32 amount"),
    row(
        "{vshl,vshr}{.u32,.s32}{.u32,.s32}.u32{.clamp,.sat.wrap}{.add,.max}",
        "b32",
        "b32 amount b32",
    ),
    values("vmad{.u32,.s32}{.u32,.s32}{.u32,.s32}{,.sat}{,.shr7,.shr15}"),
    text(
        "vmad{.u32.u32.u32,.s32.s32.s32,.s32.u32.s32}.po{,.sat}{,.shr7}",
        "b32",
        "b32 b32 b32",
        "@ $d, $a<.b2|.h1>, $b.h0, $c;",
    ),
    values("vset{.u32,.s32}{.u32,.s32}{.eq,.ne,.lt,.le,.gt,.ge}"),
    values("vset{.u32,.s32}{.u32,.s32}{.lt,.ge}{.add,.min,.max}"),
    values(
        "{vadd2,vsub2,vavrg2,vabsdiff2,vmin2,vmax2}{.u32,.s32}{.u32,.s32}{.u32,.s32}{,.sat,.add}",
    ),
    values(
        "{vadd4,vsub4,vavrg4,vabsdiff4,vmin4,vmax4}{.u32,.s32}{.u32,.s32}{.u32,.s32}{,.sat,.add}",
    ),
    text(
        "{vadd2,vabsdiff2}.s32.u32.s32",
        "b32",
        "b32 b32 b32",
        "@ $d<.h0|.h1|.h10>, $a<.h02|.h31>, $b<.h10|.h23>, $c;",
    ),
    text(
        "{vadd4,vabsdiff4}.u32.s32.u32",
        "b32",
        "b32 b32 b32",
        "@ $d<.b0|.b31|.b210|.b3210>, $a<.b7610|.b3210>, $b<.b0123|.b5432>, $c;",
    ),
    values("{vset2,vset4}{.u32,.s32}{.u32,.s32}{.eq,.ne,.lt,.le,.gt,.ge}{,.add}"),
];

pub const FLOAT: &[Row] = &[
    rest("testp copysign add sub mul fma mad div abs neg", NumberClass::Float),
    values("{min,max}{,.ftz}{,.NaN}{,.xorsign.abs}.f32"),
    values("{min,max}.f64"),
    rest("rcp sqrt rsqrt sin cos lg2 ex2 tanh", NumberClass::Float),
    values("rcp.approx.ftz.f64"),
];

pub const HALF: &[Row] = &[
    rest("add sub mul", NumberClass::Half),
    values("fma.rn{,.ftz}{,.sat,.relu}{.f16,.f16x2}"),
    values("fma.rn{,.relu}{.bf16,.bf16x2}"),
    values("fma.rn.oob{,.relu}{.f16,.f16x2,.bf16,.bf16x2}"),
    rest("abs neg min max tanh ex2", NumberClass::Half),
];

pub const CONVERSION: &[Row] = &[
    values("mov{.b16,.u16,.s16}"),
    row("mov{.b32,.u32,.s32,.f32}", "b32", "b32"),
    row("mov{.b64,.u64,.s64,.f64}", "b64", "b64"),
    values("mov.pred"),
    text("mov.b32", "b32", "b16 b16", "@ $d, {$a, $b};"),
    text("mov.b32", "b16 b16", "b32", "@ {$d, $q}, $a;"),
    text("mov.b64", "b64", "b32 b32", "@ $d, {$a, $b};"),
    text("mov.b64", "b32 b32", "b64", "@ {$d, $q}, $a;"),
    text("mov.b64", "b64", "b16 b16 b16 b16", "@ $d, {$a, $b, $c, $e};"),
    text("mov.b128", "b64 b64", "b64 b64", "{ .reg .b128 %x; @ %x, {$a, $b}; @ {$d, $q}, %x; }"),
    rest("prmt", NumberClass::Integer),
    // Between integers; `.sat` where the other type does not hold every value.
    row("cvt{.u8,.s8,.u16,.s16,.u32,.s32}{.u8,.s8}", "b32", "b32"),
    values("cvt{.u8,.s8,.u16,.s16,.u32,.s32}{.u16,.s16,.u32,.s32,.u64,.s64}"),
    values("cvt{.u64,.s64}{.u8,.s8,.u16,.s16,.u32,.s32,.u64,.s64}"),
    row(
        "cvt.sat{.u8.s8,.s8.u8,.u16.s8,.u32.s8,.u8.u32,.u8.s32,.s8.u32,.s8.s32,.u32.s32,.s32.u32}",
        "b32",
        "b32",
    ),
    values("cvt.sat{.u8.u16,.u8.s16,.s8.u16,.s8.s16,.u32.s16,.u16.s16,.s16.u16}"),
    values("cvt.sat{.u16,.s16}{.u32,.s32}"),
    values("cvt.sat{.u8,.s8,.u16,.s16,.u32,.s32}{.u64,.s64}"),
    values("cvt.sat.u64{.s8,.s32,.s16}"),
    values("cvt.sat{.u64.s64,.s64.u64}"),
    // From integers to floats.
    values("cvt{.rn,.rz,.rm,.rp}{,.sat}.f16{.u8,.s8,.u32,.s32}"),
    values("cvt{.rn,.rz,.rm,.rp}.f16{.u16,.s16,.u64,.s64}"),
    values("cvt{.rn,.rz,.rm,.rp}.bf16{.u16,.s16,.u32,.s32,.u64,.s64}"),
    values("cvt{.rn,.rz,.rm,.rp}{,.sat}{.f32,.f64}{.u8,.s8,.u16,.s16,.u32,.s32,.u64,.s64}"),
    // From floats to integers.
    values("cvt{.rni,.rzi,.rmi,.rpi}{,.ftz}{,.sat}{.u8,.s8,.u32,.s32}.f32"),
    values("cvt{.rni,.rzi,.rmi,.rpi}{,.ftz}{.u16,.s16,.u64,.s64}.f32"),
    values("cvt{.rni,.rzi,.rmi,.rpi}{.u8,.s8,.u16,.s16,.u32,.s32}.f64"),
    values("cvt{.rni,.rzi,.rmi,.rpi}{,.sat}{.u64,.s64}.f64"),
    values("cvt{.rni,.rzi,.rmi,.rpi}{.u8,.s8,.u16,.s16,.u32,.s32,.u64,.s64}.f16"),
    values("cvt{.rni,.rzi,.rmi,.rpi}{.u16,.s16,.u32,.s32,.u64,.s64}.bf16"),
    // Between floats.
    values("cvt{.rni,.rzi,.rmi,.rpi}{,.ftz}{,.sat}.f32.f32"),
    values("cvt{.rni,.rzi,.rmi,.rpi}{,.sat}{.f64.f64,.f16.f16}"),
    values("cvt{.rni,.rzi,.rmi,.rpi}.bf16.bf16"),
    values("cvt{,.ftz}{,.sat}{.f32.f32,.f32.f16,.f64.f32}"),
    values("cvt{,.sat}{.f64.f64,.f16.f16,.f64.f16}"),
    values("cvt{.f32,.f64}.bf16"),
    values("cvt{.rn,.rz,.rm,.rp}{.f16.bf16,.bf16.f32,.bf16.f64,.bf16.f16}"),
    values("cvt{.rn,.rz,.rm,.rp}{,.ftz}{,.sat}{.f32.f64,.f16.f32}"),
    values("cvt{.rn,.rz,.rm,.rp}{,.sat}.f16.f64"),
    values("cvt{.rn,.rz}{.relu,.satfinite,.relu.satfinite}{.f16,.bf16}.f32"),
    row("cvt{.rn,.rz}{,.relu}{,.satfinite}{.f16x2,.bf16x2}.f32", "b32", "f32 f32"),
    values("cvt.rna{,.satfinite}.tf32.f32"),
    values("cvt{.rn,.rz}{,.relu}.tf32.f32"),
    values("cvt.rn.satfinite{,.relu}{.e4m3x2,.e5m2x2}{.f32,.f16x2}"),
    values("cvt.rn{,.relu}.f16x2{.e4m3x2,.e5m2x2}"),
    values("cvt.pack.sat{.u16,.s16}.s32"),
    values("cvt.pack.sat{.u8,.s8,.u4,.s4,.u2,.s2}.s32.b32"),
];
