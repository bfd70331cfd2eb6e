//! Simplifies control flow: constant branches, chains of blocks, redundant parameters, and conditions that a few cheap
//! instructions can replace by selections. If both sides of a branch start with the same instructions, hoists these to
//! before the branch.

use super::edit::{resolve_aliases, retain_parameters};
use crate::analysis::{ControlFlow, KindEffects};
use crate::ir::*;

/// Maximum number of instructions of a branch that then always run, so that a selection can replace the branch.
const SPECULATED: usize = 2;

/// Maximum number of instructions of a second condition that is computed together with the first.
const COMBINED: usize = 4;

/// Simplifies until nothing changes.
pub(super) fn simplify_control(function: &mut SsaFunction) {
    loop {
        let mut changed = fold_branches(function);
        changed |= remove_redundant_parameters(function);
        changed |= skip_empty_blocks(function);
        changed |= merge_chains(function);
        changed |= combine_conditions(function);
        changed |= select_values(function);
        if !changed {
            break;
        }
    }
    resolve_aliases(function);
    clear_unreachable(function);
}

/// Replaces branches on constants, and branches whose targets are equal, by jumps.
fn fold_branches(function: &mut SsaFunction) -> bool {
    let mut changed = false;
    for block in ControlFlow::new(function).order {
        let new = match &function.block(block).terminator {
            BlockTerminator::Branch(condition, yes, no) => {
                if yes == no {
                    Some(yes.clone())
                } else {
                    function.as_constant(*condition).map(|c| if c != 0 { yes } else { no }.clone())
                }
            }
            BlockTerminator::Switch(value, cases, default) => {
                let ty = function.value_type(*value);
                function.as_constant(*value).map(|bits| {
                    let case = cases.iter().find(|(case, _)| case & ty.mask() == bits);
                    case.map_or(default, |(_, target)| target).clone()
                })
            }
            _ => None,
        };
        if let Some(target) = new {
            function.block_mut(block).terminator = BlockTerminator::Jump(target);
            changed = true;
        }
        // `if (!a) x else y` is `if (a) y else x`.
        if let BlockTerminator::Branch(condition, yes, no) = &function.block(block).terminator
            && let Some((_, data)) = function.defining(*condition)
            && data.kind == InstructionKind::IntegerUnary(IntegerUnary::Not)
        {
            let new = BlockTerminator::Branch(data.arguments[0], no.clone(), yes.clone());
            function.block_mut(block).terminator = new;
            changed = true;
        }
    }
    changed
}

/// Removes parameters that always receive the same value.
pub(super) fn remove_redundant_parameters(function: &mut SsaFunction) -> bool {
    let flow = ControlFlow::new(function);
    let mut any = false;
    loop {
        let mut changed = false;
        for block in flow.order.iter().skip(1) {
            let parameters = function.block(*block).parameters.clone();
            if parameters.is_empty() {
                continue;
            }
            let mut keep = vec![true; parameters.len()];
            for (index, parameter) in parameters.iter().enumerate() {
                let mut only = None;
                let mut is_redundant = true;
                for from in &flow.predecessors[block.index()] {
                    for target in function.block(*from).terminator.targets() {
                        if target.block != *block {
                            continue;
                        }
                        let argument = function.resolve(target.arguments[index]);
                        // An undefined value may be any value. But a value that does not dominate the block
                        // must not replace it; a constant may.
                        if argument != *parameter && *only.get_or_insert(argument) != argument {
                            is_redundant = false;
                        }
                    }
                }
                if is_redundant {
                    let ty = function.value_type(*parameter);
                    let value =
                        only.unwrap_or_else(|| function.leaf(ty, ValueDefinition::Undefined));
                    function.replace(*parameter, value);
                    keep[index] = false;
                    changed = true;
                }
            }
            retain_parameters(function, &flow, *block, &keep);
        }
        any |= changed;
        if !changed {
            return any;
        }
    }
}

