//! Floating point of 16 bits, single and packed.

use super::row::{Row, values};

pub const ROWS: &[Row] = &[
    values("{add,sub,mul}{,.rn}{,.ftz}{,.sat}.f16"),
    values("{add,sub,mul}{,.rn}{,.ftz}{,.sat}.f16x2"),
    values("{add,sub,mul}{,.rn}.bf16"),
    values("{add,sub,mul}{,.rn}.bf16x2"),
    values("fma.rn{,.ftz}{,.sat,.relu}.f16"),
    values("fma.rn{,.ftz}{,.sat,.relu}.f16x2"),
    values("fma.rn{,.relu}.bf16"),
    values("fma.rn{,.relu}.bf16x2"),
    values("fma.rn.oob{,.relu}.f16"),
    values("fma.rn.oob{,.relu}.f16x2"),
    values("fma.rn.oob{,.relu}.bf16"),
    values("fma.rn.oob{,.relu}.bf16x2"),
    values("{abs,neg}{,.ftz}.f16"),
    values("{abs,neg}{,.ftz}.f16x2"),
    values("{abs,neg}{.bf16,.bf16x2}"),
    values("{min,max}{,.ftz}{,.NaN}{,.xorsign.abs}.f16"),
    values("{min,max}{,.ftz}{,.NaN}{,.xorsign.abs}.f16x2"),
    values("{min,max}{,.NaN}{,.xorsign.abs}.bf16"),
    values("{min,max}{,.NaN}{,.xorsign.abs}.bf16x2"),
    values("tanh.approx{.f16,.f16x2,.bf16,.bf16x2}"),
    values("ex2.approx{.f16,.f16x2}"),
    values("ex2.approx.ftz{.bf16,.bf16x2}"),
];
