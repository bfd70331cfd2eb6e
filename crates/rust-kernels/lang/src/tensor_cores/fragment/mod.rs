//! Fragments: a matrix spread over the registers of a warp, and drawings of their layouts.
//!
//! A fragment is a value, like a scalar. `let mut` makes it a variable, whose elements can be assigned and to
//! which `mma` adds. Results of products can be accessed by groups of columns, which are consecutive in each lane's registers.

pub(crate) mod load;
pub(crate) mod store;
pub(crate) mod values;

use crate::emit::builder::Builder;
use crate::emit::current::{here, with};
use crate::emit::value::{Class, Register, Value};
use crate::scalar::number::Extent;
use crate::scalar::var::{IntoVar, Read, Scalar, Var};
use crate::tensor_cores::element::{
    MatrixElement, halves, pack, per_register, put, repeated, unit_bits,
};
use crate::tensor_cores::layout::{
    Layout, Part, STAGED, add, agreed, needs_extent, position, warp_row,
};
use crate::tensor_cores::tile::SharedTile;
use crate::tensor_cores::tile::swizzle::{SwizzleMode, offset_of};
use lanework_ptx::{Operand, ScalarType};
use std::fmt::Write;
use std::marker::PhantomData;

/// The left factor of a product.
#[derive(Clone, Copy, Debug)]
pub struct Left;

/// The right factor of a product.
#[derive(Clone, Copy, Debug)]
pub struct Right;

/// The accumulator and the result of a product.
#[derive(Clone, Copy, Debug)]
pub struct Sum;

/// Which matrix of `D = A B + C` a fragment is a part of: [`Left`], [`Right`] or [`Sum`].
pub trait Role: Copy + Send + Sync + 'static {
    #[doc(hidden)]
    const PART: Part;
}

impl Role for Left {
    const PART: Part = Part::A;
}

impl Role for Right {
    const PART: Part = Part::B;
}

impl Role for Sum {
    const PART: Part = Part::C;
}

/// `ROWS` x `COLUMNS` elements of `T`, spread over the lanes of a warp in the layout of `mma`. A result of
/// 64 rows is spread over the four warps of a warpgroup in the layout of `wgmma`.
///
/// `fragment[i]` is element `i` of this lane, for an `i` known while staging and below
/// [`ELEMENTS`](Self::ELEMENTS); [`position`](Self::position) is its row and column.
///
/// ```
/// # use half::{bf16, f16};
/// # use lanework::prelude::*;
/// /// Every element becomes 100 times its row plus its column.
/// #[kernel(block = 32)]
/// fn example(out: &mut [f32]) {
///     let mut sum = FragmentC::<f32, 16, 8>::zero();
///     #[unroll]
///     for i in 0..FragmentC::<f32, 16, 8>::ELEMENTS {
///         let (row, column) = sum.position(i);
///         sum[i] = (100 * row + column) as f32;
///     }
///     sum.store(out.matrix(8), 0, 0);
/// }
/// # let device = Device::emulator();
/// # let mut out = device.zeros::<f32>(128)?;
/// # example(&mut out).grid(1).block(32).launch(&device)?;
/// assert_eq!(out.download()?[8 * 11 + 3], 1103.0);
/// # Ok::<(), lanework::Error>(())
/// ```
pub struct Fragment<P, T, const ROWS: u32, const COLUMNS: u32> {
    first: u32,
    mutable: bool,
    /// `COLUMNS`, or the extent if the type leaves it open.
    columns: u32,
    kind: PhantomData<fn() -> (P, T)>,
}

/// The left factor of a product: `M` x `K` elements.
pub type FragmentA<T, const M: u32, const K: u32> = Fragment<Left, T, M, K>;
/// The right factor of a product: `K` x `N` elements.
pub type FragmentB<T, const K: u32, const N: u32> = Fragment<Right, T, K, N>;
/// The accumulator or the result of a product: `M` x `N` elements.
pub type FragmentC<T, const M: u32, const N: u32> = Fragment<Sum, T, M, N>;

crate::scalar::var::copied!([P, T, const R: u32, const C: u32] Fragment<P, T, R, C>);

impl<P: Role, T: MatrixElement, const R: u32, const C: u32> std::fmt::Debug
    for Fragment<P, T, R, C>
{
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} fragment of {R} x {C} elements of {}", P::PART, T::NAME)
    }
}

