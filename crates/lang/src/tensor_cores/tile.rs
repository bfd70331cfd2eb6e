//! Typed tiles in shared memory: a matrix whose type says its shape and how its rows are swizzled.

use super::element::{MatrixElement, unit_bits};
use super::swizzle::{Swizzle128, SwizzleMode, offset, period};
use super::words::{add, constant, mul, word};
use crate::asynchrony::{IntoPart, Part};
use crate::builder::Builder;
use crate::current::{here, with};
use crate::data::At;
use crate::definition::IndexKind;
use crate::memory::{Base, Extent, Get, IndexValue, Locate, Place, Put, Space, dynamic_bytes};
use crate::value::{Index, Value};
use crate::var::{IntoVar, Read, Var};
use lanework_ptx::{ScalarType, StateSpace, Variable};
use std::marker::PhantomData;

/// A matrix of `ROWS` x `COLUMNS` elements of `T` in shared memory, row by row in panels that the
/// swizzle `S` permutes: what `cp.async` and TMA fill, and `ldmatrix` and `wgmma` read.
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
    kind: PhantomData<fn() -> (T, S)>,
}

/// Where a tile starts in shared memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TileBase {
    symbol: usize,
    /// Bytes after the symbol, known while staging.
    start: i64,
    /// Bytes after that, known at run time only.
    more: Option<Value>,
}

impl TileBase {
    /// The place `offset` bytes after the start.
    fn place<U>(self, b: &mut Builder, offset: Value) -> Place<U> {
        let more = self.more.map(|more| {
            let symbol = b.symbol_address(self.symbol);
            add(b, symbol, more)
        });
        let (base, offset) = match (offset, more) {
            (Value::Constant(bits), None) => (Base::Symbol(self.symbol), bits as i64),
            (Value::Constant(bits), Some(more)) => (Base::Register(more), bits as i64),
            (offset, more) => {
                let start = more.unwrap_or_else(|| b.symbol_address(self.symbol));
                (Base::Register(add(b, start, offset)), 0)
            }
        };
        Place::new(Space::Shared, base, self.start + offset)
    }

    /// The start's address in a register.
    pub(crate) fn address(self, b: &mut Builder) -> Value {
        self.place::<u8>(b, constant(0)).address(b)
    }

    /// The base `offset` bytes further on.
    pub(crate) fn plus(self, b: &mut Builder, offset: Value) -> TileBase {
        match offset {
            Value::Constant(bits) => TileBase { start: self.start + bits as i64, ..self },
            value => {
                let more = match self.more {
                    Some(more) => add(b, more, value),
                    None => value,
                };
                TileBase { more: Some(more), ..self }
            }
        }
    }
}

impl<T, const ROWS: u32, const COLUMNS: u32, S> Clone for SharedTile<T, ROWS, COLUMNS, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, const ROWS: u32, const COLUMNS: u32, S> Copy for SharedTile<T, ROWS, COLUMNS, S> {}

impl<T, const ROWS: u32, const COLUMNS: u32, S> crate::data::Functions
    for SharedTile<T, ROWS, COLUMNS, S>
{
    type Of = Self;
}

impl<T, const ROWS: u32, const COLUMNS: u32, S> Read for SharedTile<T, ROWS, COLUMNS, S> {
    type Value = Self;
    fn view(self) -> Self {
        self
    }
    fn copy(self) -> Self {
        self
    }
}

/// Reserves `bytes` of shared memory, aligned to `align`.
fn reserve(b: &mut Builder, bytes: u32, align: u32, dynamic: bool) -> TileBase {
    if dynamic {
        let (symbol, start) = dynamic_bytes(b, bytes.into(), align);
        return TileBase { symbol, start: start as i64, more: None };
    }
    let hint = b.take_hint("shared_tile");
    let name = b.unique(&crate::identifier::identifier(hint));
    b.variables.push(Variable {
        align: Some(align),
        dims: vec![Some(bytes.into())],
        ..Variable::new(StateSpace::Shared, ScalarType::B8, &name)
    });
    b.symbols.push(name);
    TileBase { symbol: b.symbols.len() - 1, start: 0, more: None }
}

