//! Tiles of tensors, loaded and stored, with each swizzle.

use crate::{devices, words};
use lanework::prelude::*;
use lanework::{Error, Result};

/// Loads a tile and copies the bytes of shared memory in their order there; with `PLAIN`, in the order of the
/// element indices.
#[kernel(block = 64)]
pub fn fetch<const ROWS: u32, const COLUMNS: u32>(
    input: &TensorMap<u32, 2>,
    row: i32,
    column: i32,
    raw: &mut [u32],
    indexed: &mut [u32],
    #[constant] swizzle: Swizzle,
) {
    let tile = shared::<u32>([ROWS, COLUMNS]);
    let full = mbarrier(1);
    let filled = full.waiter();
    let logical = tile.swizzled(swizzle);
    if thread_idx.x == 0 {
        full.arrive_expect(tile.bytes());
        input.load(&logical, (row, column), &full);
    }
    filled.wait();
    for i in (thread_idx.x..ROWS * COLUMNS).step_by(64) {
        raw[i] = tile[[i / COLUMNS, i % COLUMNS]];
        indexed[i] = logical[[i / COLUMNS, i % COLUMNS]];
    }
}

/// Where each swizzle puts the chunks of a row, as the PTX manual's tables list them: chunk `c` of row `r` goes to the place
/// `c ^ (r >> shift & mask)` of its row.
fn permuted(swizzle: Swizzle, tile: &[u32], columns: usize) -> Vec<u32> {
    let (shift, mask) = match swizzle {
        Swizzle::None => (0, 0),
        Swizzle::B32 => (2, 1),
        Swizzle::B64 => (1, 3),
        Swizzle::B128 => (0, 7),
        Swizzle::B128By32 => unreachable!("Hopper has none"),
    };
    let mut to = vec![0; tile.len()];
    for (at, value) in tile.iter().enumerate() {
        let (row, column) = (at / columns, at % columns);
        let chunk = (column / 4) ^ ((row >> shift) & mask);
        to[row * columns + chunk * 4 + column % 4] = *value;
    }
    to
}

fn each_swizzle<const COLUMNS: u32>(swizzle: Swizzle) -> Result<()> {
    const ROWS: u32 = 32;
    for device in devices("tiles of tensors") {
        let (height, width) = (50usize, 76usize);
        let input = words(height * width, 5);
        let x = device.upload(&input)?;
        let map =
            TensorMap::new(&x, &Tiles::new([height, width], [ROWS, COLUMNS]).swizzle(swizzle))?;
        for at in [[0, 0], [8, 12], [30, 64], [-3, -8], [200, 0]] {
            let count = (ROWS * COLUMNS) as usize;
            let (mut raw, mut indexed) = (device.zeros::<u32>(count)?, device.zeros::<u32>(count)?);
            fetch::<ROWS, COLUMNS>(&map, at[0], at[1], &mut raw, &mut indexed, swizzle)
                .grid(1)
                .block(64)
                .launch(&device)?;
            let mut expected = vec![0; count];
            for (i, value) in expected.iter_mut().enumerate() {
                let row = at[0] + (i as u32 / COLUMNS) as i32;
                let column = at[1] + (i as u32 % COLUMNS) as i32;
                let inside =
                    (0..height as i32).contains(&row) && (0..width as i32).contains(&column);
                if inside {
                    *value = input[row as usize * width + column as usize];
                }
            }
            assert_eq!(indexed.download()?, expected, "{swizzle:?} at {at:?}, as indexed");
            let lies = permuted(swizzle, &expected, COLUMNS as usize);
            assert_eq!(raw.download()?, lies, "{swizzle:?} at {at:?}, as it lies in shared memory");
        }
    }
    Ok(())
}

#[test]
fn a_tile_has_the_layout_of_its_swizzle() -> Result<()> {
    each_swizzle::<20>(Swizzle::None)?;
    each_swizzle::<8>(Swizzle::B32)?;
    each_swizzle::<16>(Swizzle::B64)?;
    each_swizzle::<32>(Swizzle::B128)
}

/// Transposes tile by tile: loads with a swizzle, reads columns, stores plain tiles.
#[kernel(block = 256)]
pub fn transpose(input: &TensorMap<f32, 2>, output: &mut TensorMapMut<f32, 2>) {
    let from = shared::<f32>([32, 32]);
    let to = shared::<f32>([32, 32]);
    let full = mbarrier(1);
    let filled = full.waiter();
    let source = from.swizzled(Swizzle::B128);
    if thread_idx.x == 0 {
        full.arrive_expect(from.bytes());
        input.load(&source, (block_idx.y * 32, block_idx.x * 32), &full);
    }
    filled.wait();
    for i in (thread_idx.x..1024).step_by(256) {
        to[[i / 32, i % 32]] = source[[i % 32, i / 32]];
    }
    fence_proxy_async_shared();
    sync_threads();
    if thread_idx.x == 0 {
        output.store(&to, (block_idx.x * 32, block_idx.y * 32));
        bulk_commit();
        bulk_wait_read(0);
    }
}