impl<P: Role, T: MatrixElement, const R: u32, const C: u32> Fragment<P, T, R, C> {
    /// Elements in each lane (scalars of memory, if elements are narrower than a byte).
    pub const ELEMENTS: u32 = match R * C / (if R == 64 { 128 } else { 32 }) / T::UNIT {
        0 => 1,
        elements => elements,
    };

    /// Which lane holds which element.
    ///
    /// ```
    /// use half::bf16;
    /// use lanework::lang::tensor_cores::{Fragment, Layout, Left, Linear, Part, Right, Sum};
    /// use lanework::prelude::*;
    ///
    /// // The left factor, the right factor and the sums of a product. `FragmentA`, `FragmentB` and `FragmentC` abbreviate these types.
    /// let layout: Layout = Fragment::<Sum, f32, 16, 8>::layout();
    /// assert_eq!(layout, Layout::new::<f32>(Part::C, 16, 8));
    /// assert_eq!(Fragment::<Left, bf16, 16, 16>::layout().registers(), 4);
    /// assert_eq!(Fragment::<Right, bf16, 16, 8>::layout().elements(), 4);
    /// assert_eq!((layout.warps(), layout.run(), layout.lines()), (1, 2, 2));
    ///
    /// // Element 3 of lane 5 is in row 9 and column 3.
    /// let (row, column): (Linear, Linear) = layout.place(3);
    /// assert_eq!((row.of(5), column.of(5)), (9, 3));
    ///
    /// // The same layout as a drawing, and the positions of the chunks of a tile's rows.
    /// assert!(FragmentC::<f32, 16, 8>::drawing().contains("T5:2,3"));
    /// assert_eq!(SharedTile::<bf16, 64, 64>::drawing().lines().count(), 8);
    /// ```
    pub fn layout() -> Layout {
        Layout::new::<T>(P::PART, R, C)
    }

    /// As [`layout`](Self::layout), also for a fragment whose type leaves its columns open ([`STAGED`]).
    pub(crate) fn layout_here(self) -> Layout {
        Layout::new::<T>(P::PART, R, self.columns)
    }

    /// Elements in each lane: [`ELEMENTS`](Self::ELEMENTS), even if the type leaves the columns open.
    pub fn elements(self) -> u32 {
        self.layout_here().elements().max(1)
    }

    /// Columns, even if the type leaves them open.
    pub fn width(self) -> u32 {
        self.columns
    }

    /// New registers.
    pub(crate) fn declare(b: &mut Builder, mutable: bool) -> Self {
        needs_extent(b, C);
        Self::declare_of(b, mutable, if C == STAGED { 0 } else { C })
    }

    /// New registers for this number of columns.
    pub(crate) fn declare_of(b: &mut Builder, mutable: bool, columns: u32) -> Self {
        let count = Layout::new::<T>(P::PART, R, columns).registers();
        let registers: Vec<_> = (0..count).map(|_| b.register(T::REGISTER, mutable)).collect();
        let first = registers.first().map_or(0, |register| register.index);
        Fragment { first, mutable, columns, kind: PhantomData }
    }

    /// The registers, in the instruction's order.
    pub(crate) fn registers(self) -> Vec<Register> {
        let class = Class::of(T::REGISTER);
        (0..self.layout_here().registers())
            .map(|i| Register { class, index: self.first + i, mutable: self.mutable })
            .collect()
    }

    /// The registers of the `which`th of the narrower fragments that this one consists of, side by side.
    pub(crate) fn part<const N: u32>(self, which: u32) -> Fragment<P, T, R, N> {
        let skipped = which * Fragment::<P, T, R, N>::layout().registers();
        Fragment {
            first: self.first + skipped,
            mutable: self.mutable,
            columns: N,
            kind: PhantomData,
        }
    }

    /// The registers as an operand.
    pub(crate) fn operand(self) -> Operand {
        Operand::Vector(self.registers().iter().map(|register| register.name().into()).collect())
    }

    /// Records that an instruction has written the registers.
    pub(crate) fn written(self, b: &mut Builder) {
        if self.mutable {
            self.registers().into_iter().for_each(|register| b.assigned(register));
        }
    }

    /// Whether the fragment is a variable.
    pub(crate) fn is_variable(self) -> bool {
        self.mutable
    }

    /// Reports an error of the kernel if the fragment is not a variable.
    pub(crate) fn check_variable(self, b: &mut Builder, what: &str) {
        if !self.mutable {
            not_variable(b, what);
        }
    }

