//! Fidelity of an instruction: whether its results were measured against a GPU's.
//!
//! The table `data/measured.txt` lists the measured instructions. A test derives it from the recorded vectors
//! (`tests/it/conformance/results.rs`); instructions outside the table are never called exact.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Fidelity of an instruction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fidelity {
    /// Equal to an H200's results bit for bit, for every recorded vector.
    Measured,
    /// Not compared with a GPU on its own, such as control flow, barriers and asynchronous copies.
    Unmeasured,
}

/// The names of the compared instructions, one per line.
static MEASURED: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let lines = include_str!("../../data/measured.txt").lines();
    lines.filter(|line| !line.starts_with('#')).collect()
});

/// Fidelity of the instruction of this name, such as `ex2.approx.f32`. The name does not cover all operands:
/// `mov.u32` is measured, but not with `%clock`.
pub fn fidelity(name: &str) -> Fidelity {
    if MEASURED.contains(name) { Fidelity::Measured } else { Fidelity::Unmeasured }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_compared_instructions_are_measured() {
        assert_eq!(fidelity("add.rn.f32"), Fidelity::Measured);
        assert_eq!(
            fidelity("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"),
            Fidelity::Measured
        );
        assert_eq!(fidelity("ex2.approx.f32"), Fidelity::Measured);
        assert_eq!(fidelity("bar.sync"), Fidelity::Unmeasured);
        assert_eq!(fidelity("add.rn.f33"), Fidelity::Unmeasured);
    }
}
