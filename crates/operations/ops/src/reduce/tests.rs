//! Guarantees of reductions besides the right sum: reproducible bits, NumPy's NaNs, compensation, helpful errors, and no sanitizer
//! findings.

use super::*;
use lanework::Device;
use lanework::emulator::Blocks;

fn ramp(n: usize) -> Vec<f32> {
    (0..n).map(|i| ((i * 7919) % 1009) as f32 - 500.0).collect()
}

#[test]
fn every_way_of_sharing_is_clean_under_the_sanitizer() -> Result<()> {
    let device = Device::emulator().sanitized();
    for (shape, strides, axis) in [
        ([1, 1, 3], [3, 3, 1], None),           // one block
        ([1, 1, 9003], [9003, 9003, 1], None),  // several blocks, without gaps
        ([3, 40, 50], [4000, 60, 1], None),     // several blocks, with gaps
        ([2, 5, 300], [1500, 300, 1], Some(2)), // one warp per result
        ([1, 2, 3000], [1, 3000, 1], Some(2)),  // several blocks per result
        ([1, 2000, 9], [1, 9, 1], Some(1)),     // columns
        ([2, 3, 70], [210, 70, 1], Some(0)),
        ([1, 3, 9001], [1, 9001, 1], Some(1)), // many columns
    ] {
        let reach: usize = shape.iter().zip(strides).map(|(n, s)| (n - 1) * s).sum();
        let host = ramp(reach + 1);
        let x = device.upload(&host)?;
        let array = || Tensor::with_strides(&x, shape, strides, 0);
        let along = |sum: Reduction<'_, f32, f32, 3>| match axis {
            Some(axis) => sum.axis(axis).eval(),
            None => sum.eval(),
        };
        let total: f64 = along(sum(array()?))?.download()?.into_iter().map(f64::from).sum();
        let mut want = 0.0;
        for i in 0..shape[0] {
            for j in 0..shape[1] {
                let row = i * strides[0] + j * strides[1];
                want += (0..shape[2]).map(|k| f64::from(host[row + k * strides[2]])).sum::<f64>();
            }
        }
        assert_eq!(total, want, "{shape:?} {strides:?} along {axis:?}"); // integers: exact
        along(dot(array()?, array()?).compensated())?;
        match axis {
            Some(axis) => argmin(array()?).axis(axis).eval()?,
            None => argmin(array()?).eval()?,
        };
    }
    Ok(())
}

#[test]
fn blocks_share_many_columns() -> Result<()> {
    let device = Device::emulator();
    let (rows, columns) = (40, 9000);
    let host = ramp(rows * columns);
    let x = device.upload(&host)?;
    let sums = sum(Tensor::new(&x, [rows, columns])?).axis(0).eval()?.download()?;
    for (column, got) in sums.into_iter().enumerate() {
        assert_eq!(got, (0..rows).map(|row| host[row * columns + column]).sum::<f32>());
    }
    Ok(())
}

/// Sums and argmax along both axes of a matrix whose rows are `gap` elements apart.
fn check_halves<T: Reducible<Sum = f32>>(
    [rows, columns]: [usize; 2],
    gap: usize,
    of: fn(f32) -> T,
) -> Result<()> {
    let device = Device::emulator().sanitized();
    let row = columns + gap;
    let host: Vec<f32> = (0..rows * row).map(|i| ((i * 7919) % 101) as f32 - 50.0).collect();
    let x = device.upload(&host.iter().map(|x| of(*x)).collect::<Vec<T>>())?;
    let matrix = || Tensor::with_strides(&x, [rows, columns], [row, 1], 0);
    for (axis, results, length, step, next) in
        [(0, columns, rows, row, 1), (1, rows, columns, 1, row)]
    {
        let sums = sum(matrix()?).axis(axis).eval()?.download()?;
        let exact = sum(matrix()?).axis(axis).compensated().eval()?.download()?;
        let places = argmax(matrix()?).axis(axis).eval()?.download()?;
        for i in 0..results {
            let numbers: Vec<f32> = (0..length).map(|k| host[i * next + k * step]).collect();
            let want: f32 = numbers.iter().sum();
            assert_eq!((sums[i], exact[i]), (want, want), "{rows} x {columns} along {axis}: {i}");
            let most = numbers.iter().copied().fold(f32::MIN, f32::max);
            let place = numbers.iter().position(|x| *x == most).expect("one");
            assert_eq!(places[i], place as u64, "{rows} x {columns} along {axis}: {i}");
        }
    }
    Ok(())
}

