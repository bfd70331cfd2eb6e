//! Builds a function block by block, with mutable variables that become SSA values; and barriers, fences and warp
//! exchanges, which are PTX templates.
//!
//! Constants are folded as instructions are added. Instructions added after a terminator go to an unreachable block,
//! so a front end need not track whether code is reachable.

mod instructions;

use crate::ir::*;
use crate::variables::VariableState;

/// Builds one function.
pub struct FunctionBuilder {
    function: SsaFunction,
    current: Option<BlockId>,
    position: SourcePosition,
    variables: VariableState,
}

impl FunctionBuilder {
    /// Starts a function whose parameters and return types are set. Its entry block exists, is sealed, and is the
    /// current block.
    pub fn new(mut function: SsaFunction) -> FunctionBuilder {
        let entry = function.add_block();
        let types: Vec<ValueType> =
            function.parameters.iter().map(FunctionParameter::value_type).collect();
        for ty in types {
            function.add_block_parameter(entry, ty);
        }
        let mut builder = FunctionBuilder {
            function,
            current: Some(entry),
            position: SourcePosition::default(),
            variables: VariableState::default(),
        };
        builder.variables.add_block();
        builder.seal_block(entry);
        builder
    }

    /// The function built so far.
    pub fn function(&self) -> &SsaFunction {
        &self.function
    }

    /// Changes limits and attributes of the function.
    pub fn function_mut(&mut self) -> &mut SsaFunction {
        &mut self.function
    }

    /// Sets the source position of the instructions added from now on.
    pub fn set_position(&mut self, position: SourcePosition) {
        self.position = position;
    }

    /// The value of one of the function's parameters.
    pub fn parameter(&self, index: usize) -> ValueId {
        self.function.block(SsaFunction::ENTRY).parameters[index]
    }

    /// The type of a value.
    pub fn value_type(&self, value: ValueId) -> ValueType {
        self.function.value_type(value)
    }

    /// Adds an empty, unsealed block.
    pub fn create_block(&mut self) -> BlockId {
        self.variables.add_block();
        self.function.add_block()
    }

    /// Makes a block the current one.
    pub fn switch_to_block(&mut self, block: BlockId) {
        self.current = Some(block);
    }

    /// The block that instructions are added to; `None` after a terminator.
    pub fn current_block(&self) -> Option<BlockId> {
        self.current
    }

    /// Whether the current block has ended.
    pub fn is_terminated(&self) -> bool {
        self.current.is_none()
    }

    /// Declares that no more jumps to a block will be added.
    pub fn seal_block(&mut self, block: BlockId) {
        self.variables.seal(&mut self.function, block);
    }

    /// Seals all blocks.
    pub fn seal_all_blocks(&mut self) {
        for block in self.function.block_ids() {
            self.seal_block(block);
        }
    }

    /// Sets the unroll hint of the loop with this header (the target of its back edges).
    pub fn set_unroll(&mut self, header: BlockId, hint: UnrollHint) {
        self.function.block_mut(header).unroll = hint;
    }

    /// Declares a variable.
    pub fn declare_variable(&mut self, ty: ValueType) -> VariableId {
        self.variables.declare(ty)
    }

    /// Assigns to a variable.
    pub fn define_variable(&mut self, variable: VariableId, value: ValueId) {
        let block = self.block();
        self.variables.define(block, variable, value);
    }

    /// Reads a variable.
    pub fn use_variable(&mut self, variable: VariableId) -> ValueId {
        let block = self.block();
        self.variables.read(&mut self.function, block, variable)
    }

    /// Adds a stack slot.
    pub fn create_slot(&mut self, size: u64, align: u32) -> SlotId {
        self.function.add_slot(size, align)
    }

    /// Names a stack slot, by letters, digits and underscores.
    pub fn name_slot(&mut self, slot: SlotId, name: &str) {
        self.function.slots[slot.index()].name = Some(name.into());
    }

