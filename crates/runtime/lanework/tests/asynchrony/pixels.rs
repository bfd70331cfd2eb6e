//! Copies of pixels for convolutions (im2col): padding, strides and several images, in one to three dimensions of space.

use crate::{devices, words};
use lanework::prelude::*;
use lanework::{Error, Result};

/// A convolution with a filter of `TALL` x `WIDE` taps for each of 4 channels; a block computes 32 pixels, a thread one of
/// their channels.
#[kernel(block = 128)]
pub fn convolution<const TALL: u32, const WIDE: u32>(
    images: &PixelMap<f32, 4>,
    filter: &[f32],
    output: &mut [f32],
    shape: (u32, u32),
    padding: (u32, u32),
    stride: u32,
) {
    let pixels = shared::<f32>([32, 4]);
    let full = mbarrier(1);
    let filled = full.waiter();
    let (height, width) = shape;
    let first = block_idx.x * 32;
    let image = first / (height * width);
    let (row, column) = (first / width % height, first % width);
    let at_row = (row * stride) as i32 - padding.0 as i32;
    let at_column = (column * stride) as i32 - padding.1 as i32;
    let (pixel, channel) = (thread_idx.x / 4, thread_idx.x % 4);
    let mut sum = 0.0;
    for tap in 0..TALL * WIDE {
        if thread_idx.x == 0 {
            full.arrive_expect(pixels.bytes());
            let at = (image, at_row, at_column, 0);
            images.load(&pixels, at, (tap / WIDE, tap % WIDE), &full);
        }
        filled.wait();
        sum += filter[tap * 4 + channel] * pixels[[pixel, channel]];
        sync_threads(); // all threads have read before the next tap is loaded
    }
    let i = block_idx.x * 128 + thread_idx.x;
    if i < output.len() {
        output[i] = sum;
    }
}

/// Small integers, whose sums are exact in any order.
fn values(count: usize, seed: u64) -> Vec<f32> {
    words(count, seed).iter().map(|v| (v % 17) as f32 - 8.0).collect()
}

#[test]
fn convolutions_read_beyond_the_edges_and_across_images() -> Result<()> {
    const SHAPE: [usize; 4] = [3, 5, 6, 4];
    let [count, height, width, channels] = SHAPE;
    for device in devices("copies of pixels") {
        for (padding, stride) in
            [([1, 1], 1usize), ([1, 0], 1), ([0, 2], 1), ([2, 1], 2), ([0, 0], 3)]
        {
            let (tall, wide) = (3usize, 2usize);
            let images = values(SHAPE.iter().product(), 5);
            let filter = values(tall * wide * channels, 6);
            let out = |extent: usize, pad: u16, taps: usize| {
                (extent + 2 * usize::from(pad) - taps) / stride + 1
            };
            let shape = (out(height, padding[0], tall), out(width, padding[1], wide));
            let mut expected = Vec::new();
            for place in 0..count * shape.0 * shape.1 * channels {
                let (pixel, c) = (place / channels, place % channels);
                let (n, y, x) =
                    (pixel / (shape.0 * shape.1), pixel / shape.1 % shape.0, pixel % shape.1);
                let mut sum = 0.0;
                for (dy, dx) in (0..tall).flat_map(|dy| (0..wide).map(move |dx| (dy, dx))) {
                    let (y, x) = (y * stride + dy, x * stride + dx);
                    let (y, x) =
                        (y.wrapping_sub(padding[0].into()), x.wrapping_sub(padding[1].into()));
                    if y < height && x < width {
                        let value = images[((n * height + y) * width + x) * channels + c];
                        sum += filter[(dy * wide + dx) * channels + c] * value;
                    }
                }
                expected.push(sum);
            }
            let x = device.upload(&images)?;
            let weights = device.upload(&filter)?;
            let mut y = device.zeros::<f32>(expected.len())?;
            let step = stride as u32;
            let pixels = Pixels::new(SHAPE, 32)
                .filter(&[tall as u16, wide as u16], &padding)
                .steps(&[step, step]);
            let map = PixelMap::new(&x, &pixels)?;
            let extents = (shape.0 as u32, shape.1 as u32);
            let pads = (padding[0].into(), padding[1].into());
            convolution::<3, 2>(&map, &weights, &mut y, extents, pads, step)
                .grid(expected.len().div_ceil(128) as u32)
                .block(128)
                .launch(&device)?;
            assert_eq!(y.download()?, expected, "padding {padding:?}, stride {stride}");
        }
    }
    Ok(())
}