/// Redirects jumps to a block that only jumps, to that block's target.
fn skip_empty_blocks(function: &mut SsaFunction) -> bool {
    let flow = ControlFlow::new(function);
    let mut changed = false;
    for block in &flow.order {
        let mut terminator = function.block(*block).terminator.clone();
        let mut retargeted = false;
        for target in terminator.targets_mut() {
            let next = function.block(target.block);
            if !next.instructions.is_empty() || !next.parameters.is_empty() {
                continue;
            }
            if let BlockTerminator::Jump(onward) = &next.terminator
                && onward.block != target.block
                && flow.position[target.block.index()] < flow.position[onward.block.index()]
            {
                *target = onward.clone();
                retargeted = true;
            }
        }
        if retargeted {
            function.block_mut(*block).terminator = terminator;
            changed = true;
        }
    }
    changed
}

/// Merges a block with its only successor if the successor has no other predecessor.
fn merge_chains(function: &mut SsaFunction) -> bool {
    let flow = ControlFlow::new(function);
    let mut changed = false;
    for block in &flow.order {
        while let BlockTerminator::Jump(target) = &function.block(*block).terminator {
            let next = target.block;
            let only = flow.predecessors[next.index()].len() == 1;
            if !only || next == *block || next == SsaFunction::ENTRY {
                break;
            }
            let target = target.clone();
            for (parameter, argument) in
                function.block(next).parameters.clone().into_iter().zip(target.arguments)
            {
                function.replace(parameter, argument);
            }
            let unroll = function.block(next).unroll;
            let data = std::mem::take(function.block_mut(next));
            let into = function.block_mut(*block);
            into.instructions.extend(data.instructions);
            into.terminator = data.terminator;
            into.position = data.position;
            if into.unroll == UnrollHint::Automatic {
                into.unroll = unroll;
            }
            // The successors have as many predecessors as before.
            changed = true;
        }
    }
    changed
}

/// `if (a) if (b) x; y` becomes `if (a & b) x; y`.
fn combine_conditions(function: &mut SsaFunction) -> bool {
    let flow = ControlFlow::new(function);
    let mut changed = false;
    for block in &flow.order {
        let BlockTerminator::Branch(first, yes, no) = function.block(*block).terminator.clone()
        else {
            continue;
        };
        for (inner, other, inner_is_yes) in [(&yes, &no, true), (&no, &yes, false)] {
            let data = function.block(inner.block);
            let BlockTerminator::Branch(second, inner_yes, inner_no) = &data.terminator else {
                continue;
            };
            let only = flow.predecessors[inner.block.index()].len() == 1;
            if !only || inner.block == *block || !is_cheap(function, inner.block, COMBINED) {
                continue;
            }
            if !inner.arguments.is_empty() || inner_yes.block == inner.block {
                continue;
            }
            let (shared_is_yes, apart) = if inner_yes == other {
                (true, inner_no)
            } else if inner_no == other {
                (false, inner_yes)
            } else {
                continue;
            };
            if !data.parameters.is_empty() {
                continue;
            }
            // The condition to reach `other`: the first condition does not lead to the inner block, or the second
            // one leads to `other`.
            let second = *second;
            let (other, apart, inner) = (other.clone(), apart.clone(), inner.block);
            let moved = std::mem::take(function.block_mut(inner)).instructions;
            function.block_mut(*block).instructions.extend(moved);
            let a = if inner_is_yes { negate(function, *block, first) } else { first };
            let b = if shared_is_yes { second } else { negate(function, *block, second) };
            let kind = InstructionKind::Integer { op: IntegerBinary::Or, no_wrap: false };
            let condition = append(function, *block, kind, vec![a, b], ValueType::I1);
            function.block_mut(*block).terminator =
                BlockTerminator::Branch(condition, other, apart);
            changed = true;
            // The graph is outdated, but no block has more predecessors than the graph says.
            break;
        }
    }
    changed
}

