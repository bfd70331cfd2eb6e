//! Optimization.

mod edit;
mod legalize;

use crate::ir::*;

/// Options of the optimizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Optimization {
    /// Whether to optimize at all. Without, only what PTX lacks is replaced.
    pub enabled: bool,
}

impl Default for Optimization {
    fn default() -> Self {
        Optimization { enabled: true }
    }
}

/// Optimizes a module and replaces what PTX lacks.
pub(crate) fn run(module: &mut SsaModule, _options: &Optimization) {
    for function in &mut module.functions {
        edit::resolve_aliases(function);
        legalize::lower_copies(function);
        edit::remove_dead(function);
        legalize::legalize(function);
    }
}
