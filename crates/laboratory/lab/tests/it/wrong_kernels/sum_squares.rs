//! Deliberately wrong sums of squares: verification must reject each.

use half::f16;
use lanework::prelude::*;
use lanework::{Prepared, Result};
use lanework_lab::{Draw, draw_numbers, verify_sum_squares};
use lanework_ladders::sum_squares::{LadderElement, Numbers, Summand};
use lanework_ladders::{Rung, RungInfo};

const THREADS: u32 = 128;
const LENGTH: usize = 5003;

/// Adds up the threads' sums in shared memory without a barrier.
#[kernel]
fn missing_barrier<E: Summand>(src: &[E], sums: &mut [E::Sum]) {
    let tree = shared::<E::Sum>(THREADS);
    let mut sum = E::Sum::ZERO;
    for i in (thread_idx.x..src.len() as u32).step_by(THREADS) {
        let x = src[i] as E::Sum;
        sum += x * x;
    }
    tree[thread_idx.x] = sum;
    if thread_idx.x == 0 {
        for other in 1..THREADS {
            sum += tree[other];
        }
        sums[0] = sum;
    }
}

/// All but the last number.
#[kernel]
fn lost_last<E: Summand>(src: &[E], sums: &mut [E::Sum]) {
    let mut sum = E::Sum::ZERO;
    for i in (thread_idx.x..src.len() as u32 - 1).step_by(THREADS) {
        let x = src[i] as E::Sum;
        sum += x * x;
    }
    sums[thread_idx.x] = sum;
}

/// One number too many.
#[kernel]
fn one_over<E: Summand>(src: &[E], sums: &mut [E::Sum]) {
    let mut sum = E::Sum::ZERO;
    for i in (thread_idx.x..src.len() as u32 + 1).step_by(THREADS) {
        let x = src[i] as E::Sum;
        sum += x * x;
    }
    sums[thread_idx.x] = sum;
}

/// Does not write the last thread's sum.
#[kernel]
fn lost_thread<E: Summand>(src: &[E], sums: &mut [E::Sum]) {
    let mut sum = E::Sum::ZERO;
    for i in (thread_idx.x..src.len() as u32).step_by(THREADS) {
        let x = src[i] as E::Sum;
        sum += x * x;
    }
    if thread_idx.x < THREADS - 1 {
        sums[thread_idx.x] = sum;
    }
}

/// Sums of the numbers, not of their squares.
#[kernel]
fn not_squared<E: Summand>(src: &[E], sums: &mut [E::Sum]) {
    let mut sum = E::Sum::ZERO;
    for i in (thread_idx.x..src.len() as u32).step_by(THREADS) {
        sum += src[i] as E::Sum;
    }
    sums[thread_idx.x] = sum;
}

/// Squares and sums in `L`, a narrower type than `E::Sum`.
#[kernel]
fn in_less<E: Summand, L: Element>(src: &[E], sums: &mut [E::Sum], #[constant] zero: L) {
    let mut sum = zero;
    for i in (thread_idx.x..src.len() as u32).step_by(THREADS) {
        let x = src[i] as L;
        sum += x * x;
    }
    sums[thread_idx.x] = sum as E::Sum;
}

/// The reason for rejecting a kernel of `sums` sums on `length` numbers.
fn rejection<E: LadderElement>(
    draw: Draw,
    length: usize,
    prepare: for<'a> fn(&'a mut Numbers<E>, &Device) -> Result<Prepared<'a>>,
) -> String {
    let info = RungInfo { name: "wrong", experiment: "none", source: "" };
    let src: Vec<E> = draw_numbers(length, draw, 11);
    verify_sum_squares(&Rung { info, prepare }, &Device::emulator(), &src, THREADS)
        .expect_err("a wrong kernel was accepted")
        .to_string()
}

/// Memory for `count` sums, filled with a pattern that is not a sum.
fn room<E: Summand>(n: &mut Numbers<E>, device: &Device, count: u32) -> Result<()> {
    n.sums = device.uninit(count as usize)?;
    n.sums.fill_bytes(0xFF)
}

