//! Typed tiles in shared memory: a matrix whose type holds its shape and its swizzle, and the copies that fill it.

pub(crate) mod pipeline;
pub(crate) mod source;
pub(crate) mod swizzle;
pub(crate) mod tiles;

use crate::asynchrony::part::{IntoPart, Part};
use crate::data::place::Place;
use crate::emit::builder::Builder;
use crate::emit::current::{here, with};
use crate::emit::value::Index;
use crate::memory::registers::{Get, Locate, Put};
use crate::scalar::number::{Extent, IndexValue};
use crate::scalar::var::{IntoVar, Read, Var, by_name};
use crate::tensor_cores::element::{MatrixElement, unit_bits};
use crate::tensor_cores::layout::{STAGED, agreed, constant, mul, word};
use lanework_abi::IndexKind;
use std::marker::PhantomData;
use swizzle::{Swizzle128, SwizzleMode, TileBase, offset};

/// A matrix of `ROWS` x `COLUMNS` elements of `T` in shared memory, row by row in panels that the
/// swizzle `S` permutes. `cp.async` and TMA fill it; `ldmatrix` and `wgmma` read it.
///
/// `tile[[row, column]]` is an element; [`t`](Self::t) is the transposed matrix, the same bytes.
///
/// ```
/// # use half::{bf16, f16};
/// # use lanework::prelude::*;
/// #[kernel(block = 64)]
/// fn example(x: &[bf16], out: &mut [bf16]) {
///     let tile = SharedTile::<bf16, 64, 64>::new(); // 8 KiB, swizzled over 128 bytes
///     let i = thread_idx.x;
///     #[unroll]
///     for j in 0..64u32 {
///         tile[[j, i]] = x[j * 64 + i];
///     }
///     sync_threads();
///     for j in 0..64u32 {
///         out[j * 64 + i] = tile[[i, j]]; // a column, without bank conflicts
///     }
/// }
/// # let device = Device::emulator();
/// # let x: Vec<bf16> = (0..4096).map(|i| bf16::from_f32((i % 200) as f32)).collect();
/// # let x = device.upload(&x)?;
/// # let mut out = device.zeros::<bf16>(4096)?;
/// # example(&x, &mut out).grid(1).block(64).launch(&device)?;
/// assert_eq!(out.download()?[64 * 2 + 1], x.download()?[64 + 2]);
/// # Ok::<(), lanework::Error>(())
/// ```
pub struct SharedTile<T, const ROWS: u32, const COLUMNS: u32, S = Swizzle128> {
    pub(crate) base: TileBase,
    /// Bytes from one panel to the next.
    pub(crate) panel: u32,
    /// `ROWS` and `COLUMNS`, or the extents if the type leaves them open.
    pub(crate) extents: [u32; 2],
    /// The name of the elements in PTX.
    pub(crate) element: &'static str,
    kind: PhantomData<fn() -> (T, S)>,
}

by_name!([T, const ROWS: u32, const COLUMNS: u32, S] SharedTile<T, ROWS, COLUMNS, S>);

impl<T, const ROWS: u32, const COLUMNS: u32, S> crate::data::convert::Functions
    for SharedTile<T, ROWS, COLUMNS, S>
{
    type Of = Self;
}

