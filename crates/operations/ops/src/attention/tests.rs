//! Every attention kernel on a sanitized emulator, compared with f64.

use super::choice::{AttentionKernel, KeyParts};
use super::request::Split;
use super::*;
use crate::{Tensor, TensorMut, Workspace};
use half::{bf16, f16};
use lanework::{Device, Result};

#[derive(Clone, Copy, Debug)]
struct AttentionCase {
    batch: usize,
    heads: usize,
    share: usize,
    rows: usize,
    keys: usize,
    head: usize,
    causal: bool,
}

/// Pseudo-random numbers in -1..1.
fn numbers<T: Half>(count: usize, seed: u64, from: impl Fn(f32) -> T) -> Vec<T> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    (0..count)
        .map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            from((state >> 40) as f32 / (1u64 << 23) as f32 - 1.0)
        })
        .collect()
}

/// Reference results and log-sum-exp of dense operands.
fn reference(case: AttentionCase, scale: f64, [q, k, v]: [&[f64]; 3]) -> (Vec<f64>, Vec<f64>) {
    let AttentionCase { batch, heads, share, rows, keys, head, causal } = case;
    let (mut out, mut logs) = (Vec::new(), Vec::new());
    for pair in 0..batch * heads {
        let of_keys = pair / heads * (heads / share) + pair % heads / share;
        for row in 0..rows {
            let seen = if causal { (row + 1 + keys).saturating_sub(rows).min(keys) } else { keys };
            let query = &q[(pair * rows + row) * head..][..head];
            let scores: Vec<f64> = (0..seen)
                .map(|key| {
                    let key = &k[(of_keys * keys + key) * head..][..head];
                    scale * query.iter().zip(key).map(|(x, y)| x * y).sum::<f64>()
                })
                .collect();
            let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let sum: f64 = scores.iter().map(|score| (score - most).exp()).sum();
            logs.push(most + sum.ln());
            for column in 0..head {
                let values = scores.iter().enumerate().map(|(key, score)| {
                    (score - most).exp() / sum * v[(of_keys * keys + key) * head + column]
                });
                out.push(values.sum());
            }
        }
    }
    (out, logs)
}

fn check<T: Half + AttentionResult<T>>(
    case: AttentionCase,
    path: AttentionKernel,
    from: impl Fn(f32) -> T + Copy,
    to: impl Fn(T) -> f64 + Copy,
) -> Result<()>
where
    f32: AttentionResult<T>,
{
    let device = Device::emulator().sanitized();
    let AttentionCase { batch, heads, share, rows, keys, head, causal } = case;
    let on_host = [
        numbers(batch * heads * rows * head, 1, |x| from(3.0 * x)),
        numbers(batch * heads / share * keys * head, 2, from),
        numbers(batch * heads / share * keys * head, 3, from),
    ];
    let [q, k, v] = on_host.each_ref().map(|x| x.iter().map(|x| to(*x)).collect::<Vec<f64>>());
    let scale = 1.0 / (head as f64).sqrt();
    let (want, want_logs) = reference(case, scale, [&q, &k, &v]);
    let [q, k, v] = on_host.map(|x| device.upload(&x).expect("memory"));
    let q = Tensor::new(&q, [batch, heads, rows, head])?;
    let (k, v) = (
        Tensor::new(&k, [batch, heads / share, keys, head])?,
        Tensor::new(&v, [batch, heads / share, keys, head])?,
    );
    let mut wide = device.upload(&vec![f32::NAN; want.len()])?;
    let mut logs = device.upload(&vec![f32::NAN; want_logs.len()])?;
    let mut narrow = device.upload(&vec![from(f32::NAN); want.len()])?;
    let of = || {
        let attention = attention(&q, &k, &v);
        if causal { attention.causal() } else { attention }
    };
    let workspace = Workspace::new(&device);
    of().log_sum_exp(TensorMut::new(&mut logs, [batch, heads, rows])?)
        .plan(
            <f32 as AttentionResult<T>>::results(TensorMut::new(
                &mut wide,
                [batch, heads, rows, head],
            )?),
            &workspace,
            Some(path),
        )?
        .launch()?;
    of().plan(
        T::results(TensorMut::new(&mut narrow, [batch, heads, rows, head])?),
        &workspace,
        Some(path),
    )?
    .launch()?;
    let error = if T::NAME == "bf16" { 1.0 / 256.0 } else { 1.0 / 2048.0 };
    for (i, (got, want)) in wide.download()?.iter().zip(&want).enumerate() {
        assert!(
            (f64::from(*got) - want).abs() <= error,
            "{case:?}, {path:?}: {i}: {got}, not {want}"
        );
    }
    for (i, (got, want)) in narrow.download()?.iter().zip(&want).enumerate() {
        assert!(
            (to(*got) - want).abs() <= 2.0 * error,
            "{case:?}, {path:?}: {i}: {}, not {want}",
            to(*got)
        );
    }
    for (got, want) in logs.download()?.iter().zip(&want_logs) {
        let got = f64::from(*got);
        assert!(
            got == *want || (got - want).abs() <= 1e-4,
            "{case:?}, {path:?}: {got}, not {want}"
        );
    }
    Ok(())
}

