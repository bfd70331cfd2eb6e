//! Conversions (PTX manual, "Data Movement: cvt, cvt.pack").

use crate::validate::row::Row;

#[rustfmt::skip] // a table is read by its columns
pub(super) const ROWS: &[Row] = &[
    ("cvt", "sat? $byte $byte", "D As:1"),
    ("cvt", "$round ftz? sat? f32 $byte", "D A:1"),
    ("cvt", "$round sat? f16|f64|bf16 $byte", "D A:1"),
    ("cvt", "$integral ftz? sat? $byte f32", "D A:1"),
    ("cvt", "$integral sat? $byte f16|f64|bf16", "D A:1"),
    ("cvt", "$integral? ftz? sat? f32 f32", "D A:1"),
    ("cvt", "$integral? sat? f64 f64", "D A:1"),
    ("cvt", "$integral? sat? f16 f16", "D A:1"),
    ("cvt", "$integral? sat? bf16 bf16", "D A:1"),
    ("cvt", "$round ftz? sat? f32 f64", "D A:1"),
    ("cvt", "ftz? sat? f64 f32", "D A:1"),
    ("cvt", "$round ftz? sat? f16 f32", "D A:1"),
    ("cvt", "rn|rz relu? satfinite? f16|bf16 f32", "D A:1"),
    ("cvt", "$round sat? f16|bf16 f64", "D A:1"),
    ("cvt", "$round ftz? sat? bf16 f32", "D A:1"),
    ("cvt", "ftz? sat? f32 f16|bf16", "D A:1"),
    ("cvt", "sat? f64 f16|bf16", "D A:1"),
    ("cvt", "$round sat? f16 bf16", "D A:1"),
    ("cvt", "$round sat? bf16 f16", "D A:1"),
    ("cvt", "rn|rz relu? satfinite? f16x2|bf16x2 f32", "d a:f32 a:f32"),
    ("cvt", "rs ...", "*"),
    ("cvt", "rna satfinite? tf32 f32", "d:b32 a:f32"),
    ("cvt", "rn|rz satfinite? relu? tf32 f32", "d:b32 a:f32"),
    ("cvt", "rn satfinite relu? e4m3x2|e5m2x2 f32", "d:b16 a:f32 a:f32"),
    ("cvt", "rn satfinite relu? e4m3x2|e5m2x2 f16x2", "d:b16 a:f16x2"),
    ("cvt", "rn relu? f16x2 e4m3x2|e5m2x2", "d:f16x2 a:b16"),
    ("cvt", "e2m1x2|e2m3x2|e3m2x2|ue8m0x2|e2m1x4|e2m3x4|e3m2x4|e4m3x4|e5m2x4|s2f6x2 ...", "*"),
    ("cvt", "^pack sat u16|s16 s32", "d:u32 a:s32 a:s32"),
    ("cvt", "^pack sat u8|s8|u4|s4|u2|s2 s32 b32", "d:u32 a:s32 a:s32 a:u32"),
];
