//! A matrix product as plain data: type-erased operands, extents, options. It is the only input of kernel selection and launches.

use super::element::ElementKind;
use super::epilogue::Epilogue;
pub(crate) use super::refusal::refused;
use super::source::{Destination, Source};
use lanework::{Device, Result};

/// Precision of a product.
///
/// ```
/// use lanework::Device;
/// use lanework_ops::{Precision, Tensor, gemm};
///
/// let device = Device::best();
/// let a = device.upload(&[1.0f32 + 1e-7, -1.0])?;
/// let b = device.upload(&[1.0f32, 1.0])?;
/// let (a, b) = (Tensor::new(&a, [1, 2])?, Tensor::new(&b, [2, 1])?);
/// let c = gemm(a, b).precision(Precision::Compensated).eval::<f32>()?;
/// assert_eq!(c.download()?, [f32::EPSILON]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Precision {
    /// Every product and sum in the accumulator type, which is f32 for f32 factors. 8-bit floats are accumulated as the tensor
    /// cores do, with 14 bits.
    #[default]
    Full,
    /// f32 factors may be rounded to 10 mantissa bits (TF32) with f32 sums, as PyTorch's `allow_tf32`. On Hopper, large products
    /// round to f16 instead, which has as many bits, with rows of A and columns of B scaled into range; the device checks whether
    /// they fit, and otherwise uses TF32.
    TensorFloat32,
    /// f32 factors may be split into parts for the tensor cores, with errors no larger than f32 sums have; the summation order
    /// differs. The device inspects the numbers: two f16 parts if they suffice, three bf16 parts if magnitudes within a row differ
    /// widely, and true f32 if numbers are not finite. Small products, and GPUs other than Hopper, use true f32.
    Accurate,
    /// Compensated summation of f32 and f64: the rounding errors of all products and sums are accumulated separately. The result is
    /// nearly as if computed with twice as many bits and rounded once.
    Compensated,
}

/// Extents: `batch` products of `m` x `k` by `k` x `n` elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Extents {
    pub batch: usize,
    pub m: usize,
    pub n: usize,
    pub k: usize,
}

/// Strides in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Strides {
    pub batch: usize,
    pub row: usize,
    pub column: usize,
}

/// Which elements of a matrix are adjacent in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Major {
    /// A row's elements; the value is the row stride.
    Rows(usize),
    /// A column's elements; the value is the column stride.
    Columns(usize),
    /// Neither.
    Scattered,
}

impl Strides {
    /// The adjacent elements of a `rows` x `columns` matrix. A single line, whose line stride is arbitrary, gets one that every
    /// kernel accepts.
    pub fn major(self, rows: usize, columns: usize) -> Major {
        let apart = |stride: usize, lines: usize, extent: usize| {
            if lines <= 1 { extent.next_multiple_of(16).max(16) } else { stride }
        };
        match (self.row, self.column) {
            (row, 1) if columns > 1 => Major::Rows(apart(row, rows, columns)),
            (1, column) if rows > 1 => Major::Columns(apart(column, columns, rows)),
            // One column with gaps counts as rows of one element.
            (row, _) if columns <= 1 => Major::Rows(apart(row, rows, columns)),
            (_, column) if rows <= 1 => Major::Columns(column),
            _ => Major::Scattered,
        }
    }

    /// Strides of the transposed matrix.
    pub fn t(self) -> Strides {
        Strides { row: self.column, column: self.row, ..self }
    }
}

/// A factor; its memory extends from the first element to the last.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Matrix<'a> {
    pub kind: ElementKind,
    pub memory: Source<'a>,
    pub strides: Strides,
}

/// The result.
#[derive(Debug)]
pub(crate) struct Output<'a> {
    pub kind: ElementKind,
    pub memory: Destination<'a>,
    pub strides: Strides,
}

/// `c = then(alpha a b + beta c)`, checked: shapes match, types are supported, every extent is below 2^31.
#[derive(Debug)]
pub(crate) struct Problem<'a> {
    pub device: Device,
    pub extents: Extents,
    pub a: Matrix<'a>,
    pub b: Matrix<'a>,
    pub c: Output<'a>,
    pub alpha: f64,
    pub beta: f64,
    pub precision: Precision,
    pub epilogue: Epilogue<'a>,
    /// Whether to use a single kernel, apart from copies of factors that `wgmma` cannot read.
    pub one_kernel: bool,
}

