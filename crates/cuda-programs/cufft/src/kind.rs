//! Kinds of transforms: between real and complex numbers, and their precision.

use crate::status::{Result, Status, refuse};

/// Real or complex input and output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransformForm {
    ComplexToComplex,
    RealToComplex,
    ComplexToReal,
}

/// Storage precision. Types narrower than f32 are transformed in f32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    Half,
    Bfloat,
    Single,
    Double,
}

/// A kind of transform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransformKind {
    pub form: TransformForm,
    pub precision: Precision,
}

impl Precision {
    /// Bytes of a real number.
    pub fn size(self) -> usize {
        match self {
            Precision::Half | Precision::Bfloat => 2,
            Precision::Single => 4,
            Precision::Double => 8,
        }
    }

    /// Bytes of a real number in a transform.
    pub fn computed_size(self) -> usize {
        self.size().max(4)
    }
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
            0x20 => Precision::Single,
            0x60 => Precision::Double,
            _ => return refuse(Status::InvalidType, &format!("there is no cufftType {number:#x}")),
        };
        Ok(TransformKind { form, precision })
    }

    /// The kind of a transform between two types (`cudaDataType`), computed in a third.
    ///
    /// # Errors
    /// If cuFFT has no such transform.
    pub fn between(from: i32, to: i32, computed: i32) -> Result<TransformKind> {
        let (from_type, to_type) = (element(from), element(to));
        let kind = match (from_type, to_type) {
            (Some((true, a)), Some((true, b))) if a == b => {
                Some((TransformForm::ComplexToComplex, a))
            }
            (Some((false, a)), Some((true, b))) if a == b => {
                Some((TransformForm::RealToComplex, a))
            }
            (Some((true, a)), Some((false, b))) if a == b => {
                Some((TransformForm::ComplexToReal, a))
            }
            _ => None,
        };
        match kind {
            Some((form, precision)) if element(computed).is_some_and(|(_, of)| of == precision) => {
                Ok(TransformKind { form, precision })
            }
            _ => {
                let why = format!(
                    "there is no transform from cudaDataType {from} to {to} computed in {computed}; both sides and the computation have one \
                     precision (16-bit, bfloat16, 32-bit or 64-bit), and one side at least is complex"
                );
                refuse(Status::InvalidType, &why)
            }
        }
    }

    /// Whether input and output are complex.
    pub fn complex(self) -> [bool; 2] {
        [self.form != TransformForm::RealToComplex, self.form != TransformForm::ComplexToReal]
    }
}

/// Whether a `cudaDataType` is complex, and its precision.
fn element(number: i32) -> Option<(bool, Precision)> {
    Some(match number {
        0 => (false, Precision::Single),
        1 => (false, Precision::Double),
        2 => (false, Precision::Half),
        4 => (true, Precision::Single),
        5 => (true, Precision::Double),
        6 => (true, Precision::Half),
        14 => (false, Precision::Bfloat),
        15 => (true, Precision::Bfloat),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{Precision, TransformForm, TransformKind};

    #[test]
    fn types_have_cuffts_numbers() {
        let single = |form| Ok(TransformKind { form, precision: Precision::Single });
        let double = |form| Ok(TransformKind { form, precision: Precision::Double });
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
        assert_eq!(TransformKind::between(6, 2, 6).map(|kind| kind.precision), Ok(Precision::Half));
        for [from, to, computed] in [[0, 0, 4], [4, 5, 4], [4, 4, 5], [3, 3, 3]] {
            assert!(TransformKind::between(from, to, computed).is_err(), "{from} {to} {computed}");
        }
    }
}