    /// Ends the block with a jump.
    pub fn jump(&mut self, block: BlockId, arguments: &[ValueId]) {
        self.terminate(BlockTerminator::Jump(BlockCall { block, arguments: arguments.to_vec() }));
    }

    /// Ends the block with a conditional branch.
    pub fn branch(&mut self, condition: ValueId, yes: BlockId, no: BlockId) {
        match self.function.as_constant(condition) {
            Some(bits) => self.jump(if bits != 0 { yes } else { no }, &[]),
            None => self.terminate(BlockTerminator::Branch(condition, yes.into(), no.into())),
        }
    }

    /// Ends the block with a switch on the bits of an integer.
    pub fn switch(&mut self, value: ValueId, cases: &[(u64, BlockId)], default: BlockId) {
        let cases = cases.iter().map(|(case, block)| (*case, (*block).into())).collect();
        self.terminate(BlockTerminator::Switch(value, cases, default.into()));
    }

    /// Ends the block and returns from the function.
    pub fn return_values(&mut self, values: &[ValueId]) {
        self.terminate(BlockTerminator::Return(values.to_vec()));
    }

    /// Ends the thread.
    pub fn exit(&mut self) {
        self.terminate(BlockTerminator::Exit);
    }

    /// Ends the kernel with an error.
    pub fn trap(&mut self) {
        self.terminate(BlockTerminator::Trap);
    }

    /// Ends a block whose end control never reaches.
    pub fn unreachable(&mut self) {
        self.terminate(BlockTerminator::Unreachable);
    }

    /// Seals all blocks, ends the open ones with `Unreachable`, and returns the function.
    pub fn finish(mut self) -> SsaFunction {
        self.seal_all_blocks();
        for block in &mut self.function.blocks {
            if block.terminator == BlockTerminator::None {
                block.terminator = BlockTerminator::Unreachable;
            }
        }
        self.function
    }

    /// The current block; after a terminator, a new unreachable block.
    fn block(&mut self) -> BlockId {
        if let Some(block) = self.current {
            return block;
        }
        let block = self.create_block();
        self.seal_block(block);
        self.current = Some(block);
        block
    }

    fn terminate(&mut self, terminator: BlockTerminator) {
        let from = self.block();
        for target in terminator.targets() {
            self.variables.add_predecessor(target.block, from);
        }
        let position = self.position;
        let block = self.function.block_mut(from);
        block.terminator = terminator;
        block.position = position;
        self.current = None;
    }
}

/// The lane that a shuffle reads from (PTX `shfl.sync`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShuffleMode {
    /// The given lane (`.idx`).
    Index,
    /// The lane a given distance below (`.up`).
    Up,
    /// The lane a given distance above (`.down`).
    Down,
    /// The lane whose number differs in the given bits (`.bfly`).
    Butterfly,
}

impl FunctionBuilder {
    /// PTX text with one output. Constant inputs are written as literals.
    pub fn ptx_value(
        &mut self,
        text: impl Into<String>,
        ty: ValueType,
        inputs: &[ValueId],
        effects: PtxEffects,
    ) -> ValueId {
        let text = text.into();
        let outputs = vec![ty];
        self.ptx(PtxTemplate { text, outputs, literals: true, tied: vec![], effects }, inputs)[0]
    }

    /// PTX text without outputs. Constant inputs are written as literals.
    pub fn ptx_effect(&mut self, text: impl Into<String>, inputs: &[ValueId], effects: PtxEffects) {
        let (text, outputs) = (text.into(), vec![]);
        self.ptx(PtxTemplate { text, outputs, literals: true, tied: vec![], effects }, inputs);
    }

    /// `__syncthreads()`.
    pub fn barrier(&mut self) {
        self.ptx_effect("bar.sync 0;", &[], PtxEffects::BARRIER);
    }