impl<T: MatrixElement, const ROWS: u32, const COLUMNS: u32, S: SwizzleMode>
    SharedTile<T, ROWS, COLUMNS, S>
{
    /// Bytes of the tile.
    pub const BYTES: u32 = ROWS * COLUMNS * T::BITS / 8;
    /// The alignment of the tile's address.
    pub const ALIGNMENT: u32 = if S::BYTES == 16 { 128 } else { 8 * S::BYTES };

    pub(crate) fn starting_at(
        base: TileBase,
        panel: u32,
        extents: [u32; 2],
        element: &'static str,
    ) -> Self {
        SharedTile { base, panel, extents, element, kind: PhantomData }
    }

    pub(crate) fn check_shape(b: &mut Builder, [rows, columns]: [u32; 2]) {
        let row = columns * T::BITS / 8;
        if rows == 0 || !rows.is_multiple_of(8) {
            b.error(
                format!("a tile of {rows} rows has no layout: core matrices have 8 rows"),
                "choose a multiple of 8 rows",
            );
        }
        if row == 0 || !row.is_multiple_of(S::BYTES) || !(columns * T::BITS).is_multiple_of(8) {
            b.error(
                format!(
                    "rows of {columns} elements of {}, {row} bytes, do not fill panels of {} bytes",
                    T::NAME,
                    S::BYTES
                ),
                "choose columns that fill them, or a narrower swizzle: Swizzle128, Swizzle64, \
                 Swizzle32 or NoSwizzle (16 bytes)",
            );
        }
    }

    /// The transposed matrix: the same bytes, with rows and columns exchanged.
    pub fn t(self) -> Transposed<Self> {
        Transposed(self)
    }

    /// `R` rows from row `row` on, a multiple of 8: for example, a warpgroup's part of a tile.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// use half::bf16;
    ///
    /// type Wide = SharedTile<bf16, 16, 128>;
    ///
    /// #[kernel(block = 32)]
    /// fn example(out: &mut [bf16]) {
    ///     let tile = Wide::dynamic(); // the launch requests its bytes
    ///     let t = thread_idx.x;
    ///     // Panel 1 has columns 64 to 127. Eight of its rows form a tile.
    ///     tile.panel::<64>(1)[[8, t]] = t as bf16;
    ///     sync_threads();
    ///     out[t] = tile.rows::<8>(8)[[0, 64 + t]];
    /// }
    /// # let device = Device::emulator();
    /// # let mut out = device.zeros::<bf16>(32)?;
    /// assert_eq!((Wide::BYTES, Wide::ALIGNMENT), (4096, 1024));
    /// example(&mut out).grid(1).block(32).shared_bytes(Wide::BYTES).launch(&device)?;
    /// assert_eq!(out.download()?[5], bf16::from_f32(5.0));
    /// # Ok::<(), lanework::Error>(())
    /// ```
    #[track_caller]
    pub fn rows<const R: u32>(self, row: impl IndexValue) -> SharedTile<T, R, COLUMNS, S> {
        self.some_rows(R, row)
    }

    /// As [`rows`](Self::rows), for a number of rows that is not in a type; see [`STAGED`](crate::tensor_cores::STAGED).
    #[track_caller]
    pub fn rows_of(
        self,
        count: impl Extent,
        row: impl IndexValue,
    ) -> SharedTile<T, STAGED, COLUMNS, S> {
        self.some_rows(with(|b| agreed(b, STAGED, count.extent())), row)
    }

    #[track_caller]
    fn some_rows<const R: u32>(
        self,
        count: u32,
        row: impl IndexValue,
    ) -> SharedTile<T, R, COLUMNS, S> {
        here();
        let row = row.parts();
        let [rows, columns] = self.extents;
        with(|b| {
            if row.known().is_some_and(|row| row % 8 != 0) || !count.is_multiple_of(8) {
                b.error(
                    "a part of a tile starts at a multiple of 8 rows and has a multiple of 8 rows",
                    "round both to multiples of 8",
                );
            }
            if row.known().is_some_and(|row| row < 0 || row + i128::from(count) > rows.into()) {
                b.error(
                    format!("these rows are not among the {rows} of the tile"),
                    "take fewer rows, or from an earlier one on",
                );
            }
            let row = word(b, row);
            let offset = mul(b, row, S::BYTES);
            SharedTile::starting_at(
                self.base.plus(b, offset),
                self.panel,
                [count, columns],
                self.element,
            )
        })
    }

    /// Panel `panel` of the tile: `C` columns that one row of the swizzle holds, from column `panel * C`
    /// on. One tensor copy fills one panel.
    #[track_caller]
    pub fn panel<const C: u32>(self, panel: impl IndexValue) -> SharedTile<T, ROWS, C, S> {
        here();
        let panel = panel.parts();
        let [rows, columns] = self.extents;
        with(|b| {
            let panels = columns.div_ceil(C.max(1));
            let fits = panel.known().is_none_or(|panel| panel >= 0 && panel < i128::from(panels));
            if C * T::BITS / 8 != S::BYTES || !fits {
                b.error(
                    format!(
                        "the tile has no such panel: panels have {} columns",
                        S::BYTES * 8 / T::BITS
                    ),
                    "take one of as many columns, counted from 0",
                );
            }
            let panel = word(b, panel);
            let offset = mul(b, panel, self.panel);
            SharedTile::starting_at(self.base.plus(b, offset), self.panel, [rows, C], self.element)
        })
    }

    /// The number of panels, and the scalars of memory in one panel's row.
    pub(crate) fn panels(self) -> (u32, u32) {
        let row = self.extents[1] * T::BITS / 8;
        (row / S::BYTES, S::BYTES / size_of::<T::Storage>() as u32)
    }

    /// The start of a panel, and the array that holds it.
    pub(crate) fn panel_place(self, b: &mut Builder, number: u32) -> (Place<T::Storage>, usize) {
        (self.base.place(b, constant(number * self.panel)), self.base.symbol)
    }

    /// The place of the scalar of memory at a row and column, after a check that `count` adjacent scalars are in range.
    pub(crate) fn spot(self, row: Index, column: Index, count: u32) -> Place<T::Storage> {
        with(|b| {
            let name = b.symbols[self.base.symbol].clone();
            let [rows, columns] = self.extents;
            let columns = columns / T::UNIT;
            b.check(row, constant(rows), &name, IndexKind::SharedAxis(0));
            let last = match count {
                0 | 1 => column,
                count => column.plus(b, u64::from(count) - 1),
            };
            b.check(last, constant(columns), &name, IndexKind::SharedAxis(1));
            let (row, column) = (word(b, row), word(b, column));
            let bytes = mul(b, column, unit_bits::<T>() / 8);
            let offset = offset(b, S::BYTES, self.panel, row, bytes);
            self.base.place(b, offset)
        })
    }
}

