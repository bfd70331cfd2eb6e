//! Reductions and scans by name.

use crate::array::{Array, ArrayMut, ElementType, of_axes, of_type, refused};
use half::{bf16, f16};
use lanework_ops::reduce::{Reducible, ReducibleFloat};
use lanework_ops::scan::Scannable;
use lanework_ops::{reduce, scan};
use lanework_runtime::{Result, Storable};

/// The operation of a reduction, numbered as `lanework_reduction` in the C header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Reduction {
    /// The sum.
    Sum = 0,
    /// The sum of squares.
    SumOfSquares = 1,
    /// The Euclidean norm.
    Norm2 = 2,
    /// The smallest element.
    Min = 3,
    /// The largest element.
    Max = 4,
    /// The index of the smallest element.
    ArgMin = 5,
    /// The index of the largest element.
    ArgMax = 6,
    /// The dot product with another array.
    Dot = 7,
}

impl Reduction {
    /// All of them, by their numbers.
    pub const ALL: [Reduction; 8] = [
        Reduction::Sum,
        Reduction::SumOfSquares,
        Reduction::Norm2,
        Reduction::Min,
        Reduction::Max,
        Reduction::ArgMin,
        Reduction::ArgMax,
        Reduction::Dot,
    ];

    /// Its name, as in [`lanework_ops::reduce`].
    pub const fn name(self) -> &'static str {
        match self {
            Reduction::Sum => "sum",
            Reduction::SumOfSquares => "sum_of_squares",
            Reduction::Norm2 => "norm2",
            Reduction::Min => "min",
            Reduction::Max => "max",
            Reduction::ArgMin => "argmin",
            Reduction::ArgMax => "argmax",
            Reduction::Dot => "dot",
        }
    }
}

/// The result type of a reduction.
///
/// # Errors
/// [`lanework_runtime::Error::Request`] if the reduction does not support the element type.
///
/// ```
/// use lanework_arrays::{ElementType, Reduction, result_type};
///
/// assert_eq!(result_type(Reduction::Sum, ElementType::Bf16)?, ElementType::F32);
/// assert_eq!(result_type(Reduction::ArgMax, ElementType::F64)?, ElementType::U64);
/// assert!(result_type(Reduction::Sum, ElementType::E4m3).is_err());
/// # Ok::<(), lanework::Error>(())
/// ```
pub fn result_type(reduction: Reduction, element: ElementType) -> Result<ElementType> {
    let sum = match element {
        ElementType::I32 | ElementType::I64 => ElementType::I64,
        ElementType::U32 | ElementType::U64 => ElementType::U64,
        ElementType::F16 | ElementType::Bf16 | ElementType::F32 => ElementType::F32,
        ElementType::F64 => ElementType::F64,
        other => {
            return refused(
                format!("`{}` of {}", reduction.name(), other.name()),
                "it takes elements of i32, u32, i64, u64, f16, bf16, f32, f64: convert the array",
            );
        }
    };
    let is_float = matches!(sum, ElementType::F32 | ElementType::F64);
    match reduction {
        Reduction::Norm2 if !is_float => refused(
            format!("`norm2` of {}", element.name()),
            "it takes elements of f16, bf16, f32, f64: convert the array, or take `sum_of_squares`",
        ),
        Reduction::Min | Reduction::Max => Ok(element),
        Reduction::ArgMin | Reduction::ArgMax => Ok(ElementType::U64),
        _ => Ok(sum),
    }
}

/// Queues a reduction of all elements into `out`, which has one element, or along one axis, which `out` lacks. `y` is the other
/// array of `Dot`, with the shape of `x`. Compensated sums are as if added with twice the digits and rounded once.
///
/// # Errors
/// [`lanework_runtime::Error::Request`] if types, shapes or options do not match; errors of the device.
pub fn reduce(
    reduction: Reduction,
    x: Array<'_>,
    y: Option<Array<'_>>,
    axis: Option<usize>,
    compensated: bool,
    out: ArrayMut<'_>,
) -> Result<()> {
    let wanted = result_type(reduction, x.element())?;
    if out.element() != wanted {
        return refused(
            format!(
                "`{}` of {} into an array of {}",
                reduction.name(),
                x.element().name(),
                out.element().name()
            ),
            &format!("its results are {}", wanted.name()),
        );
    }
    let how = How { reduction, axis, compensated };
    match (&y, reduction) {
        (Some(y), Reduction::Dot) if y.element() != x.element() => {
            return refused(
                format!("`dot` of {} and {}", x.element().name(), y.element().name()),
                "both need elements of one type",
            );
        }
        (Some(_), Reduction::Dot) | (None, _) => {}
        (Some(_), _) => {
            return refused(
                format!("`{}` of two arrays", reduction.name()),
                "only `dot` takes another array",
            );
        }
    }
    if reduction == Reduction::Norm2 {
        return of_type!(x.element(), "`norm2`", T in [F16 f16, Bf16 bf16, F32 f32, F64 f64]
            => of_axes!(x.shape().len(), R => how.norm::<T, R>(x, out)));
    }
    of_type!(x.element(), reduction.name(), T in [I32 i32, U32 u32, I64 i64, U64 u64, F16 f16, Bf16 bf16, F32 f32, F64 f64]
        => of_axes!(x.shape().len(), R => how.run::<T, R>(x, y, out)))
}

