//! Element types of matrices on the host.

use crate::common::next;
use half::{bf16, f16};

/// Element type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Type {
    F16,
    Bf16,
    Tf32,
    F32,
    F64,
    S8,
    U8,
    S4,
    U4,
    S32,
}

impl Type {
    pub fn name(self) -> &'static str {
        match self {
            Type::F16 => "f16",
            Type::Bf16 => "bf16",
            Type::Tf32 => "tf32",
            Type::F32 => "f32",
            Type::F64 => "f64",
            Type::S8 => "s8",
            Type::U8 => "u8",
            Type::S4 => "s4",
            Type::U4 => "u4",
            Type::S32 => "s32",
        }
    }

    pub fn bits(self) -> usize {
        match self {
            Type::S4 | Type::U4 => 4,
            Type::S8 | Type::U8 => 8,
            Type::F16 | Type::Bf16 => 16,
            Type::F64 => 64,
            _ => 32,
        }
    }

    /// Encodes an integer that is small enough for exact sums of products in every type.
    pub fn encode(self, value: i64) -> u64 {
        match self {
            Type::F16 => u64::from(f16::from_f32(value as f32).to_bits()),
            Type::Bf16 => u64::from(bf16::from_f32(value as f32).to_bits()),
            // Sets bits that tf32 does not have; they must have no effect.
            Type::Tf32 => u64::from((value as f32).to_bits() | 0x1abc),
            Type::F32 => u64::from((value as f32).to_bits()),
            Type::F64 => (value as f64).to_bits(),
            _ => value as u64 & ((1 << self.bits()) - 1),
        }
    }

    pub fn small(self, state: &mut u64) -> i64 {
        let word = i64::from(next(state));
        match self {
            Type::U8 => word % 256,
            Type::S8 => word % 256 - 128,
            Type::U4 => word % 16,
            Type::S4 => word % 16 - 8,
            Type::S32 => word % 100_000 - 50_000,
            Type::F16 => word % 15 - 7,
            _ => word % 31 - 15,
        }
    }
}