#[test]
#[ignore = "slow: every type at every offset"]
fn rows_and_columns_of_small_elements_are_read_by_vectors_wherever_they_begin() -> Result<()> {
    for (shape, gap) in [([700, 24], 0), ([33, 8], 4), ([5, 401], 0), ([3, 2001], 2), ([40, 32], 3)]
    {
        check_halves(shape, gap, half::f16::from_f32)?;
        check_halves(shape, gap, half::bf16::from_f32)?;
        check_halves(shape, gap, |x| x)?;
    }
    Ok(())
}

#[test]
fn a_plan_that_runs_again_gives_the_same_bits_in_one_launch() -> Result<()> {
    let device = Device::emulator();
    let host: Vec<f32> = ramp(20_001).iter().map(|x| x * 1.1).collect();
    let x = device.upload(&host)?;
    let mut out = device.upload(&[f32::NAN])?;
    let mut plan = sum_of_squares(&x).prepare(&mut out)?;
    let mut bits = Vec::new();
    for _ in 0..3 {
        plan.launch()?;
        bits.push(sum_of_squares(&x).value()?.to_bits());
    }
    assert_eq!(plan.steps().len(), 1);
    assert!(plan.steps()[0].shape().0.x > 1, "several blocks share the result");
    assert!(plan.steps()[0].profile(Blocks::All)?.counters.global_load.requests > 0);
    drop(plan);
    bits.push(out.download()?[0].to_bits());
    assert!(bits.windows(2).all(|pair| pair[0] == pair[1]), "{bits:x?}");
    Ok(())
}

#[test]
fn a_large_array_is_summed_by_several_blocks_of_each_multiprocessor() -> Result<()> {
    let device = Device::emulator();
    let n = (1 << 23) + 5;
    let x = device.upload(&ramp(n))?;
    let mut out = device.uninit::<f32>(1)?;
    let mut plan = sum(&x).prepare(&mut out)?;
    assert_eq!(plan.steps()[0].shape().0.x, 2 * device.info().multiprocessors);
    plan.launch()?;
    drop(plan);
    let want: f64 = ramp(n).into_iter().map(f64::from).sum();
    let got = f64::from(out.download()?[0]);
    assert!((got - want).abs() <= 1e-5 * want.abs().max(1.0), "{got}, not {want}");
    Ok(())
}

#[test]
fn threads_that_share_a_device_take_turns() -> Result<()> {
    let device = Device::emulator();
    let host = ramp(30_000);
    let want: f64 = host.iter().copied().map(f64::from).sum();
    let x = &device.upload(&host)?;
    std::thread::scope(|scope| -> Result<()> {
        let sums = || -> Result<Vec<f32>> { (0..10).map(|_| sum(x).value()).collect() };
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(sums)).collect();
        for thread in threads {
            let sums = thread.join().expect("no panic")?;
            assert!(sums.iter().all(|sum| f64::from(*sum) == want), "{sums:?}, not {want}");
        }
        Ok(())
    })
}

#[test]
fn nan_and_equal_numbers_are_numpys() -> Result<()> {
    let device = Device::emulator();
    let mut host = vec![1.0f64; 5000];
    host[4321] = -0.0;
    host[4400] = 0.0;
    let x = device.upload(&host)?;
    assert_eq!(argmin(&x).value()?, 4321);
    assert_eq!(argmax(&x).value()?, 0);
    host[777] = f64::NAN;
    host[3000] = f64::NAN;
    let x = device.upload(&host)?;
    assert_eq!((argmin(&x).value()?, argmax(&x).value()?), (777, 777));
    assert!(min(&x).value()?.is_nan() && max(&x).value()?.is_nan());
    let x = device.upload(&[f64::INFINITY; 40])?;
    assert_eq!((argmin(&x).value()?, min(&x).value()?), (0, f64::INFINITY));
    Ok(())
}

