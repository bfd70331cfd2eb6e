//! Logic and shifts.

use super::row::{Row, row, text, values};

pub const ROWS: &[Row] = &[
    values("{and,or,xor}{.pred,.b16,.b32,.b64}"),
    values("not.pred"),
    values("{not,cnot}{.b16,.b32,.b64}"),
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
