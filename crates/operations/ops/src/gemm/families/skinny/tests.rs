//! A matrix and a few vectors on a sanitized emulator, in every orientation, with exact numbers.

use crate::{GemmElement, Tensor, TensorMut, gemm};
use lanework::{Device, Result};

fn numbers(length: usize, seed: usize) -> Vec<f32> {
    (0..length).map(|i| ((((i + seed) * 2_654_435_761) >> 9) % 13) as f32 - 6.0).collect()
}

/// Strides of `[rows, columns]`, row- or column-major, with a gap after each line.
fn strides(rows: usize, columns: usize, by_rows: bool, gap: usize) -> ([usize; 2], usize) {
    let (lines, width) = if by_rows { (rows, columns) } else { (columns, rows) };
    let ld = width + gap;
    (if by_rows { [ld, 1] } else { [1, ld] }, ld * lines)
}

#[test]
fn a_few_vectors_in_every_orientation() -> Result<()> {
    in_every_orientation::<f32>()
}

#[test]
#[ignore = "slow: many shapes in emulated double precision"]
fn a_few_vectors_of_f64_in_every_orientation() -> Result<()> {
    in_every_orientation::<f64>()
}

fn in_every_orientation<T: GemmElement + From<f32> + Into<f64>>() -> Result<()> {
    let device = Device::emulator().sanitized();
    for (m, n, k) in [
        (1, 1, 1),
        (300, 1, 260),
        (4, 140, 131),
        (8, 4, 2500),
        (131, 3, 2048),
        (2, 400, 9),
        (1061, 1, 4100),
    ] {
        for (way, gap) in [(0, 0), (1, 4), (2, 3), (3, 4)] {
            let (of_a, size_a) = strides(m, k, way & 1 == 0, gap);
            let (of_b, size_b) = strides(k, n, way & 2 == 0, gap);
            let (of_c, size_c) = strides(m, n, true, gap);
            let (host_a, host_b) = (numbers(size_a, 1), numbers(size_b, 5));
            let typed = |x: &[f32]| x.iter().map(|x| T::from(*x)).collect::<Vec<T>>();
            let (a, b) = (device.upload(&typed(&host_a))?, device.upload(&typed(&host_b))?);
            let mut c = device.upload(&vec![T::from(f32::NAN); size_c])?;
            let left = Tensor::with_strides(&a, [m, k], of_a, 0)?;
            let right = Tensor::with_strides(&b, [k, n], of_b, 0)?;
            let product = gemm(left, right).alpha(2.0);
            let problem =
                product.clone().problem(TensorMut::with_strides(&mut c, [m, n], of_c, 0)?)?;
            assert!(super::suits(&problem), "{problem:?}");
            drop(problem);
            product.run(TensorMut::with_strides(&mut c, [m, n], of_c, 0)?)?;
            let got: Vec<f64> = c.download()?.into_iter().map(Into::into).collect();
            let mut want = vec![f64::NAN; size_c];
            for y in 0..m {
                for x in 0..n {
                    let term = |s: usize| {
                        host_a[y * of_a[0] + s * of_a[1]] * host_b[s * of_b[0] + x * of_b[1]]
                    };
                    want[y * of_c[0] + x] = f64::from(2.0 * (0..k).map(term).sum::<f32>());
                }
            }
            let wrong =
                got.iter().zip(&want).position(|(a, b)| a != b && !(a.is_nan() && b.is_nan()));
            assert_eq!(wrong, None, "{m} x {n} x {k}, way {way}, gap {gap}");
        }
    }
    Ok(())
}

#[test]
fn long_lines_are_shared_by_warps() -> Result<()> {
    let device = Device::emulator();
    let config = |m: usize, k: usize| -> Result<(u32, u32, u32)> {
        let a = device.zeros::<f32>(m * k)?;
        let b = device.zeros::<f32>(k)?;
        let mut c = device.zeros::<f32>(m)?;
        let product = gemm(Tensor::new(&a, [m, k])?, Tensor::new(&b, [k, 1])?);
        let config = super::chosen(&product.problem(TensorMut::new(&mut c, [m, 1])?)?);
        Ok((config.lines, config.share, config.deep))
    };
    let processors = device.info().multiprocessors as usize;
    assert_eq!(config(8 * processors, 4096)?, (4, 8, 1));
    assert_eq!(config(7 * processors, 4096)?, (1, 8, 4));
    assert_eq!(config(16 * processors, 512)?, (1, 1, 4));
    Ok(())
}