impl<T: MatrixElement, const ROWS: u32, const COLUMNS: u32, S: SwizzleMode> IntoPart<T::Storage, 2>
    for SharedTile<T, ROWS, COLUMNS, S>
{
    /// The tile as an operand of tensor copies, with its swizzle. A tile of several panels is copied panel by panel.
    #[track_caller]
    fn into_part(self) -> Part<T::Storage, 2> {
        here();
        let [rows, columns] = self.extents;
        with(|b| {
            if columns * T::BITS / 8 != S::BYTES {
                b.error(
                    format!(
                        "a tensor copy fills rows of {} bytes of this tile's swizzle, its rows have {}",
                        S::BYTES,
                        columns * T::BITS / 8
                    ),
                    format!("copy each panel: `tile.panel::<{}>(i)`", S::BYTES * 8 / T::BITS),
                );
            }
            let first = self.base.place(b, constant(0));
            let dims = [rows, columns / T::UNIT];
            let mut part = Part::at(first, dims, self.base.symbol);
            part.swizzle = S::SWIZZLE;
            part
        })
    }
}

/// A matrix with rows and columns exchanged: the same bytes.
#[derive(Clone, Copy, Debug)]
pub struct Transposed<X>(pub(crate) X);

impl<X: Copy> Transposed<X> {
    /// The original matrix.
    pub fn t(self) -> X {
        self.0
    }
}

impl<X: Copy> Read for Transposed<X> {
    type Value = Self;
    fn view(self) -> Self {
        self
    }
    fn copy(self) -> Self {
        self
    }
}

impl<T: MatrixElement, const ROWS: u32, const COLUMNS: u32, S> std::fmt::Debug
    for SharedTile<T, ROWS, COLUMNS, S>
{
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [rows, columns] = self.extents;
        write!(f, "tile of {rows} x {columns} elements of {}", T::NAME)
    }
}

impl<T, const ROWS: u32, const COLUMNS: u32, S, I, J> Locate<(I, J)>
    for SharedTile<T, ROWS, COLUMNS, S>
where
    T: MatrixElement,
    S: SwizzleMode,
    I: IndexValue,
    J: IndexValue,
{
    type Place = Place<T::Storage>;

    #[track_caller]
    fn locate(&self, (row, column): (I, J)) -> Place<T::Storage> {
        here();
        self.spot(row.parts(), column.parts(), 1)
    }
}

impl<T, const ROWS: u32, const COLUMNS: u32, S, I, J> Get<(I, J)>
    for SharedTile<T, ROWS, COLUMNS, S>
where
    T: MatrixElement,
    S: SwizzleMode,
    I: IndexValue,
    J: IndexValue,
{
    type Output = Var<T::Storage>;

    #[track_caller]
    fn get(&self, index: (I, J)) -> Var<T::Storage> {
        self.locate(index).load_with("")
    }
}

impl<T, const ROWS: u32, const COLUMNS: u32, S, I, J, V> Put<(I, J), V>
    for SharedTile<T, ROWS, COLUMNS, S>
where
    T: MatrixElement,
    S: SwizzleMode,
    I: IndexValue,
    J: IndexValue,
    V: IntoVar<T::Storage>,
{
    #[track_caller]
    fn put(&self, index: (I, J), value: V) {
        self.locate(index).store(value);
    }
}
