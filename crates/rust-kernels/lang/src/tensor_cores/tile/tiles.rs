//! Several tiles of one shape, allocation of shared memory for tiles, and tensor copies of tiles: one for each panel of a
//! [`SharedTile`], which is as wide as its swizzle.

use crate::asynchrony::mbarrier::Signal;
use crate::asynchrony::part::Part;
use crate::asynchrony::tensor::{TensorTiles, WrittenTensor};
use crate::asynchrony::tensor_map::TileAt;
use crate::emit::arithmetic::{Operation, binary};
use crate::emit::current::{here, with};
use crate::emit::value::{Index, Value};
use crate::memory::access::At;
use crate::memory::registers::Get;
use crate::scalar::number::{Element, Extent, IndexValue};
use crate::scalar::var::by_name;
use crate::tensor_cores::element::{F8, F8Format, MatrixElement};
use crate::tensor_cores::layout::{STAGED, agreed, constant, mul, needs_extent, word};
use crate::tensor_cores::tile::SharedTile;
use crate::tensor_cores::tile::swizzle::{Swizzle128, SwizzleMode, TileBase, period, reserve};
use lanework_abi::IndexKind;
use lanework_ptx::{ScalarType, Swizzle};
use std::marker::PhantomData;

/// Consecutive tiles of one shape: the stages of a pipeline. `tiles[i]` is a tile.
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
    /// `ROWS` and `COLUMNS`, or the extents if the type leaves them open.
    extents: [u32; 2],
    /// The name of the elements in PTX.
    element: &'static str,
    kind: PhantomData<fn() -> (T, S)>,
}

by_name!([T, const ROWS: u32, const COLUMNS: u32, S] SharedTiles<T, ROWS, COLUMNS, S>);

impl<T, const ROWS: u32, const COLUMNS: u32, S> crate::data::convert::Functions
    for SharedTiles<T, ROWS, COLUMNS, S>
{
    type Of = Self;
}

impl<T: MatrixElement, const ROWS: u32, const COLUMNS: u32, S: SwizzleMode>
    SharedTiles<T, ROWS, COLUMNS, S>
{
    /// Bytes from one tile to the next.
    pub const STRIDE: u32 = SharedTile::<T, ROWS, COLUMNS, S>::BYTES
        .next_multiple_of(SharedTile::<T, ROWS, COLUMNS, S>::ALIGNMENT);

    /// `count` tiles in the block's shared memory; no tiles if a kernel's constants make `count` 0.
    #[track_caller]
    pub fn new(count: impl Extent) -> Self {
        Self::reserved(Self::extents(), count.extent(), false)
    }

    /// `count` tiles in dynamic shared memory: the launch requests `count` times
    /// [`STRIDE`](Self::STRIDE) bytes for them.
    #[track_caller]
    pub fn dynamic(count: impl Extent) -> Self {
        Self::reserved(Self::extents(), count.extent(), true)
    }

    /// `count` tiles of `rows` x `columns` elements in dynamic shared memory, for a type that leaves extents open ([`STAGED`]).
    #[track_caller]
    pub fn dynamic_of((rows, columns): (impl Extent, impl Extent), count: impl Extent) -> Self {
        let (rows, columns) = (rows.extent(), columns.extent());
        let extents = with(|b| [agreed(b, ROWS, rows), agreed(b, COLUMNS, columns)]);
        Self::reserved(extents, count.extent(), true)
    }

    /// Sets the format of the elements if the type leaves it open; see [`F8`].
    #[track_caller]
    pub fn of_format(self, format: impl Into<Option<F8Format>>) -> Self {
        here();
        let Some(format) = format.into() else { return self };
        if ![F8::NAME, format.name()].contains(&T::NAME) {
            with(|b| {
                b.error(
                    format!("elements of {} have no format {format:?}", T::NAME),
                    "declare tiles of F8",
                );
            });
        }
        SharedTiles { element: format.name(), ..self }
    }

    /// The extents of the type.
    #[track_caller]
    fn extents() -> [u32; 2] {
        here();
        with(|b| {
            needs_extent(b, ROWS);
            needs_extent(b, COLUMNS);
        });
        [ROWS, COLUMNS].map(|extent| if extent == STAGED { 0 } else { extent })
    }

    #[track_caller]
    fn reserved(extents: [u32; 2], count: Option<usize>, dynamic: bool) -> Self {
        here();
        with(|b| {
            let count = count.and_then(|count| u32::try_from(count).ok()).unwrap_or(0);
            if count > 0 {
                SharedTile::<T, ROWS, COLUMNS, S>::check_shape(b, extents);
            }
            let stride = stride::<T, S>(extents);
            let bytes = u64::from(count) * u64::from(stride);
            if bytes > MOST_BYTES {
                b.error(
                    format!("{count} tiles of {stride} bytes do not fit a block's shared memory"),
                    "a block has at most 227 KiB: choose fewer or smaller tiles",
                );
            }
            let base = reserve(b, bytes.min(MOST_BYTES) as u32, period(S::BYTES), dynamic);
            SharedTiles { base, count, extents, element: T::NAME, kind: PhantomData }
        })
    }

    fn first(self) -> SharedTile<T, ROWS, COLUMNS, S> {
        SharedTile::starting_at(self.base, self.extents[0] * S::BYTES, self.extents, self.element)
    }
}

