//! Copies of four rows of a matrix, each chosen by its number (PTX manual, "tile::gather4" and "tile::scatter4"; sm_100).

use super::coordinates::TileAt;
use super::mbarrier::Signal;
use super::part::{IntoPart, Part};
use super::tensor::{TensorTiles, WrittenTensor};
use crate::current::{here, with};
use crate::memory::IndexValue;
use crate::number::Element;
use crate::value::Index;

/// Refuses a part that is not four rows.
fn four_rows<T: Element>(part: &Part<T, 2>) {
    if part.dims[0] != 4 {
        with(|b| {
            b.error(
                format!("four rows are copied at once, and this part has {}", part.dims[0]),
                "copy to and from a part of four rows: `shared::<T>([4, COLUMNS])`, or a slab of a larger array",
            );
        });
    }
}

/// The column and the rows, in the order of an array's dimensions: the fastest-varying last.
fn places(rows: [Index; 4], column: Index) -> [Index; 5] {
    let [a, b, c, d] = rows;
    [d, c, b, a, column]
}

impl<T: Element, const WRITTEN: bool> TensorTiles<T, 2, WRITTEN> {
    /// Starts to copy four rows, wherever they lie, from `column` on into shared memory; `signal` is told of their bytes
    /// (`cp.async.bulk.tensor.2d.tile::gather4`). The map's tile has one row: `Tiles::new(shape, [1, columns])`. Rows outside
    /// the tensor are read as zero. Needs sm_100.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// /// Rows of an embedding table by their numbers, four at a time.
    /// #[kernel(block = 32)]
    /// fn example(table: &TensorMap<f32, 2>, numbers: &[u32], out: &TensorMapMut<f32, 2>) {
    ///     let rows = shared::<f32>([4, 32]);
    ///     let full = mbarrier(1);
    ///     let filled = full.waiter();
    ///     let i = block_idx.x * 4;
    ///     if thread_idx.x == 0 {
    ///         full.arrive_expect(rows.bytes());
    ///         let chosen = (numbers[i], numbers[i + 1], numbers[i + 2], numbers[i + 3]);
    ///         table.gather(&rows, chosen, 0, &full);
    ///     }
    ///     filled.wait();
    ///     if thread_idx.x == 0 {
    ///         out.scatter(&rows, (i + 3, i + 2, i + 1, i), 0);
    ///         bulk_commit();
    ///         bulk_wait(0);
    ///     }
    /// }
    ///
    /// # let device = Device::emulator().sanitized();
    /// let data: Vec<f32> = (0..100 * 32).map(|i| (i / 32) as f32).collect(); // each row holds its number
    /// let (x, numbers) = (device.upload(&data)?, device.upload(&[7u32, 99, 0, 7, 1, 2, 3, 50])?);
    /// let mut y = device.zeros::<f32>(8 * 32)?;
    /// let from = TensorMap::new(&x, &Tiles::new([100, 32], [1, 32]))?;
    /// let to = TensorMapMut::new(&mut y, &Tiles::new([8, 32], [1, 32]))?;
    /// example(&from, &numbers, &to).grid(2).block(32).launch(&device)?;
    /// let first: Vec<f32> = y.download()?.chunks(32).map(|row| row[31]).collect();
    /// assert_eq!(first, [7.0, 0.0, 99.0, 7.0, 50.0, 3.0, 2.0, 1.0]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    #[track_caller]
    pub fn gather(
        self,
        to: impl IntoPart<T, 2>,
        rows: impl TileAt<4>,
        column: impl IndexValue,
        signal: impl Signal,
    ) {
        here();
        let to = to.into_part();
        four_rows(&to);
        self.map().gather(to, &places(rows.coordinates(), column.parts()), signal);
    }

    /// Starts to copy four rows from shared memory to where `rows` says, from `column` on; the thread waits for it by
    /// [`bulk_wait`](crate::prelude::bulk_wait) (`cp.async.bulk.tensor.2d.tile::scatter4`). Rows outside the tensor are not
    /// written. Needs sm_100; see [`gather`](Self::gather).
    #[track_caller]
    pub fn scatter(self, from: impl IntoPart<T, 2>, rows: impl TileAt<4>, column: impl IndexValue)
    where
        Self: WrittenTensor,
    {
        here();
        let from = from.into_part();
        four_rows(&from);
        self.map().scatter(from, &places(rows.coordinates(), column.parts()));
    }
}
