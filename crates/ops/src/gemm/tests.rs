//! What is refused and in which words, extents of 0, and products under the emulator's checks.

use crate::{Fp8E4m3, Gemm, Precision, Tensor, TensorMut, function, gemm, grouped};
use half::f16;
use lanework::prelude::*;
use lanework::{Device, Error, Result};

#[device]
fn halved(x: f64) -> f64 {
    0.5 * x
}

fn refusal<C: crate::GemmElement>(product: Gemm<'_, 2>) -> String {
    match product.eval::<C>() {
        Err(Error::Request { why, .. }) => why,
        other => format!("not refused: {:?}", other.map(|c| c.len())),
    }
}

#[test]
fn what_is_no_product_is_refused_with_its_numbers() -> Result<()> {
    let device = Device::emulator();
    let (x, y) = (device.zeros::<f32>(12)?, device.zeros::<f16>(12)?);
    let bytes = device.zeros::<i8>(12)?;
    let (x, y) = (Tensor::new(&x, [3, 4])?, Tensor::new(&y, [3, 4])?);
    let bytes = Tensor::new(&bytes, [3, 4])?;
    let square = || gemm(&x, x.clone().t());
    let v = device.zeros::<f32>(2)?;
    for (found, words) in [
        (
            refusal::<f32>(gemm(&x, &x)),
            "A has 4 columns and B has 3 rows: shapes [3, 4] and [3, 4]",
        ),
        (refusal::<f32>(gemm(&x, y.clone().t())), "matrices of f32 and f16 are not multiplied"),
        (refusal::<f16>(square()), "a product of f32 is not stored as f16"),
        (refusal::<f32>(square().beta(1.0)), "beta is 1 and there is no output"),
        (refusal::<f32>(square().bias(&v)), "a bias of 2 elements for results of 3 columns"),
        (refusal::<f32>(square().scales(&v, &v)), "scales of a product of f32"),
        (refusal::<f32>(square().map(function!(halved))), "computes in f64"),
        (
            refusal::<f16>(gemm(&y, y.clone().t()).precision(Precision::Compensated)),
            "a compensated product of f16",
        ),
        (
            refusal::<i32>(gemm(&bytes, bytes.clone().t()).alpha(0.5)),
            "alpha is 0.5, and the results are i32",
        ),
        (refusal::<i32>(gemm(&bytes, bytes.clone().t()).gelu()), "GELU of results of i32"),
        (
            refusal::<f32>(gemm(&bytes, bytes.clone().t()).scales(&v, &v)),
            "2 scales of A, which has 3 rows",
        ),
        (refusal::<f32>(square().relu().relu().relu().relu().relu()), "5 functions of the results"),
    ] {
        assert!(found.contains(words), "{found}");
    }
    let other = Device::emulator().sanitized().zeros::<f32>(12)?;
    let elsewhere = refusal::<f32>(gemm(&x, Tensor::new(&other, [4, 3])?));
    assert!(elsewhere.contains("B lies on another device than A"), "{elsewhere}");
    let flat = Tensor::from(&other);
    let Err(Error::Request { why, .. }) = gemm(&flat, &flat).eval::<f32>() else {
        panic!("vectors are no matrices");
    };
    assert!(why.contains("of 1 dimensions"), "{why}");
    let mut small = device.zeros::<f32>(4)?;
    let into = square().run(TensorMut::new(&mut small, [2, 2])?);
    assert!(
        into.unwrap_err().to_string().contains("the output is [2, 2] and the product has"),
        "output"
    );
    let none = grouped([square(), square()]).run([TensorMut::new(&mut small, [2, 2])?]);
    assert!(none.unwrap_err().to_string().contains("2 products and 1 outputs"), "grouped");
    Ok(())
}

#[test]
fn without_anything_to_sum_beta_c_is_left() -> Result<()> {
    let device = Device::emulator();
    let x = device.zeros::<f32>(0)?;
    let (a, b) = (Tensor::new(&x, [2, 0])?, Tensor::new(&x, [0, 3])?);
    let mut c = device.upload(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
    gemm(&a, &b).beta(-2.0).run(TensorMut::new(&mut c, [2, 3])?)?;
    assert_eq!(c.download()?, [-2.0, -4.0, -6.0, -8.0, -10.0, -12.0]);
    gemm(&a, &b).run(TensorMut::new(&mut c, [2, 3])?)?;
    assert_eq!(c.download()?, [0.0; 6]);
    assert!(gemm(Tensor::new(&x, [0, 5])?, Tensor::new(&x, [5, 0])?).eval::<f32>()?.is_empty());
    Ok(())
}

#[test]
fn every_8_bit_float_is_read_as_the_host_reads_it() -> Result<()> {
    let device = Device::emulator();
    let all: Vec<Fp8E4m3> = (0..=255).map(Fp8E4m3).collect();
    let others: Vec<crate::Fp8E5m2> = (0..=255).map(crate::Fp8E5m2).collect();
    let (x, y) = (device.upload(&all)?, device.upload(&others)?);
    let (one, first) = (device.upload(&[Fp8E4m3::from_f32(1.0)])?, [1, 1]);
    let one = Tensor::new(&one, first)?;
    let same = |a: f32, b: f32| a == b || a.is_nan() && b.is_nan();
    let got = gemm(Tensor::new(&x, [256, 1])?, &one).eval::<f32>()?.download()?;
    assert!(all.iter().zip(&got).all(|(a, b)| same(a.to_f32(), *b)), "{got:?}");
    let got = gemm(Tensor::new(&y, [256, 1])?, &one).eval::<f32>()?.download()?;
    assert!(others.iter().zip(&got).all(|(a, b)| same(a.to_f32(), *b)), "{got:?}");
    Ok(())
}

#[test]
fn awkward_products_are_clean_under_the_sanitizer() -> Result<()> {
    let device = Device::emulator().sanitized();
    for (m, n, k) in [(1, 1, 1), (65, 3, 17), (3, 70, 33), (64, 64, 16)] {
        let (a, b) = (device.upload(&vec![0.5f32; m * k])?, device.upload(&vec![2.0f32; k * n])?);
        let mut c = device.upload(&vec![1.0f32; m * n])?;
        let bias = device.upload(&vec![1.0f32; n])?;
        gemm(Tensor::new(&a, [m, k])?, Tensor::new(&b, [k, n])?)
            .beta(1.0)
            .bias(&bias)
            .run(TensorMut::new(&mut c, [m, n])?)?;
        assert_eq!(c.download()?, vec![k as f32 + 2.0; m * n]);
    }
    Ok(())
}
