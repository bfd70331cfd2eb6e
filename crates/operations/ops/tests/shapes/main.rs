//! Random shapes, strides and options of every operation, compared with host results: a few hundred small cases on the emulator,
//! and 200 large ones on a GPU if there is one. `LANEWORK_SHAPES` sets the number of cases (on the GPU only, if there is one),
//! `LANEWORK_SHAPE_SIZE` the approximate number of elements, `LANEWORK_SHAPE_FROM` the first case, and `LANEWORK_SHAPE_ONLY` the
//! operation. Thousands of cases need an optimized build: `cargo test --release -p lanework-ops --test shapes`.
//!
//! A failing case prints its seed; `LANEWORK_SHAPE_SEED=S cargo test -p lanework-ops --test shapes` repeats it.

mod attention;
mod gaps;
mod gemm;
mod norms;
mod reduce;
mod scan;
mod transpose;

use lanework::{Backend, Device};
use rand::SeedableRng;
use rand::rngs::StdRng;
use std::time::Instant;

/// An operation under test: draws a problem of about `size` elements for a device, solves it, and compares the result with the
/// host's. Errors describe the problem and the difference.
pub type Draw = fn(&Device, &mut StdRng, usize) -> Result<(), String>;

/// The operations, by name.
fn operations() -> Vec<(&'static str, Draw)> {
    vec![
        ("attention", attention::draw as Draw),
        ("gemm", gemm::draw),
        ("norms", norms::draw),
        ("reduce", reduce::draw),
        ("scan", scan::draw),
        ("transpose", transpose::draw),
    ]
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

#[test]
fn random_problems_have_the_hosts_results() {
    let alone = number("LANEWORK_SHAPE_SEED");
    let only = std::env::var("LANEWORK_SHAPE_ONLY").ok();
    let mut devices = Device::for_tests("random shapes of the operations");
    let on_gpu = |device: &Device| device.backend() == Backend::Cuda;
    // An explicit number of cases applies to the GPU only.
    if number("LANEWORK_SHAPES").is_some() && devices.iter().any(on_gpu) {
        devices.retain(on_gpu);
    }
    for device in devices {
        let (cases, size) = match device.backend() {
            Backend::Emulator => (300, 4_000),
            Backend::Cuda => (200, 4_000_000),
        };
        let cases = number("LANEWORK_SHAPES").unwrap_or(cases);
        let size = number("LANEWORK_SHAPE_SIZE").unwrap_or(size) as usize;
        let operations = operations();
        let mut failures = Vec::new();
        let (start, mut solved) = (Instant::now(), 0);
        for seed in number("LANEWORK_SHAPE_FROM").unwrap_or(0)..cases {
            let Some((name, draw)) = operations.get(seed as usize % operations.len().max(1)) else {
                continue;
            };
            let other = only.as_ref().is_some_and(|only| only != name);
            if other || alone.is_some_and(|alone| alone != seed) {
                continue;
            }
            solved += 1;
            let (mut rng, begun) = (StdRng::seed_from_u64(seed), Instant::now());
            if let Err(why) = draw(&device, &mut rng, size) {
                failures.push(format!("seed {seed}, {name}: {why}"));
            }
            let seconds = begun.elapsed().as_secs_f64();
            if seconds > 5.0 {
                eprintln!("seed {seed}, {name}, took {seconds:.1} s");
            }
        }
        assert!(solved > 0 || alone.is_some(), "no cases: {only:?} is not an operation");
        let (place, seconds) = (device.info().name, start.elapsed().as_secs_f64());
        println!("{solved} cases on {place}, {} wrong, {seconds:.1} s", failures.len());
        assert!(
            failures.is_empty(),
            "{} of {solved} cases failed on {device:?}:\n{}",
            failures.len(),
            failures.join("\n")
        );
    }
}