/// A reduction and its options.
#[derive(Clone, Copy)]
struct How {
    reduction: Reduction,
    axis: Option<usize>,
    compensated: bool,
}

impl How {
    fn norm<T: ReducibleFloat, const R: usize>(
        self,
        x: Array<'_>,
        out: ArrayMut<'_>,
    ) -> Result<()> {
        self.end(reduce::norm2(x.tensor::<T, R>("an input")?), out)
    }

    fn run<T: Reducible, const R: usize>(
        self,
        x: Array<'_>,
        y: Option<Array<'_>>,
        out: ArrayMut<'_>,
    ) -> Result<()> {
        let x = x.tensor::<T, R>("an input")?;
        match self.reduction {
            Reduction::Sum => self.end(reduce::sum(x), out),
            Reduction::SumOfSquares => self.end(reduce::sum_of_squares(x), out),
            Reduction::Min => self.end(reduce::min(x), out),
            Reduction::Max => self.end(reduce::max(x), out),
            Reduction::ArgMin => self.end(reduce::argmin(x), out),
            Reduction::ArgMax => self.end(reduce::argmax(x), out),
            Reduction::Dot => match y {
                Some(y) => self.end(reduce::dot(x, y.tensor::<T, R>("the other array")?), out),
                None => refused("`dot` of one array".to_owned(), "give the other one, too"),
            },
            Reduction::Norm2 => unreachable!("norms are handled by their own branch"),
        }
    }

    fn end<T: Reducible, O: Storable, const R: usize>(
        self,
        reduction: reduce::Reduction<'_, T, O, R>,
        out: ArrayMut<'_>,
    ) -> Result<()> {
        let reduction = if self.compensated { reduction.compensated() } else { reduction };
        let reduction = match self.axis {
            Some(axis) => reduction.axis(axis),
            None => reduction,
        };
        of_axes!(out.shape().len(), K => reduction.run(out.tensor::<O, K>("an output")?))
    }
}

/// The operation of a scan, numbered as `lanework_scan_kind` in the C header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(i32)]
pub enum Scan {
    /// The sum.
    #[default]
    Sum = 0,
    /// The smallest, ignoring NaNs.
    Min = 1,
    /// The largest, ignoring NaNs.
    Max = 2,
}

/// Queues the running sums (or minima, or maxima) of a whole array in row-major order, or of each row (`last_axis`), into `out`,
/// which has the same shape and type. `exclusive` leaves out the element itself.
///
/// # Errors
/// [`lanework_runtime::Error::Request`] if types or shapes do not match; errors of the device.
///
/// ```
/// use lanework::Device;
/// use lanework_arrays::{Array, ArrayMut, ElementType, Scan, scan};
///
/// let device = Device::best();
/// let x = device.upload(&[3u32, 1, 4])?;
/// let mut y = device.zeros::<u32>(3)?;
/// let input = Array::new(x.view(..).cast(), ElementType::U32, &[3], None)?;
/// let output = ArrayMut::new(y.view_mut(..).cast(), ElementType::U32, &[3], None)?;
/// scan(Scan::Sum, input, true, false, output)?;
/// assert_eq!(y.download()?, [0, 3, 4]);
/// # Ok::<(), lanework::Error>(())
/// ```
pub fn scan(
    kind: Scan,
    x: Array<'_>,
    exclusive: bool,
    last_axis: bool,
    out: ArrayMut<'_>,
) -> Result<()> {
    if (x.element(), x.shape()) != (out.element(), out.shape()) {
        return refused(
            format!(
                "a scan of {} {:?} into {} {:?}",
                x.element().name(),
                x.shape(),
                out.element().name(),
                out.shape()
            ),
            "give an output of the input's type and shape",
        );
    }
    of_type!(x.element(), "a scan", T in [I32 i32, U32 u32, I64 i64, U64 u64, F16 f16, Bf16 bf16, F32 f32, F64 f64]
        => of_axes!(x.shape().len(), R => run::<T, R>(kind, x, exclusive, last_axis, out)))
}

fn run<T: Scannable, const R: usize>(
    kind: Scan,
    x: Array<'_>,
    exclusive: bool,
    last_axis: bool,
    out: ArrayMut<'_>,
) -> Result<()> {
    let x = x.tensor::<T, R>("an input")?;
    let scan = if exclusive { scan::exclusive(x) } else { scan::inclusive(x) };
    let scan = if last_axis { scan.last_axis() } else { scan };
    let scan = match kind {
        Scan::Sum => scan,
        Scan::Min => scan.min(),
        Scan::Max => scan.max(),
    };
    scan.run(out.tensor("an output")?)
}
