//! Steps of k-means: one kernel assigns points to centers, another moves each center to the mean of its points.
use lanework::prelude::*;
use std::ops::{Add, AddAssign, Div, Index, IndexMut, Sub};

const THREADS: usize = 64;

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Point<const D: usize>([f32; D]);

#[device]
impl<const D: usize> Point<D> {
    const ORIGIN: Self = Point([0.0; D]);

    fn zip(self, other: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        let mut result = self;
        for (a, b) in result.0.iter_mut().zip(other.0) {
            *a = f(*a, b);
        }
        result
    }
}

#[device]
impl<const D: usize> Add for Point<D> {
    type Output = Point<D>;
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }
}

#[device]
impl<const D: usize> AddAssign for Point<D> {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

#[device]
impl<const D: usize> Sub for Point<D> {
    type Output = Point<D>;
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }
}

#[device]
impl<const D: usize> Div<f32> for Point<D> {
    type Output = Point<D>;
    fn div(mut self, by: f32) -> Self {
        for i in 0..D {
            self[i] = self[i] / by;
        }
        self
    }
}

#[device]
impl<const D: usize> Index<usize> for Point<D> {
    type Output = f32;
    fn index(&self, i: usize) -> &f32 {
        &self.0[i]
    }
}

#[device]
impl<const D: usize> IndexMut<usize> for Point<D> {
    fn index_mut(&mut self, i: usize) -> &mut f32 {
        &mut self.0[i]
    }
}

#[device]
trait Metric {
    fn distance<const D: usize>(a: &Point<D>, b: &Point<D>) -> f32;
}

#[device]
struct Squared;

#[device]
struct Manhattan;

#[device]
impl Metric for Squared {
    fn distance<const D: usize>(a: &Point<D>, b: &Point<D>) -> f32 {
        let difference = *a - *b;
        difference.0.iter().map(|d| d * d).sum()
    }
}

#[device]
impl Metric for Manhattan {
    fn distance<const D: usize>(a: &Point<D>, b: &Point<D>) -> f32 {
        (0..D).map(|i| (a[i] - b[i]).abs()).fold(0.0, |sum, d| sum + d)
    }
}

#[device]
fn nearest<M: Metric, const D: usize>(
    point: &Point<D>,
    centers: &[Point<D>],
) -> Option<(usize, f32)> {
    centers
        .iter()
        .map(|c| M::distance(point, c))
        .enumerate()
        .min_by(|(_, a), (_, b)| a.total_cmp(b))
}

#[kernel]
fn assign<M: Metric, const D: usize>(
    points: &[Point<D>],
    centers: &[Point<D>],
    labels: &mut [u32],
    moved: &mut [u32],
) {
    let i = (block_idx.x * block_dim.x + thread_idx.x) as usize;
    let Some(point) = points.get(i) else { return };
    if let Some((best, _)) = nearest::<M, D>(point, centers) {
        let old = std::mem::replace(&mut labels[i], best as u32);
        if old != best as u32 {
            atomic_add(&mut moved[0], 1);
        }
    }
}

#[kernel]
fn update<const D: usize>(
    points: &[Point<D>],
    labels: &[u32],
    centers: &mut [Point<D>],
    sizes: &mut [u32],
) {
    let sums = shared::<[(Point<D>, u32); THREADS]>();
    let (center, thread) = (block_idx.x, thread_idx.x as usize);
    let mut mine = (Point::<D>::ORIGIN, 0);
    for (point, _) in points
        .iter()
        .zip(labels)
        .skip(thread)
        .step_by(THREADS)
        .filter(|&(_, &label)| label == center)
    {
        mine.0 += *point;
        mine.1 += 1;
    }
    sums[thread] = mine;
    sync_threads();
    let mut half = THREADS / 2;
    while half > 0 {
        if thread < half {
            let (sum, count) = sums[thread + half];
            sums[thread].0 += sum;
            sums[thread].1 += count;
        }
        sync_threads();
        half /= 2;
    }
    if thread == 0 {
        let (sum, count) = sums[0];
        sizes[center] = count;
        if count > 0 {
            centers[center] = sum / count as f32;
        }
    }
}

fn check<M: Metric>(square: bool) -> lanework::Result<()> {
    let device = Device::emulator().sanitized();
    let points: Vec<[f32; 3]> =
        (0..300u32).map(|i| [7, 13, 29].map(|k| (i * i * k % 101 + i % 3 * 90) as f32)).collect();
    let mut centers =
        [[20.0f32, 30.0, 40.0], [150.0, 100.0, 160.0], [250.0, 210.0, 240.0], [9999.0; 3]];
    let mut labels = vec![u32::MAX; points.len()];

    let on_points = device.upload(&points.iter().copied().map(Point).collect::<Vec<_>>())?;
    let mut on_centers = device.upload(&centers.map(Point))?;
    let mut on_labels = device.upload(&labels)?;
    let mut sizes = device.zeros::<u32>(4)?;
    for _ in 0..3 {
        let mut moved = device.zeros::<u32>(1)?;
        assign::<M, 3>(&on_points, &on_centers, &mut on_labels, &mut moved)
            .grid(3)
            .block(128)
            .launch(&device)?;
        update(&on_points, &on_labels, &mut on_centers, &mut sizes)
            .grid(4)
            .block(THREADS as u32)
            .launch(&device)?;

        let mut changes = 0;
        for (p, label) in points.iter().zip(&mut labels) {
            let distances = centers.map(|c| {
                let [x, y, z] = [c[0] - p[0], c[1] - p[1], c[2] - p[2]];
                if square { x * x + y * y + z * z } else { x.abs() + y.abs() + z.abs() }
            });
            let mut best = 0;
            for c in 1..4 {
                if distances[c] < distances[best] {
                    best = c;
                }
            }
            changes += (*label != best as u32) as u32;
            *label = best as u32;
        }
        let mut want_sizes = [0u32; 4];
        for (c, center) in centers.iter_mut().enumerate() {
            let own: Vec<_> = points
                .iter()
                .zip(&labels)
                .filter(|(_, l)| **l == c as u32)
                .map(|(p, _)| p)
                .collect();
            want_sizes[c] = own.len() as u32;
            if !own.is_empty() {
                *center =
                    [0, 1, 2].map(|k| own.iter().map(|p| p[k]).sum::<f32>() / own.len() as f32);
            }
        }
        assert_eq!(moved.download()?, [changes]);
        assert_eq!(on_labels.download()?, labels);
        assert_eq!(sizes.download()?, want_sizes);
        assert_eq!(on_centers.download()?, centers.map(Point));
    }
    Ok(())
}

#[test]
fn euclidean() -> lanework::Result<()> {
    check::<Squared>(true)
}

#[test]
fn manhattan() -> lanework::Result<()> {
    check::<Manhattan>(false)
}
