//! Element types of matrices, and their representation in a type-erased [`GemmProblem`](super::problem::Problem).

use bytemuck::{Pod, Zeroable};
use half::{bf16, f16};
use lanework::Storable;
use lanework::lang::prelude::{E4m3, E5m2};

/// Element type as a runtime value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementKind {
    /// `f32`.
    F32,
    /// `f64`.
    F64,
    /// `f16`.
    F16,
    /// `bf16`.
    Bf16,
    /// `i8`.
    I8,
    /// `i32`.
    I32,
    /// [`Fp8E4m3`].
    E4m3,
    /// [`Fp8E5m2`].
    E5m2,
}

impl ElementKind {
    /// The type's name.
    ///
    /// ```
    /// assert_eq!(lanework_ops::ElementKind::Bf16.name(), "bf16");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            ElementKind::F32 => "f32",
            ElementKind::F64 => "f64",
            ElementKind::F16 => "f16",
            ElementKind::Bf16 => "bf16",
            ElementKind::I8 => "i8",
            ElementKind::I32 => "i32",
            ElementKind::E4m3 => "e4m3",
            ElementKind::E5m2 => "e5m2",
        }
    }

    /// Bytes of an element.
    ///
    /// ```
    /// assert_eq!(lanework_ops::ElementKind::Bf16.bytes(), 2);
    /// ```
    pub fn bytes(self) -> usize {
        match self {
            ElementKind::F64 => 8,
            ElementKind::F32 | ElementKind::I32 => 4,
            ElementKind::F16 | ElementKind::Bf16 => 2,
            ElementKind::I8 | ElementKind::E4m3 | ElementKind::E5m2 => 1,
        }
    }

    /// Whether it is an 8-bit float.
    pub(crate) fn is_fp8(self) -> bool {
        matches!(self, ElementKind::E4m3 | ElementKind::E5m2)
    }

    /// The accumulator type of products of this type; `None` if the type cannot be multiplied.
    pub(crate) fn sums(self) -> Option<ElementKind> {
        match self {
            ElementKind::F64 => Some(ElementKind::F64),
            ElementKind::I8 => Some(ElementKind::I32),
            ElementKind::I32 => None,
            _ => Some(ElementKind::F32),
        }
    }
}

/// An element type of matrices: `f32`, `f64`, `f16`, `bf16`, `i8`, [`Fp8E4m3`] and [`Fp8E5m2`] as factors; `f32`, `f64`, `f16`,
/// `bf16` and `i32` as results.
///
/// ```
/// use lanework_ops::{ElementKind, GemmElement};
///
/// assert_eq!(<f32 as GemmElement>::KIND, ElementKind::F32);
/// ```
#[diagnostic::on_unimplemented(
    message = "matrices of `{Self}` are not multiplied",
    note = "elements are f32, f64, f16, bf16, i8, Fp8E4m3 and Fp8E5m2, results f32, f64, f16, bf16 and i32"
)]
pub trait GemmElement: Storable {
    /// The type as a value.
    const KIND: ElementKind;
}

macro_rules! elements {
    ($($t:ty: $kind:ident;)*) => {$(
        impl GemmElement for $t {
            const KIND: ElementKind = ElementKind::$kind;
        }
    )*};
}

elements! {
    f32: F32;
    f64: F64;
    f16: F16;
    bf16: Bf16;
    i8: I8;
    i32: I32;
    Fp8E4m3: E4m3;
    Fp8E5m2: E5m2;
}

macro_rules! eight {
    ($($(#[$doc:meta])* $t:ident by $of:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[repr(transparent)]
        pub struct $t(pub u8);

        // SAFETY: `repr(transparent)` over `u8`, for which the all-zero pattern is valid.
        unsafe impl Zeroable for $t {}
        // SAFETY: `repr(transparent)` over `u8`: no padding, and every bit pattern is valid.
        unsafe impl Pod for $t {}
        impl Storable for $t {}

        impl $t {
            /// The nearest number, ties to even, clamped to the largest finite one.
            ///
            /// ```
            #[doc = concat!("assert_eq!(lanework_ops::", stringify!($t), "::from_f32(1.5).to_f32(), 1.5);")]
            /// ```
            pub fn from_f32(x: f32) -> $t {
                $t($of::encode(x))
            }

            /// The number.
            ///
            /// ```
            #[doc = concat!("assert_eq!(lanework_ops::", stringify!($t), "(0).to_f32(), 0.0);")]
            /// ```
            pub fn to_f32(self) -> f32 {
                $of::decode(self.0)
            }
        }
    )*};
}

eight! {
    /// An 8-bit float with 4 exponent bits and 3 mantissa bits, without infinities; the largest value is 448.
    ///
    /// ```
    /// use lanework_ops::Fp8E4m3;
    ///
    /// assert_eq!(Fp8E4m3::from_f32(1e9), Fp8E4m3(0x7e));
    /// ```
    Fp8E4m3 by E4m3;
    /// An 8-bit float with 5 exponent bits and 2 mantissa bits; the largest finite value is 57,344.
    ///
    /// ```
    /// use lanework_ops::Fp8E5m2;
    ///
    /// assert_eq!(Fp8E5m2(0x7b).to_f32(), 57344.0);
    /// ```
    Fp8E5m2 by E5m2;
}
