//! Convolution of an image with a filter of any odd size, zero outside the image.

use lanework::prelude::*;

/// `output[y][x] = sum of filter[j][i] * input[y + j - R][x + i - R]`.
#[kernel]
pub fn conv2d<const SIZE: usize>(
    input: &[f32],
    filter: &[f32],
    output: &mut [f32],
    width: u32,
    height: u32,
) {
    let x = (block_idx.x * block_dim.x + thread_idx.x) as i32;
    let y = (block_idx.y * block_dim.y + thread_idx.y) as i32;
    if x >= width as i32 || y >= height as i32 {
        return;
    }
    let radius = (SIZE / 2) as i32;
    let mut sum = 0.0;
    for j in -radius..=radius {
        for i in -radius..=radius {
            let (u, v) = (x + i, y + j);
            if u >= 0 && u < width as i32 && v >= 0 && v < height as i32 {
                let weight = filter[(j + radius) as usize * SIZE + (i + radius) as usize];
                sum += weight * input[v as u32 * width + u as u32];
            }
        }
    }
    output[y as u32 * width + x as u32] = sum;
}

/// The same on the host.
pub fn reference(input: &[f32], filter: &[f32], width: usize, height: usize) -> Vec<f32> {
    let size = filter.len().isqrt();
    let r = (size / 2) as isize;
    let mut output = vec![0.0; input.len()];
    for y in 0..height as isize {
        for x in 0..width as isize {
            for j in 0..size as isize {
                for i in 0..size as isize {
                    let (u, v) = (x + i - r, y + j - r);
                    if (0..width as isize).contains(&u) && (0..height as isize).contains(&v) {
                        output[(y * width as isize + x) as usize] += filter
                            [(j * size as isize + i) as usize]
                            * input[(v * width as isize + u) as usize];
                    }
                }
            }
        }
    }
    output
}

#[test]
fn equals_the_host() -> lanework::Result<()> {
    let (width, height) = (45, 30);
    let input = crate::values(width * height);
    let filter = crate::values(25);
    for device in crate::devices("conv2d") {
        let (x, f) = (device.upload(&input)?, device.upload(&filter)?);
        let mut y = device.zeros::<f32>(input.len())?;
        conv2d::<5>(&x, &f, &mut y, width as u32, height as u32)
            .grid((3, 4))
            .block((16, 8))
            .launch(&device)?;
        crate::assert_close(&y.download()?, &reference(&input, &filter, width, height), 1e-5);
    }
    Ok(())
}
