//! Element types and reductions of collectives, and the reduction of host memory.

use half::{bf16, f16};
use lanework::Storable;
use lanework_cuda::{NcclElement, NcclReduction};

/// Combines the elements of the ranks.
///
/// The emulator combines them in rank order, rounding to the element type after each step, so results are the same in each run and on each
/// rank. NCCL's order depends on the sizes and on how GPUs are connected: with more than two ranks its floating-point sums and products may
/// differ in the last bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// Sum; integers wrap.
    Sum,
    /// Product; integers wrap.
    Prod,
    /// Minimum; of a number and a NaN, the number.
    Min,
    /// Maximum; of a number and a NaN, the number.
    Max,
}

impl Reduction {
    pub(crate) const ALL: [Reduction; 4] =
        [Reduction::Sum, Reduction::Prod, Reduction::Min, Reduction::Max];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Reduction::Sum => "sum",
            Reduction::Prod => "product",
            Reduction::Min => "minimum",
            Reduction::Max => "maximum",
        }
    }

    pub(crate) fn nccl(self) -> NcclReduction {
        match self {
            Reduction::Sum => NcclReduction::Sum,
            Reduction::Prod => NcclReduction::Prod,
            Reduction::Min => NcclReduction::Min,
            Reduction::Max => NcclReduction::Max,
        }
    }
}

/// Description of an element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct Type {
    /// Its index in [`TYPES`].
    pub(crate) number: u8,
    pub(crate) name: &'static str,
    pub(crate) nccl: NcclElement,
}

/// Elements of collectives: integers of 8, 32 and 64 bits, and floats of 16, 32 and 64.
pub trait Number: Storable {
    #[doc(hidden)]
    const TYPE: Type;
    #[doc(hidden)]
    fn combine(reduction: Reduction, a: Self, b: Self) -> Self;
}

macro_rules! integers {
    ($($kind:ident $number:literal $nccl:ident;)*) => {$(
        impl Number for $kind {
            const TYPE: Type = Type { number: $number, name: stringify!($kind), nccl: NcclElement::$nccl };
            fn combine(reduction: Reduction, a: $kind, b: $kind) -> $kind {
                match reduction {
                    Reduction::Sum => a.wrapping_add(b),
                    Reduction::Prod => a.wrapping_mul(b),
                    Reduction::Min => a.min(b),
                    Reduction::Max => a.max(b),
                }
            }
        }
    )*};
}

macro_rules! floats {
    ($($kind:ident $number:literal $nccl:ident;)*) => {$(
        impl Number for $kind {
            const TYPE: Type = Type { number: $number, name: stringify!($kind), nccl: NcclElement::$nccl };
            fn combine(reduction: Reduction, a: $kind, b: $kind) -> $kind {
                match reduction {
                    Reduction::Sum => a + b,
                    Reduction::Prod => a * b,
                    Reduction::Min => a.min(b),
                    Reduction::Max => a.max(b),
                }
            }
        }
    )*};
}

integers! {
    i8 0 I8;
    u8 1 U8;
    i32 2 I32;
    u32 3 U32;
    i64 4 I64;
    u64 5 U64;
}

floats! {
    f16 6 F16;
    f32 7 F32;
    f64 8 F64;
    bf16 9 Bf16;
}

/// The name of the type of this number.
pub(crate) fn type_name(number: u8) -> &'static str {
    let all = ["i8", "u8", "i32", "u32", "i64", "u64", "f16", "f32", "f64", "bf16"];
    all.get(usize::from(number)).copied().unwrap_or("an unknown type")
}

/// Combines every element of `with`, given as bytes, into the element of `into`, the left operand.
pub(crate) fn combine<T: Number>(reduction: Reduction, into: &mut [u8], with: &[u8]) {
    let size = size_of::<T>();
    for (a, b) in into.chunks_exact_mut(size).zip(with.chunks_exact(size)) {
        let (first, second) = (bytemuck::pod_read_unaligned(a), bytemuck::pod_read_unaligned(b));
        let value: T = T::combine(reduction, first, second);
        a.copy_from_slice(bytemuck::bytes_of(&value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reductions_combine_elements() {
        let all = |a: f32, b: f32| Reduction::ALL.map(|r| f32::combine(r, a, b));
        assert_eq!(all(3.0, -2.0), [1.0, -6.0, -2.0, 3.0]);
        assert_eq!(all(f32::NAN, 2.0)[2..], [2.0, 2.0]);
        assert_eq!(i8::combine(Reduction::Sum, 127, 1), -128);
        assert_eq!(u64::combine(Reduction::Prod, u64::MAX, 2), u64::MAX - 1);
        let half = |x: f32| f16::from_f32(x);
        assert_eq!(f16::combine(Reduction::Sum, half(2048.0), half(1.0)), half(2048.0));
    }

    #[test]
    fn numbers_map_to_type_names() {
        assert_eq!((type_name(f32::TYPE.number), type_name(bf16::TYPE.number)), ("f32", "bf16"));
        assert_eq!((type_name(i8::TYPE.number), type_name(u64::TYPE.number)), ("i8", "u64"));
    }
}
