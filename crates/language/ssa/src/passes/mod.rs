//! The optimizer: the order of its passes. First it inlines calls of device functions, callees first. Calls of recursive
//! functions remain.

mod addresses;
mod contract;
mod control;
mod edit;
mod legalize;
mod loops;
mod number;
mod offsets;
mod simplify;
mod slots;
mod spaces;

use crate::ir::*;
use edit::split_block;
use std::collections::BTreeSet;

/// Options of the optimizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Optimization {
    /// Whether to optimize. If not, the passes only lower what PTX does not support.
    pub enabled: bool,
    /// Functions of at least this many instructions are not inlined.
    pub largest_inlined: usize,
    /// Integer division by zero ends the program, as on CPUs, so a division must not run where the program would not
    /// have run it. On GPUs it gives some number.
    pub division_faults: bool,
}

impl Default for Optimization {
    fn default() -> Self {
        Optimization { enabled: true, largest_inlined: 4_000, division_faults: false }
    }
}

/// Optimizes a module, independent of the target.
pub(crate) fn improve(module: &mut SsaModule, options: &Optimization) {
    for function in &mut module.functions {
        function.division_faults = options.division_faults;
        edit::resolve_aliases(function);
        control::remove_redundant_parameters(function);
        edit::resolve_aliases(function);
    }
    if options.enabled {
        inline_all(module, options.largest_inlined);
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
fn inline_all(module: &mut SsaModule, largest: usize) {
    let order = bottom_up(module);
    let mut inlined = vec![false; module.functions.len()];
    for (id, is_recursive) in order {
        inline_calls(module, id, &|callee| inlined[callee.index()]);
        let function = &mut module.functions[id.index()];
        clean(function);
        inlined[id.index()] = !is_recursive
            && function.linkage == FunctionLinkage::Device
            && function.inlining == Inlining::Automatic
            && !function.blocks.is_empty()
            && function.instructions.len() < largest;
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

/// Number of instructions above which no more calls are inlined into a function.
const LARGEST_CALLER: usize = 50_000;

/// Functions in an order in which callees come before callers, and whether each is recursive.
fn bottom_up(module: &SsaModule) -> Vec<(FunctionId, bool)> {
    let callees: Vec<BTreeSet<FunctionId>> = module.functions.iter().map(callees).collect();
    let mut order = Vec::new();
    let mut state = vec![0_u8; module.functions.len()];
    for root in 0..module.functions.len() {
        let mut stack = vec![(root, false)];
        while let Some((index, done)) = stack.pop() {
            if done {
                order.push(FunctionId(index as u32));
                continue;
            }
            if std::mem::replace(&mut state[index], 1) == 1 {
                continue;
            }
            stack.push((index, true));
            stack.extend(callees[index].iter().map(|callee| (callee.index(), false)));
        }
    }
    let is_recursive = |start: FunctionId| {
        let mut seen = BTreeSet::new();
        let mut work: Vec<FunctionId> = callees[start.index()].iter().copied().collect();
        while let Some(next) = work.pop() {
            if next == start {
                return true;
            }
            if seen.insert(next) {
                work.extend(&callees[next.index()]);
            }
        }
        false
    };
    order.into_iter().map(|function| (function, is_recursive(function))).collect()
}

fn callees(function: &SsaFunction) -> BTreeSet<FunctionId> {
    let instructions = function.blocks.iter().flat_map(|block| &block.instructions);
    let called = instructions.filter_map(|id| match function.instruction(*id).kind {
        InstructionKind::Call(callee) => Some(callee),
        _ => None,
    });
    called.collect()
}

/// Inlines the calls in `caller` to functions for which `inlined` is true.
fn inline_calls(module: &mut SsaModule, caller: FunctionId, inlined: &dyn Fn(FunctionId) -> bool) {
    let mut function = std::mem::replace(
        &mut module.functions[caller.index()],
        SsaFunction::new("", FunctionLinkage::Device),
    );
    let mut work: Vec<BlockId> = function.block_ids().collect();
    while let Some(block) = work.pop()
        && function.instructions.len() < LARGEST_CALLER
    {
        let found = function.block(block).instructions.iter().position(|id| {
            matches!(function.instruction(*id).kind, InstructionKind::Call(callee) if inlined(callee))
        });
        if let Some(index) = found {
            let id = function.block(block).instructions[index];
            if let InstructionKind::Call(callee) = function.instruction(id).kind {
                let rest = split_block(&mut function, block, index + 1);
                function.block_mut(block).instructions.pop();
                inline_call(&mut function, &module.functions[callee.index()], id, block, rest);
                work.push(rest);
            }
        }
    }
    module.functions[caller.index()] = function;
}

/// Adds the call at `site` and those that `callee` has inlined, as far as its positions name them. Returns the new position
/// of code of `callee`.
fn inlined_positions(
    function: &mut SsaFunction,
    callee: &SsaFunction,
    site: SourcePosition,
) -> impl Fn(SourcePosition) -> SourcePosition + use<> {
    let blocks = callee.block_ids().map(|block| callee.block(block));
    let positions = blocks.flat_map(|block| {
        let own = block.instructions.iter().map(|id| callee.instruction(*id).position);
        own.chain([block.position])
    });
    // By the number in `callee`, 0 for the call itself: whether a position names it, then the new number.
    let mut numbers = vec![0; callee.inlined.len() + 1];
    for mut position in positions.filter(|position| position.file != 0) {
        while std::mem::replace(&mut numbers[position.inlined as usize], 1) == 0
            && position.inlined > 0
        {
            position = callee.inlined[position.inlined as usize - 1].position;
        }
    }
    let mut next = function.inlined.len() as u32;
    for number in numbers.iter_mut().filter(|number| **number > 0) {
        next += 1;
        *number = next;
    }
    let used: Vec<bool> = numbers.iter().map(|number| *number > 0).collect();
    // Code of built-in headers has no position of its own, so it gets the position of the call.
    let placed = move |own: SourcePosition| match own.file {
        0 => site,
        _ => SourcePosition { inlined: numbers[own.inlined as usize], ..own },
    };
    let this = InlinedCall { function: callee.name.clone(), position: site };
    let inner = callee.inlined.iter().map(|inner| InlinedCall {
        function: inner.function.clone(),
        position: placed(inner.position),
    });
    let all = std::iter::once(this).chain(inner).zip(&used);
    function.inlined.extend(all.filter(|(_, used)| **used).map(|(call, _)| call));
    placed
}

/// Inserts the body of `callee` between the blocks `before` and `rest`.
fn inline_call(
    function: &mut SsaFunction,
    callee: &SsaFunction,
    call: InstructionId,
    before: BlockId,
    rest: BlockId,
) {
    let call = function.instruction(call).clone();
    for result in &call.results {
        let ty = function.value_type(*result);
        let parameter = function.add_block_parameter(rest, ty);
        function.replace(*result, parameter);
    }
    let first_block = function.blocks.len() as u32;
    let first_slot = function.slots.len() as u32;
    function.slots.extend_from_slice(&callee.slots);
    let block_of = |block: BlockId| BlockId(first_block + block.0);
    let mut values: Vec<Option<ValueId>> = vec![None; callee.values.len()];
    for block in callee.block_ids() {
        let new = function.add_block();
        for parameter in &callee.block(block).parameters {
            let ty = callee.value_type(*parameter);
            values[parameter.index()] = Some(function.add_block_parameter(new, ty));
        }
    }
    let placed = inlined_positions(function, callee, call.position);
    // Create results first, because uses may come before definitions in the vector.
    let mut instructions = Vec::new();
    for block in callee.block_ids() {
        for id in &callee.block(block).instructions {
            let data = callee.instruction(*id);
            let types: Vec<ValueType> =
                data.results.iter().map(|result| callee.value_type(*result)).collect();
            let position = placed(data.position);
            let new = function.add_instruction(data.kind.clone(), vec![], &types, position);
            for (old, new) in data.results.iter().zip(&function.instruction(new).results) {
                values[old.index()] = Some(*new);
            }
            instructions.push((*id, new));
        }
    }
    let mut map = |function: &mut SsaFunction, value: ValueId| {
        let value = callee.resolve(value);
        *values[value.index()].get_or_insert_with(|| {
            let definition = match callee.definition(value) {
                ValueDefinition::Slot(slot) => ValueDefinition::Slot(SlotId(first_slot + slot.0)),
                // Values in unreachable blocks have no definition.
                ValueDefinition::Result(..) | ValueDefinition::Parameter(..) => {
                    ValueDefinition::Undefined
                }
                leaf => leaf,
            };
            function.leaf(callee.value_type(value), definition)
        })
    };
    for (old, new) in &instructions {
        let arguments = callee.instruction(*old).arguments.clone();
        let arguments = arguments.iter().map(|value| map(function, *value)).collect();
        function.instruction_mut(*new).arguments = arguments;
    }
    let mut next = instructions.iter().map(|(_, new)| *new);
    for block in callee.block_ids() {
        let old = callee.block(block);
        let mut terminator = old.terminator.clone();
        terminator.map_values(&mut |value| map(function, value));
        for target in terminator.targets_mut() {
            target.block = block_of(target.block);
        }
        if let BlockTerminator::Return(values) = terminator {
            terminator = BlockTerminator::Jump(BlockCall { block: rest, arguments: values });
        }
        let count = old.instructions.len();
        let new = function.block_mut(block_of(block));
        new.instructions = next.by_ref().take(count).collect();
        new.terminator = terminator;
        new.position = placed(old.position);
        new.unroll = old.unroll;
    }
    let entry = block_of(SsaFunction::ENTRY);
    function.block_mut(before).terminator =
        BlockTerminator::Jump(BlockCall { block: entry, arguments: call.arguments });
    function.block_mut(before).position = call.position;
}
