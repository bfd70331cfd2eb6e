//! One round of k-means: the nearest center of every point, then the sums for new centers.

use lanework::prelude::*;

const DIMENSIONS: usize = 3;

/// The squared distance of two points.
#[device]
fn distance(a: &[f32; DIMENSIONS], b: &[f32; DIMENSIONS]) -> f32 {
    let mut sum = 0.0;
    for d in 0..DIMENSIONS {
        sum += (a[d] - b[d]) * (a[d] - b[d]);
    }
    sum
}

/// Assigns every point to its nearest center and adds it to that center's sums.
#[kernel]
pub fn assign(
    points: &[f32],
    centers: &[f32],
    nearest: &mut [u32],
    sums: &mut [f32],
    counts: &mut [u32],
) {
    let i = (block_idx.x * block_dim.x + thread_idx.x) as usize;
    if i >= nearest.len() {
        return;
    }
    let point = [points[i * 3], points[i * 3 + 1], points[i * 3 + 2]];
    let mut best = (f32::INFINITY, 0);
    for k in 0..centers.len() / DIMENSIONS {
        let center = [centers[k * 3], centers[k * 3 + 1], centers[k * 3 + 2]];
        let d = distance(&point, &center);
        if d < best.0 {
            best = (d, k);
        }
    }
    let (_, k) = best;
    nearest[i] = k as u32;
    for d in 0..DIMENSIONS {
        atomic_add(&mut sums[k * DIMENSIONS + d], point[d]);
    }
    atomic_add(&mut counts[k], 1);
}

#[test]
fn equals_the_host() -> lanework::Result<()> {
    let (n, k) = (500, 4);
    let (points, centers) = (crate::values(n * 3), crate::values(k * 3 + 7)[7..].to_vec());
    let expected: Vec<u32> = points
        .chunks(3)
        .map(|p| {
            let squared = |c: &[f32]| (0..3).map(|d| (p[d] - c[d]) * (p[d] - c[d])).sum::<f32>();
            let distances: Vec<f32> = centers.chunks(3).map(squared).collect();
            (0..k).min_by(|a, b| distances[*a].total_cmp(&distances[*b])).unwrap() as u32
        })
        .collect();
    let mut sums = vec![0.0; k * 3];
    for (p, c) in points.chunks(3).zip(&expected) {
        (0..3).for_each(|d| sums[*c as usize * 3 + d] += p[d]);
    }
    for device in crate::devices("k-means") {
        let (p, c) = (device.upload(&points)?, device.upload(&centers)?);
        let mut nearest = device.zeros::<u32>(n)?;
        let (mut s, mut counts) = (device.zeros::<f32>(k * 3)?, device.zeros::<u32>(k)?);
        assign(&p, &c, &mut nearest, &mut s, &mut counts).grid(4).block(128).launch(&device)?;
        assert_eq!(nearest.download()?, expected);
        crate::assert_close(&s.download()?, &sums, 1e-4);
        assert_eq!(counts.download()?.iter().sum::<u32>(), n as u32);
    }
    Ok(())
}