    /// A fragment of equal elements `value`.
    #[track_caller]
    pub fn fill(value: impl IntoVar<T::Storage>) -> Self {
        here();
        let value = value.into_var().value;
        with(|b| {
            let word = repeated(b, unit_bits::<T>(), value, T::Storage::SCALAR);
            let this = Self::declare(b, false);
            this.put_all(b, word);
            this
        })
    }

    /// Puts a word into every register.
    fn put_all(self, b: &mut Builder, word: Value) {
        for register in self.registers() {
            put(b, register, word, T::REGISTER);
        }
    }

    /// A fragment of zeros with this number of columns, for a type that leaves them open ([`STAGED`]).
    #[track_caller]
    pub fn zero_of(columns: impl Extent) -> Self {
        here();
        with(|b| {
            let columns = agreed(b, C, columns.extent());
            let this = Self::declare_of(b, false, columns);
            this.put_all(b, Value::Constant(0));
            this
        })
    }

    /// A fragment of zeros.
    #[track_caller]
    pub fn zero() -> Self {
        Self::fill(T::Storage::from_bits(0))
    }

    /// The row and column of element `i` of this lane. In a fragment of 64 rows, `thread_idx.x` determines the warp.
    #[track_caller]
    pub fn position(self, i: impl Extent) -> (Var<u32>, Var<u32>) {
        here();
        let i = self.checked(i.extent());
        with(|b| {
            let layout = self.layout_here();
            let (row, column) = layout.place(i);
            let (row, column) = (position(b, row), position(b, column));
            let warp = warp_row(b, layout.warps());
            (Var::new(add(b, row, warp)), Var::new(column))
        })
    }

    /// Checks that the index is below [`ELEMENTS`](Self::ELEMENTS).
    pub(crate) fn checked(self, i: Option<usize>) -> u32 {
        let elements = self.layout_here().elements();
        let at = i.and_then(|i| u32::try_from(i).ok()).filter(|i| *i < elements);
        at.unwrap_or_else(|| {
            with(|b| {
                b.error(
                    format!("this index is out of range: a lane holds {elements} elements of the fragment"),
                    "use indices below `ELEMENTS`",
                );
            });
            0
        })
    }

    /// Element `i` of this lane.
    pub(crate) fn element(self, i: u32) -> Var<T::Storage> {
        let per = per_register::<T>();
        let register = self.registers()[(i / per) as usize];
        let (value, within) = (Value::Register(register), i % per);
        let scalar = T::Storage::SCALAR;
        Var::new(with(|b| match per {
            1 if Class::of(scalar) == register.class => value,
            1 => b.pure("mov.b32", scalar, &[(value, ScalarType::B32)]),
            2 => Value::Register(halves(b, register, scalar)[within as usize]),
            _ => {
                let name = if scalar.is_signed() { "bfe.s32" } else { "bfe.u32" };
                let word = ScalarType::U32;
                let inputs = [
                    (value, word),
                    (Value::Constant((8 * within).into()), word),
                    (Value::Constant(8), word),
                ];
                b.pure(name, scalar, &inputs)
            }
        }))
    }

    /// Assigns element `i` of this lane.
    pub(crate) fn set_element(self, i: u32, value: Value) {
        let per = per_register::<T>();
        let register = self.registers()[(i / per) as usize];
        let within = i % per;
        let scalar = T::Storage::SCALAR;
        with(|b| {
            let word = match per {
                1 => value,
                2 => {
                    let mut parts = halves(b, register, scalar).map(Value::Register);
                    parts[within as usize] = value;
                    pack(b, &parts, scalar)
                }
                _ => {
                    let word = ScalarType::B32;
                    let inputs = [
                        (value, word),
                        (Value::Register(register), word),
                        (Value::Constant((8 * within).into()), word),
                        (Value::Constant(8), word),
                    ];
                    b.pure("bfi.b32", word, &inputs)
                }
            };
            put(b, register, word, T::REGISTER);
        });
    }
}

/// Reports a kernel that changes a fragment that is not a variable.
pub(crate) fn not_variable(b: &mut Builder, what: &str) {
    b.error(
        format!("{what} changes a fragment that is not a variable"),
        "declare it with `let mut`",
    );
}

