//! Element types, by NCCL's numbers.

use crate::status::{Result, Status, refuse};
use lanework_ranks::signature::element_name;

/// An element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Element {
    I8,
    U8,
    I32,
    U32,
    I64,
    U64,
    F16,
    F32,
    F64,
    Bf16,
    E4m3,
    E5m2,
}

impl Element {
    const ALL: [Element; 12] = [
        Element::I8,
        Element::U8,
        Element::I32,
        Element::U32,
        Element::I64,
        Element::U64,
        Element::F16,
        Element::F32,
        Element::F64,
        Element::Bf16,
        Element::E4m3,
        Element::E5m2,
    ];

    /// The type of an `ncclDataType_t`.
    ///
    /// # Errors
    /// If the code is unknown.
    pub fn of(code: i32) -> Result<Element> {
        match usize::try_from(code).ok().and_then(|code| Element::ALL.get(code)) {
            Some(element) => Ok(*element),
            None => refuse(Status::InvalidArgument, format!("{code} is not an ncclDataType_t")),
        }
    }

    /// Bytes of an element.
    pub fn bytes(self) -> usize {
        match self {
            Element::I8 | Element::U8 | Element::E4m3 | Element::E5m2 => 1,
            Element::F16 | Element::Bf16 => 2,
            Element::I32 | Element::U32 | Element::F32 => 4,
            Element::I64 | Element::U64 | Element::F64 => 8,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        element_name(self as u8)
    }
}
