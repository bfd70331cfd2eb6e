//! Floating point of 32 and 64 bits.

use super::row::{Row, load_only, row};

pub const ROWS: &[Row] = &[
    row("testp{.finite,.infinite,.number,.notanumber,.normal,.subnormal}.f32", "pred", "f32"),
    row("testp{.finite,.infinite,.number,.notanumber,.normal,.subnormal}.f64", "pred", "f64"),
    row("copysign.f32", "f32", "f32 f32"),
    row("copysign.f64", "f64", "f64 f64"),
    row("{add,sub,mul}{,.rn,.rz,.rm,.rp}{,.ftz}{,.sat}.f32", "f32", "f32 f32"),
    row("{add,sub,mul}{,.rn,.rz,.rm,.rp}.f64", "f64", "f64 f64"),
    row("{fma,mad}{.rn,.rz,.rm,.rp}{,.ftz}{,.sat}.f32", "f32", "f32 f32 f32"),
    row("{fma,mad}{.rn,.rz,.rm,.rp}.f64", "f64", "f64 f64 f64"),
    load_only("{add,sub,mul}{,.rn,.rz,.rm,.rp}{,.ftz}.f32x2", "@ %l0, %l1, %l2;"),
    load_only("fma{.rn,.rz,.rm,.rp}{,.ftz}.f32x2", "@ %l0, %l1, %l2, %l3;"),
    load_only("{add,sub}{,.rn,.rz,.rm,.rp}{,.sat}.f32{.f16,.bf16}", "@ %r0, %h0, %r1;"),
    load_only("fma{.rn,.rz,.rm,.rp}{,.sat}.f32{.f16,.bf16}", "@ %r0, %h0, %h1, %r1;"),
    row("div{.approx,.full,.rn,.rz,.rm,.rp}{,.ftz}.f32", "f32", "f32 f32"),
    row("div{.rn,.rz,.rm,.rp}.f64", "f64", "f64 f64"),
    row("{abs,neg}{,.ftz}.f32", "f32", "f32"),
    row("{abs,neg}.f64", "f64", "f64"),
    row("{min,max}{,.ftz}{,.NaN}{,.xorsign.abs}.f32", "f32", "f32 f32"),
    row("{min,max}.f64", "f64", "f64 f64"),
    load_only("{min,max}{,.ftz}{,.NaN}{,.abs}.f32", "@ %r0, %r1, %r2, %r3;"),
    row("{rcp,sqrt}{.approx,.rn,.rz,.rm,.rp}{,.ftz}.f32", "f32", "f32"),
    row("{rcp,sqrt}{.rn,.rz,.rm,.rp}.f64", "f64", "f64"),
    row("rcp.approx.ftz.f64", "f64", "f64"),
    row("rsqrt.approx{,.ftz}.f32", "f32", "f32"),
    row("rsqrt.approx{,.ftz}.f64", "f64", "f64"),
    row("{sin,cos,lg2,ex2}.approx{,.ftz}.f32", "f32", "f32"),
    row("tanh.approx.f32", "f32", "f32"),
];
