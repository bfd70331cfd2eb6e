//! Tensor copies of the tiles that `ldmatrix` and `wgmma` read: a copy for each panel of a [`SharedTile`], which is as wide
//! as its swizzle.

use crate::asynchrony::mbarrier::Signal;
use crate::asynchrony::part::Part;
use crate::asynchrony::tensor::{TensorTiles, WrittenTensor};
use crate::asynchrony::tensor_map::TileAt;
use crate::emit::arithmetic::{Operation, binary};
use crate::emit::current::{here, with};
use crate::emit::value::{Index, Value};
use crate::scalar::number::Element;
use crate::tensor_cores::element::MatrixElement;
use crate::tensor_cores::tile::shared_tile::SharedTile;
use crate::tensor_cores::tile::swizzle::SwizzleMode;
use lanework_ptx::{ScalarType, Swizzle};

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
    /// Starts to copy a tile into one that `ldmatrix` and `wgmma` read, panel by panel: the map's tile has the rows of
    /// `to` and the columns of a panel (64 of 16-bit elements with `Swizzle128`), and its swizzle. `signal` expects
    /// [`SharedTile::BYTES`].
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

    /// Starts to copy such a tile out, panel by panel; see [`load_tile`](Self::load_tile).
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
