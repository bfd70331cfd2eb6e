//! Facts about a function that passes and the PTX writer share. This file counts uses, and holds the hash tables for small
//! keys that the compiler builds often.

mod alias;
mod cfg;

pub(crate) use alias::{AliasAnalysis, KindEffects, MemoryRange};
pub(crate) use cfg::{ControlFlow, Dominators, LoopForest, NaturalLoop};

use crate::ir::*;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

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

/// A fast hash of integers, as in Firefox and rustc ("FxHash"). Keys come from the compiler, not from its input.
#[derive(Default)]
pub(crate) struct NumberHasher(u64);

impl Hasher for NumberHasher {
    fn finish(&self) -> u64 {
        // Hash tables use both the upper and the lower bits.
        self.0.rotate_left(26)
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64((*byte).into()));
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(number.into());
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn write_isize(&mut self, number: isize) {
        self.write_u64(number as u64);
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(5) ^ number).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
}

/// A map with small keys.
pub(crate) type FastMap<K, V> = HashMap<K, V, BuildHasherDefault<NumberHasher>>;

/// A set of small keys.
pub(crate) type FastSet<K> = HashSet<K, BuildHasherDefault<NumberHasher>>;