#[test]
fn argmax_returns_the_first_of_equal_numbers() -> Result<()> {
    let device = Device::emulator();
    for length in 15..=45 {
        let host: Vec<f32> = (0..40 * length).map(|i| (i * i % 7 % 4) as f32).collect();
        let x = device.upload(&host)?;
        let found = argmax(Tensor::new(&x, [40, length])?).axis(1).eval()?.download()?;
        for (row, place) in host.chunks(length).zip(found) {
            let first = (1..length).fold(0, |best, i| if row[i] > row[best] { i } else { best });
            assert_eq!(place, first as u64, "{row:?}");
        }
    }
    Ok(())
}

#[test]
fn a_compensated_sum_keeps_canceled_bits_and_infinities() -> Result<()> {
    let device = Device::emulator();
    let mut host = vec![1.0f32; 4096];
    for pair in host.chunks_mut(64) {
        pair[3] = 3e7;
        pair[60] = -3e7;
    }
    let x = device.upload(&host)?;
    assert_eq!(sum(&x).compensated().value()?, 4096.0 - 128.0);
    assert_ne!(sum(&x).value()?, 4096.0 - 128.0);
    let y = device.upload(&vec![1.0f32 / 3.0; 4096])?;
    let want = (4096.0 - 128.0) * f64::from(1.0f32 / 3.0);
    assert_eq!(dot(&x, &y).compensated().value()?, want as f32);
    host[100] = f32::INFINITY;
    let x = device.upload(&host)?;
    assert_eq!(sum(&x).compensated().value()?, f32::INFINITY);
    Ok(())
}

#[test]
fn outputs_that_do_not_fit_are_refused_with_the_numbers() -> Result<()> {
    let device = Device::emulator();
    let x = device.zeros::<f32>(12)?;
    let matrix = Tensor::new(&x, [3, 4])?;
    let mut out = device.zeros::<f32>(3)?;
    let told = |result: Result<()>| result.expect_err("refused").to_string();
    let error = told(sum(&matrix).axis(0).run(&mut out));
    assert!(error.contains("results of shape [4], the output has shape [3]"), "{error}");
    let error = told(sum(&matrix).axis(2).run(&mut out));
    assert!(error.contains("axis 2 of an array of 2 dimensions, [3, 4]"), "{error}");
    let error = told(dot(&matrix, Tensor::new(&x, [4, 3])?).run(&mut out));
    assert!(error.contains("shapes [3, 4] and [4, 3]"), "{error}");
    let error = told(max(&matrix).compensated().axis(1).run(&mut out));
    assert!(error.contains("`max` is not a sum"), "{error}");
    let error = told(argmin(Tensor::new(&x, [3, 0])?).axis(1).eval().map(|_| ()));
    assert!(error.contains("along axis 1 of an array of shape [3, 0]"), "{error}");
    let error = told(sum(&matrix).axis(1).value().map(|_| ()));
    assert!(error.contains("there are 3 results along the axis"), "{error}");
    Ok(())
}

#[test]
fn empty_sums_are_0_and_empty_results_are_allowed() -> Result<()> {
    let device = Device::emulator();
    let x = device.zeros::<i32>(0)?;
    assert_eq!(sum(&x).value()?, 0);
    let empty = Tensor::new(&x, [3, 0])?;
    assert_eq!(sum(&empty).axis(1).eval()?.download()?, [0; 3]);
    assert!(sum(&empty).axis(0).eval()?.is_empty());
    assert!(argmax(&empty).axis(0).eval()?.is_empty());
    Ok(())
}
