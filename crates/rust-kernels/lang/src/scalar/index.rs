//! Index types: run-time and host integers.

use crate::emit::builder::Builder;
use crate::emit::value::{Index, Value, integer};
use crate::scalar::number::Integer;
use crate::scalar::var::{Scalar, Var};
use lanework_ptx::ScalarType;

/// An integer that may index memory: a host value or a run-time one, of any integer type.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot index an array",
    label = "expected an integer"
)]
pub trait IndexValue: Copy {
    /// The index as an untyped value and its type.
    #[doc(hidden)]
    fn parts(self) -> Index;
}

macro_rules! host_integers {
    ($($t:ty)*) => {$(
        impl IndexValue for $t {
            fn parts(self) -> Index {
                Index { value: Value::Constant(self.bits()), ty: <$t>::SCALAR }
            }
        }

        impl Extent for $t {
            fn extent(self) -> Option<usize> {
                usize::try_from(self).ok()
            }
        }
    )*};
}

// One impl per type instead of one for all `Integer` types, so that rustc's errors list these
// types.
host_integers!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize);

impl<T: Integer> IndexValue for Var<T> {
    fn parts(self) -> Index {
        Index { value: self.value, ty: T::SCALAR }
    }
}

impl Index {
    /// The index plus `count`.
    pub(crate) fn plus(self, b: &mut Builder, count: u64) -> Index {
        use crate::emit::arithmetic::Operation;
        use crate::emit::arithmetic::binary;
        let value = binary(b, Operation::Add, self.ty, self.value, Value::Constant(count));
        Index { value, ty: self.ty }
    }

    /// The index sign- or zero-extended to 64 bits.
    pub(crate) fn widened(self, b: &mut Builder) -> Value {
        match self.value {
            Value::Constant(bits) => Value::Constant(integer(bits, self.ty) as u64),
            value if self.ty.size() == 8 => value,
            value if self.ty.is_signed() => {
                b.pure("cvt.s64.s32", ScalarType::S64, &[(value, ScalarType::S32)])
            }
            value => b.pure("cvt.u64.u32", ScalarType::U64, &[(value, ScalarType::U32)]),
        }
    }
}

/// A host integer that is an array's extent or a constant index.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not known while the kernel is staged",
    label = "a run-time value cannot be used here",
    note = "register arrays and shapes take literals, const generics, `#[constant]` parameters and \
            the variables of `#[unroll]` loops; put the array in shared memory for run-time indices"
)]
pub trait Extent: Copy {
    /// The value; `None` when negative or too large.
    fn extent(self) -> Option<usize>;
}