impl<T: MatrixElement, const ROWS: u32, const COLUMNS: u32, S: SwizzleMode>
    SharedTile<T, ROWS, COLUMNS, S>
{
    /// Bytes of the tile.
    pub const BYTES: u32 = ROWS * COLUMNS * T::BITS / 8;
    /// What the tile's address is a multiple of.
    pub const ALIGNMENT: u32 = if S::BYTES == 16 { 128 } else { 8 * S::BYTES };

    fn at(base: TileBase, panel: u32) -> Self {
        SharedTile { base, panel, kind: PhantomData }
    }

    fn check_shape(b: &mut Builder) {
        let row = COLUMNS * T::BITS / 8;
        if ROWS == 0 || !ROWS.is_multiple_of(8) {
            b.error(
                format!("a tile of {ROWS} rows has no layout: core matrices have 8 rows"),
                "choose a multiple of 8 rows",
            );
        }
        if row == 0 || !row.is_multiple_of(S::BYTES) || COLUMNS * T::BITS % 8 != 0 {
            b.error(
                format!(
                    "rows of {COLUMNS} elements of {}, {row} bytes, do not fill panels of {} bytes",
                    T::NAME,
                    S::BYTES
                ),
                "choose columns that fill them, or a narrower swizzle: Swizzle128, Swizzle64, \
                 Swizzle32 or NoSwizzle (16 bytes)",
            );
        }
    }

    /// A tile in the block's shared memory, uninitialised.
    #[allow(clippy::new_without_default)]
    #[track_caller]
    pub fn new() -> Self {
        SharedTiles::<T, ROWS, COLUMNS, S>::reserved(1, false).first()
    }

    /// A tile in dynamic shared memory: the launch requests [`BYTES`](Self::BYTES) for it, with those
    /// of all other dynamic arrays before it rounded up to [`ALIGNMENT`](Self::ALIGNMENT).
    #[track_caller]
    pub fn dynamic() -> Self {
        SharedTiles::<T, ROWS, COLUMNS, S>::reserved(1, true).first()
    }

    /// The transposed matrix: the same bytes, with rows and columns exchanged.
    pub fn t(self) -> Transposed<Self> {
        Transposed(self)
    }

    /// `R` of the rows, from `row` on, which is a multiple of 8: a warpgroup's part of a tile.
    #[track_caller]
    pub fn rows<const R: u32>(self, row: impl IndexValue) -> SharedTile<T, R, COLUMNS, S> {
        here();
        let row = row.parts();
        with(|b| {
            if row.known().is_some_and(|row| row % 8 != 0) || !R.is_multiple_of(8) {
                b.error("rows of a tile are taken by eights", "take them from a multiple of 8 on");
            }
            if row.known().is_some_and(|row| row < 0 || row + i128::from(R) > ROWS.into()) {
                b.error(
                    format!("these rows are not among the {ROWS} of the tile"),
                    "take fewer rows, or from an earlier one on",
                );
            }
            let row = word(b, row);
            let offset = mul(b, row, S::BYTES);
            SharedTile::at(self.base.plus(b, offset), self.panel)
        })
    }

    /// Panel `panel` of the tile: `C` columns that one row of the swizzle holds, from column `panel * C`
    /// on. What one tensor copy fills.
    #[track_caller]
    pub fn panel<const C: u32>(self, panel: impl Extent) -> SharedTile<T, ROWS, C, S> {
        here();
        let panel = panel.extent().and_then(|panel| u32::try_from(panel).ok());
        with(|b| {
            let fits = panel.is_some_and(|panel| panel < COLUMNS.div_ceil(C.max(1)));
            if C * T::BITS / 8 != S::BYTES || !fits {
                b.error(
                    format!(
                        "the tile has no such panel: panels have {} columns",
                        S::BYTES * 8 / T::BITS
                    ),
                    "take one of as many columns, counted from 0",
                );
            }
            let offset = constant(panel.unwrap_or(0) * self.panel);
            SharedTile::at(self.base.plus(b, offset), self.panel)
        })
    }

    /// The panels side by side, and the scalars of memory in a row of one.
    pub(crate) const PANELS: (u32, u32) = {
        let row = COLUMNS * T::BITS / 8;
        (row / S::BYTES, S::BYTES / size_of::<T::Storage>() as u32)
    };

    /// Where a panel starts, and the array that it lies in.
    pub(crate) fn panel_place(self, b: &mut Builder, number: u32) -> (Place<T::Storage>, usize) {
        (self.base.place(b, constant(number * self.panel)), self.base.symbol)
    }

    /// The place of the scalar of memory at a row and column, after a check that `count` of them side
    /// by side are in range.
    pub(crate) fn spot(self, row: Index, column: Index, count: u32) -> Place<T::Storage> {
        with(|b| {
            let name = b.symbols[self.base.symbol].clone();
            let columns = COLUMNS / T::UNIT;
            b.check(row, constant(ROWS), &name, IndexKind::SharedAxis(0));
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
    /// The tile as tensor copies take it, with its swizzle; a tile of several panels is copied panel by
    /// panel.
    #[track_caller]
    fn into_part(self) -> Part<T::Storage, 2> {
        here();
        with(|b| {
            if COLUMNS * T::BITS / 8 != S::BYTES {
                b.error(
                    format!(
                        "a tensor copy fills rows of {} bytes of this tile's swizzle, its rows have {}",
                        S::BYTES,
                        COLUMNS * T::BITS / 8
                    ),
                    format!("copy each panel: `tile.panel::<{}>(i)`", S::BYTES * 8 / T::BITS),
                );
            }
            let first = self.base.place(b, constant(0));
            let dims = [ROWS, COLUMNS / T::UNIT];
            let mut part = Part::at(first, dims, self.base.symbol);
            part.swizzle = S::SWIZZLE;
            part
        })
    }
}

/// Several tiles of one shape, one after the other: the stages of a pipeline. `tiles[i]` is one.
///
/// ```
/// # use half::{bf16, f16};
/// # use lanework::prelude::*;
/// type Stages = SharedTiles<f16, 16, 32, Swizzle64>;
///
/// #[kernel(block = 32)]
/// fn example(out: &mut [f16]) {
///     let stages = Stages::dynamic(3);
///     for i in 0..3u32 {
///         stages[i][[0, thread_idx.x]] = i as f16;
///     }
///     out[thread_idx.x] = stages[1][[0, thread_idx.x]];
/// }
/// # let device = Device::emulator();
/// # let mut out = device.zeros::<f16>(32)?;
/// example(&mut out).grid(1).block(32).shared_bytes(3 * Stages::STRIDE).launch(&device)?;
/// assert_eq!(out.download()?[5], f16::ONE);
/// # Ok::<(), lanework::Error>(())
/// ```
pub struct SharedTiles<T, const ROWS: u32, const COLUMNS: u32, S = Swizzle128> {
    base: TileBase,
    count: u32,
    kind: PhantomData<fn() -> (T, S)>,
}

impl<T, const ROWS: u32, const COLUMNS: u32, S> Clone for SharedTiles<T, ROWS, COLUMNS, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, const ROWS: u32, const COLUMNS: u32, S> Copy for SharedTiles<T, ROWS, COLUMNS, S> {}

impl<T, const ROWS: u32, const COLUMNS: u32, S> crate::data::Functions
    for SharedTiles<T, ROWS, COLUMNS, S>
{
    type Of = Self;
}

impl<T, const ROWS: u32, const COLUMNS: u32, S> Read for SharedTiles<T, ROWS, COLUMNS, S> {
    type Value = Self;
    fn view(self) -> Self {
        self
    }
    fn copy(self) -> Self {
        self
    }
}

impl<T: MatrixElement, const ROWS: u32, const COLUMNS: u32, S: SwizzleMode>
    SharedTiles<T, ROWS, COLUMNS, S>
{
    /// Bytes from one tile to the next.
    pub const STRIDE: u32 = SharedTile::<T, ROWS, COLUMNS, S>::BYTES
        .next_multiple_of(SharedTile::<T, ROWS, COLUMNS, S>::ALIGNMENT);

    /// `count` tiles in the block's shared memory.
    #[track_caller]
    pub fn new(count: impl Extent) -> Self {
        Self::reserved(count, false)
    }

    /// `count` tiles in dynamic shared memory: the launch requests `count` times
    /// [`STRIDE`](Self::STRIDE) bytes for them.
    #[track_caller]
    pub fn dynamic(count: impl Extent) -> Self {
        Self::reserved(count, true)
    }

    #[track_caller]
    fn reserved(count: impl Extent, dynamic: bool) -> Self {
        here();
        with(|b| {
            let count = count.extent().and_then(|count| u32::try_from(count).ok()).unwrap_or(0);
            SharedTile::<T, ROWS, COLUMNS, S>::check_shape(b);
            let bytes = u64::from(count) * u64::from(Self::STRIDE);
            if count == 0 || bytes > MOST_BYTES {
                b.error(
                    format!(
                        "{count} tiles of {} bytes do not fit a block's shared memory",
                        Self::STRIDE
                    ),
                    "a block has at most 227 KiB: choose fewer or smaller tiles",
                );
            }
            let base = reserve(b, bytes.min(MOST_BYTES) as u32, period(S::BYTES), dynamic);
            SharedTiles { base, count, kind: PhantomData }
        })
    }

    fn first(self) -> SharedTile<T, ROWS, COLUMNS, S> {
        SharedTile::at(self.base, ROWS * S::BYTES)
    }
}

/// The most shared memory of a block (sm_90), in bytes.
const MOST_BYTES: u64 = 227 * 1024;

impl<T: MatrixElement, const ROWS: u32, const COLUMNS: u32, S: SwizzleMode, I: IndexValue> Get<I>
    for SharedTiles<T, ROWS, COLUMNS, S>
{
    type Output = SharedTile<T, ROWS, COLUMNS, S>;

    #[track_caller]
    fn get(&self, index: I) -> Self::Output {
        here();
        with(|b| {
            let name = b.symbols[self.base.symbol].clone();
            b.check(index.parts(), constant(self.count), &name, IndexKind::SharedAxis(0));
            let index = word(b, index.parts());
            let offset = mul(b, index, Self::STRIDE);
            SharedTile::at(self.base.plus(b, offset), ROWS * S::BYTES)
        })
    }
}

impl<T: MatrixElement, const ROWS: u32, const COLUMNS: u32, S: SwizzleMode, I: IndexValue> At<I>
    for SharedTiles<T, ROWS, COLUMNS, S>
{
    type Element = SharedTile<T, ROWS, COLUMNS, S>;

    #[track_caller]
    fn at(&self, index: I) -> Self::Element {
        self.get(index)
    }
}

/// A matrix with rows and columns exchanged: the same bytes.
#[derive(Clone, Copy, Debug)]
pub struct Transposed<X>(pub(crate) X);

impl<X: Copy> Transposed<X> {
    /// The matrix as it was.
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

impl<T: MatrixElement, const ROWS: u32, const COLUMNS: u32, S> std::fmt::Debug
    for SharedTile<T, ROWS, COLUMNS, S>
{
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "tile of {ROWS} x {COLUMNS} elements of {}", T::NAME)
    }
}

impl<T: MatrixElement, const ROWS: u32, const COLUMNS: u32, S> std::fmt::Debug
    for SharedTiles<T, ROWS, COLUMNS, S>
{
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} tiles of {ROWS} x {COLUMNS} elements of {}", self.count, T::NAME)
    }
}