impl<T: MatrixElement, const M: u32, const N: u32> FragmentC<T, M, N> {
    /// `C` columns from column `C * which` on, a number known while the kernel is staged; `C` divides `N` and is a
    /// multiple of 8. They can be stored or converted separately, so no tile for all columns is needed.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// #[kernel(block = 32)]
    /// fn example(out: &mut [f32]) {
    ///     let mut sums = FragmentC::<f32, 16, 16>::zero();
    ///     #[unroll]
    ///     for i in 0..8 {
    ///         sums[i] = i as f32;
    ///     }
    ///     sums.columns::<8>(1).store(out.matrix(8), 0, 0);
    /// }
    /// # let device = Device::emulator();
    /// # let mut out = device.zeros::<f32>(16 * 8)?;
    /// # example(&mut out).grid(1).block(32).launch(&device)?;
    /// assert_eq!(out.download()?[..2], [4.0, 5.0]); // a lane has 4 elements of 8 columns
    /// # Ok::<(), lanework::Error>(())
    /// ```
    #[track_caller]
    pub fn columns<const C: u32>(self, which: impl Extent) -> FragmentC<T, M, C> {
        here();
        let all = self.columns;
        let parts = if C > 0 && C.is_multiple_of(8) && all.is_multiple_of(C) { all / C } else { 0 };
        let which = which.extent().and_then(|which| u32::try_from(which).ok());
        match which.filter(|which| *which < parts) {
            Some(which) => Read::copy(self).part(which),
            None => {
                with(|b| {
                    b.error(
                        format!("results of {all} columns have no part of {C} columns at this index"),
                        format!("choose a width that divides {all} and is a multiple of 8, and an index below {all} / width"),
                    );
                });
                FragmentC::zero()
            }
        }
    }
}

impl<P: Role, T: MatrixElement, const R: u32, const C: u32> Fragment<P, T, R, C> {
    /// The elements of each lane, as text for the documentation: one line per row of the matrix, with a lane and
    /// its elements in each cell, such as `T5:2,3`.
    pub fn drawing() -> String {
        let layout = Self::layout();
        let rows = layout.rows / layout.warps();
        let mut cells = vec![vec![String::new(); layout.columns as usize]; rows as usize];
        for lane in 0..32 {
            for i in 0..layout.elements() {
                let (row, column) = layout.place(i);
                cells[row.of(lane) as usize][column.of(lane) as usize] = format!("T{lane}:{i}");
            }
        }
        // Adjacent elements of one lane share a cell.
        let share = if layout.part == Part::B { 1 } else { layout.run() as usize };
        let width = if share > 1 { 7 + 2 * usize::from(share > 2) } else { 6 };
        let mut text = String::new();
        for (row, cells) in cells.iter().enumerate() {
            let _ = write!(text, "row {row:2} |");
            for run in cells.chunks(share) {
                let first = &run[0];
                let cell = match run.len() {
                    1 => first.clone(),
                    count => {
                        let start = first.split_once(':').map_or("", |(_, i)| i);
                        let last = start.parse::<usize>().unwrap_or(0) + count - 1;
                        let between = if count == 2 { ',' } else { '-' };
                        format!("{first}{between}{last}")
                    }
                };
                let _ = write!(text, " {cell:width$}");
            }
            text = text.trim_end().to_owned() + "\n";
        }
        text
    }
}

impl<T: MatrixElement, const R: u32, const C: u32, S: SwizzleMode> SharedTile<T, R, C, S> {
    /// The positions of the 16-byte chunks of the first rows, as text for the documentation: one line for each
    /// of eight rows of memory in address order, with a row and chunk in each cell.
    pub fn drawing() -> String {
        let row_bytes = C * T::BITS / 8;
        let mut chunks: Vec<(u32, u32, u32)> = (0..R.min(8))
            .flat_map(|row| (0..row_bytes / 16).map(move |chunk| (row, chunk)))
            .map(|(row, chunk)| (offset_of(S::BYTES, R * S::BYTES, row, chunk * 16), row, chunk))
            .collect();
        chunks.sort_unstable();
        let mut text = String::new();
        for line in chunks.chunks((S::BYTES / 16) as usize) {
            let _ = write!(text, "byte {:5} |", line[0].0);
            for (_, row, chunk) in line {
                let _ = write!(text, " r{row}c{chunk:<2}");
            }
            text = text.trim_end().to_owned() + "\n";
        }
        text
    }
}
