//! `&x[a..b]`: a part of a slice, or of shared memory.

use crate::data::leaves::Data;
use crate::emit::arithmetic::{Operation, binary};
use crate::emit::builder::Builder;
use crate::emit::current::{here, with};
use crate::emit::value::{Index, Value};
use crate::memory::shared::Shared;
use crate::memory::shared_slice::SharedSlice;
use crate::memory::slice::{Memory, Slice, SliceMut};
use crate::scalar::number::IndexValue;
use crate::scalar::var::{Read, Var};
use lanework_abi::IndexKind;
use lanework_ptx::ScalarType;

const LONG: ScalarType = ScalarType::U64;

/// The bounds of a subslice, as written.
#[derive(Clone, Copy, Debug)]
pub struct Ends {
    start: Option<Index>,
    end: Option<Index>,
    inclusive: bool,
}

/// An explicit bound.
#[track_caller]
pub fn end_at(index: impl IndexValue) -> Option<Index> {
    Some(index.parts())
}

/// A type with parts.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no parts in a kernel",
    label = "not a slice",
    note = "`&x[a..b]` is a part of a parameter `&[T]` or `&mut [T]`, or of shared memory of one dimension; of other \
            arrays pass the offset to the function that needs it"
)]
pub trait Subslice: Copy {
    /// A part.
    type Part: Copy;
    /// The number of elements.
    fn elements(&self) -> Var<usize>;
    /// The elements between two ends, checked.
    fn part(self, ends: Ends) -> Self::Part;
}

/// The elements from one position to another.
#[track_caller]
pub(crate) fn between<S: Subslice>(slice: S, start: Var<usize>, end: Var<usize>) -> S::Part {
    let index = |at: Var<usize>| Some(Index { value: at.value, ty: LONG });
    slice.part(Ends { start: index(start), end: index(end), inclusive: false })
}

/// `x[a..b]`, with or without its ends.
///
/// ```
/// # use lanework::prelude::*;
/// #[device]
/// fn dot(x: &[f32], y: &[f32]) -> f32 {
///     x.iter().zip(y).map(|(a, b)| a * b).sum()
/// }
///
/// #[kernel]
/// fn product(a: &[f32], x: &[f32], y: &mut [f32]) {
///     let (row, n) = (thread_idx.x as usize, x.len());
///     y[row] = dot(&a[row * n..][..n], x);
///     for v in y[3..=3].iter_mut() {
///         *v = 1.0;
///     }
/// }
/// # let device = Device::emulator();
/// # let (a, x) = (device.upload(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?, device.upload(&[10.0f32, 1.0])?);
/// # let mut y = device.zeros::<f32>(4)?;
/// # product(&a, &x, &mut y).grid(1).block(3).launch(&device)?;
/// assert_eq!(y.download()?, [12.0, 34.0, 56.0, 1.0]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn subslice<S: Subslice>(
    slice: S,
    start: Option<Index>,
    end: Option<Index>,
    inclusive: bool,
) -> S::Part {
    here();
    slice.part(Ends { start, end, inclusive })
}

impl Ends {
    /// The first position and the number of elements, checked against `length`.
    fn within(
        self,
        b: &mut Builder,
        length: Value,
        array: &str,
        what: IndexKind,
    ) -> (Value, Value) {
        let one = Value::Constant(1);
        let start = self.start.map_or(Value::Constant(0), |start| start.widened(b));
        let end = match self.end.map(|end| end.widened(b)) {
            Some(end) if self.inclusive => binary(b, Operation::Add, LONG, end, one),
            Some(end) => end,
            None => length,
        };
        let count = binary(b, Operation::Sub, LONG, end, start);
        if b.checked {
            let check = |b: &mut Builder, value, bound| {
                b.check(Index { value, ty: LONG }, bound, array, what);
            };
            let after = binary(b, Operation::Add, LONG, end, one);
            check(b, start, after);
            // The last element is below the length; a part without elements may begin at the length.
            let some = binary(b, Operation::Min, LONG, count, one);
            let last = binary(b, Operation::Sub, LONG, end, some);
            let bound = binary(b, Operation::Add, LONG, length, one);
            let bound = binary(b, Operation::Sub, LONG, bound, some);
            check(b, last, bound);
        }
        (start, count)
    }
}

/// A copy that later assignments to variables do not change.
fn kept(value: Value) -> Value {
    Read::copy(Var::<u64>::new(value)).value
}

macro_rules! slices {
    ($($slice:ident)*) => {$(
        impl<T: Data> Subslice for $slice<T> {
            type Part = Self;
            fn elements(&self) -> Var<usize> {
                self.len()
            }
            #[track_caller]
            fn part(self, ends: Ends) -> Self {
                let Memory { base, length, name } = self.memory;
                let size = Value::Constant(T::size());
                let (base, length) = with(|b| {
                    let (start, count) = ends.within(b, length, name, IndexKind::Slice);
                    let offset = binary(b, Operation::Mul, LONG, start, size);
                    (binary(b, Operation::Add, LONG, base, offset), count)
                });
                $slice::new(Memory { base: kept(base), length: kept(length), name })
            }
        }
    )*};
}

slices!(Slice SliceMut);

impl<T: Data> Subslice for SharedSlice<T> {
    type Part = Self;
    fn elements(&self) -> Var<usize> {
        self.len()
    }
    #[track_caller]
    fn part(self, ends: Ends) -> Self {
        let (length, name) = (self.len().value, self.name());
        let (start, count) = with(|b| ends.within(b, length, &name, IndexKind::SharedAxis(0)));
        self.range(Var::new(kept(start)), Var::new(kept(count)))
    }
}

/// A part of an array in shared memory is a slice of shared memory.
///
/// ```
/// # use lanework::prelude::*;
/// #[device]
/// fn total(x: SharedSlice<f32>) -> f32 {
///     x.iter().sum()
/// }
///
/// #[kernel]
/// fn halves(x: &[f32], out: &mut [f32]) {
///     let (t, tile) = (thread_idx.x as usize, shared::<f32>(8));
///     tile[t] = x[t];
///     sync_threads();
///     if t < 2 {
///         out[t] = total(tile[4 * t..][..4]);
///     }
/// }
/// # let device = Device::emulator().sanitized();
/// # let x = device.upload(&[1.0f32, 2.0, 3.0, 4.0, 10.0, 20.0, 30.0, 40.0])?;
/// # let mut out = device.zeros::<f32>(2)?;
/// # halves(&x, &mut out).grid(1).block(8).launch(&device)?;
/// assert_eq!(out.download()?, [10.0, 100.0]);
/// # Ok::<(), lanework::Error>(())
/// ```
impl<T: Data> Subslice for Shared<T, 1> {
    type Part = SharedSlice<T>;
    fn elements(&self) -> Var<usize> {
        Var::constant(self.len() as usize)
    }
    #[track_caller]
    fn part(self, ends: Ends) -> SharedSlice<T> {
        SharedSlice::of(self).part(ends)
    }
}
