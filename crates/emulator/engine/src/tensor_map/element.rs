//! Elements of tensors that the copy engine knows.

use lanework_ptx::ScalarType;

/// Element types that the copy engine knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum TensorElement {
    U8,
    U16,
    U32,
    I32,
    U64,
    I64,
    F16,
    F32,
    F64,
    Bf16,
}

impl TensorElement {
    /// All of them, in the order of their codes.
    pub const ALL: [TensorElement; 10] = {
        use TensorElement::*;
        [U8, U16, U32, I32, U64, I64, F16, F32, F64, Bf16]
    };

    /// Bytes of an element.
    pub fn bytes(self) -> u64 {
        u64::from(self.scalar().size())
    }

    /// PTX's type.
    pub fn scalar(self) -> ScalarType {
        match self {
            TensorElement::U8 => ScalarType::U8,
            TensorElement::U16 => ScalarType::U16,
            TensorElement::U32 => ScalarType::U32,
            TensorElement::I32 => ScalarType::S32,
            TensorElement::U64 => ScalarType::U64,
            TensorElement::I64 => ScalarType::S64,
            TensorElement::F16 => ScalarType::F16,
            TensorElement::F32 => ScalarType::F32,
            TensorElement::F64 => ScalarType::F64,
            TensorElement::Bf16 => ScalarType::Bf16,
        }
    }

    /// Whether it has a NaN.
    pub fn is_float(self) -> bool {
        self.scalar().is_float()
    }

    /// The bits of the NaN that stands for elements outside the tensor, as an H200 has them: one
    /// pattern of 16 bits, as often as it fits.
    pub fn nan(self) -> u64 {
        0x7ff7_7ff7_7ff7_7ff7 >> (64 - 8 * self.bytes())
    }
}
