//! Rejected requests and their messages, extents of 0, and products on a sanitized emulator.

use super::families::by_name;
use super::families::hopper::{HopperShape, TileOrder, shaped};
use super::problem::{GemmProblem, Recipe};
use crate::workspace::WorkspaceLayout;
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
fn mismatched_products_are_refused_with_their_extents() -> Result<()> {
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
    assert!(elsewhere.contains("B is on another device than A"), "{elsewhere}");
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
fn a_product_with_k_zero_gives_beta_c() -> Result<()> {
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

/// Conversions from test integers to factors, and from results to integers.
type Numbers<T, C> = (fn(i32) -> T, fn(C) -> i32);

/// A product by one kernel family, compared with exact sums of small integers.
fn by_family<T: crate::GemmElement, C: crate::GemmElement>(
    device: &Device,
    family: impl for<'a> Fn(GemmProblem<'a>, &mut WorkspaceLayout) -> Option<Result<Recipe<'a>>>,
    [m, n, k]: [usize; 3],
    (a_by_rows, b_by_rows): (bool, bool),
    (of, value): Numbers<T, C>,
) -> Result<bool> {
    let number = |i: usize| (i * 7 % 5) as i32 - 2;
    let a: Vec<T> = (0..m * k).map(|i| of(number(i))).collect();
    let b: Vec<T> = (0..k * n).map(|i| of(number(i / 3))).collect();
    let (a, b) = (device.upload(&a)?, device.upload(&b)?);
    let mut c = device.zeros::<C>(m * n)?;
    let left = if a_by_rows { Tensor::new(&a, [m, k])? } else { Tensor::new(&a, [k, m])?.t() };
    let right = if b_by_rows { Tensor::new(&b, [k, n])? } else { Tensor::new(&b, [n, k])?.t() };
    let product = gemm(left, right).precision(Precision::TensorFloat32);
    let problem = product.problem(TensorMut::new(&mut c, [m, n])?)?;
    let mut layout = WorkspaceLayout::default();
    let Some(recipe) = family(problem, &mut layout) else {
        return Ok(false);
    };
    let scratch = crate::Workspace::new(device).reserve(&layout)?;
    crate::Plan::new(recipe?(&scratch)?, [scratch]).launch()?;
    for (i, got) in c.download()?.into_iter().enumerate() {
        let (y, x) = (i / n, i % n);
        let at = |p: usize| {
            let left = if a_by_rows { y * k + p } else { p * m + y };
            let right = if b_by_rows { p * n + x } else { x * k + p };
            number(left) * number(right / 3)
        };
        let want: i32 = (0..k).map(at).sum();
        assert_eq!(value(got), want, "{m} {n} {k}: row {y}, column {x}");
    }
    Ok(true)
}

/// As [`by_family`], for the sm_90a family with the given shape.
fn by_shape<T: crate::GemmElement, C: crate::GemmElement>(
    device: &Device,
    shape: HopperShape,
    extents: [usize; 3],
    layouts: (bool, bool),
    numbers: Numbers<T, C>,
) -> Result<bool> {
    by_family(
        device,
        |problem, layout| Some(shaped(problem, layout, shape, None)),
        extents,
        layouts,
        numbers,
    )
}

#[test]
fn hoppers_kernels_are_right_and_clean_for_every_type_and_layout() -> Result<()> {
    let device = Device::emulator().sanitized();
    let narrow = |x: i32| f16::from_f32(x as f32);
    fn hopper<'a>(
        problem: GemmProblem<'a>,
        layout: &mut WorkspaceLayout,
    ) -> Option<Result<Recipe<'a>>> {
        by_name("hopper", problem, layout)
    }
    for layouts in [(true, true), (true, false), (false, true), (false, false)] {
        for shape in [[128, 64, 64], [200, 136, 96], [130, 67, 65]] {
            let back = |x: f32| x as i32;
            assert!(by_family(&device, hopper, shape, layouts, (narrow, back))?);
            assert!(by_family::<f32, f32>(&device, hopper, shape, layouts, (|x| x as f32, back))?);
            assert!(by_family::<i8, i32>(&device, hopper, shape, layouts, (|x| x as i8, |x| x))?);
        }
        let of = |x: i32| Fp8E4m3::from_f32(x as f32);
        let back = |x: f16| x.to_f32() as i32;
        assert!(by_family(&device, hopper, [200, 136, 160], layouts, (of, back))?);
    }
    Ok(())
}

