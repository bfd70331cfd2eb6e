//! Data that ranks exchange: the communicator's id, element types and reductions.

/// The id by which the ranks of one communicator find each other; made by one of them ([`Nccl::unique_id`](super::Nccl::unique_id)).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NcclId(pub [u8; 128]);

// `ncclUniqueId` of nccl.h, which is passed by value.
const _: () = assert!(size_of::<NcclId>() == 128 && align_of::<NcclId>() == 1);

/// Element types that NCCL computes with; the numbers are NCCL's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum NcclElement {
    /// Signed bytes.
    I8 = 0,
    /// Bytes.
    U8 = 1,
    /// 32-bit integers.
    I32 = 2,
    /// Unsigned 32-bit integers.
    U32 = 3,
    /// 64-bit integers.
    I64 = 4,
    /// Unsigned 64-bit integers.
    U64 = 5,
    /// Half precision.
    F16 = 6,
    /// Single precision.
    F32 = 7,
    /// Double precision.
    F64 = 8,
    /// bfloat16.
    Bf16 = 9,
}

impl NcclElement {
    /// Bytes of one.
    pub(super) fn bytes(self) -> usize {
        match self {
            NcclElement::I8 | NcclElement::U8 => 1,
            NcclElement::F16 | NcclElement::Bf16 => 2,
            NcclElement::I32 | NcclElement::U32 | NcclElement::F32 => 4,
            NcclElement::I64 | NcclElement::U64 | NcclElement::F64 => 8,
        }
    }
}

/// How NCCL combines elements; the numbers are NCCL's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum NcclReduction {
    /// Their sum.
    Sum = 0,
    /// Their product.
    Prod = 1,
    /// The largest.
    Max = 2,
    /// The smallest.
    Min = 3,
}