/// Bytes from one tile to the next.
fn stride<T: MatrixElement, S: SwizzleMode>([rows, columns]: [u32; 2]) -> u32 {
    (rows * columns * T::BITS / 8).next_multiple_of(period(S::BYTES))
}

/// Maximum shared memory of a block (sm_90), in bytes.
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
            let offset = mul(b, index, stride::<T, S>(self.extents));
            SharedTile::starting_at(
                self.base.plus(b, offset),
                self.extents[0] * S::BYTES,
                self.extents,
                self.element,
            )
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

impl<T: MatrixElement, const ROWS: u32, const COLUMNS: u32, S: SwizzleMode>
    SharedTile<T, ROWS, COLUMNS, S>
{
    /// A tile in the block's shared memory, uninitialized.
    #[allow(clippy::new_without_default)]
    #[track_caller]
    pub fn new() -> Self {
        SharedTiles::<T, ROWS, COLUMNS, S>::new(1u32).first()
    }

    /// A tile in dynamic shared memory: the launch requests [`BYTES`](Self::BYTES) for it, after the bytes
    /// of all previous dynamic arrays, rounded up to [`ALIGNMENT`](Self::ALIGNMENT).
    #[track_caller]
    pub fn dynamic() -> Self {
        SharedTiles::<T, ROWS, COLUMNS, S>::dynamic(1u32).first()
    }
}

impl<T: MatrixElement, const ROWS: u32, const COLUMNS: u32, S> std::fmt::Debug
    for SharedTiles<T, ROWS, COLUMNS, S>
{
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [rows, columns] = self.extents;
        write!(f, "{} tiles of {rows} x {columns} elements of {}", self.count, T::NAME)
    }
}

/// The panels of a tile as parts of shared memory, each with the coordinates of its tile in the tensor.
fn panels<M, const ROWS: u32, const COLUMNS: u32, S, const R: usize>(
    tile: SharedTile<M, ROWS, COLUMNS, S>,
    at: [Index; R],
) -> Vec<(Part<M::Storage, 2>, [Index; R])>
where
    M: MatrixElement,
    S: SwizzleMode,
{
    let (count, columns) = tile.panels();
    let swizzle = match S::BYTES {
        128 => Swizzle::B128,
        64 => Swizzle::B64,
        32 => Swizzle::B32,
        _ => Swizzle::None,
    };
    let panel = |number: u32| {
        with(|b| {
            let (first, symbol) = tile.panel_place(b, number);
            let part = Part::at(first, [tile.extents[0], columns], symbol).laid_out(swizzle);
            let mut at = at;
            if let (Some(last), 1..) = (at.last_mut(), number) {
                let word = crate::asynchrony::mbarrier::word(b, *last);
                let by = Value::Constant((number * columns).into());
                let value = binary(b, Operation::Add, ScalarType::S32, word, by);
                *last = Index { value, ty: ScalarType::S32 };
            }
            (part, at)
        })
    };
    (0..count).map(panel).collect()
}

