//! Deliberately wrong transposes: verification must reject each, or a fault must stop it.

use lanework::prelude::*;
use lanework::{Dim3, Prepared, Result};
use lanework_lab::{Matrix, verify_transpose};
use lanework_ladders::transpose::Matrices;
use lanework_ladders::{Rung, RungInfo};

const SHAPE: Matrix = Matrix { rows: 70, cols: 45, block: 16 };

#[kernel]
fn swapped_index(src: &[f32], dst: &mut [f32], rows: u32, cols: u32) {
    let x = block_idx.x * block_dim.x + thread_idx.x;
    let y = block_idx.y * block_dim.y + thread_idx.y;
    if x < cols && y < rows {
        dst[y * cols + x] = src[y * cols + x];
    }
}

#[kernel]
fn missing_barrier(src: &[f32], dst: &mut [f32], rows: u32, cols: u32, #[constant] t: u32) {
    let tile = shared::<f32>([t, t + 1]);
    let (x, y) = (block_idx.x * t + thread_idx.x, block_idx.y * t + thread_idx.y);
    if x < cols && y < rows {
        tile[[thread_idx.y, thread_idx.x]] = src[y * cols + x];
    }
    let (x, y) = (block_idx.y * t + thread_idx.x, block_idx.x * t + thread_idx.y);
    if x < rows && y < cols {
        dst[y * rows + x] = tile[[thread_idx.x, thread_idx.y]];
    }
}

#[kernel]
fn edge_one_short(src: &[f32], dst: &mut [f32], rows: u32, cols: u32) {
    let x = block_idx.x * block_dim.x + thread_idx.x;
    let y = block_idx.y * block_dim.y + thread_idx.y;
    if x < cols - 1 && y < rows {
        dst[x * rows + y] = src[y * cols + x];
    }
}

#[kernel]
fn edge_one_over(src: &[f32], dst: &mut [f32], rows: u32, cols: u32) {
    let x = block_idx.x * block_dim.x + thread_idx.x;
    let y = block_idx.y * block_dim.y + thread_idx.y;
    if x < cols && y <= rows {
        dst[x * rows + y] = src[y * cols + x];
    }
}

#[kernel]
fn no_edge_test(src: &[f32], dst: &mut [f32], rows: u32, cols: u32) {
    let x = block_idx.x * block_dim.x + thread_idx.x;
    let y = block_idx.y * block_dim.y + thread_idx.y;
    dst[x * rows + y] = src[y * cols + x];
}

#[kernel]
fn rounds_on_the_way(src: &[f32], dst: &mut [f32], rows: u32, cols: u32) {
    let x = block_idx.x * block_dim.x + thread_idx.x;
    let y = block_idx.y * block_dim.y + thread_idx.y;
    if x < cols && y < rows {
        dst[x * rows + y] = src[y * cols + x] + 0.0;
    }
}

#[kernel]
fn writes_nothing(src: &[f32], dst: &mut [f32], rows: u32, cols: u32) {
    let x = block_idx.x * block_dim.x + thread_idx.x;
    if x > cols + rows * 1000 {
        dst[x] = src[x];
    }
}

/// The reason for rejecting a kernel on the emulator.
fn rejection(
    prepare: for<'a> fn(&'a mut Matrices<f32>, &Device) -> Result<Prepared<'a>>,
) -> String {
    let info = RungInfo { name: "wrong", experiment: "none", source: "" };
    verify_transpose(&Rung { info, prepare }, &Device::emulator(), SHAPE, 9)
        .expect_err("a wrong kernel was accepted")
}

fn grid(m: &Matrices<f32>) -> Dim3 {
    Dim3::from((m.cols.div_ceil(m.block), m.rows.div_ceil(m.block)))
}

#[test]
fn a_copy_is_not_a_transpose() {
    let why = rejection(|m, device| {
        let grid = grid(m);
        let launch = swapped_index(&m.src, &mut m.dst, m.rows, m.cols);
        launch.grid(grid).block((m.block, m.block)).prepare(device)
    });
    assert!(why.contains("elements differ"), "{why}");
}

#[test]
fn a_missing_barrier_shows() {
    let why = rejection(|m, device| {
        let grid = grid(m);
        let launch = missing_barrier(&m.src, &mut m.dst, m.rows, m.cols, m.block);
        launch.grid(grid).block((m.block, m.block)).prepare(device)
    });
    assert!(why.contains("elements differ"), "{why}");
}

#[test]
fn an_edge_one_short_leaves_poison() {
    let why = rejection(|m, device| {
        let grid = grid(m);
        let launch = edge_one_short(&m.src, &mut m.dst, m.rows, m.cols);
        launch.grid(grid).block((m.block, m.block)).prepare(device)
    });
    assert!(why.contains("70 of 3150 elements differ"), "{why}");
    assert!(why.contains("0xcdcdcdcd"), "{why}");
}

#[test]
fn an_edge_one_over_is_out_of_bounds() {
    let why = rejection(|m, device| {
        let grid = grid(m);
        let launch = edge_one_over(&m.src, &mut m.dst, m.rows, m.cols);
        launch.grid(grid).block((m.block, m.block)).prepare(device)
    });
    assert!(why.contains("index 3150 is out of bounds: `src` has 3150 elements"), "{why}");
    assert!(why.contains("wrong_kernels/transpose.rs:"), "{why}");
}

#[test]
fn a_missing_edge_test_faults_even_without_checks() {
    let why = rejection(|m, device| {
        let grid = grid(m);
        let launch = no_edge_test(&m.src, &mut m.dst, m.rows, m.cols);
        // SAFETY: this runs only on the emulator, which checks every access.
        unsafe { launch.grid(grid).block((m.block, m.block)).prepare_unchecked(device) }
    });
    assert!(why.contains("out-of-bounds") && why.contains("wrong_kernels/transpose.rs"), "{why}");
}

#[test]
fn arithmetic_between_load_and_store_changes_bits() {
    let why = rejection(|m, device| {
        let grid = grid(m);
        let launch = rounds_on_the_way(&m.src, &mut m.dst, m.rows, m.cols);
        launch.grid(grid).block((m.block, m.block)).prepare(device)
    });
    assert!(why.contains("elements differ"), "{why}");
}

#[test]
fn a_kernel_that_writes_nothing_is_rejected() {
    let why = rejection(|m, device| {
        let grid = grid(m);
        let launch = writes_nothing(&m.src, &mut m.dst, m.rows, m.cols);
        launch.grid(grid).block((m.block, m.block)).prepare(device)
    });
    assert!(why.contains("3150 of 3150 elements differ"), "{why}");
}
