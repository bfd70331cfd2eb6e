//! Converts variables to SSA values, both while a function is built and when passes give a value several definitions.
//!
//! Algorithm: Braun et al., "Simple and Efficient Construction of Static Single Assignment Form" (CC 2013), with block
//! parameters instead of phi nodes and a work list instead of recursion. The optimizer removes redundant parameters.

use crate::analysis::{ControlFlow, FastMap};
use crate::ir::*;
use std::collections::VecDeque;

/// Definitions of variables by block.
#[derive(Default)]
pub(crate) struct VariableState {
    types: Vec<ValueType>,
    blocks: Vec<BlockVariables>,
}

#[derive(Default)]
struct BlockVariables {
    sealed: bool,
    predecessors: Vec<BlockId>,
    /// The current value of each variable at the end of the block.
    values: FastMap<VariableId, ValueId>,
    /// Parameters that get their arguments when the block is sealed.
    incomplete: Vec<VariableId>,
}

impl VariableState {
    /// Variable state for a function whose blocks and jumps all exist; all blocks are sealed.
    pub(crate) fn for_graph(flow: &ControlFlow) -> VariableState {
        let mut state = VariableState::for_open_graph(flow);
        state.blocks.iter_mut().for_each(|block| block.sealed = true);
        state
    }

    /// The same, but with all blocks unsealed.
    pub(crate) fn for_open_graph(flow: &ControlFlow) -> VariableState {
        let block = |predecessors: &Vec<BlockId>| BlockVariables {
            predecessors: predecessors.clone(),
            ..BlockVariables::default()
        };
        VariableState { types: Vec::new(), blocks: flow.predecessors.iter().map(block).collect() }
    }

    pub(crate) fn add_block(&mut self) {
        self.blocks.push(BlockVariables::default());
    }

    pub(crate) fn add_predecessor(&mut self, block: BlockId, from: BlockId) {
        let state = &mut self.blocks[block.index()];
        debug_assert!(!state.sealed, "{from} jumps to {block}, which is sealed");
        if !state.predecessors.contains(&from) {
            state.predecessors.push(from);
        }
    }

    pub(crate) fn declare(&mut self, ty: ValueType) -> VariableId {
        self.types.push(ty);
        VariableId(self.types.len() as u32 - 1)
    }

    pub(crate) fn define(&mut self, block: BlockId, variable: VariableId, value: ValueId) {
        self.blocks[block.index()].values.insert(variable, value);
    }

    pub(crate) fn read(
        &mut self,
        function: &mut SsaFunction,
        block: BlockId,
        variable: VariableId,
    ) -> ValueId {
        let mut pending = VecDeque::new();
        let value = self.find(function, block, variable, &mut pending);
        self.complete(function, pending);
        value
    }

    pub(crate) fn seal(&mut self, function: &mut SsaFunction, block: BlockId) {
        let state = &mut self.blocks[block.index()];
        if state.sealed {
            return;
        }
        state.sealed = true;
        let incomplete = std::mem::take(&mut state.incomplete);
        self.complete(function, incomplete.into_iter().map(|variable| (block, variable)).collect());
    }

    /// Passes a variable as an argument from all predecessors.
    fn complete(
        &mut self,
        function: &mut SsaFunction,
        mut pending: VecDeque<(BlockId, VariableId)>,
    ) {
        while let Some((block, variable)) = pending.pop_front() {
            for from in self.blocks[block.index()].predecessors.clone() {
                let value = self.find(function, from, variable, &mut pending);
                for target in function.block_mut(from).terminator.targets_mut() {
                    if target.block == block {
                        target.arguments.push(value);
                    }
                }
            }
        }
    }

    /// The value of a variable at the end of a block. Where several values may meet, it is a new
    /// parameter; `pending` then lists the arguments to add.
    fn find(
        &mut self,
        function: &mut SsaFunction,
        block: BlockId,
        variable: VariableId,
        pending: &mut VecDeque<(BlockId, VariableId)>,
    ) -> ValueId {
        let ty = self.types[variable.index()];
        let mut passed = Vec::new();
        let mut at = block;
        let value = loop {
            let state = &mut self.blocks[at.index()];
            if let Some(value) = state.values.get(&variable) {
                break *value;
            }
            passed.push(at);
            match (state.sealed, state.predecessors.as_slice()) {
                (true, []) => break function.leaf(ty, ValueDefinition::Undefined),
                // A block whose only predecessor is itself is unreachable.
                (true, [only]) if !passed.contains(only) => at = *only,
                (sealed, _) => {
                    if sealed {
                        pending.push_back((at, variable));
                    } else {
                        state.incomplete.push(variable);
                    }
                    break function.add_block_parameter(at, ty);
                }
            }
        };
        for block in passed {
            self.blocks[block.index()].values.insert(variable, value);
        }
        value
    }
}
