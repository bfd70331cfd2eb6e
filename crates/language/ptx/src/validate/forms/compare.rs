//! Comparison and selection (PTX manual, "Comparison and Selection", "Half Precision Comparison").

use crate::validate::row::Row;

#[rustfmt::skip] // a table is read by its columns
pub(super) const ROWS: &[Row] = &[
    ("setp", "$compare $bool>p? s16|s32|s64", "q_/p a a"),
    ("setp", "$compare|lo|ls|hi|hs $bool>p? u16|u32|u64", "q_/p a a"),
    ("setp", "eq|ne $bool>p? b16|b32|b64", "q_/p a a"),
    ("setp", "$unordered $bool>p? ftz? f32", "q_/p a a"),
    ("setp", "$unordered $bool>p? f64", "q_/p a a"),
    ("setp", "$unordered $bool>p? ftz? $half", "q_/p a a"),
    ("setp", "$unordered $bool>p? $brain", "q_/p a a"),
    ("set", "$compare $bool>p? u32|s32|f32 s16|s32|s64", "d a:1 a:1"),
    ("set", "$compare|lo|ls|hi|hs $bool>p? u32|s32|f32 u16|u32|u64", "d a:1 a:1"),
    ("set", "eq|ne $bool>p? u32|s32|f32 b16|b32|b64", "d a:1 a:1"),
    ("set", "$unordered $bool>p? ftz? u32|s32|f32 f32", "d a:1 a:1"),
    ("set", "$unordered $bool>p? u32|s32|f32 f64", "d a:1 a:1"),
    ("set", "$unordered $bool>p? ftz? f16|u16|s16|u32|s32 f16", "d a:1 a:1"),
    ("set", "$unordered $bool>p? ftz? f16x2|u32|s32 f16x2", "d a:1 a:1"),
    ("set", "$unordered $bool>p? bf16|u16|s16|u32|s32 bf16", "d a:1 a:1"),
    ("set", "$unordered $bool>p? bf16x2|u32|s32 bf16x2", "d a:1 a:1"),
    ("set", "$unordered $bool>p? bf16 f16|f32", "d a:1 a:1"),
    ("set", "$unordered $bool>p? ftz? f16 f32", "d a:1 a:1"),
    ("set", "$unordered $bool>p? f16|bf16 f64", "d a:1 a:1"),
    ("set", "$compare $bool>p? f16|bf16 s16|s32|s64", "d a:1 a:1"),
    ("set", "$compare|lo|ls|hi|hs $bool>p? f16|bf16 u16|u32|u64", "d a:1 a:1"),
    ("set", "eq|ne $bool>p? f16|bf16 b16|b32|b64", "d a:1 a:1"),
    ("selp", "b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64", "d a a p"),
    ("slct", "b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64 s32", "d a a a:1"),
    ("slct", "ftz? b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64 f32", "d a a a:1"),
];
