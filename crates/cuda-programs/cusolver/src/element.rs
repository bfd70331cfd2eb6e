//! Element types: real and complex numbers of single and double precision, held as complex numbers of double precision, which represent
//! each exactly.

use crate::status::{Result, Status, refuse};
use lanework_numbers::{DataType, NumberType};

/// A complex number.
pub type Number = num_complex::Complex<f64>;

/// An element type.
pub type Element = DataType;

/// The element types by LAPACK's letters.
pub const S: Element = DataType::F32;
pub const D: Element = DataType::F64;
pub const C: Element = DataType::C32;
pub const Z: Element = DataType::C64;

/// The type of a `cudaDataType`.
///
/// # Errors
/// If the stand-in does not support it.
pub fn element(code: i32) -> Result<Element> {
    match DataType::from_code(code) {
        Some(found) if matches!(found.part, NumberType::F32 | NumberType::F64) => Ok(found),
        _ => refuse(
            Status::NotSupported,
            &format!(
                "elements of cudaDataType {code} are not supported; use f32, f64, or complex f32 or f64"
            ),
        ),
    }
}
