//! Views of every axis order arrive on the device unchanged.

use super::*;
use ndarray::{Array2, Array3, Axis, s};

fn cube() -> Array3<i32> {
    Array3::from_shape_fn((3, 4, 5), |(i, j, k)| (100 * i + 10 * j + k) as i32)
}

/// The elements of a tensor in row-major order.
fn gathered(x: &OnDevice<i32, 3>) -> Result<Vec<i32>> {
    crate::copy(x.tensor()).eval()?.download()
}

#[test]
fn views_of_every_order_keep_their_elements() -> Result<()> {
    let device = Device::emulator();
    let a = cube();
    let turned = a.view().permuted_axes([2, 0, 1]);
    let backwards = a.slice(s![.., ..;-1, ..]);
    let with_gaps = a.slice(s![1.., ..;2, 1..4]);
    let row = a.slice(s![1..2, 2..3, ..]);
    let repeated = row.broadcast((2, 3, 5)).expect("it broadcasts");
    for view in [a.view(), turned.view(), backwards, with_gaps, row.view(), repeated] {
        let x = upload(&device, view)?;
        assert_eq!(gathered(&x)?, view.iter().copied().collect::<Vec<_>>(), "{view:?}");
    }
    // Permuted axes are not packed.
    assert_eq!(upload(&device, turned)?.tensor().strides(), [1, 20, 5]);
    Ok(())
}

#[test]
fn reductions_agree_with_ndarrays() -> Result<()> {
    let device = Device::emulator();
    let a = cube();
    for axis in 0..3 {
        let along = Axis(axis);
        let wide = a.mapv(i64::from);
        assert_eq!(sum_axis(&device, a.view(), along)?, wide.sum_axis(along));
        let most = a.map_axis(along, |row| row.iter().copied().max().unwrap_or(0));
        assert_eq!(max_axis(&device, a.view(), along)?, most);
    }
    assert_eq!(argmin(&device, a.slice(s![.., ..;-1, ..]))?, 15);
    Ok(())
}

#[test]
fn a_product_takes_transposed_views_as_they_lie() -> Result<()> {
    let device = Device::emulator();
    let a = Array2::from_shape_fn((7, 5), |(i, j)| (i * 3 + j) as f32);
    let b = Array2::from_shape_fn((9, 5), |(i, j)| (i + 2 * j) as f32);
    assert_eq!(upload(&device, b.t())?.tensor().strides(), [1, 5]);
    let c: Array2<f32> = gemm(&device, a.view(), b.t())?;
    for ((i, j), got) in c.indexed_iter() {
        assert_eq!(*got, (0..5).map(|k| a[[i, k]] * b[[j, k]]).sum::<f32>());
    }
    let refused = gemm::<f32, f32, f32>(&device, a.view(), b.view());
    assert!(refused.is_err_and(|error| error.to_string().contains('9')));
    Ok(())
}

#[test]
fn scans_and_norms_take_columns() -> Result<()> {
    let device = Device::emulator();
    let a = Array2::from_shape_fn((3, 4), |(i, j)| (i * 4 + j) as f32);
    let scanned = inclusive_scan(&device, a.t())?;
    let mut running = 0.0;
    for (got, x) in scanned.iter().zip(a.t().iter()) {
        running += x;
        assert_eq!(*got, running);
    }
    assert_eq!(softmax(&device, a.t())?.dim(), (4, 3));
    Ok(())
}

#[test]
fn another_number_of_elements_is_refused() -> Result<()> {
    let buffer = Device::emulator().zeros::<f32>(6)?;
    let refused = download::<f32, Ix2, 2>(&buffer, [2, 4]).expect_err("8 are not 6");
    assert!(refused.to_string().contains("shape [2, 4] of the 6 elements"), "{refused}");
    Ok(())
}
