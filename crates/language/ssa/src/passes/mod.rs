//! The optimizer.

mod addresses;
mod contract;
mod control;
mod edit;
mod inline;
mod legalize;
mod loops;
mod number;
mod simplify;
mod slots;
mod spaces;

use crate::ir::*;

/// Options of the optimizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Optimization {
    /// Whether to optimize. If not, the passes only lower what PTX does not support.
    pub enabled: bool,
}

impl Default for Optimization {
    fn default() -> Self {
        Optimization { enabled: true }
    }
}

/// Optimizes a module, independent of the target.
pub(crate) fn improve(module: &mut SsaModule, options: &Optimization) {
    for function in &mut module.functions {
        edit::resolve_aliases(function);
        control::remove_redundant_parameters(function);
        edit::resolve_aliases(function);
    }
    if options.enabled {
        inline_all(module);
        module.functions.iter_mut().for_each(optimize);
    }
}

/// Optimizes a module and replaces what PTX lacks.
pub(crate) fn run(module: &mut SsaModule, options: &Optimization) {
    improve(module, options);
    for function in &mut module.functions {
        legalize::lower_copies(function);
        spaces::infer_spaces(function);
        contract::contract(function);
        edit::remove_dead(function);
        legalize::legalize(function);
    }
}

/// Removes unused instructions and resolves aliases.
pub(crate) fn finish(function: &mut SsaFunction) {
    if !function.blocks.is_empty() {
        edit::remove_dead(function);
        edit::resolve_aliases(function);
    }
}

/// Inlines calls, callees first, and removes functions that nothing refers to any more.
fn inline_all(module: &mut SsaModule) {
    let order = inline::bottom_up(module);
    let mut inlined = vec![false; module.functions.len()];
    for (id, is_recursive) in order {
        inline::inline_calls(module, id, &|callee| inlined[callee.index()]);
        let function = &mut module.functions[id.index()];
        clean(function);
        inlined[id.index()] = !is_recursive
            && function.linkage == FunctionLinkage::Device
            && function.inlining == Inlining::Automatic
            && !function.blocks.is_empty()
            && function.instructions.len() < inline::LARGEST_CALLEE;
    }
}

/// Passes that make a function smaller, useful before any other pass.
fn clean(function: &mut SsaFunction) {
    if function.blocks.is_empty() {
        return;
    }
    control::simplify_control(function);
    slots::promote_slots(function);
    for _ in 0..4 {
        let changed = simplify::simplify(function);
        number::number_values(function);
        if !changed {
            break;
        }
    }
    control::hoist_common(function);
    control::simplify_control(function);
    edit::remove_dead(function);
}

/// Optimizes a function whose calls have been inlined.
fn optimize(function: &mut SsaFunction) {
    if function.blocks.is_empty() {
        return;
    }
    if spaces::infer_spaces(function) {
        clean(function);
    }
    loops::rotate_loops(function);
    clean(function);
    loops::hoist_invariants(function);
    // Unrolling an inner loop makes its outer loop innermost.
    for _ in 0..4 {
        if !loops::unroll_fully(function) {
            break;
        }
        clean(function);
        if spaces::infer_spaces(function) {
            clean(function);
        }
    }
    loops::unroll_partially(function);
    clean(function);
    addresses::reuse_addresses(function);
    clean(function);
    loops::hoist_invariants(function);
    loops::reduce_addresses(function);
    clean(function);
    loops::hoist_invariants(function);
}
