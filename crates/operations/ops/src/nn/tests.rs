//! Every variant on awkward lengths, sanitized; extreme values; rejected requests.

use super::kernels::RowOperation;
use super::planning::Variant;
use super::{Normal, RowwiseRequest, layer_norm, softmax};
use crate::{Tensor, TensorMut, Workspace};
use half::{bf16, f16};
use lanework::emulator::Options;
use lanework::{Device, Error, Result};

/// Numbers around 1000, whose variance is lost if it is computed only from squares.
fn numbers(n: usize) -> Vec<f32> {
    let mixed = |i: u32| i.wrapping_mul(2_654_435_761) >> 20;
    (0..n as u32).map(|i| 1000.0 + mixed(i) as f32 / 1024.0).collect()
}

fn reference(x: &[f32], kind: RowOperation) -> Vec<f64> {
    let x: Vec<f64> = x.iter().map(|x| f64::from(*x)).collect();
    let mean = x.iter().sum::<f64>() / x.len() as f64;
    let square = |shift: f64| x.iter().map(|x| (x - shift).powi(2)).sum::<f64>() / x.len() as f64;
    let most = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = x.iter().map(|x| (x - most).exp()).sum();
    if kind == RowOperation::Softmax {
        return x.iter().map(|x| (x - most).exp() / sum).collect();
    }
    let shift = if kind == RowOperation::LayerNorm { mean } else { 0.0 };
    let root = (square(shift) + 1e-5).sqrt();
    x.iter().map(|x| (x - shift) / root).collect()
}

fn check(
    device: &Device,
    [rows, n]: [usize; 2],
    kind: RowOperation,
    variant: Variant,
) -> Result<()> {
    let host = numbers(rows * n);
    let x = device.upload(&host)?;
    let workspace = Workspace::new(device);
    // Run twice: the second run needs the counters to be reset.
    for _ in 0..2 {
        let mut y = device.uninit::<f32>(rows * n)?;
        y.fill_bytes(0xFF)?;
        let operation = RowwiseRequest::new(Tensor::new(&x, [rows, n])?, kind);
        operation.plan(TensorMut::new(&mut y, [rows, n])?, variant, &workspace)?.launch()?;
        let y = y.download()?;
        for row in 0..rows {
            let part = row * n..(row + 1) * n;
            for (i, want) in reference(&host[part.clone()], kind).into_iter().enumerate() {
                let got = f64::from(y[part.start + i]);
                // The mean of such numbers is known to about 1e-4 of their deviation.
                let least = if kind == RowOperation::LayerNorm { 1.0 } else { 1.0 / n as f64 };
                let close = (got - want).abs() <= 2e-4 * want.abs().max(least);
                assert!(
                    close,
                    "{kind:?} of {rows} rows of {n}, {variant:?}: row {row}, {i}: {got}, not {want}"
                );
            }
        }
    }
    Ok(())
}

const KINDS: [RowOperation; 3] =
    [RowOperation::Softmax, RowOperation::LayerNorm, RowOperation::RmsNorm];

#[test]
fn rows_are_held_by_parts_of_warps_by_warps_and_by_blocks() -> Result<()> {
    let device = Device::emulator().sanitized();
    for n in [1, 3, 4, 7, 24, 33, 100, 512, 1021, 1032, 3000, 4100] {
        for kind in KINDS {
            check(&device, [1 + 300 / n.max(20), n], kind, Variant::Held)?;
        }
    }
    // All threads of all blocks have all their vectors.
    for kind in KINDS {
        check(&device, [64, 32], kind, Variant::Held)?;
        check(&device, [8, 256], kind, Variant::Held)?;
    }
    Ok(())
}

#[test]
fn rows_are_held_by_several_blocks_in_several_rounds() -> Result<()> {
    let mut options = Options::default();
    options.limits.multiprocessors = 3;
    let device = Device::emulator_with(options).sanitized();
    for (shape, most) in
        [([1, 5000], 2), ([5, 5001], 1), ([4, 2048], 1), ([3, 12_288], 1), ([2, 2049], 8)]
    {
        for kind in KINDS {
            check(&device, shape, kind, Variant::Spread(most))?;
        }
    }
    Ok(())
}

