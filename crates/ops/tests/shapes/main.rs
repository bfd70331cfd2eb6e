//! Random shapes, strides and options of every operation, each result compared with the host's: a few hundred small ones on the emulator,
//! and on a GPU, where there is one, as many as `LANEWORK_SHAPES` says (200 unless told), of about
//! `LANEWORK_SHAPE_SIZE` elements, from case `LANEWORK_SHAPE_FROM` on.
//!
//! A case that fails prints its seed; `LANEWORK_SHAPE_SEED=S cargo test -p lanework-ops --test shapes` runs that one alone.

mod attention;
mod gemm;
mod norms;
mod reduce;
mod scan;
mod transpose;

use lanework::{Backend, Device};
use rand::SeedableRng;
use rand::rngs::StdRng;

/// An operation of the test: draws a problem of about `size` elements for a device, solves it, and compares the result with the host's.
/// An error says the problem and the difference.
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
    for device in Device::for_tests("random shapes of the operations") {
        let (cases, size) = match device.backend() {
            Backend::Emulator => (300, 4_000),
            Backend::Cuda => (
                number("LANEWORK_SHAPES").unwrap_or(200),
                number("LANEWORK_SHAPE_SIZE").unwrap_or(4_000_000) as usize,
            ),
        };
        let operations = operations();
        let mut failures = Vec::new();
        for seed in number("LANEWORK_SHAPE_FROM").unwrap_or(0)..cases {
            let Some((name, draw)) = operations.get(seed as usize % operations.len().max(1)) else {
                continue;
            };
            if alone.is_some_and(|alone| alone != seed) {
                continue;
            }
            let mut rng = StdRng::seed_from_u64(seed);
            if let Err(why) = draw(&device, &mut rng, size) {
                failures.push(format!("seed {seed}, {name}: {why}"));
            }
        }
        assert!(
            failures.is_empty(),
            "{} of {cases} cases failed on {device:?}:\n{}",
            failures.len(),
            failures.join("\n")
        );
    }
}
