//! FP64 products with exact results, in every layout.

use super::*;
use crate::gemm::gemm;
use crate::{Plan, Tensor, TensorMut, Workspace};
use lanework::Device;

/// The kernel under test.
#[derive(Clone, Copy)]
enum By {
    /// The sm_90a kernel with this tile.
    Tma((u32, u32)),
    /// The sm_90a kernel with the last two tiles divided into three parts.
    Parts((u32, u32)),
    /// The sm_90 kernel.
    Copies,
    /// The sm_80 kernel.
    SmallProducts,
}

/// Checks the product of 2 batches of m x k by k x n on a sanitized emulator, and that gaps are not written.
fn check([m, n, k]: [usize; 3], by_rows: (bool, bool), gap: usize, by: By) -> Result<()> {
    let device = Device::emulator().sanitized();
    let numbers = |length: usize, seed: usize| -> Vec<f64> {
        (0..length).map(|i| ((i * 37 + seed) % 17) as f64 / 4.0 - 2.0).collect()
    };
    let strides = |rows: usize, columns: usize, by_rows: bool| match by_rows {
        true => [rows * (columns + gap), columns + gap, 1],
        false => [columns * (rows + gap), 1, rows + gap],
    };
    let (of_a, of_b) = (strides(m, k, by_rows.0), strides(k, n, by_rows.1));
    let of_c = strides(m, n, true);
    let (a, b) = (numbers(2 * of_a[0] + 2, 1), numbers(2 * of_b[0] + 2, 5));
    let (on_a, on_b) = (device.upload(&a)?, device.upload(&b)?);
    let mut c = device.upload(&vec![3.0f64; 2 * of_c[0] + 2])?;
    let first = match by {
        By::Tma(_) | By::Parts(_) => gap % 2 * 2, // keeps the first element's address a multiple of 16
        _ => gap % 2,
    };
    let tensor_a = Tensor::with_strides(&on_a, [2, m, k], of_a, first)?;
    let tensor_b = Tensor::with_strides(&on_b, [2, k, n], of_b, first)?;
    let to = TensorMut::with_strides(&mut c, [2, m, n], of_c, first)?;
    let problem = gemm(tensor_a, tensor_b).alpha(0.5).beta(2.0).problem(to)?;
    assert!(suits(&problem) || m.min(n).min(k) < 16);
    let mut layout = WorkspaceLayout::default();
    let (mut units, mut parts) = (None, None);
    if let By::Tma((rows, columns)) | By::Parts((rows, columns)) = by {
        let config = DoubleConfig {
            tile: (rows, columns),
            ..config(&problem).expect("factors as TMA reads them")
        };
        let tiles = 2 * m.div_ceil(rows as usize) * n.div_ceil(columns as usize);
        let steps = k.div_ceil(config.depth() as usize);
        let whole = Units::whole(tiles, steps);
        let divided = Units { full: tiles - 2, rest: 2, parts: 3, each: steps.div_ceil(3) };
        let divide = matches!(by, By::Parts(_));
        parts = divide.then(|| layout.scratch::<f64>(divided.of_parts(config)));
        units = Some((config, if divide { divided } else { whole }));
    }
    let scratch = Workspace::new(&device).reserve(&layout)?;
    let steps = match (by, units) {
        (By::Copies, _) => vec![prepared::<16, 2, 512>(problem, &scratch)?],
        (_, Some((config, units))) => by_tma(problem, &scratch, config, units, parts)?,
        _ => vec![prepared::<8, 8, 256>(problem, &scratch)?],
    };
    Plan::new(steps, [scratch]).launch()?;
    let c = c.download()?;
    let mut want = vec![3.0f64; c.len()];
    for (batch, row, column) in (0..2 * m * n).map(|i| (i / (m * n), i / n % m, i % n)) {
        let place = |of: [usize; 3], i, j| first + batch * of[0] + i * of[1] + j * of[2];
        let product = |at| a[place(of_a, row, at)] * b[place(of_b, at, column)];
        want[place(of_c, row, column)] = 0.5 * (0..k).map(product).sum::<f64>() + 6.0;
    }
    assert!(c == want, "{m} x {n} x {k}, {by_rows:?}, gap {gap}");
    Ok(())
}

