//! Scans on awkward shapes, and rejected requests.

use super::kernels::{ScanOperation, ScanRows};
use super::layout::{self, ScanVariant};
use crate::{Tensor, TensorMut, Workspace, scan};
use lanework::emulator::Options;
use lanework::{Device, Error, Result};

fn numbers(n: usize) -> Vec<i32> {
    (0..n as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as i32 - 100).collect()
}

fn running(x: &[i32]) -> Vec<i32> {
    let mut sum = 0i32;
    let add = |x: &i32| {
        sum += x;
        sum
    };
    x.iter().map(add).collect()
}

#[test]
fn any_length_is_scanned_and_the_next_scan_finds_its_counters_zero() -> Result<()> {
    let device = Device::emulator().sanitized();
    for n in [0, 1, 2, 31, 1023, 1024, 1025, 2047, 2048, 2049, 12_345] {
        let host = numbers(n);
        let x = device.upload(&host)?;
        for _ in 0..2 {
            assert_eq!(scan::inclusive(&x).eval()?.download()?, running(&host), "{n}");
        }
        let mut shifted = running(&host);
        shifted.insert(0, 0);
        shifted.pop();
        assert_eq!(scan::exclusive(&x).eval()?.download()?, shifted, "{n}");
    }
    Ok(())
}

/// An emulator with few concurrent blocks, so only a few of them wait for each other.
fn small(multiprocessors: u32) -> Device {
    let mut options = Options::default();
    options.limits.multiprocessors = multiprocessors;
    Device::emulator_with(options)
}

fn check(
    device: &Device,
    rows: usize,
    n: usize,
    variant: ScanVariant,
    exclusive: bool,
) -> Result<()> {
    let host: Vec<i64> = (0..(rows * n) as i64).map(|i| i * i % 1009 - 500).collect();
    let x = device.upload(&host)?;
    let workspace = Workspace::new(device);
    let mut y = device.zeros::<i64>(rows * n)?;
    let shape = ScanRows { rows, n, row: (n, n), step: (1, 1) };
    let (from, to, operation) = (x.view(..), y.view_mut(..), (ScanOperation::Sum, exclusive));
    layout::plan(device, from, to, shape, operation, variant, &workspace)?.launch()?;
    let y = y.download()?;
    let mut sum = 0;
    for i in 0..rows * n {
        let before = if i % n == 0 { 0 } else { sum };
        sum = before + host[i];
        let want = if exclusive { before } else { sum };
        assert_eq!(y[i], want, "{variant:?}: row {}, element {}", i / n, i % n);
    }
    Ok(())
}

#[test]
fn tiles_of_several_groups_are_added_up() -> Result<()> {
    // More tiles than threads per block.
    check(&small(1), 1, 515 * 1024 + 78, ScanVariant::Tiles(1), false)
}

#[test]
fn tiles_that_are_copied_ahead_are_scanned_in_order() -> Result<()> {
    let device = small(3).sanitized();
    let shapes =
        [(1, 1026, 1), (1, 40 * 1024, 1), (3, 9 * 1024 + 2, 1), (2, 50_000, 4), (7, 4100, 4)];
    for (i, (rows, n, vectors)) in shapes.into_iter().enumerate() {
        check(&device, rows, n, ScanVariant::Ring(vectors), i % 2 == 1)?;
    }
    Ok(())
}

#[test]
fn result_bits_do_not_depend_on_arrival_order() -> Result<()> {
    let host: Vec<f32> = numbers(40_000).iter().map(|x| 1.0 / (*x as f32 + 0.37)).collect();
    let mut results = Vec::new();
    for workers in [1, 2, 5] {
        let device =
            Device::emulator_with(Options { workers: Some(workers), ..Default::default() });
        let x = device.upload(&host)?;
        let y = scan::inclusive(&x).eval()?.download()?;
        results.push(y.iter().map(|y| y.to_bits()).collect::<Vec<u32>>());
    }
    assert!(results.iter().all(|bits| *bits == results[0]));
    Ok(())
}

#[test]
fn unsupported_scans_are_refused_with_shapes_and_strides() -> Result<()> {
    let device = Device::emulator();
    let (x, mut y) = (device.zeros::<f32>(100)?, device.zeros::<f32>(100)?);
    let told = |result: Result<()>| match result {
        Err(Error::Request { why, .. }) => why,
        other => panic!("{other:?}"),
    };
    let why = told(scan::inclusive(&x).run(TensorMut::new(&mut y, [99])?));
    assert!(why.contains("shape [100] into one of shape [99]"), "{why}");
    let gaps = Tensor::with_strides(&x, [4, 5], [10, 1], 0)?;
    let why = told(scan::inclusive(&gaps).run(TensorMut::new(&mut y, [4, 5])?));
    assert!(why.contains("gaps between its rows") && why.contains("(4, (10, 5))"), "{why}");
    scan::inclusive(&gaps).last_axis().run(TensorMut::new(&mut y, [4, 5])?)?;
    // Minima ignore NaN, sums propagate it.
    let x = device.upload(&[2.0f32, f32::NAN, 1.0])?;
    assert_eq!(scan::inclusive(&x).min().eval()?.download()?, [2.0, 2.0, 1.0]);
    assert!(scan::inclusive(&x).eval()?.download()?[2].is_nan());
    assert_eq!(scan::exclusive(&x).max().eval()?.download()?, [f32::NEG_INFINITY, 2.0, 2.0]);
    Ok(())
}
