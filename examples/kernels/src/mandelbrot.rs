//! The Mandelbrot set: how many iterations every point takes to leave the circle of radius 2.

use lanework::prelude::*;

/// The number of iterations, at most `limit`.
#[device]
pub fn steps(cx: f64, cy: f64, limit: u32) -> u32 {
    let (mut x, mut y) = (0.0, 0.0);
    for step in 0..limit {
        if x * x + y * y > 4.0 {
            return step;
        }
        (x, y) = (x * x - y * y + cx, 2.0 * x * y + cy);
    }
    limit
}

/// The iterations for every pixel, at most 100; a row of blocks per row of the image.
#[kernel]
pub fn mandelbrot(image: &mut [u32], width: u32, left: f64, top: f64, scale: f64) {
    let (x, y) = (block_idx.x * block_dim.x + thread_idx.x, block_idx.y);
    if x < width {
        image[y * width + x] = steps(left + x as f64 * scale, top + y as f64 * scale, 100);
    }
}

#[test]
fn equals_the_host() -> lanework::Result<()> {
    let (width, height) = (60, 40);
    let at = |i: usize| (-2.0 + (i % width) as f64 * 0.05, -1.0 + (i / width) as f64 * 0.05);
    let expected: Vec<u32> = (0..width * height).map(at).map(|(x, y)| steps(x, y, 100)).collect();
    for device in crate::devices("Mandelbrot set") {
        let mut image = device.zeros::<u32>(width * height)?;
        mandelbrot(&mut image, width as u32, -2.0, -1.0, 0.05)
            .grid((1, height as u32))
            .block(64)
            .launch(&device)?;
        assert_eq!(image.download()?, expected);
    }
    Ok(())
}
