//! Five-point stencil with a shared tile written as nested arrays.
use lanework::prelude::*;

const TILE: usize = 16;

#[kernel]
fn stencil(input: &[f32], output: &mut [f32], width: usize, height: usize) {
    let tile = shared::<[[f32; TILE + 2]; TILE + 2]>();
    let tx = thread_idx.x as usize + 1;
    let ty = thread_idx.y as usize + 1;
    let x = block_idx.x as usize * TILE + thread_idx.x as usize;
    let y = block_idx.y as usize * TILE + thread_idx.y as usize;
    let at = |x: isize, y: isize| -> f32 {
        if x < 0 || y < 0 || x >= width as isize || y >= height as isize {
            0.0
        } else {
            input[y as usize * width + x as usize]
        }
    };
    let (ix, iy) = (x as isize, y as isize);
    tile[ty][tx] = at(ix, iy);
    if tx == 1 {
        tile[ty][0] = at(ix - 1, iy);
    }
    if tx == TILE {
        tile[ty][TILE + 1] = at(ix + 1, iy);
    }
    if ty == 1 {
        tile[0][tx] = at(ix, iy - 1);
    }
    if ty == TILE {
        tile[TILE + 1][tx] = at(ix, iy + 1);
    }
    sync_threads();
    if x < width && y < height {
        let sum = tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx];
        output[y * width + x] = 0.5 * tile[ty][tx] + 0.125 * sum;
    }
}

pub fn main() -> lanework::Result<()> {
    let device = Device::best();
    let (w, h) = (30usize, 20usize);
    let input: Vec<f32> = (0..w * h).map(|i| (i % 7) as f32).collect();
    let x = device.upload(&input)?;
    let mut y = device.zeros::<f32>(w * h)?;
    stencil(&x, &mut y, w, h).grid((2, 2)).block((16, 16)).launch(&device)?;
    let y = y.download()?;
    let at = |x: i64, y: i64| {
        if x < 0 || y < 0 || x >= w as i64 || y >= h as i64 {
            0.0
        } else {
            input[(y * w as i64 + x) as usize]
        }
    };
    for j in 0..h as i64 {
        for i in 0..w as i64 {
            let sum = at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1);
            assert_eq!(y[(j * w as i64 + i) as usize], 0.5 * at(i, j) + 0.125 * sum);
        }
    }
    Ok(())
}