macro_rules! prepare {
    ($kernel:expr, $sums:expr) => {
        |n, device| {
            room(n, device, $sums)?;
            $kernel(&n.src, &mut n.sums).grid(1).block(THREADS).prepare(device)
        }
    };
}

#[test]
fn a_missing_barrier_shows() {
    let why = rejection::<i32>(Draw::Notes, LENGTH, prepare!(missing_barrier, 1));
    assert!(why.contains("the sum is"), "{why}");
    let why = rejection::<f32>(Draw::Notes, LENGTH, prepare!(missing_barrier, 1));
    assert!(why.contains("wrong") && why.contains("the sum is"), "{why}");
}

#[test]
fn a_lost_number_shows_among_whole_numbers_and_among_floats() {
    let why = rejection::<i64>(Draw::Any, LENGTH, prepare!(lost_last, THREADS));
    assert!(why.contains("the sum is"), "{why}");
    let why = rejection::<f32>(Draw::Notes, LENGTH, prepare!(lost_last, THREADS));
    assert!(why.contains("wrong") && why.contains("the sum is"), "{why}");
    let why = rejection::<f16>(Draw::Notes, LENGTH, prepare!(lost_last, THREADS));
    assert!(why.contains("wrong") && why.contains("the sum is"), "{why}");
}

#[test]
fn a_number_too_many_is_out_of_bounds() {
    let why = rejection::<f32>(Draw::Notes, LENGTH, prepare!(one_over, THREADS));
    assert!(why.contains("index 5003 is out of bounds: `src` has 5003 elements"), "{why}");
    assert!(why.contains("wrong_kernels/sum_squares.rs:"), "{why}");
}

#[test]
fn an_unwritten_sum_is_rejected() {
    let why = rejection::<f64>(Draw::Notes, LENGTH, prepare!(lost_thread, THREADS));
    assert!(why.contains("the sum is NaN"), "{why}");
    let why = rejection::<u32>(Draw::Notes, LENGTH, prepare!(lost_thread, THREADS));
    assert!(why.contains("the sum is"), "{why}");
}

#[test]
fn sums_of_the_numbers_themselves_are_not_sums_of_squares() {
    rejection::<i32>(Draw::Notes, LENGTH, prepare!(not_squared, THREADS));
    rejection::<f32>(Draw::Notes, LENGTH, prepare!(not_squared, THREADS));
}

#[test]
fn whole_numbers_summed_in_32_bits_are_rejected() {
    let why = rejection::<i32>(Draw::Any, LENGTH, |n, device| {
        room(n, device, THREADS)?;
        in_less::<i32, i32>(&n.src, &mut n.sums, 0).grid(1).block(THREADS).prepare(device)
    });
    assert!(why.contains("the sum is"), "{why}");
}

#[test]
fn sums_in_the_next_lower_precision_are_rejected() {
    // With fewer numbers, the rounding errors of 128 threads may cancel.
    for length in [70_001, 200_000] {
        let why = rejection::<f16>(Draw::Notes, length, |n, device| {
            room(n, device, THREADS)?;
            let launch = in_less::<f16, f16>(&n.src, &mut n.sums, f16::ZERO);
            launch.grid(1).block(THREADS).prepare(device)
        });
        assert!(why.starts_with("of lower precision than promised"), "{why}");
        let why = rejection::<f32>(Draw::Notes, length, |n, device| {
            room(n, device, THREADS)?;
            let launch = in_less::<f32, f16>(&n.src, &mut n.sums, f16::ZERO);
            launch.grid(1).block(THREADS).prepare(device)
        });
        assert!(why.starts_with("of lower precision than promised"), "{why}");
        let why = rejection::<f64>(Draw::Notes, length, |n, device| {
            room(n, device, THREADS)?;
            let launch = in_less::<f64, f32>(&n.src, &mut n.sums, 0.0);
            launch.grid(1).block(THREADS).prepare(device)
        });
        assert!(why.starts_with("of lower precision than promised"), "{why}");
    }
}
