//! Deliberately wrong products: verification must reject each.

use half::f16;
use lanework::prelude::*;
use lanework::{Prepared, Result};
use lanework_lab::{Rejection, verify_sgemm};
use lanework_ladders::sgemm::{Operands, Shape};
use lanework_ladders::{Rung, RungInfo};

/// Edge of the tiles and of the block.
const T: u32 = 16;

/// A defect of a product in shared tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mistake {
    None,
    SecondBarrier,
    LastSteps,
    Beta,
    ReadsUnusedC,
    RoundsToHalf,
}

#[kernel]
fn product(
    a: &[f32],
    b: &[f32],
    c: &mut [f32],
    m: u32,
    n: u32,
    k: u32,
    alpha: f32,
    beta: f32,
    #[constant] reads_c: bool,
    #[constant] mistake: Mistake,
) {
    let a_tile = shared::<f32>([T, T]);
    let b_tile = shared::<f32>([T, T]);
    let (x, y) = (thread_idx.x, thread_idx.y);
    let (row, col) = (block_idx.y * T + y, block_idx.x * T + x);
    let mut sum = 0.0f32;
    let steps = if mistake == Mistake::LastSteps { k / T * T } else { k + 0 };
    for p in (0..steps).step_by(T) {
        a_tile[[y, x]] = if row < m && p + x < k { a[row * k + p + x] } else { 0.0 };
        b_tile[[y, x]] = if p + y < k && col < n { b[(p + y) * n + col] } else { 0.0 };
        sync_threads();
        #[unroll]
        for i in 0..T {
            if mistake == Mistake::RoundsToHalf {
                sum += (a_tile[[y, i]] * b_tile[[i, x]]) as f16 as f32;
            } else {
                sum = a_tile[[y, i]].mul_add(b_tile[[i, x]], sum);
            }
        }
        if mistake != Mistake::SecondBarrier {
            sync_threads();
        }
    }
    if row < m && col < n {
        let at = row * n + col;
        if mistake == Mistake::Beta {
            c[at] = alpha * sum;
        } else if reads_c || mistake == Mistake::ReadsUnusedC {
            c[at] = alpha * sum + beta * c[at];
        } else {
            c[at] = alpha * sum;
        }
    }
}

fn prepare_with<'a>(
    x: &'a mut Operands,
    device: &Device,
    mistake: Mistake,
) -> Result<Prepared<'a>> {
    let (Shape { m, n, k, .. }, reads_c) = (x.shape, x.beta != 0.0);
    product(&x.a, &x.b, &mut x.c, m, n, k, x.alpha, x.beta, reads_c, mistake)
        .grid((n.div_ceil(T), m.div_ceil(T)))
        .block((T, T))
        .prepare(device)
}

type Prepare = for<'a> fn(&'a mut Operands, &Device) -> Result<Prepared<'a>>;

/// Verifies the kernel on the emulator, at a ragged shape.
fn verify(prepare: Prepare, beta: f32) -> std::result::Result<(), Rejection> {
    let info = RungInfo { name: "wrong", experiment: "none", source: "" };
    let shape = Shape::packed(70, 45, 53);
    verify_sgemm(Rung { info, prepare }, &Device::emulator(), shape, (0.5, beta), 9).map(drop)
}

fn rejection(prepare: Prepare, beta: f32) -> String {
    verify(prepare, beta).expect_err("a wrong kernel was accepted").to_string()
}

#[test]
fn the_kernel_without_a_mistake_is_verified() {
    for beta in [0.0, 1.0, -0.5] {
        let verified = verify(|x, device| prepare_with(x, device, Mistake::None), beta);
        assert_eq!(verified, Ok(()));
    }
}

#[test]
fn a_missing_second_barrier_shows() {
    let why = rejection(|x, device| prepare_with(x, device, Mistake::SecondBarrier), 0.0);
    assert!(why.contains("elements are further off than any order"), "{why}");
}

#[test]
fn dropped_steps_show() {
    let why = rejection(|x, device| prepare_with(x, device, Mistake::LastSteps), 0.0);
    assert!(why.starts_with("wrong: "), "{why}");
    assert!(why.contains("as if the slice k = 48 to 52 had been left out"), "{why}");
}

#[test]
fn an_ignored_beta_shows() {
    let why = rejection(|x, device| prepare_with(x, device, Mistake::Beta), 1.0);
    assert!(why.contains("of 3150 elements are further off than any order"), "{why}");
}

#[test]
fn nan_in_c_shows_where_beta_is_zero() {
    let why = rejection(|x, device| prepare_with(x, device, Mistake::ReadsUnusedC), 0.0);
    assert!(why.contains("no element was computed (they all hold NaN)"), "{why}");
}

#[test]
fn products_rounded_to_half_precision_show() {
    let why = rejection(|x, device| prepare_with(x, device, Mistake::RoundsToHalf), 0.0);
    assert!(why.starts_with("of lower precision than promised: "), "{why}");
    assert!(why.contains("as if each product had been rounded to fp16"), "{why}");
}