impl<'a> Problem<'a> {
    /// Duplicates the problem, including the mutable view of the results.
    ///
    /// # Safety
    /// As [`ViewMut::again`], for the memory of the results.
    pub unsafe fn again(&self) -> Problem<'a> {
        // SAFETY: this function has the contract of `ViewMut::again`, and `c.memory` is the only mutable view that it duplicates.
        let c = Output { memory: unsafe { self.c.memory.again() }, ..self.c };
        let (device, epilogue) = (self.device.clone(), self.epilogue.clone());
        Problem { device, c, epilogue, ..*self }
    }
}

impl Problem<'_> {
    /// The accumulator type.
    pub fn sums(&self) -> ElementKind {
        self.a.kind.sums().unwrap_or(ElementKind::F32)
    }

    /// The epilogue's type, from the scaled product on.
    pub fn computes_in(&self) -> ElementKind {
        match (self.sums(), self.c.kind) {
            (ElementKind::I32, ElementKind::F32) => ElementKind::F32,
            (sums, _) => sums,
        }
    }

    /// The adjacent elements of A, B and C.
    pub fn majors(&self) -> (Major, Major, Major) {
        let Extents { m, n, k, .. } = self.extents;
        (self.a.strides.major(m, k), self.b.strides.major(k, n), self.c.strides.major(m, n))
    }

    /// The transposed product: `c' = b' a'`.
    pub fn transposed(self) -> Self {
        let Problem { extents, a, b, c, epilogue, .. } = self;
        Problem {
            extents: Extents { m: extents.n, n: extents.m, ..extents },
            a: Matrix { strides: b.strides.t(), ..b },
            b: Matrix { strides: a.strides.t(), ..a },
            c: Output { strides: c.strides.t(), ..c },
            epilogue: epilogue.transposed(),
            ..self
        }
    }

    /// Rejects unsupported types, numbers and extents.
    pub fn check(&self) -> Result<()> {
        let (a, b, c) = (self.a.kind, self.b.kind, self.c.kind);
        let multiplied = a.sums().is_some() && (a == b || a.is_fp8() && b.is_fp8());
        if !multiplied {
            return refused(
                format!("matrices of {} and {} are not multiplied", a.name(), b.name()),
                "give factors of one type: f32, f64, f16, bf16, i8, or both of 8-bit floats",
            );
        }
        let results: &[ElementKind] = match a {
            ElementKind::F32 => &[ElementKind::F32],
            ElementKind::F64 => &[ElementKind::F64],
            ElementKind::F16 => &[ElementKind::F32, ElementKind::F16],
            ElementKind::Bf16 => &[ElementKind::F32, ElementKind::Bf16],
            ElementKind::I8 => &[ElementKind::I32, ElementKind::F32],
            _ => &[ElementKind::F32, ElementKind::F16, ElementKind::Bf16],
        };
        if !results.contains(&c) {
            let names: Vec<&str> = results.iter().map(|kind| kind.name()).collect();
            return refused(
                format!("a product of {} is not stored as {}", a.name(), c.name()),
                &format!("give an output of {}", names.join(" or ")),
            );
        }
        let Extents { batch, m, n, k } = self.extents;
        for (name, extent) in [("m", m), ("n", n), ("k", k), ("the number of products", batch)] {
            if extent >= 1 << 31 {
                return refused(
                    format!("{name} is {extent}, more than 2^31 - 1"),
                    "multiply parts of the matrices",
                );
            }
        }
        let whole = |x: f64| x == x.trunc() && x.abs() <= f64::from(i32::MAX);
        for (name, x) in [("alpha", self.alpha), ("beta", self.beta)] {
            if c == ElementKind::I32 && !whole(x) {
                return refused(
                    format!("{name} is {x}, and the results are i32"),
                    "give a whole number below 2^31, or an output of f32",
                );
            }
        }
        if self.precision == Precision::Compensated
            && !matches!(a, ElementKind::F32 | ElementKind::F64)
        {
            return refused(
                format!("a compensated product of {}", a.name()),
                "compensated sums are for f32 and f64 factors",
            );
        }
        self.epilogue.check((a, c, self.computes_in()), [m, n])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_line_is_one_whose_elements_are_adjacent() {
        for (row, column, rows, columns, major) in [
            (7, 1, 5, 7, Major::Rows(7)),
            (1, 5, 5, 7, Major::Columns(5)),
            (14, 2, 5, 7, Major::Scattered),
            (1, 1, 5, 1, Major::Columns(16)),
            (3, 1, 5, 1, Major::Rows(3)),
            (1, 1, 1, 40, Major::Rows(48)),
            (1, 3, 1, 40, Major::Columns(3)),
            (9, 9, 1, 1, Major::Rows(16)),
        ] {
            let strides = Strides { batch: 0, row, column };
            assert_eq!(strides.major(rows, columns), major, "{row} {column} {rows} {columns}");
        }
    }
}