const CASES: [AttentionCase; 6] = [
    AttentionCase { batch: 1, heads: 1, share: 1, rows: 200, keys: 300, head: 64, causal: false },
    AttentionCase { batch: 1, heads: 2, share: 2, rows: 130, keys: 130, head: 128, causal: true },
    AttentionCase { batch: 2, heads: 1, share: 1, rows: 70, keys: 260, head: 128, causal: true },
    AttentionCase { batch: 1, heads: 1, share: 1, rows: 260, keys: 100, head: 64, causal: true },
    AttentionCase { batch: 1, heads: 3, share: 3, rows: 1, keys: 1, head: 64, causal: true },
    AttentionCase { batch: 1, heads: 1, share: 1, rows: 5, keys: 129, head: 128, causal: false },
];

const SMALL: AttentionCase =
    AttentionCase { batch: 2, heads: 4, share: 2, rows: 20, keys: 33, head: 128, causal: true };

#[test]
fn hopper_agrees_with_the_host() -> Result<()> {
    for case in CASES {
        check::<bf16>(case, AttentionKernel::Hopper(100), bf16::from_f32, bf16::to_f64)?;
    }
    let many = AttentionCase { rows: 3, keys: 4100, ..CASES[5] };
    check::<bf16>(many, AttentionKernel::Hopper(100), bf16::from_f32, bf16::to_f64)?;
    check::<f16>(SMALL, AttentionKernel::Hopper(100), f16::from_f32, f16::to_f64)
}

#[test]
fn plain_agrees_with_the_host() -> Result<()> {
    for case in &CASES[3..] {
        check::<bf16>(*case, AttentionKernel::Plain, bf16::from_f32, bf16::to_f64)?;
    }
    check::<f16>(SMALL, AttentionKernel::Plain, f16::from_f32, f16::to_f64)
}

#[test]
fn warps_agree_with_the_host() -> Result<()> {
    for case in CASES {
        check::<bf16>(case, AttentionKernel::Warps, bf16::from_f32, bf16::to_f64)?;
    }
    check::<f16>(SMALL, AttentionKernel::Warps, f16::from_f32, f16::to_f64)
}

/// Few queries, long keys, shared key heads, several row tiles, and keys that no query of a tile (or none at all) sees.
const FEW: [(AttentionCase, Split); 7] = {
    const CASE: AttentionCase =
        AttentionCase { batch: 2, heads: 4, share: 4, rows: 1, keys: 700, head: 64, causal: true };
    const fn split(rows: u32, each: u32, parts: u32) -> Split {
        Split { rows, each, parts }
    }
    [
        (CASE, split(16, 3, 4)),
        (AttentionCase { rows: 5, head: 128, ..CASE }, split(16, 4, 3)),
        (AttentionCase { rows: 9, share: 2, keys: 270, ..CASE }, split(32, 1, 5)),
        (
            AttentionCase { rows: 33, share: 2, keys: 200, head: 128, batch: 1, ..CASE },
            split(64, 2, 2),
        ),
        (
            AttentionCase { rows: 70, share: 1, keys: 130, batch: 1, heads: 1, ..CASE },
            split(64, 1, 3),
        ),
        (AttentionCase { rows: 20, keys: 10, ..CASE }, split(32, 1, 1)),
        (
            AttentionCase { rows: 2, heads: 3, share: 3, keys: 640, causal: false, ..CASE },
            split(16, 1, 10),
        ),
    ]
};

