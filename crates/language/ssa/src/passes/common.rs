//! Moves instructions that both sides of a branch start with to before the branch.

use super::edit::resolve_aliases;
use crate::analysis::{ControlFlow, KindEffects};
use crate::ir::*;

/// Hoists from all branches, innermost first.
pub(super) fn hoist_common(function: &mut SsaFunction) {
    let flow = ControlFlow::new(function);
    for block in flow.order.iter().rev() {
        let BlockTerminator::Branch(_, yes, no) = &function.block(*block).terminator else {
            continue;
        };
        let (yes, no) = (yes.block, no.block);
        let entered_here = |side: BlockId| flow.predecessors[side.index()].len() == 1;
        if yes == no || !entered_here(yes) || !entered_here(no) {
            continue;
        }
        while let (Some(first), Some(second)) =
            (function.block(yes).instructions.first(), function.block(no).instructions.first())
        {
            let (first, second) = (*first, *second);
            if !is_same(function, first, second) {
                break;
            }
            function.block_mut(yes).instructions.remove(0);
            function.block_mut(no).instructions.remove(0);
            function.block_mut(*block).instructions.push(first);
            let results = function.instruction(first).results.clone();
            for (old, new) in function.instruction(second).results.clone().into_iter().zip(results)
            {
                function.replace(old, new);
            }
        }
    }
    resolve_aliases(function);
}

/// Whether two instructions are the same and can be replaced by one instruction before the branch.
fn is_same(function: &SsaFunction, first: InstructionId, second: InstructionId) -> bool {
    let (a, b) = (function.instruction(first), function.instruction(second));
    let effects = KindEffects::of(&a.kind);
    let types = |data: &InstructionData| -> Vec<ValueType> {
        data.results.iter().map(|result| function.value_type(*result)).collect()
    };
    !effects.convergent
        && !effects.required
        && a.kind == b.kind
        && types(a) == types(b)
        && a.arguments.len() == b.arguments.len()
        && a.arguments
            .iter()
            .zip(&b.arguments)
            .all(|(x, y)| function.resolve(*x) == function.resolve(*y))
}
