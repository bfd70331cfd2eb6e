//! Errors of staging name the line that causes them, and a remedy.

use half::bf16;
use lanework::prelude::*;

/// The error of a launch that cannot be staged.
fn said(launch: Launch<'_>) -> String {
    let launched = launch.grid(1).block(128).launch(&Device::emulator());
    launched.expect_err("refused").to_string()
}

/// Checks the message, the help and that the line is one of this file.
fn expect(launch: Launch<'_>, message: &str, help: &str) {
    let text = said(launch);
    assert!(text.contains(message), "{text}\nlacks: {message}");
    assert!(text.contains(help), "{text}\nlacks: {help}");
    assert!(text.contains("tiles/refusals.rs:"), "{text}");
}

#[kernel]
fn waits(#[constant] commits: u32, #[constant] waits: u32) {
    let pipe = CopyPipeline::<2>::new();
    #[unroll]
    for _ in 0..commits {
        pipe.commit();
    }
    #[unroll]
    for _ in 0..waits {
        pipe.wait();
    }
}

#[kernel]
fn uneven(n: u32, #[constant] place: u32) {
    let pipe = CopyPipeline::<3>::new();
    pipe.commit();
    if place == 0 {
        if n > 3 {
            pipe.commit();
        }
    } else if place == 1 {
        for _ in 0..n {
            pipe.commit();
        }
    } else {
        for i in 0..n {
            pipe.wait();
            if i == 7 {
                continue;
            }
            pipe.commit();
        }
    }
    pipe.wait();
}

#[test]
fn a_pipeline_counts_its_groups() {
    assert!(waits(2, 2).grid(1).block(32).launch(&Device::emulator()).is_ok());
    expect(
        waits(1, 2),
        "no group of this pipeline is in flight here",
        "commit one before each wait",
    );
    expect(
        waits(3, 1),
        "3 groups of copies are in flight in a pipeline of 2 stages",
        "wait for the oldest",
    );
    for place in 0..3 {
        let message = "not every path to here has the same groups of copies in flight";
        expect(uneven(9, place), message, "commit and wait equally often");
    }
}

#[test]
fn the_number_that_is_waited_for_follows_from_the_groups() {
    let text = |commits, times| waits(commits, times).module().expect("staged").to_string();
    assert!(text(2, 1).contains("cp.async.wait_group 1;"));
    assert!(text(2, 2).contains("cp.async.wait_group 0;") && text(1, 1).contains("wait_group 0;"));
}

#[kernel]
fn shapes<const ROWS: u32, const COLUMNS: u32>() {
    let _ = SharedTile::<bf16, ROWS, COLUMNS>::new();
}

#[kernel]
fn large() {
    let _ = SharedTiles::<bf16, 128, 128>::new(20);
}

#[test]
fn tiles_have_a_layout() {
    expect(shapes::<12, 64>(), "a tile of 12 rows has no layout", "a multiple of 8 rows");
    expect(
        shapes::<16, 48>(),
        "rows of 48 elements of bf16, 96 bytes, do not fill panels",
        "Swizzle64",
    );
    expect(large(), "do not fit a block's shared memory", "fewer or smaller tiles");
}

#[kernel]
fn results<const N: u32, const K: u32>() {
    let a = SharedTile::<bf16, 64, K, Swizzle32>::new();
    let b = SharedTile::<bf16, N, K, Swizzle32>::new();
    let mut sums = Accumulator::<f32, N>::zero();
    sums.multiply(a, b.t());
    sums.finish();
}

#[kernel]
fn directions() {
    let a = SharedTile::<Tf32, 32, 64, Swizzle128>::new();
    let b = SharedTile::<Tf32, 32, 32, Swizzle128>::new();
    let mut sums = Accumulator::<f32, 32>::zero();
    sums.multiply(a.t(), b.t());
    sums.finish();
}

#[kernel]
fn fixed(#[constant] which: u32) {
    let sum = FragmentC::<f32, 16, 8>::zero();
    if which == 0 {
        sum.mma(FragmentA::<bf16, 16, 16>::zero(), FragmentB::<bf16, 16, 8>::zero());
    } else if which == 1 {
        let mut sums = Accumulator::<f32, 8>::zero();
        sums = Accumulator::of(sums.finish());
        let mut more = sums;
        more.finish();
    } else {
        let _ = sum[4];
    }
}

#[test]
fn products_have_a_shape() {
    expect(
        results::<264, 16>(),
        "`wgmma` has no results of 264 columns",
        "a multiple of 8 up to 256",
    );
    expect(directions(), "only 16-bit elements are multiplied", "give `b.t()`");
    expect(fixed(0), "`mma` changes a fragment that is not a variable", "`let mut`");
    expect(fixed(1), "may still be written by the tensor cores", "`finish()` waits");
    expect(fixed(2), "a lane holds 4 elements", "`ELEMENTS`");
}