#[test]
fn tiles_are_stored() -> Result<()> {
    for device in devices("tiles of tensors") {
        let (rows, columns) = (100usize, 72usize);
        let input: Vec<f32> = (0..rows * columns).map(|i| i as f32).collect();
        let x = device.upload(&input)?;
        let mut y = device.zeros::<f32>(rows * columns)?;
        let from =
            TensorMap::new(&x, &Tiles::new([rows, columns], [32, 32]).swizzle(Swizzle::B128))?;
        let to = TensorMapMut::new(&mut y, &Tiles::new([columns, rows], [32, 32]))?;
        let grid = (columns.div_ceil(32) as u32, rows.div_ceil(32) as u32);
        transpose(&from, to).grid(grid).block(256).launch(&device)?;
        let y = y.download()?;
        for row in 0..rows {
            for column in 0..columns {
                assert_eq!(y[column * rows + row], input[row * columns + column]);
            }
        }
    }
    Ok(())
}

#[test]
fn a_launch_outlives_its_maps() -> Result<()> {
    fn launch<'a>(x: &'a Buffer<f32>, y: &'a mut Buffer<f32>) -> Result<Launch<'a>> {
        let tiles = Tiles::new([32, 32], [32, 32]);
        let from = TensorMap::new(x, &tiles.swizzle(Swizzle::B128))?;
        let to = TensorMapMut::new(y, &tiles)?;
        Ok(transpose(&from, to).grid(1).block(256))
    }
    let device = Device::emulator().sanitized();
    let x = device.upload(&std::array::from_fn::<f32, 1024, _>(|i| i as f32))?;
    let mut y = device.zeros::<f32>(1024)?;
    launch(&x, &mut y)?.launch(&device)?;
    assert_eq!(y.download()?[32 * 3 + 5], (32 * 5 + 3) as f32);
    Ok(())
}

#[test]
fn a_map_with_another_tile_than_the_kernels_is_rejected() -> Result<()> {
    let device = Device::emulator();
    let x = device.zeros::<f32>(64 * 64)?;
    let mut y = device.zeros::<f32>(64 * 64)?;
    let plain = TensorMap::new(&x, &Tiles::new([64, 64], [32, 32]))?;
    let mut to = TensorMapMut::new(&mut y, &Tiles::new([64, 64], [32, 32]))?;
    let mut said = |map: &TensorMap<f32, 2>| {
        let launched = transpose(map, &mut to).grid(1).block(256).launch(&device);
        launched.expect_err("another tile").to_string()
    };
    let text = said(&plain);
    assert!(text.contains("`input` copies tiles of 32 x 32 without a swizzle"), "{text}");
    assert!(text.contains("the kernel's are 32 x 32 with the swizzle B128"), "{text}");
    let narrow = TensorMap::new(&x, &Tiles::new([64, 64], [16, 32]).swizzle(Swizzle::B128))?;
    assert!(said(&narrow).contains("tiles of 16 x 32 with the swizzle B128"), "{}", said(&narrow));
    let other = Device::emulator_with(lanework::emulator::Options::default());
    let elsewhere = other.zeros::<f32>(64 * 64)?;
    let map = TensorMap::new(&elsewhere, &Tiles::new([64, 64], [32, 32]).swizzle(Swizzle::B128))?;
    assert!(said(&map).contains("is on another device"), "{}", said(&map));
    Ok(())
}

#[test]
fn a_broken_rule_is_reported_with_its_dimension() -> Result<()> {
    let device = Device::emulator();
    let x = device.zeros::<f32>(64 * 60)?;
    let said = |tiles: Tiles<2>| match TensorMap::new(&x, &tiles) {
        Err(Error::TensorMap { rule }) => rule,
        other => panic!("not refused: {other:?}"),
    };
    for (tiles, expected) in [
        (Tiles::new([64, 0], [32, 32]), "dimension 1 of the shape [64, 0] is 0"),
        (Tiles::new([64, 60], [300, 32]), "dimension 0 of the tile [300, 32] is 300"),
        (
            Tiles::new([64, 59], [32, 32]),
            "dimension 0 has a stride of 236 bytes, not a multiple of 16",
        ),
        (
            Tiles::new([64, 60], [32, 31]),
            "dimension 1 of the tile [32, 31] has 124 bytes, not a multiple of 16",
        ),
        (
            Tiles::new([64, 60], [32, 64]).swizzle(Swizzle::B128),
            "has 256 bytes, more than the 128 of its swizzle",
        ),
        (
            Tiles::new([64, 60], [32, 32]).strides([60, 2]),
            "the last of the strides [60, 2] is not 1",
        ),
        (Tiles::new([64, 60], [32, 32]).steps([9, 1]), "dimension 0 has the step 9"),
        (Tiles::new([65, 60], [32, 32]), "spans 15600 bytes, its buffer has 15360"),
    ] {
        let rule = said(tiles);
        assert!(rule.contains(expected), "{rule}\nlacks {expected}");
    }
    Ok(())
}
