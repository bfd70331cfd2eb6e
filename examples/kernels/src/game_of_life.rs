//! Conway's game of life on a torus.

use lanework::prelude::*;

/// The next state of a cell.
#[device]
pub fn next(alive: bool, neighbors: u32) -> bool {
    match (alive, neighbors) {
        (true, 2 | 3) => true,
        (false, 3) => true,
        _ => false,
    }
}

/// One generation.
#[kernel]
pub fn generation(cells: &[u8], after: &mut [u8], width: u32, height: u32) {
    let x = block_idx.x * block_dim.x + thread_idx.x;
    let y = block_idx.y * block_dim.y + thread_idx.y;
    if x >= width || y >= height {
        return;
    }
    let mut neighbors = 0;
    for dy in [height - 1, 0, 1] {
        for dx in [width - 1, 0, 1] {
            if dx != 0 || dy != 0 {
                neighbors += cells[(y + dy) % height * width + (x + dx) % width] as u32;
            }
        }
    }
    let i = y * width + x;
    after[i] = next(cells[i] == 1, neighbors) as u8;
}

/// The same on the host.
pub fn reference(cells: &[u8], width: usize, height: usize) -> Vec<u8> {
    let at = |x: usize, y: usize| u32::from(cells[y % height * width + x % width]);
    let mut after = Vec::new();
    for y in 0..height {
        for x in 0..width {
            let mut sum = 0;
            for dy in [height - 1, 0, 1] {
                for dx in [width - 1, 0, 1] {
                    sum += at(x + dx, y + dy);
                }
            }
            after.push(u8::from(next(at(x, y) == 1, sum - at(x, y))));
        }
    }
    after
}

#[test]
fn equals_the_host() -> lanework::Result<()> {
    let (width, height) = (40, 25);
    let cells: Vec<u8> = crate::values(width * height).iter().map(|v| u8::from(*v > 0.3)).collect();
    for device in crate::devices("game of life") {
        let (mut now, mut expected) = (device.upload(&cells)?, cells.clone());
        for _ in 0..5 {
            let mut after = device.zeros::<u8>(cells.len())?;
            generation(&now, &mut after, width as u32, height as u32)
                .grid((2, 4))
                .block((32, 8))
                .launch(&device)?;
            now = after;
            expected = reference(&expected, width, height);
        }
        assert_eq!(now.download()?, expected);
    }
    Ok(())
}
