//! The record of what was fused where, for the verifier.

/// A fused handler and the operations that it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fusion {
    /// The operation that it overlays.
    pub at: u32,
    /// What it is.
    pub kind: FusionKind,
}

/// What a fused handler runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FusionKind {
    /// Two sums of scalar forms.
    Sums,
    /// A comparison and the branch on it.
    CompareBranch,
    /// Two loads and their `fma`.
    Step,
    /// A sum of scalar forms, two loads and their `fma`: the latter overlaid too.
    SumAndStep,
    /// The steps of the chain of this index.
    Chain(u32),
}
