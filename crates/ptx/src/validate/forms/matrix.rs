//! Warp-level matrices (PTX manual, "Warp Level Matrix Multiply-Accumulate Instructions"). Only shapes that
//! the emulator runs have rows of their own; it refuses what else does not exist.

use crate::validate::row::Row;

#[rustfmt::skip] // a table is read by its columns
pub(super) const ROWS: &[Row] = &[
    ("wmma", "^load ^a|b|c sync aligned row|col m16n16k16|m8n32k16|m32n8k16|m8n8k32|m8n8k128|m16n16k8|m8n8k4 global|shared|shared::cta|shared::cluster? f16|bf16|tf32|f32|f64|s8|u8|s4|u4|b1|s32", "x m ao:u32"),
    ("wmma", "^store ^d sync aligned row|col m16n16k16|m8n32k16|m32n8k16|m8n8k32|m8n8k128|m16n16k8|m8n8k4 global|shared|shared::cta|shared::cluster? f16|f32|f64|s32", "m x ao:u32"),
    ("wmma", "^mma ...", "x x x x"),
    ("mma", "sync aligned m16n8k16 row col f32 f16|bf16 f16|bf16 f32", "4d:f32 4r:b32 2r:b32 4a:f32"),
    ("mma", "sync aligned m16n8k8 row col f32 f16|bf16 f16|bf16 f32", "4d:f32 2r:b32 1r:b32 4a:f32"),
    ("mma", "sync aligned m16n8k16 row col f16 f16 f16 f16", "2d:b32 4r:b32 2r:b32 2a:b32"),
    ("mma", "sync aligned m16n8k8 row col f16 f16 f16 f16", "2d:b32 2r:b32 1r:b32 2a:b32"),
    ("mma", "sync aligned m16n8k8 row col f32 tf32 tf32 f32", "4d:f32 4r:b32 2r:b32 4a:f32"),
    ("mma", "sync aligned m16n8k4 row col f32 tf32 tf32 f32", "4d:f32 2r:b32 1r:b32 4a:f32"),
    ("mma", "sync aligned m16n8k16 row col satfinite? s32 s8|u8 s8|u8 s32", "4d:s32 2r:b32 1r:b32 4a:s32"),
    ("mma", "sync aligned m16n8k32 row col satfinite? s32 s8|u8 s8|u8 s32", "4d:s32 4r:b32 2r:b32 4a:s32"),
    ("mma", "sync aligned m8n8k16 row col satfinite? s32 s8|u8 s8|u8 s32", "2d:s32 1r:b32 1r:b32 2a:s32"),
    ("mma", "sync aligned m8n8k4 row col f64 f64 f64 f64", "2d:f64 1r:f64 1r:f64 2a:f64"),
    ("mma", "sync aligned m8n8k32 row col satfinite? s32 s4|u4 s4|u4 s32", "2d:s32 1r:b32 1r:b32 2a:s32"),
    ("mma", "sync aligned m16n8k32|m16n8k64 row col satfinite? s32 s4|u4 s4|u4 s32", "*"),
    ("mma", "sync aligned m8n8k4 row|col row|col f16|f32 f16 f16 f16|f32", "*"),
    ("mma", "sync aligned m16n8k4|m16n8k8|m16n8k16 row col $round? f64 f64 f64 f64", "*"),
    ("mma", "sync aligned m16n8k16|m16n8k32 row col f16|f32 e4m3|e5m2 e4m3|e5m2 f16|f32", "*"),
    ("mma", "b1 ...", "*"),
    ("mma", "sp ...", "*"),
    ("mma", "sp::ordered_metadata ...", "*"),
    ("mma", "kind::* ...", "*"),
];