#[test]
fn rows_are_copied_ahead_and_held_by_several_blocks() -> Result<()> {
    let mut options = Options::default();
    options.limits.multiprocessors = 6;
    let device = Device::emulator_with(options).sanitized();
    for (shape, most) in
        [([1, 5000], 1), ([5, 5004], 1), ([4, 2048], 1), ([7, 8196], 2), ([3, 12_288], 1)]
    {
        for kind in KINDS {
            check(&device, shape, kind, Variant::Ring(most))?;
        }
    }
    Ok(())
}

/// Compares the layer norm of `host` with gamma and beta, by every variant that divides rows among blocks (at most `each` vectors
/// per thread), with one block that reads the row several times.
fn agree<T: Normal>(
    host: &[f32],
    shape: [usize; 2],
    each: usize,
    of: fn(f32) -> T,
    to: fn(T) -> f32,
) -> Result<()> {
    let mut options = Options::default();
    options.limits.multiprocessors = 6;
    let device = Device::emulator_with(options).sanitized();
    let upload =
        |numbers: &[f32]| device.upload(&numbers.iter().map(|x| of(*x)).collect::<Vec<T>>());
    let (x, columns) = (upload(host)?, numbers(shape[1]));
    let columns: Vec<f32> = columns.iter().map(|x| x - 1000.0).collect();
    let (gamma, beta) = (upload(&columns)?, upload(&columns)?);
    let mut results: Vec<Vec<T>> = Vec::new();
    for variant in [Variant::Passes, Variant::Held, Variant::Spread(each), Variant::Ring(each)] {
        let mut y = device.zeros::<T>(shape[0] * shape[1])?;
        let norm = layer_norm(Tensor::new(&x, shape)?).gamma(&gamma).beta(&beta);
        let output = TensorMut::new(&mut y, shape)?;
        norm.inner.plan(output, variant, &Workspace::new(&device))?.launch()?;
        results.push(y.download()?);
    }
    // The mean of numbers around 1000 is known to about 1e-4 of their deviation.
    let tolerance = if size_of::<T>() == 2 { 1e-2 } else { 5e-4 };
    for (variant, result) in results.iter().enumerate() {
        for (i, (y, want)) in result.iter().zip(&results[0]).enumerate() {
            let (y, want) = (to(*y), to(*want));
            assert!(
                (y - want).abs() <= tolerance * want.abs().max(1.0),
                "{variant}: {i}: {y}, not {want}"
            );
        }
    }
    Ok(())
}

#[test]
fn factors_of_columns_do_not_depend_on_the_rows_threads() -> Result<()> {
    // Parts with vectors for all threads, and parts with vectors for some threads only.
    for n in [4096, 4108] {
        agree::<f32>(&numbers(7 * n), [7, n], 1, |x| x, |x| x)?;
    }
    Ok(())
}

#[test]
fn factors_of_columns_are_the_same_with_many_vectors_of_a_thread() -> Result<()> {
    agree::<f32>(&numbers(7 * 40_000), [7, 40_000], 8, |x| x, |x| x)
}

#[test]
fn half_results_do_not_depend_on_the_rows_threads() -> Result<()> {
    for n in [8192, 8200, 8195] {
        let host: Vec<f32> = numbers(4 * n).iter().map(|x| x - 1001.0).collect();
        agree::<f16>(&host, [4, n], 1, f16::from_f32, f16::to_f32)?;
        agree::<bf16>(&host, [4, n], 1, bf16::from_f32, bf16::to_f32)?;
    }
    Ok(())
}

#[test]
fn parts_far_from_each_other_lose_nothing() -> Result<()> {
    // The first elements of a row are large, the elements of one warp differ little, and the rest are around 0.
    let n = 6144;
    let mut host = numbers(3 * n);
    for (i, x) in host.iter_mut().enumerate() {
        let place = i % n;
        *x = match place {
            0..100 => *x * 1000.0,
            512..640 => *x,
            _ => *x - 1002.0,
        };
    }
    agree::<f32>(&host, [3, n], 1, |x| x, |x| x)
}