#[test]
fn parts_agree_with_the_host() -> Result<()> {
    for (case, split) in FEW {
        check::<bf16>(case, AttentionKernel::Split(split), bf16::from_f32, bf16::to_f64)?;
    }
    let split = AttentionKernel::Split(Split { rows: 32, each: 1, parts: 1 });
    check::<f16>(SMALL, split, f16::from_f32, f16::to_f64)
}

#[test]
#[ignore = "slow: large tiles in many shapes"]
fn tiles_of_hopper_in_parts_agree_with_the_host() -> Result<()> {
    // Parts that no query of a tile sees, an incomplete part, and several tiles, groups, parts and heads.
    let of = |groups, each, parts| AttentionKernel::InParts(3, KeyParts { groups, each, parts });
    for (case, path) in [
        (CASES[0], of(3, 1, 3)),
        (CASES[0], of(2, 2, 2)),
        (CASES[1], of(2, 1, 2)),
        (CASES[2], of(2, 2, 2)),
        (AttentionCase { rows: 260, keys: 400, ..CASES[3] }, of(3, 3, 2)),
        (AttentionCase { rows: 260, keys: 100, ..CASES[3] }, of(2, 1, 1)),
        (
            AttentionCase { batch: 2, heads: 4, share: 2, rows: 70, keys: 700, ..CASES[0] },
            of(2, 1, 6),
        ),
        (AttentionCase { rows: 3, keys: 4100, ..CASES[5] }, of(2, 4, 7)),
    ] {
        check::<bf16>(case, path, bf16::from_f32, bf16::to_f64)?;
    }
    check::<f16>(SMALL, of(2, 1, 1), f16::from_f32, f16::to_f64)
}

#[test]
fn decoding_divides_the_keys_unless_forbidden() -> Result<()> {
    let device = Device::emulator().sanitized();
    let (heads, keys, head) = (8, 2000, 64);
    let (q, k) = (
        device.upload(&numbers(heads * head, 1, bf16::from_f32))?,
        device.upload(&numbers(keys * head, 2, bf16::from_f32))?,
    );
    let (q, k) = (Tensor::new(&q, [1, heads, 1, head])?, Tensor::new(&k, [1, 1, keys, head])?);
    let (mut parts, mut whole) =
        (device.zeros::<f32>(heads * head)?, device.zeros::<f32>(heads * head)?);
    let shape = [1, heads, 1, head];
    {
        let mut divided = attention(&q, &k, &k).prepare(TensorMut::new(&mut parts, shape)?)?;
        // Per row and part: the sums, the largest score and the sum of weights.
        let bytes = divided.scratch_bytes();
        assert!(bytes as usize >= 2 * heads * (head + 2) * 4, "{bytes}");
        assert_eq!(divided.steps().len(), 2);
        divided.launch()?;
        let together = attention(&q, &k, &k).undivided();
        let mut together = together.prepare(TensorMut::new(&mut whole, shape)?)?;
        assert_eq!(together.steps().len(), 1);
        together.launch()?;
    }
    for (x, y) in parts.download()?.iter().zip(whole.download()?) {
        assert!((x - y).abs() < 1e-3, "{x} {y}");
    }
    Ok(())
}

