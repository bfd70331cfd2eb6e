//! Floating point of 16 bits, single and packed.

use super::row::{Row, row};

pub const ROWS: &[Row] = &[
    row("{add,sub,mul}{,.rn}{,.ftz}{,.sat}.f16", "f16", "f16 f16"),
    row("{add,sub,mul}{,.rn}{,.ftz}{,.sat}.f16x2", "f16x2", "f16x2 f16x2"),
    row("{add,sub,mul}{,.rn}.bf16", "bf16", "bf16 bf16"),
    row("{add,sub,mul}{,.rn}.bf16x2", "bf16x2", "bf16x2 bf16x2"),
    row("fma.rn{,.ftz}{,.sat,.relu}.f16", "f16", "f16 f16 f16"),
    row("fma.rn{,.ftz}{,.sat,.relu}.f16x2", "f16x2", "f16x2 f16x2 f16x2"),
    row("fma.rn{,.relu}.bf16", "bf16", "bf16 bf16 bf16"),
    row("fma.rn{,.relu}.bf16x2", "bf16x2", "bf16x2 bf16x2 bf16x2"),
    row("fma.rn.oob{,.relu}.f16", "f16", "f16 f16 f16"),
    row("fma.rn.oob{,.relu}.f16x2", "f16x2", "f16x2 f16x2 f16x2"),
    row("fma.rn.oob{,.relu}.bf16", "bf16", "bf16 bf16 bf16"),
    row("fma.rn.oob{,.relu}.bf16x2", "bf16x2", "bf16x2 bf16x2 bf16x2"),
    row("{abs,neg}{,.ftz}.f16", "f16", "f16"),
    row("{abs,neg}{,.ftz}.f16x2", "f16x2", "f16x2"),
    row("{abs,neg}.bf16", "bf16", "bf16"),
    row("{abs,neg}.bf16x2", "bf16x2", "bf16x2"),
    row("{min,max}{,.ftz}{,.NaN}{,.xorsign.abs}.f16", "f16", "f16 f16"),
    row("{min,max}{,.ftz}{,.NaN}{,.xorsign.abs}.f16x2", "f16x2", "f16x2 f16x2"),
    row("{min,max}{,.NaN}{,.xorsign.abs}.bf16", "bf16", "bf16 bf16"),
    row("{min,max}{,.NaN}{,.xorsign.abs}.bf16x2", "bf16x2", "bf16x2 bf16x2"),
    row("tanh.approx.f16", "f16", "f16"),
    row("tanh.approx.f16x2", "f16x2", "f16x2"),
    row("tanh.approx.bf16", "bf16", "bf16"),
    row("tanh.approx.bf16x2", "bf16x2", "bf16x2"),
    row("ex2.approx.f16", "f16", "f16"),
    row("ex2.approx.f16x2", "f16x2", "f16x2"),
    row("ex2.approx.ftz.bf16", "bf16", "bf16"),
    row("ex2.approx.ftz.bf16x2", "bf16x2", "bf16x2"),
];