#[test]
fn rows_that_fit_no_registers_are_read_several_times() -> Result<()> {
    let device = Device::emulator().sanitized();
    for shape in [[2, 1], [3, 1500], [1, 2048]] {
        for kind in KINDS {
            check(&device, shape, kind, Variant::Passes)?;
        }
    }
    Ok(())
}

#[test]
fn long_rows_are_divided_among_blocks() -> Result<()> {
    let mut options = Options::default();
    options.limits.multiprocessors = 3;
    let device = Device::emulator_with(options).sanitized();
    for shape in [[1, 40_000], [1, 8192], [2, 20_001], [5, 4099], [3, 8193]] {
        for kind in KINDS {
            check(&device, shape, kind, Variant::Passes)?;
        }
    }
    Ok(())
}

#[test]
fn long_strided_rows_are_divided_among_blocks() -> Result<()> {
    let device = Device::emulator().sanitized();
    let (rows, n) = (2, 34_000);
    let host: Vec<f16> = numbers(rows * n).iter().map(|x| f16::from_f32(x - 1001.0)).collect();
    let across: Vec<f16> = (0..rows * n).map(|i| host[i % rows * n + i / rows]).collect();
    let (x, across) = (device.upload(&host)?, device.upload(&across)?);
    let (mut y, mut z) = (device.zeros::<f16>(rows * n)?, device.zeros::<f16>(rows * n)?);
    layer_norm(Tensor::new(&x, [rows, n])?).run(TensorMut::new(&mut y, [rows, n])?)?;
    let columns = Tensor::new(&across, [n, rows])?;
    layer_norm(columns.t()).run(TensorMut::with_strides(&mut z, [rows, n], [1, rows], 0)?)?;
    let (y, z) = (y.download()?, z.download()?);
    for i in 0..rows * n {
        let (y, z) = (y[i].to_f32(), z[i % n * rows + i / n].to_f32());
        assert!((y - z).abs() <= 2e-3 * y.abs().max(1.0), "{i}: {z}, not {y}");
    }
    Ok(())
}

#[test]
fn large_values_do_not_overflow_softmax() -> Result<()> {
    let device = Device::emulator();
    let none = f32::NEG_INFINITY;
    let rows = [3e38, 3e38, -3e38, none, none, none, none, none, 1.0, f32::NAN, 2.0, 3.0];
    let x = device.upload(&rows)?;
    for variant in [Variant::Held, Variant::Spread(8), Variant::Passes] {
        let mut y = device.zeros::<f32>(12)?;
        let operation = RowwiseRequest::new(Tensor::new(&x, [3, 4])?, RowOperation::Softmax);
        operation
            .plan(TensorMut::new(&mut y, [3, 4])?, variant, &Workspace::new(&device))?
            .launch()?;
        let y = y.download()?;
        assert_eq!(y[..4], [0.5, 0.5, 0.0, 0.0], "{variant:?}");
        assert!(y[4..].iter().all(|y| y.is_nan()), "{variant:?}: {y:?}");
    }
    Ok(())
}

#[test]
fn other_shapes_are_refused_with_the_operand() -> Result<()> {
    let device = Device::emulator();
    let (x, mut y) = (device.zeros::<f32>(12)?, device.zeros::<f32>(12)?);
    let told = |result: Result<()>| match result {
        Err(Error::Request { why, .. }) => why,
        other => panic!("{other:?}"),
    };
    let matrix = Tensor::new(&x, [3, 4])?;
    let why = told(softmax(&matrix).run(TensorMut::new(&mut y, [4, 3])?));
    assert!(why.contains("[3, 4], into one of shape [4, 3]"), "{why}");
    let gamma = device.zeros::<f32>(3)?;
    let why = told(layer_norm(&matrix).gamma(&gamma).run(TensorMut::new(&mut y, [3, 4])?));
    assert!(why.contains("a gamma of shape [3]") && why.contains("rows of 4"), "{why}");
    softmax(Tensor::new(&x, [0, 4])?).run(TensorMut::new(&mut y, [0, 4])?)
}