impl<T: Element, const R: usize, const WRITTEN: bool> TensorTiles<T, R, WRITTEN> {
    /// Starts to load a [`SharedTile`], panel by panel: the map's tile must have the rows and the swizzle of `to`, and the columns
    /// of one panel (64 for 16-bit elements with `Swizzle128`). Announces [`SharedTile::BYTES`] to `signal`.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// # use half::f16;
    /// #[kernel(block = 128)]
    /// fn example(x: &TensorMap<f16, 2>, out: &mut [f32]) {
    ///     let tile = SharedTile::<f16, 16, 128>::new(); // two panels of 64 columns
    ///     let full = mbarrier(1);
    ///     let filled = full.waiter();
    ///     if thread_idx.x == 0 {
    ///         full.arrive_expect(SharedTile::<f16, 16, 128>::BYTES);
    ///         x.load_tile(&tile, (0, 0), &full);
    ///     }
    ///     filled.wait();
    ///     out[thread_idx.x] = tile[[3, thread_idx.x]] as f32;
    /// }
    /// # let device = Device::emulator().sanitized();
    /// # let data: Vec<f16> = (0..16 * 128).map(|i| f16::from_f32(i as f32)).collect();
    /// # let (x, mut out) = (device.upload(&data)?, device.zeros::<f32>(128)?);
    /// let tiles = Tiles::new([16, 128], [16, 64]).swizzle(Swizzle::B128);
    /// example(&TensorMap::new(&x, &tiles)?, &mut out).grid(1).block(128).launch(&device)?;
    /// assert_eq!(out.download()?[127], 3.0 * 128.0 + 127.0);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    #[track_caller]
    pub fn load_tile<M, const ROWS: u32, const COLUMNS: u32, S>(
        self,
        to: SharedTile<M, ROWS, COLUMNS, S>,
        at: impl TileAt<R>,
        signal: impl Signal,
    ) where
        M: MatrixElement<Storage = T>,
        S: SwizzleMode,
    {
        here();
        for (part, at) in panels(to, at.coordinates()) {
            self.load_part(part, &at, signal);
        }
    }

    /// Starts to store such a tile, panel by panel; see [`load_tile`](Self::load_tile).
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// use half::f16;
    ///
    /// #[kernel(block = 128)]
    /// fn example(y: &mut TensorMapMut<f16, 2>) {
    ///     let tile = SharedTile::<f16, 16, 128>::new();
    ///     tile[[3, thread_idx.x]] = thread_idx.x as f16;
    ///     fence_proxy_async_shared();
    ///     sync_threads();
    ///     if thread_idx.x == 0 {
    ///         y.store_tile(&tile, (0, 0));
    ///         bulk_commit();
    ///         bulk_wait(0);
    ///     }
    /// }
    /// # let device = Device::emulator();
    /// # let mut y = device.zeros::<f16>(16 * 128)?;
    /// let tiles = Tiles::new([16, 128], [16, 64]).swizzle(Swizzle::B128);
    /// example(TensorMapMut::new(&mut y, &tiles)?).grid(1).block(128).launch(&device)?;
    /// assert_eq!(y.download()?[3 * 128 + 5], f16::from_f32(5.0));
    /// # Ok::<(), lanework::Error>(())
    /// ```
    #[track_caller]
    pub fn store_tile<M, const ROWS: u32, const COLUMNS: u32, S>(
        self,
        from: SharedTile<M, ROWS, COLUMNS, S>,
        at: impl TileAt<R>,
    ) where
        M: MatrixElement<Storage = T>,
        S: SwizzleMode,
        Self: WrittenTensor,
    {
        here();
        for (part, at) in panels(from, at.coordinates()) {
            self.store_part(part, &at);
        }
    }
}
