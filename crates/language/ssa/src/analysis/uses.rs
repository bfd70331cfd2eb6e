//! How often each value is used.

use super::cfg::ControlFlow;
use crate::ir::SsaFunction;

/// By value, the number of uses in reachable blocks. Aliases must be resolved.
pub(crate) fn use_counts(function: &SsaFunction, flow: &ControlFlow) -> Vec<u32> {
    let mut counts = vec![0; function.values.len()];
    for block in &flow.order {
        let data = function.block(*block);
        for instruction in &data.instructions {
            for argument in &function.instruction(*instruction).arguments {
                counts[argument.index()] += 1;
            }
        }
        for value in data.terminator.values() {
            counts[value.index()] += 1;
        }
    }
    counts
}
