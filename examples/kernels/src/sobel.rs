//! Edges of an image by the Sobel operator, with a table of weights indexed at run time.

use lanework::prelude::*;

const WEIGHTS: [[i32; 3]; 3] = [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]];

/// The strength of the edge at every inner pixel, 0 at the border.
#[kernel]
pub fn sobel(image: &[u8], edges: &mut [u8], width: u32, height: u32) {
    let x = block_idx.x * block_dim.x + thread_idx.x;
    let y = block_idx.y * block_dim.y + thread_idx.y;
    if x >= width || y >= height {
        return;
    }
    let border = x == 0 || y == 0 || x == width - 1 || y == height - 1;
    let strength = if border {
        0
    } else {
        let (mut across, mut down) = (0, 0);
        for j in 0..3u32 {
            for i in 0..3u32 {
                let pixel = image[(y + j - 1) * width + x + i - 1] as i32;
                across += WEIGHTS[j][i] * pixel;
                down += WEIGHTS[i][j] * pixel;
            }
        }
        (across.abs() + down.abs()).clamp(0, 255)
    };
    edges[y * width + x] = strength as u8;
}

/// The same on the host.
pub fn reference(image: &[u8], width: usize, height: usize) -> Vec<u8> {
    let mut edges = vec![0; image.len()];
    for y in 1..height - 1 {
        for x in 1..width - 1 {
            let (mut across, mut down) = (0, 0);
            for j in 0..3 {
                for i in 0..3 {
                    let pixel = i32::from(image[(y + j - 1) * width + x + i - 1]);
                    across += WEIGHTS[j][i] * pixel;
                    down += WEIGHTS[i][j] * pixel;
                }
            }
            edges[y * width + x] = (across.abs() + down.abs()).clamp(0, 255) as u8;
        }
    }
    edges
}

#[test]
fn equals_the_host() -> lanework::Result<()> {
    let (width, height) = (50, 37);
    let image: Vec<u8> =
        crate::values(width * height).iter().map(|v| (v * 60.0 + 80.0) as u8).collect();
    for device in crate::devices("Sobel operator") {
        let x = device.upload(&image)?;
        let mut y = device.zeros::<u8>(image.len())?;
        sobel(&x, &mut y, width as u32, height as u32)
            .grid((4, 5))
            .block((16, 8))
            .launch(&device)?;
        assert_eq!(y.download()?, reference(&image, width, height));
    }
    Ok(())
}