    /// `__syncwarp(mask)`.
    pub fn warp_barrier(&mut self, mask: ValueId) {
        self.ptx_effect("bar.warp.sync %0;", &[mask], PtxEffects::BARRIER);
    }

    /// `__threadfence()` and its variants.
    pub fn fence(&mut self, scope: ThreadScope) {
        let text = match scope {
            ThreadScope::Block => "membar.cta;",
            ThreadScope::Cluster => "fence.acq_rel.cluster;",
            ThreadScope::Device => "membar.gl;",
            ThreadScope::System => "membar.sys;",
        };
        let effects = PtxEffects { convergent: false, ..PtxEffects::BARRIER };
        self.ptx_effect(text, &[], effects);
    }

    /// Exchanges a 32-bit value. Returns the value of the source lane, and whether that lane is in range. `clamp`
    /// is the last operand of `shfl.sync`: segment mask and clamp value.
    pub fn shuffle(
        &mut self,
        mode: ShuffleMode,
        value: ValueId,
        lane: ValueId,
        clamp: ValueId,
        mask: ValueId,
    ) -> (ValueId, ValueId) {
        let mode = match mode {
            ShuffleMode::Index => "idx",
            ShuffleMode::Up => "up",
            ShuffleMode::Down => "down",
            ShuffleMode::Butterfly => "bfly",
        };
        let template = PtxTemplate {
            text: format!("shfl.sync.{mode}.b32 %0|%1, %2, %3, %4, %5;"),
            outputs: vec![self.value_type(value), ValueType::I1],
            literals: true,
            tied: vec![],
            effects: PtxEffects::CONVERGENT,
        };
        let outputs = self.ptx(template, &[value, lane, clamp, mask]);
        (outputs[0], outputs[1])
    }

    /// `__any_sync`, `__all_sync` (`I1`) and `__ballot_sync` (`I32`), by their PTX name: `any`, `all`, `ballot`.
    pub fn vote(&mut self, mode: &str, predicate: ValueId, mask: ValueId) -> ValueId {
        let (suffix, ty) = match mode {
            "ballot" => ("b32", ValueType::I32),
            _ => ("pred", ValueType::I1),
        };
        let text = format!("vote.sync.{mode}.{suffix} %0, %1, %2;");
        self.ptx_value(text, ty, &[predicate, mask], PtxEffects::CONVERGENT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_that_a_loop_changes_becomes_a_parameter_of_its_header() {
        let mut b = FunctionBuilder::new(SsaFunction::new("count", FunctionLinkage::Kernel));
        let variable = b.declare_variable(ValueType::I32);
        let zero = b.i32(0);
        b.define_variable(variable, zero);
        let (header, after) = (b.create_block(), b.create_block());
        b.jump(header, &[]);
        b.switch_to_block(header);
        let (old, one) = (b.use_variable(variable), b.i32(1));
        let new = b.integer(IntegerBinary::Add, old, one);
        b.define_variable(variable, new);
        let (new, end) = (b.use_variable(variable), b.i32(9));
        let more = b.compare_integers(IntegerCondition::NotEqual, new, end);
        b.branch(more, header, after);
        b.seal_all_blocks();
        b.switch_to_block(after);
        b.return_values(&[]);
        let function = b.finish();
        assert_eq!(function.block(header).parameters, [old]);
        let passed: Vec<_> =
            function.blocks.iter().flat_map(|block| block.terminator.values()).collect();
        assert_eq!(passed, [zero, more, new]);
    }

    #[test]
    fn code_after_a_terminator_is_unreachable() {
        let mut b = FunctionBuilder::new(SsaFunction::new("early", FunctionLinkage::Kernel));
        b.return_values(&[]);
        assert!(b.is_terminated());
        let thread = b.special(SpecialValue::ThreadIndex(0));
        assert_eq!(b.value_type(thread), ValueType::I32);
        let function = b.finish();
        assert_eq!(function.blocks[1].terminator, BlockTerminator::Unreachable);
    }
}
