//! Integer arithmetic, bit fields, dot products, and carry chains.

use super::row::{Row, row, text, values};

pub const ARITHMETIC: &[Row] = &[
    values("{add,sub}{.u16,.s16,.u32,.s32,.sat.s32,.u64,.s64}"),
    row("add{.u16x2,.s16x2}", "b32", "b32 b32"),
    values("mul{.lo,.hi}{.u16,.s16,.u32,.s32,.u64,.s64}"),
    values("mul.wide{.u16,.s16,.u32,.s32}"),
    values("mad{.lo,.hi}{.u16,.s16,.u32,.s32,.u64,.s64}"),
    values("mad.hi.sat.s32"),
    values("mad.wide{.u16,.s16,.u32,.s32}"),
    values("mul24{.lo,.hi}{.u32,.s32}"),
    values("mad24{.lo,.hi}{.u32,.s32}"),
    values("mad24.hi.sat.s32"),
    values("sad{.u16,.s16,.u32,.s32,.u64,.s64}"),
    values("{div,rem}{.u16,.s16,.u32,.s32,.u64,.s64}"),
    values("{abs,neg}{.s16,.s32,.s64}"),
    values("{min,max}{.u16,.s16,.u64,.s64}"),
    row("{min,max}{.u32,.s32,.relu.s32,.u16x2,.s16x2,.relu.s16x2}", "b32", "b32 b32"),
    values("{popc,clz}{.b32,.b64}"),
    values("bfind{,.shiftamt}{.u32,.s32,.u64,.s64}"),
    row("fns.b32", "b32", "b32 lane offset"),
    values("brev{.b32,.b64}"),
    row("bfe{.u32,.s32}", "b32", "b32 amount amount"),
    row("bfe{.u64,.s64}", "b64", "b64 amount amount"),
    row("bfi.b32", "b32", "b32 b32 amount amount"),
    row("bfi.b64", "b64", "b64 b64 amount amount"),
    row("szext{.clamp,.wrap}{.u32,.s32}", "b32", "b32 amount"),
    row("bmsk{.clamp,.wrap}.b32", "b32", "amount amount"),
    values("dp4a{.u32,.s32}{.u32,.s32}"),
    values("dp2a{.lo,.hi}{.u32,.s32}{.u32,.s32}"),
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
