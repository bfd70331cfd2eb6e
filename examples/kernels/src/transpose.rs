//! A transpose of any element type through a padded tile.

use lanework::prelude::*;

const TILE: u32 = 32;
const STEP: u32 = 8;

/// `output[x][y] = input[y][x]` for a row-major matrix of `rows x columns`; a block of `TILE x STEP` threads per tile.
#[kernel]
pub fn transpose<T: Element>(input: &[T], output: &mut [T], rows: u32, columns: u32) {
    let tile = shared::<T>([TILE, TILE + 1]);
    let x = block_idx.x * TILE + thread_idx.x;
    let y = block_idx.y * TILE + thread_idx.y;
    for j in (0..TILE).step_by(STEP) {
        if x < columns && y + j < rows {
            tile[[thread_idx.y + j, thread_idx.x]] = input[(y + j) * columns + x];
        }
    }
    sync_threads();
    let x = block_idx.y * TILE + thread_idx.x;
    let y = block_idx.x * TILE + thread_idx.y;
    for j in (0..TILE).step_by(STEP) {
        if x < rows && y + j < columns {
            output[(y + j) * rows + x] = tile[[thread_idx.x, thread_idx.y + j]];
        }
    }
}

#[test]
fn equals_the_host() -> lanework::Result<()> {
    let (rows, columns) = (70u32, 45u32);
    let input: Vec<u16> = (0..rows * columns).map(|i| i as u16).collect();
    for device in crate::devices("transpose") {
        let x = device.upload(&input)?;
        let mut y = device.zeros::<u16>(input.len())?;
        transpose(&x, &mut y, rows, columns).grid((2, 3)).block((32, 8)).launch(&device)?;
        let got = y.download()?;
        for r in 0..rows as usize {
            for c in 0..columns as usize {
                assert_eq!(got[c * rows as usize + r], input[r * columns as usize + c]);
            }
        }
    }
    Ok(())
}