#[test]
#[ignore = "slow: large tiles in many shapes"]
fn clusters_share_tiles_of_every_width_and_layout() -> Result<()> {
    let device = Device::emulator().sanitized();
    let narrow = |x: i32| f16::from_f32(x as f32);
    for (number, cluster) in [(1, 1), (2, 1), (1, 2), (2, 2)].into_iter().enumerate() {
        for (at, columns) in [64, 128, 256].into_iter().enumerate() {
            let layouts = (number.is_multiple_of(2) == at.is_multiple_of(2), at < 2);
            let order = TileOrder::Grouped(2);
            let shape = HopperShape {
                columns,
                cluster,
                order,
                promote: false,
                alternate: false,
                split: 1,
                tma: at > 0,
                overlapped: at == 1,
                most: 0,
                stages: 0,
                parts: 2,
            };
            by_family::<f16, f32>(
                &device,
                |problem, layout| Some(shaped(problem, layout, shape, None)),
                [328, 336, 96],
                layouts,
                (narrow, |x| x as i32),
            )?;
        }
    }
    Ok(())
}

#[test]
fn blocks_that_divide_k_add_their_partial_sums() -> Result<()> {
    let device = Device::emulator().sanitized();
    let order = TileOrder::Grouped(8);
    for (split, columns, k) in [(2, 128, 300usize), (4, 128, 80), (8, 256, 700), (2, 64, 64)] {
        let shape = HopperShape {
            columns,
            cluster: (1, 1),
            order,
            promote: false,
            split,
            alternate: false,
            tma: true,
            overlapped: true,
            most: 0,
            stages: 0,
            parts: 2,
        };
        let narrow = |x: i32| f16::from_f32(x as f32);
        by_family::<f16, f32>(
            &device,
            |problem, layout| Some(shaped(problem, layout, shape, None)),
            [136, 72, k.next_multiple_of(8)],
            (true, true),
            (narrow, |x| x as i32),
        )?;
        by_family::<i8, i32>(
            &device,
            |problem, layout| Some(shaped(problem, layout, shape, None)),
            [136, 67, k.next_multiple_of(16)],
            (true, false),
            (|x| x as i8, |x| x),
        )?;
    }
    Ok(())
}

#[test]
#[ignore = "slow: large tiles under checks"]
fn warpgroups_that_take_turns_at_tiles_are_right_and_clean() -> Result<()> {
    let device = Device::emulator().sanitized();
    let narrow = |x: i32| f16::from_f32(x as f32);
    let of = |x: i32| Fp8E4m3::from_f32(x as f32);
    let shape = |columns, most, cluster, parts| HopperShape {
        columns,
        alternate: true,
        most,
        cluster,
        parts,
        ..HopperShape::default()
    };
    // Fewer steps than stages, and many more; one tile (one warpgroup), two (both warpgroups), and an odd number.
    let (alone, pairs) = (shape(128, 1, (1, 1), 1), shape(128, 2, (2, 1), 2));
    let in_f32 = |x: f32| x as i32;
    by_shape::<f16, f32>(&device, alone, [136, 264, 1200], (true, true), (narrow, in_f32))?;
    by_shape::<i8, i32>(&device, pairs, [264, 392, 1040], (true, false), (|x| x as i8, |x| x))?;
    let (wide, wide_pairs) = (shape(192, 1, (1, 1), 1), shape(192, 2, (2, 1), 1));
    by_shape::<Fp8E4m3, f32>(&device, wide_pairs, [264, 568, 400], (true, false), (of, in_f32))?;
    let back = |x: f16| x.to_f32() as i32;
    by_shape::<f16, f16>(&device, wide, [136, 200, 904], (false, true), (narrow, back))?;
    Ok(())
}

#[test]
#[ignore = "slow: large tiles in many forms"]
fn promoted_sums_are_right_for_every_number_of_stages() -> Result<()> {
    let device = Device::emulator().sanitized();
    let of = |x: i32| Fp8E4m3::from_f32(x as f32);
    for columns in [64, 128] {
        // One stage, an odd and an even number of them, several tiles per block, and blocks that load for each other.
        let alone = (1, 1);
        for (k, most, cluster) in
            [(96, 0, alone), (384, 0, (2, 1)), (512, 1, alone), (1152, 2, (2, 1))]
        {
            let shape =
                HopperShape { columns, promote: true, most, cluster, ..HopperShape::default() };
            by_family::<Fp8E4m3, f32>(
                &device,
                |problem, layout| Some(shaped(problem, layout, shape, None)),
                [136, 208, k],
                (true, false),
                (of, |x| x as i32),
            )?;
        }
    }
    Ok(())
}
