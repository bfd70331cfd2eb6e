//! Handlers of copies, and of registers taken apart and put together.

use crate::alu_operation::{Affine, AluOperation, affine, hot1, mask, rare1, rare2, warm1, warm2};
use crate::slot::Scalar;
use lanework_ptx_ir::opcode::logic::{MoveOp, PartSize};
use lanework_ptx_ir::types::Width;

const COPY: Affine = affine(&|a: Scalar, _: Scalar, _: Scalar| Some(a));

/// The handlers of an opcode of this family.
pub fn handlers(op: MoveOp) -> &'static AluOperation {
    match op {
        MoveOp::Copy(Width::Predicate) => mask(|a, _| a),
        MoveOp::Copy(Width::Wide) => with_affine!(warm1(|a: u64| a), COPY),
        MoveOp::Copy(Width::Word) => with_affine!(hot1(|a: u32| a), COPY),
        MoveOp::Truncate(PartSize::Byte) => rare1(|a: u8| a),
        MoveOp::Truncate(PartSize::Half) => rare1(|a: u16| a),
        MoveOp::Truncate(PartSize::Word) => rare1(|a: u32| a),
        MoveOp::Extract { wide: true, part } => match part {
            PartSize::Word => warm2(|a: u64, n: u32| (a >> (n & 63)) as u32),
            PartSize::Half => rare2(|a: u64, n: u32| (a >> (n & 63)) as u16),
            PartSize::Byte => rare2(|a: u64, n: u32| (a >> (n & 63)) as u8),
        },
        MoveOp::Extract { wide: false, part } => match part {
            PartSize::Word => rare2(|a: u32, n: u32| a >> (n & 31)),
            PartSize::Half => rare2(|a: u32, n: u32| (a >> (n & 31)) as u16),
            PartSize::Byte => rare2(|a: u32, n: u32| (a >> (n & 31)) as u8),
        },
        MoveOp::Concatenate { wide: true, low } => match low {
            1 => rare2(|a: u8, b: u64| u64::from(a) | b << 8),
            2 => rare2(|a: u16, b: u64| u64::from(a) | b << 16),
            3 => rare2(|a: u64, b: u64| (a & 0xff_ffff) | b << 24),
            4 => warm2(|a: u32, b: u64| u64::from(a) | b << 32),
            5 => rare2(|a: u64, b: u64| (a & 0xff_ffff_ffff) | b << 40),
            6 => rare2(|a: u64, b: u64| (a & 0xffff_ffff_ffff) | b << 48),
            _ => rare2(|a: u64, b: u64| (a & 0xff_ffff_ffff_ffff) | b << 56),
        },
        MoveOp::Concatenate { wide: false, low } => match low {
            1 => rare2(|a: u8, b: u32| u32::from(a) | b << 8),
            2 => rare2(|a: u16, b: u32| u32::from(a) | b << 16),
            _ => rare2(|a: u32, b: u32| (a & 0xff_ffff) | b << 24),
        },
    }
}