#[test]
fn operands_that_do_not_fit_are_refused_with_their_numbers() -> Result<()> {
    let device = Device::emulator();
    let x = device.zeros::<bf16>(4 * 10 * 64)?;
    let of = |shape| Tensor::new(&x, shape);
    let said = |q: [usize; 4], k: [usize; 4], v: [usize; 4]| -> Result<String> {
        let tried = attention(&of(q)?, &of(k)?, &of(v)?).eval();
        Ok(tried.expect_err("refused").to_string())
    };
    for (q, k, v, part) in [
        ([1, 2, 10, 32], [1, 2, 10, 32], [1, 2, 10, 32], "heads of 32 elements"),
        ([1, 2, 10, 64], [2, 2, 10, 64], [2, 2, 10, 64], "`k` [2, 2, 10, 64]"),
        ([1, 2, 10, 64], [1, 2, 10, 64], [1, 2, 9, 64], "`v` [1, 2, 9, 64]"),
        ([1, 3, 10, 64], [1, 2, 10, 64], [1, 2, 10, 64], "3 heads of queries do not share 2"),
    ] {
        let text = said(q, k, v)?;
        assert!(text.contains(part), "{text}");
    }
    let q = of([1, 2, 10, 64])?;
    let apart = Tensor::with_strides(&x, [1, 2, 10, 64], [1280, 640, 1, 10], 0)?;
    for (tried, part) in [
        (attention(&q, &apart, &q).eval(), "of `k` are 10 apart"),
        (attention(&q, &q, &q).scale(-1.0).eval(), "scale of the scores is -1"),
        (attention(&q, &q, &q).scale(f32::NAN).eval(), "scale of the scores is NaN"),
    ] {
        let text = tried.expect_err("refused").to_string();
        assert!(text.contains(part), "{text}");
    }
    let (mut logs, mut out) = (device.zeros::<f32>(20)?, device.zeros::<bf16>(2 * 9 * 64)?);
    let logs = TensorMut::new(&mut logs, [1, 10, 2])?;
    let text = attention(&q, &q, &q).log_sum_exp(logs).eval().expect_err("refused").to_string();
    assert!(text.contains("logarithms of the sums [1, 10, 2]"), "{text}");
    let short = TensorMut::new(&mut out, [1, 2, 9, 64])?;
    let text = attention(&q, &q, &q).run(short).expect_err("refused").to_string();
    assert!(text.contains("the output [1, 2, 9, 64]"), "{text}");
    Ok(())
}

#[test]
fn without_queries_nothing_runs_and_without_keys_results_are_zeros() -> Result<()> {
    let device = Device::emulator().sanitized();
    let x = device.upload(&[bf16::ONE; 256])?;
    let (none, some) = (Tensor::new(&x, [1, 2, 0, 64])?, Tensor::new(&x, [1, 2, 2, 64])?);
    assert!(attention(&none, &some, &some).eval()?.is_empty());
    let mut logs = device.upload(&[f32::NAN; 4])?;
    let attention = attention(&some, &none, &none);
    let out = attention.log_sum_exp(TensorMut::new(&mut logs, [1, 2, 2])?).eval()?;
    assert_eq!(out.download()?, [bf16::ZERO; 256]);
    assert_eq!(logs.download()?, [f32::NEG_INFINITY; 4]);
    Ok(())
}

#[test]
fn a_nan_affects_only_the_results_of_its_row() -> Result<()> {
    let device = Device::emulator();
    let mut q = vec![bf16::ONE; 3 * 64];
    q[64] = bf16::NAN;
    let (q, k) = (device.upload(&q)?, device.upload(&[bf16::ONE; 3 * 64])?);
    let (q, k) = (Tensor::new(&q, [1, 1, 3, 64])?, Tensor::new(&k, [1, 1, 3, 64])?);
    let split = Split { rows: 16, each: 1, parts: 1 };
    for path in [
        AttentionKernel::Hopper(100),
        AttentionKernel::Warps,
        AttentionKernel::Split(split),
        AttentionKernel::Plain,
    ] {
        let mut out = device.zeros::<bf16>(3 * 64)?;
        let results = bf16::results(TensorMut::new(&mut out, [1, 1, 3, 64])?);
        attention(&q, &k, &k).plan(results, &Workspace::new(&device), Some(path))?.launch()?;
        let out = out.download()?;
        assert!(out[64..128].iter().all(|x| x.is_nan()), "{path:?}");
        let others = out[..64].iter().chain(&out[128..]);
        assert!(others.into_iter().all(|x| *x == bf16::ONE), "{path:?}");
    }
    Ok(())
}

#[test]
fn blocks_go_from_tile_to_tile() -> Result<()> {
    // One key block per tile, tiles with one block and with several, and several tiles with several blocks each.
    for (rows, keys, head, most) in [(200, 60, 64, 1), (130, 200, 128, 1), (20, 300, 128, 2)] {
        let case =
            AttentionCase { batch: 2, heads: 2, share: 2, rows, keys, head, causal: rows < keys };
        check::<bf16>(case, AttentionKernel::Hopper(most), bf16::from_f32, bf16::to_f64)?;
    }
    Ok(())
}
