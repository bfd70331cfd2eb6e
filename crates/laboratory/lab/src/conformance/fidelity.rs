//! How far an instruction's results are known to agree with a GPU's: measured, or unmeasured.
//!
//! What is measured is a table, `data/measured.txt`, which a test makes from the recorded vectors
//! (`tests/conformance.rs`); an instruction that is not in it is never called exact.

use std::collections::HashSet;
use std::sync::LazyLock;

/// How far the results of an instruction are known to agree with a GPU's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fidelity {
    /// Bit for bit what an H200 gave, over every recorded vector.
    Measured,
    /// Not compared by itself with a GPU: such as control flow, barriers and asynchronous copies.
    Unmeasured,
}

/// The names of the instructions that were compared, a line each.
static MEASURED: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let lines = include_str!("../../data/measured.txt").lines();
    lines.filter(|line| !line.starts_with('#')).collect()
});

/// How far the results of an instruction are known to agree with a GPU's, by its name such as
/// `ex2.approx.f32`. A name does not tell of operands: `mov.u32` is measured, though not of `%clock`.
pub fn fidelity(name: &str) -> Fidelity {
    if MEASURED.contains(name) { Fidelity::Measured } else { Fidelity::Unmeasured }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_compared_is_measured() {
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
