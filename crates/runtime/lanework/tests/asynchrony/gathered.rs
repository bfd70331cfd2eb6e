//! Copies of four rows by their numbers (sm_100).

use crate::{devices, words};
use lanework::Result;
use lanework::prelude::*;

/// Moves rows of a table, four at a time, from the positions in one list to those in the other.
#[kernel(block = 32)]
pub fn moved_rows(
    table: &TensorMap<u32, 2>,
    from: &[i32],
    to: &[i32],
    column: u32,
    output: &mut TensorMapMut<u32, 2>,
) {
    let rows = shared::<u32>([4, 16]);
    let full = mbarrier(1);
    let filled = full.waiter();
    let i = block_idx.x * 4;
    if thread_idx.x == 0 {
        full.arrive_expect(rows.bytes());
        table.gather(&rows, (from[i], from[i + 1], from[i + 2], from[i + 3]), column, &full);
    }
    filled.wait();
    if thread_idx.x == 0 {
        output.scatter(&rows, (to[i], to[i + 1], to[i + 2], to[i + 3]), column);
        bulk_commit();
        bulk_wait(0);
    }
}

#[test]
fn rows_are_gathered_and_scattered_by_their_numbers() -> Result<()> {
    const ROWS: usize = 40;
    for mut device in devices("copies of rows") {
        if device.backend() == lanework::Backend::Cuda && device.info().compute_capability < (10, 0)
        {
            eprintln!("SKIPPED on a GPU: copies of rows: it is older than sm_100");
            device = Device::emulator();
        }
        let table = words(ROWS * 48, 4);
        // One row beyond the table, which is read as 0, and one that is not written.
        let from: Vec<i32> = vec![3, 39, 0, 3, 17, 40, 5, 6, 20, 21, -1, 1];
        let to: Vec<i32> = vec![1, 0, 2, 3, 9, 8, 7, 40, 30, 31, 32, 33];
        let (x, f, t) = (device.upload(&table)?, device.upload(&from)?, device.upload(&to)?);
        for column in [0usize, 16, 40] {
            let mut y = device.upload(&vec![7u32; ROWS * 48])?;
            let tiles = Tiles::new([ROWS, 48], [1, 16]);
            let source = TensorMap::new(&x, &tiles)?;
            let target = TensorMapMut::new(&mut y, &tiles)?;
            moved_rows(&source, &f, &t, column as u32, target).grid(3).block(32).launch(&device)?;
            let mut expected = vec![7u32; ROWS * 48];
            for (from, to) in from.iter().zip(&to) {
                for c in column..48.min(column + 16) {
                    if (0..ROWS as i32).contains(to) {
                        let inside = (0..ROWS as i32).contains(from);
                        expected[*to as usize * 48 + c] =
                            if inside { table[*from as usize * 48 + c] } else { 0 };
                    }
                }
            }
            assert_eq!(y.download()?, expected, "column {column}");
        }
    }
    Ok(())
}
