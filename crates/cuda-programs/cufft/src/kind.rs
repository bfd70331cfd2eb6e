//! Kinds of transforms: between real and complex numbers, and their precision.

use crate::status::{Result, Status, refuse};
use lanework_numbers::{DataType, NumberType};

/// Real or complex input and output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransformForm {
    ComplexToComplex,
    RealToComplex,
    ComplexToReal,
}

/// A kind of transform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransformKind {
    pub form: TransformForm,
    /// Type of real numbers in memory. Types narrower than f32 are transformed in f32.
    pub precision: NumberType,
}

impl TransformKind {
    /// The kind of a `cufftType`.
    ///
    /// # Errors
    /// If the type is unknown.
    pub fn of(number: i32) -> Result<TransformKind> {
        let form = match number & 0xf {
            0x9 => TransformForm::ComplexToComplex,
            0xa => TransformForm::RealToComplex,
            0xc => TransformForm::ComplexToReal,
            _ => return refuse(Status::InvalidType, &format!("there is no cufftType {number:#x}")),
        };
        let precision = match number & !0xf {
            0x20 => NumberType::F32,
            0x60 => NumberType::F64,
            _ => return refuse(Status::InvalidType, &format!("there is no cufftType {number:#x}")),
        };
        Ok(TransformKind { form, precision })
    }

    /// The kind of a transform between two types (`cudaDataType`), computed in a third type.
    ///
    /// # Errors
    /// If cuFFT does not have this transform.
    pub fn between(from: i32, to: i32, computed: i32) -> Result<TransformKind> {
        let form = |from: DataType, to: DataType| match (from.is_complex, to.is_complex) {
            (true, true) => Some(TransformForm::ComplexToComplex),
            (false, true) => Some(TransformForm::RealToComplex),
            (true, false) => Some(TransformForm::ComplexToReal),
            (false, false) => None,
        };
        if let [Some(one), Some(other), Some(third)] = [from, to, computed].map(element)
            && one.part == other.part
            && one.part == third.part
            && let Some(form) = form(one, other)
        {
            return Ok(TransformKind { form, precision: one.part });
        }
        let why = format!(
            "there is no transform from cudaDataType {from} to {to} computed in {computed}; both sides and the computation have one \
             precision (16-bit, bfloat16, 32-bit or 64-bit), and one side at least is complex"
        );
        refuse(Status::InvalidType, &why)
    }

    /// Whether input and output are complex.
    pub fn complex(self) -> [bool; 2] {
        [self.form != TransformForm::RealToComplex, self.form != TransformForm::ComplexToReal]
    }
}

/// The element type of a `cudaDataType`, if cuFFT has it.
fn element(number: i32) -> Option<DataType> {
    DataType::from_code(number).filter(|of| of.part.is_float())
}

#[cfg(test)]
mod tests {
    use super::{NumberType, TransformForm, TransformKind};

    #[test]
    fn types_have_cuffts_numbers() {
        let single = |form| Ok(TransformKind { form, precision: NumberType::F32 });
        let double = |form| Ok(TransformKind { form, precision: NumberType::F64 });
        assert_eq!(
            [0x29, 0x2a, 0x2c].map(TransformKind::of),
            [
                TransformForm::ComplexToComplex,
                TransformForm::RealToComplex,
                TransformForm::ComplexToReal
            ]
            .map(single)
        );
        assert_eq!(
            [0x69, 0x6a, 0x6c].map(TransformKind::of),
            [
                TransformForm::ComplexToComplex,
                TransformForm::RealToComplex,
                TransformForm::ComplexToReal
            ]
            .map(double)
        );
        for number in [0, 0x2b, 0x39, 0x129, -1] {
            assert!(TransformKind::of(number).is_err(), "{number:#x}");
        }
        assert_eq!(TransformKind::between(1, 5, 5), double(TransformForm::RealToComplex));
        assert_eq!(TransformKind::between(6, 2, 6).map(|kind| kind.precision), Ok(NumberType::F16));
        for [from, to, computed] in [[0, 0, 4], [4, 5, 4], [4, 4, 5], [3, 3, 3]] {
            assert!(TransformKind::between(from, to, computed).is_err(), "{from} {to} {computed}");
        }
    }
}
