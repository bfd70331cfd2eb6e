//! The video instructions: scalar, and packed by two and by four.

use super::row::{Row, row, text};

pub const ROWS: &[Row] = &[
    row("{vadd,vsub,vabsdiff,vmin,vmax}{.u32,.s32}{.u32,.s32}{.u32,.s32}{,.sat}", "b32", "b32 b32"),
    row(
        "{vadd,vsub,vabsdiff,vmin,vmax}{.u32,.s32}{.u32,.s32}{.u32,.s32}{.add,.sat.min}",
        "b32",
        "b32 b32 b32",
    ),
    row("{vadd,vsub,vabsdiff,vmin,vmax}{.u32.u32.s32,.s32.s32.u32}.max", "b32", "b32 b32 b32"),
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
    row("vmad{.u32,.s32}{.u32,.s32}{.u32,.s32}{,.sat}{,.shr7,.shr15}", "b32", "b32 b32 b32"),
    text(
        "vmad{.u32.u32.u32,.s32.s32.s32,.s32.u32.s32}.po{,.sat}{,.shr7}",
        "b32",
        "b32 b32 b32",
        "@ $d, $a<.b2|.h1>, $b.h0, $c;",
    ),
    row("vset{.u32,.s32}{.u32,.s32}{.eq,.ne,.lt,.le,.gt,.ge}", "b32", "b32 b32"),
    row("vset{.u32,.s32}{.u32,.s32}{.lt,.ge}{.add,.min,.max}", "b32", "b32 b32 b32"),
    row(
        "{vadd2,vsub2,vavrg2,vabsdiff2,vmin2,vmax2}{.u32,.s32}{.u32,.s32}{.u32,.s32}{,.sat,.add}",
        "b32",
        "b32 b32 b32",
    ),
    row(
        "{vadd4,vsub4,vavrg4,vabsdiff4,vmin4,vmax4}{.u32,.s32}{.u32,.s32}{.u32,.s32}{,.sat,.add}",
        "b32",
        "b32 b32 b32",
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
    row(
        "{vset2,vset4}{.u32,.s32}{.u32,.s32}{.eq,.ne,.lt,.le,.gt,.ge}{,.add}",
        "b32",
        "b32 b32 b32",
    ),
];
