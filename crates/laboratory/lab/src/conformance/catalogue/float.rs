//! Floating point of 32 and 64 bits.

use super::row::{Row, load_only, values};

pub const ROWS: &[Row] = &[
    values("testp{.finite,.infinite,.number,.notanumber,.normal,.subnormal}.f32"),
    values("testp{.finite,.infinite,.number,.notanumber,.normal,.subnormal}.f64"),
    values("copysign{.f32,.f64}"),
    values("{add,sub,mul}{,.rn,.rz,.rm,.rp}{,.ftz}{,.sat}.f32"),
    values("{add,sub,mul}{,.rn,.rz,.rm,.rp}.f64"),
    values("{fma,mad}{.rn,.rz,.rm,.rp}{,.ftz}{,.sat}.f32"),
    values("{fma,mad}{.rn,.rz,.rm,.rp}.f64"),
    load_only("{add,sub,mul}{,.rn,.rz,.rm,.rp}{,.ftz}.f32x2", "@ %l0, %l1, %l2;"),
    load_only("fma{.rn,.rz,.rm,.rp}{,.ftz}.f32x2", "@ %l0, %l1, %l2, %l3;"),
    load_only("{add,sub}{,.rn,.rz,.rm,.rp}{,.sat}.f32{.f16,.bf16}", "@ %r0, %h0, %r1;"),
    load_only("fma{.rn,.rz,.rm,.rp}{,.sat}.f32{.f16,.bf16}", "@ %r0, %h0, %h1, %r1;"),
    values("div{.approx,.full,.rn,.rz,.rm,.rp}{,.ftz}.f32"),
    values("div{.rn,.rz,.rm,.rp}.f64"),
    values("{abs,neg}{,.ftz}.f32"),
    values("{abs,neg}.f64"),
    values("{min,max}{,.ftz}{,.NaN}{,.xorsign.abs}.f32"),
    values("{min,max}.f64"),
    load_only("{min,max}{,.ftz}{,.NaN}{,.abs}.f32", "@ %r0, %r1, %r2, %r3;"),
    values("{rcp,sqrt}{.approx,.rn,.rz,.rm,.rp}{,.ftz}.f32"),
    values("{rcp,sqrt}{.rn,.rz,.rm,.rp}.f64"),
    values("rcp.approx.ftz.f64"),
    values("rsqrt.approx{,.ftz}.f32"),
    values("rsqrt.approx{,.ftz}.f64"),
    values("{sin,cos,lg2,ex2}.approx{,.ftz}.f32"),
    values("tanh.approx.f32"),
];
