//! How often each value is used, and which functions are used.

use super::cfg::ControlFlow;
use crate::ir::*;

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

/// By function: whether it is a kernel, or a used function refers to it.
pub(crate) fn used_functions(module: &SsaModule) -> Vec<bool> {
    let mut used = vec![false; module.functions.len()];
    let mut work: Vec<FunctionId> = Vec::new();
    for (index, function) in module.functions.iter().enumerate() {
        if function.linkage == FunctionLinkage::Kernel {
            work.push(FunctionId(index as u32));
        }
    }
    for initial in module.globals.iter().flat_map(|global| &global.initial) {
        work.extend(initial.relocations.iter().filter_map(|relocation| match relocation.target {
            RelocationTarget::Function(id) => Some(id),
            RelocationTarget::Global(_) => None,
        }));
    }
    while let Some(id) = work.pop() {
        if std::mem::replace(&mut used[id.index()], true) {
            continue;
        }
        let function = &module.functions[id.index()];
        let mut visit = |value: ValueId| {
            if let ValueDefinition::Function(callee) = function.definition(value) {
                work.push(callee);
            }
        };
        for block in &function.blocks {
            block.terminator.values().for_each(&mut visit);
            for instruction in &block.instructions {
                let arguments = &function.instruction(*instruction).arguments;
                arguments.iter().copied().for_each(&mut visit);
            }
        }
        for block in &function.blocks {
            work.extend(block.instructions.iter().filter_map(|id| {
                match function.instruction(*id).kind {
                    InstructionKind::Call(callee) => Some(callee),
                    _ => None,
                }
            }));
        }
    }
    used
}
