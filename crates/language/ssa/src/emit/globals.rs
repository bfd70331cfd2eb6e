//! Variables at module scope.

use crate::ir::*;
use lanework_ptx as ptx;
use std::collections::BTreeSet;

/// Variables in an order in which, as far as possible, initial values refer only to earlier variables.
pub(super) fn sorted(module: &SsaModule) -> Vec<GlobalId> {
    let mut done = BTreeSet::new();
    let mut order = Vec::new();
    for index in 0..module.globals.len() as u32 {
        let mut stack = vec![(GlobalId(index), false)];
        while let Some((global, visited)) = stack.pop() {
            if visited {
                order.push(global);
                continue;
            }
            if !done.insert(global) {
                continue;
            }
            stack.push((global, true));
            let initial = module.globals[global.index()].initial.iter();
            for relocation in initial.flat_map(|initial| &initial.relocations) {
                if let RelocationTarget::Global(other) = relocation.target {
                    stack.push((other, false));
                }
            }
        }
    }
    order
}

/// A variable with its initial value.
pub(super) fn variable(module: &SsaModule, id: GlobalId) -> ptx::Variable {
    let global = &module.globals[id.index()];
    let space = match global.space {
        AddressSpace::Shared => ptx::StateSpace::Shared,
        AddressSpace::Constant => ptx::StateSpace::Const,
        _ => ptx::StateSpace::Global,
    };
    let mut variable = ptx::Variable::new(space, ptx::ScalarType::B8, global.name.clone());
    variable.align = Some(global.align);
    variable.linkage = match global.linkage {
        GlobalLinkage::Internal => ptx::Linkage::Internal,
        GlobalLinkage::Visible => ptx::Linkage::Visible,
        GlobalLinkage::External => ptx::Linkage::Extern,
    };
    if global.managed {
        variable.attributes.push(".attribute(.managed)".to_owned());
    }
    variable.dims = vec![(global.size > 0).then_some(global.size)];
    let Some(initial) = &global.initial else { return variable };
    if initial.relocations.is_empty() {
        let end = initial.bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        if end > 0 {
            let bytes = initial.bytes[..end].iter().map(|byte| integer(u64::from(*byte)));
            variable.init = Some(ptx::Initializer::List(bytes.collect()));
        }
        return variable;
    }
    // Addresses need 8-byte elements.
    variable.ty = ptx::ScalarType::U64;
    variable.align = Some(global.align.max(8));
    let words = global.size.div_ceil(8);
    variable.dims = vec![Some(words)];
    let word = |index: u64| {
        let offset = index * 8;
        let relocation = initial.relocations.iter().find(|relocation| relocation.offset == offset);
        match relocation {
            Some(relocation) => {
                let (name, generic) = match relocation.target {
                    RelocationTarget::Global(id) => (&module.globals[id.index()].name, true),
                    RelocationTarget::Function(id) => (&module.functions[id.index()].name, false),
                };
                let (name, offset) = (name.clone(), relocation.addend);
                ptx::Initializer::Address { name, offset, generic }
            }
            None => {
                let bytes = (0..8)
                    .map(|byte| initial.bytes.get((offset + byte) as usize).copied().unwrap_or(0));
                integer(bytes.rev().fold(0, |word, byte| word << 8 | u64::from(byte)))
            }
        }
    };
    variable.init = Some(ptx::Initializer::List((0..words).map(word).collect()));
    variable
}

fn integer(value: u64) -> ptx::Initializer {
    ptx::Initializer::Value(ptx::Immediate::Integer(value.into()))
}