/// Replaces values that depend only on a condition by selections; the instructions that compute them then always run.
fn select_values(function: &mut SsaFunction) -> bool {
    let flow = ControlFlow::new(function);
    let mut changed = false;
    for block in &flow.order {
        let BlockTerminator::Branch(condition, yes, no) = &function.block(*block).terminator else {
            continue;
        };
        let (condition, yes, no) = (*condition, yes.clone(), no.clone());
        let side = |target: &BlockCall| -> Option<BlockCall> {
            let data = function.block(target.block);
            let only = flow.predecessors[target.block.index()].len() == 1;
            let is_plain = data.parameters.is_empty() && target.block != *block;
            match &data.terminator {
                BlockTerminator::Jump(next)
                    if only && is_plain && is_cheap(function, target.block, SPECULATED) =>
                {
                    Some(next.clone())
                }
                _ => None,
            }
        };
        let (after_yes, after_no) = (side(&yes), side(&no));
        let (from_yes, from_no) = match (&after_yes, &after_no) {
            (Some(a), Some(b)) if a.block == b.block && yes.block != no.block => (a, b),
            (Some(a), _) if a.block == no.block => (a, &no),
            (_, Some(b)) if b.block == yes.block => (&yes, b),
            _ if yes.block == no.block => (&yes, &no),
            _ => continue,
        };
        let join = from_yes.block;
        if join == *block {
            continue;
        }
        let pairs: Vec<(ValueId, ValueId)> = from_yes
            .arguments
            .iter()
            .zip(&from_no.arguments)
            .map(|(a, b)| (function.resolve(*a), function.resolve(*b)))
            .collect();
        let selections = pairs.iter().filter(|(a, b)| a != b).count();
        if selections > SPECULATED {
            continue;
        }
        let sides = [(after_yes.is_some(), yes.block), (after_no.is_some(), no.block)];
        for (is_side, side) in sides {
            if is_side && side != join {
                let moved = std::mem::take(function.block_mut(side)).instructions;
                function.block_mut(*block).instructions.extend(moved);
            }
        }
        let mut arguments = Vec::new();
        for (a, b) in pairs {
            if a == b {
                arguments.push(a);
                continue;
            }
            let ty = function.value_type(a);
            let kind = InstructionKind::Select;
            arguments.push(append(function, *block, kind, vec![condition, a, b], ty));
        }
        function.block_mut(*block).terminator =
            BlockTerminator::Jump(BlockCall { block: join, arguments });
        changed = true;
    }
    changed
}

/// Whether a block has only a few instructions that may all run unconditionally.
fn is_cheap(function: &SsaFunction, block: BlockId, most: usize) -> bool {
    let data = function.block(block);
    let mut cost = 0;
    for instruction in &data.instructions {
        let kind = &function.instruction(*instruction).kind;
        if !KindEffects::of(kind).is_movable() {
            return false;
        }
        cost += match kind {
            InstructionKind::Float {
                op:
                    FloatArithmetic::Divide | FloatArithmetic::SquareRoot | FloatArithmetic::Reciprocal,
                ..
            }
            | InstructionKind::Ptx(_) => return false,
            // Division takes about 20 machine instructions, and by zero it may end the program.
            InstructionKind::Integer { op, .. } if op.divides() => {
                if function
                    .as_constant(function.instruction(*instruction).arguments[1])
                    .is_none_or(|by| by == 0)
                {
                    return false;
                }
                1
            }
            // Its users absorb it.
            InstructionKind::Convert(ValueConversion::Reinterpret | ValueConversion::Truncate) => 0,
            _ => 1,
        };
    }
    cost <= most
}

fn negate(function: &mut SsaFunction, block: BlockId, condition: ValueId) -> ValueId {
    let kind = InstructionKind::IntegerUnary(IntegerUnary::Not);
    append(function, block, kind, vec![condition], ValueType::I1)
}

fn append(
    function: &mut SsaFunction,
    block: BlockId,
    kind: InstructionKind,
    arguments: Vec<ValueId>,
    ty: ValueType,
) -> ValueId {
    let position = function.block(block).position;
    let id = function.add_instruction(kind, arguments, &[ty], position);
    function.block_mut(block).instructions.push(id);
    function.instruction(id).results[0]
}

/// Empties unreachable blocks.
fn clear_unreachable(function: &mut SsaFunction) {
    let flow = ControlFlow::new(function);
    for block in function.block_ids() {
        if !flow.is_reachable(block) {
            *function.block_mut(block) =
                BlockData { terminator: BlockTerminator::Unreachable, ..BlockData::default() };
        }
    }
}

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