macro_rules! shifted {
    ($($name:ident $rank:literal $at:expr, $by:expr;)*) => {$(
        /// Copies 16 pixels of 4 channels from the first on, moved by an offset.
        #[kernel(block = 64)]
        pub fn $name(x: &PixelMap<f32, $rank>, out: &mut [f32]) {
            let pixels = shared::<f32>([16, 4]);
            let full = mbarrier(1);
            let filled = full.waiter();
            if thread_idx.x == 0 {
                x.prefetch_map();
                full.arrive_expect(pixels.bytes());
                x.load(&pixels, $at, $by, &full);
            }
            filled.wait();
            out[thread_idx.x] = pixels[[thread_idx.x / 4, thread_idx.x % 4]];
        }
    )*};
}

shifted! {
    line 3 (0, 0, 0), 2;
    plane 4 (0, 0, 0, 0), (1, 2);
    space 5 (0, 0, 0, 0, 0), (1, 0, 2);
}

#[test]
fn offsets_are_by_dimension_of_space_outermost_first() -> Result<()> {
    for device in devices("copies of pixels") {
        let data: Vec<f32> = (0..2 * 4 * 5 * 6 * 4).map(|i| i as f32).collect();
        let x = device.upload(&data)?;
        let mut out = device.zeros::<f32>(64)?;
        // Pixels from the shifted first one on. The filter determines the width of the box's rows.
        let expected = |first: usize, row: usize, pitch: usize| -> Vec<f32> {
            let at = |pixel: usize| first + pixel / row * pitch + pixel % row;
            (0..64).map(|i| (at(i / 4) * 4 + i % 4) as f32).collect()
        };
        let map = PixelMap::new(&x, &Pixels::new([2, 40, 4], 16).filter(&[3], &[0]))?;
        line(&map, &mut out).grid(1).block(64).launch(&device)?;
        assert_eq!(out.download()?, expected(2, 38, 40));
        let map = PixelMap::new(&x, &Pixels::new([2, 10, 6, 4], 16).filter(&[2, 3], &[0, 0]))?;
        plane(&map, &mut out).grid(1).block(64).launch(&device)?;
        assert_eq!(out.download()?, expected(6 + 2, 4, 6));
        let map =
            PixelMap::new(&x, &Pixels::new([2, 4, 5, 6, 4], 16).filter(&[2, 1, 3], &[0, 0, 0]))?;
        space(&map, &mut out).grid(1).block(64).launch(&device)?;
        assert_eq!(out.download()?, expected(30 + 2, 4, 6));
    }
    Ok(())
}

#[test]
fn a_broken_rule_is_reported_with_its_dimension() -> Result<()> {
    let device = Device::emulator();
    let x = device.zeros::<f32>(2 * 5 * 6 * 4)?;
    let said = |pixels: Pixels<4>| match PixelMap::new(&x, &pixels) {
        Err(Error::TensorMap { rule }) => rule,
        other => panic!("not refused: {other:?}"),
    };
    let pixels = Pixels::new([2, 5, 6, 4], 32);
    for (text, expected) in [
        (said(pixels.filter(&[3], &[1])), "1 spatial dimensions are described"),
        (said(pixels.steps(&[1, 2, 1])), "3 spatial dimensions are described"),
        (said(pixels.steps(&[1, 9])), "step 9"),
        (
            said(pixels.filter(&[3, 3], &[200, 1])),
            "a corner of the box is at -200, not -128 to 127",
        ),
        (said(pixels.filter(&[8, 3], &[0, 0])), "the box of pixels is empty"),
        (said(Pixels::new([2, 5, 6, 4], 1025)), "1025 pixels"),
        (said(Pixels::new([2, 5, 6, 3], 32)), "a pixel has 12 bytes, not a multiple of 16"),
        (said(Pixels::new([3, 5, 6, 4], 32)), "the tensor spans"),
    ] {
        assert!(text.contains(expected), "{text}\nlacks {expected}");
    }
    let other = PixelMap::new(&x, &Pixels::new([2, 5, 6, 4], 16))?;
    let (weights, mut y) = (device.zeros::<f32>(24)?, device.zeros::<f32>(240)?);
    let launch = convolution::<3, 2>(&other, &weights, &mut y, (5, 6), (0, 0), 1);
    let error = launch.grid(1).block(128).launch(&device).unwrap_err().to_string();
    assert!(error.contains("copies tiles of 16 x 4") && error.contains("32 x 4"), "{error}");
    Ok(())
}