/// Runs checks on a large stack: in unoptimized builds, the emulator's handlers of a long sequence of products call each other.
fn on_a_large_stack(checks: fn() -> Result<()>) -> Result<()> {
    let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(checks);
    thread.expect("a thread").join().expect("no panic")
}

#[test]
fn products_are_exact_where_sums_are() -> Result<()> {
    on_a_large_stack(|| {
        check([130, 33, 50], (true, true), 0, By::Copies)?;
        check([17, 140, 67], (false, true), 1, By::Copies)?;
        check([40, 30, 16], (true, false), 2, By::Copies)?;
        check([31, 64, 100], (false, false), 3, By::Copies)?;
        check([1, 1, 1], (true, true), 0, By::Copies)?;
        check([5, 3, 0], (true, true), 0, By::Copies)
    })
}

#[test]
fn small_products_of_older_gpus_are_exact_where_sums_are() -> Result<()> {
    on_a_large_stack(|| {
        check([40, 30, 50], (true, false), 0, By::SmallProducts)?;
        check([31, 64, 33], (false, true), 3, By::SmallProducts)
    })
}

#[test]
fn products_by_tma_are_exact_where_sums_are() -> Result<()> {
    on_a_large_stack(|| {
        let (square, high) = (By::Tma((128, 128)), By::Tma((128, 64)));
        check([130, 34, 50], (true, true), 0, high)?;
        check([130, 70, 100], (true, false), 2, By::Parts((128, 64)))?;
        check([130, 140, 130], (false, true), 0, By::Parts((128, 128)))?;
        check([130, 140, 18], (true, true), 2, square)?;
        check([18, 70, 66], (false, true), 0, high)?;
        check([40, 30, 16], (true, false), 2, square)?;
        check([36, 66, 132], (false, false), 4, high)?;
        check([33, 129, 41], (true, false), 1, square)
    })
}

#[test]
fn factors_that_tma_cannot_read_use_other_copies() -> Result<()> {
    let device = Device::emulator();
    let x = device.zeros::<f64>(128 * 130)?;
    let mut y = device.zeros::<f64>(128 * 130)?;
    let mut takes = |ld: usize, first: usize| -> Result<bool> {
        let a = Tensor::with_strides(&x, [100, 64], [ld, 1], first)?;
        let product = gemm(a, Tensor::new(&x, [64, 128])?);
        Ok(config(&product.problem(TensorMut::new(&mut y, [100, 128])?)?).is_some())
    };
    assert!(takes(64, 0)? && takes(66, 2)?);
    assert!(!takes(65, 0)? && !takes(64, 1)?);
    Ok(())
}

#[test]
fn factors_that_tma_cannot_read_are_copied_where_products_are_many() -> Result<()> {
    let device = Device::emulator().sanitized();
    let [m, n, k] = [403, 405, 21];
    let numbers = |length: usize, seed: usize| -> Vec<f64> {
        (0..length).map(|i| ((i * 37 + seed) % 17) as f64 / 4.0 - 2.0).collect()
    };
    let (a, b) = (numbers(m * k, 1), numbers(k * n, 5));
    let (on_a, on_b) = (device.upload(&a)?, device.upload(&b)?);
    for by_rows in [true, false] {
        let mut c = device.uninit::<f64>(m * n)?;
        let of_b = if by_rows { [n, 1] } else { [1, k] };
        let tensor_b = Tensor::with_strides(&on_b, [k, n], of_b, 0)?;
        let mut plan =
            gemm(Tensor::new(&on_a, [m, k])?, tensor_b).prepare(TensorMut::new(&mut c, [m, n])?)?;
        assert_eq!(plan.steps().len(), 3);
        plan.launch()?;
        drop(plan);
        let c = c.download()?;
        for (row, column) in (0..m * n).map(|i| (i / n, i % n)) {
            let product = |at: usize| a[row * k + at] * b[at * of_b[0] + column * of_b[1]];
            let want: f64 = (0..k).map(product).sum();
            assert_eq!(c[row * n + column], want, "{row}, {column}");
        }
    }
    Ok(())
}
