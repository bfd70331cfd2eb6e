//! A function: its values, instructions and blocks, each in one vector.

use super::operation::InstructionKind;
use super::types::{AddressSpace, ValueType};
use super::types::{BlockId, FunctionId, GlobalId, InstructionId, SlotId, SourcePosition, ValueId};
use std::collections::HashMap;

/// A kernel, a device function, or the declaration of one.
#[derive(Clone, Debug)]
pub struct SsaFunction {
    /// The (mangled) name.
    pub name: String,
    /// Kernel, device function or declaration.
    pub linkage: FunctionLinkage,
    /// Parameters.
    pub parameters: Vec<FunctionParameter>,
    /// Return types. Several values are returned as a structure.
    pub returns: Vec<ValueType>,
    /// `__launch_bounds__` and similar attributes.
    pub bounds: LaunchBounds,
    /// Whether its calls are inlined.
    pub inlining: Inlining,
    /// Whether integer division by zero ends the program.
    pub division_faults: bool,
    /// Values.
    pub values: Vec<ValueData>,
    /// Instructions. An instruction that is in no block is dead.
    pub instructions: Vec<InstructionData>,
    /// Blocks. The first one is the entry; its parameters are the function's parameters.
    pub blocks: Vec<BlockData>,
    /// Stack slots.
    pub slots: Vec<StackSlotData>,
    /// The calls that were inlined, for positions in the source.
    pub inlined: Vec<InlinedCall>,
    leaves: HashMap<(ValueType, ValueDefinition), ValueId>,
}

/// A call that was inlined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InlinedCall {
    /// The (mangled) name of the called function.
    pub function: String,
    /// The position of the call.
    pub position: SourcePosition,
}

/// Linkage of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionLinkage {
    /// `__global__`.
    Kernel,
    /// `__device__`: kept only if something calls it or takes its address.
    Device,
    /// A declaration: `vprintf`, `malloc`.
    Declaration,
}

/// Inlining of calls to a device function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Inlining {
    /// Inlined unless the function is recursive.
    #[default]
    Automatic,
    /// `__noinline__`.
    Never,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionParameter {
    /// Type of the parameter.
    pub kind: ParameterKind,
    /// `__restrict__`: no other pointer refers to the memory that this one points to.
    pub restrict: bool,
}

/// The type of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// A scalar. The entry block's parameter has this type.
    Scalar(ValueType),
    /// An aggregate passed by value, only to a kernel: the entry block's parameter is a pointer to it in parameter
    /// space. Device functions take a pointer to the caller's copy instead.
    Aggregate {
        /// Size in bytes.
        size: u64,
        /// Alignment in bytes.
        align: u32,
    },
}

impl FunctionParameter {
    /// A scalar parameter.
    pub fn scalar(ty: ValueType) -> FunctionParameter {
        FunctionParameter { kind: ParameterKind::Scalar(ty), restrict: false }
    }

    /// A kernel's aggregate parameter by value.
    pub fn aggregate(size: u64, align: u32) -> FunctionParameter {
        FunctionParameter { kind: ParameterKind::Aggregate { size, align }, restrict: false }
    }

    /// The type of the value that the body uses.
    pub fn value_type(&self) -> ValueType {
        match self.kind {
            ParameterKind::Scalar(ty) => ty,
            ParameterKind::Aggregate { .. } => ValueType::Pointer(AddressSpace::Parameter),
        }
    }
}

/// Launch limits that a kernel declares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaunchBounds {
    /// Maximum threads per block (`.maxntid`).
    pub max_threads: Option<[u32; 3]>,
    /// Minimum blocks per multiprocessor (`.minnctapersm`).
    pub min_blocks: Option<u32>,
    /// Maximum registers per thread (`.maxnreg`).
    pub max_registers: Option<u32>,
    /// Shape of a cluster (`__cluster_dims__`).
    pub cluster: Option<[u32; 3]>,
}

/// A value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueData {
    /// Its type.
    pub ty: ValueType,
    /// Its definition.
    pub definition: ValueDefinition,
}

/// The definition of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueDefinition {
    /// A constant, given by its bits.
    Constant(u64),
    /// The address of a variable of the module.
    Global(GlobalId),
    /// The address of a function.
    Function(FunctionId),
    /// The address of a stack slot.
    Slot(SlotId),
    /// Undefined: it may have any bits.
    Undefined,
    /// A parameter of a block.
    Parameter(BlockId, u32),
    /// A result of an instruction.
    Result(InstructionId, u32),
    /// Replaced by another value.
    Alias(ValueId),
}

/// An instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct InstructionData {
    /// The operation.
    pub kind: InstructionKind,
    /// Operands.
    pub arguments: Vec<ValueId>,
    /// Results.
    pub results: Vec<ValueId>,
    /// The source position.
    pub position: SourcePosition,
}

/// A basic block.
#[derive(Clone, Debug, Default)]
pub struct BlockData {
    /// Parameters; other compilers use phi nodes instead.
    pub parameters: Vec<ValueId>,
    /// Instructions in order.
    pub instructions: Vec<InstructionId>,
    /// The end of the block.
    pub terminator: BlockTerminator,
    /// Source position of the terminator.
    pub position: SourcePosition,
    /// If the block is a loop header: the loop's unroll hint.
    pub unroll: UnrollHint,
}

/// The end of a block.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum BlockTerminator {
    /// Not set yet.
    #[default]
    None,
    /// Goes to a block.
    Jump(BlockCall),
    /// Goes to the first block if the condition is true, otherwise to the second.
    Branch(ValueId, BlockCall, BlockCall),
    /// Goes to the block of the matching case, or to the default block.
    Switch(ValueId, Vec<(u64, BlockCall)>, BlockCall),
    /// Returns values. In a kernel, ends the thread.
    Return(Vec<ValueId>),
    /// Ends the thread, even in a called function.
    Exit,
    /// Ends the kernel with an error.
    Trap,
    /// Never reached.
    Unreachable,
}

/// A target block, with the arguments for its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockCall {
    /// The block.
    pub block: BlockId,
    /// Values of its parameters.
    pub arguments: Vec<ValueId>,
}

/// Unrolling of a loop (`#pragma unroll`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnrollHint {
    /// The compiler decides.
    #[default]
    Automatic,
    /// `#pragma unroll`: unrolls completely if the trip count is constant.
    Full,
    /// `#pragma unroll N`; 1 forbids unrolling.
    Count(u32),
}

/// Per-thread memory for one variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StackSlotData {
    /// Size in bytes; 0 if no instruction accesses it any more.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u32,
    /// The variable's name in the source, if it has one of letters, digits and underscores.
    pub name: Option<Box<str>>,
}

impl From<BlockId> for BlockCall {
    fn from(block: BlockId) -> Self {
        BlockCall { block, arguments: Vec::new() }
    }
}

impl BlockTerminator {
    /// The blocks that it may go to.
    pub fn targets(&self) -> impl DoubleEndedIterator<Item = &BlockCall> {
        let (cases, last) = match self {
            BlockTerminator::Jump(target) => (&[][..], [Some(target), None]),
            BlockTerminator::Branch(_, yes, no) => (&[][..], [Some(yes), Some(no)]),
            BlockTerminator::Switch(_, cases, default) => (&cases[..], [Some(default), None]),
            _ => (&[][..], [None, None]),
        };
        cases.iter().map(|(_, target)| target).chain(last.into_iter().flatten())
    }

    /// The blocks that it may go to, mutable.
    pub fn targets_mut(&mut self) -> Vec<&mut BlockCall> {
        match self {
            BlockTerminator::Jump(target) => vec![target],
            BlockTerminator::Branch(_, yes, no) => vec![yes, no],
            BlockTerminator::Switch(_, cases, default) => {
                cases.iter_mut().map(|(_, target)| target).chain([default]).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Applies `f` to every value that it uses.
    pub fn map_values(&mut self, f: &mut dyn FnMut(ValueId) -> ValueId) {
        match self {
            BlockTerminator::Branch(value, ..) | BlockTerminator::Switch(value, ..) => {
                *value = f(*value);
            }
            BlockTerminator::Return(values) => {
                values.iter_mut().for_each(|value| *value = f(*value))
            }
            _ => {}
        }
        for target in self.targets_mut() {
            target.arguments.iter_mut().for_each(|value| *value = f(*value));
        }
    }

    /// Every value that it uses.
    pub fn values(&self) -> impl Iterator<Item = ValueId> {
        let (head, returned) = match self {
            BlockTerminator::Branch(value, ..) | BlockTerminator::Switch(value, ..) => {
                (Some(*value), &[][..])
            }
            BlockTerminator::Return(values) => (None, &values[..]),
            _ => (None, &[][..]),
        };
        let passed = self.targets().flat_map(|target| target.arguments.iter().copied());
        head.into_iter().chain(returned.iter().copied()).chain(passed)
    }
}

impl SsaFunction {
    /// The PTX variable of a stack slot: `__local_depot3$tile`. Each slot has its own, so that tools know its bounds.
    pub fn slot_variable(&self, slot: SlotId) -> String {
        let number = slot.index();
        match self.slots.get(number).and_then(|slot| slot.name.as_deref()) {
            Some(name) => format!("__local_depot{number}${name}"),
            None => format!("__local_depot{number}"),
        }
    }

    /// A function without blocks.
    pub fn new(name: impl Into<String>, linkage: FunctionLinkage) -> SsaFunction {
        SsaFunction {
            name: name.into(),
            linkage,
            parameters: Vec::new(),
            returns: Vec::new(),
            bounds: LaunchBounds::default(),
            inlining: Inlining::default(),
            division_faults: false,
            values: Vec::new(),
            instructions: Vec::new(),
            blocks: Vec::new(),
            slots: Vec::new(),
            inlined: Vec::new(),
            leaves: HashMap::new(),
        }
    }

    /// The entry block.
    pub const ENTRY: BlockId = BlockId(0);

    /// A block of this function.
    pub fn block(&self, block: BlockId) -> &BlockData {
        &self.blocks[block.index()]
    }

    /// A block of this function.
    pub fn block_mut(&mut self, block: BlockId) -> &mut BlockData {
        &mut self.blocks[block.index()]
    }

    /// An instruction of this function.
    pub fn instruction(&self, instruction: InstructionId) -> &InstructionData {
        &self.instructions[instruction.index()]
    }

    /// An instruction of this function.
    pub fn instruction_mut(&mut self, instruction: InstructionId) -> &mut InstructionData {
        &mut self.instructions[instruction.index()]
    }

    /// All blocks, in order of creation.
    pub fn block_ids(&self) -> impl Iterator<Item = BlockId> + use<> {
        (0..self.blocks.len() as u32).map(BlockId)
    }

    /// The type of a value.
    pub fn value_type(&self, value: ValueId) -> ValueType {
        self.values[value.index()].ty
    }

    /// The value that replaced `value`, or itself.
    pub fn resolve(&self, mut value: ValueId) -> ValueId {
        while let ValueDefinition::Alias(other) = self.values[value.index()].definition {
            value = other;
        }
        value
    }

    /// The definition of a value, after resolving aliases.
    pub fn definition(&self, value: ValueId) -> ValueDefinition {
        self.values[self.resolve(value).index()].definition
    }

    /// The bits of a constant.
    pub fn as_constant(&self, value: ValueId) -> Option<u64> {
        match self.definition(value) {
            ValueDefinition::Constant(bits) => Some(bits),
            _ => None,
        }
    }

    /// The instruction that defines a value.
    pub fn defining(&self, value: ValueId) -> Option<(InstructionId, &InstructionData)> {
        match self.definition(value) {
            ValueDefinition::Result(instruction, _) => {
                Some((instruction, self.instruction(instruction)))
            }
            _ => None,
        }
    }

    /// Makes `value` an alias of `other`.
    pub fn replace(&mut self, value: ValueId, other: ValueId) {
        let other = self.resolve(other);
        if value != other {
            self.values[value.index()].definition = ValueDefinition::Alias(other);
        }
    }

    /// Adds an empty block.
    pub fn add_block(&mut self) -> BlockId {
        self.blocks.push(BlockData::default());
        BlockId(self.blocks.len() as u32 - 1)
    }

    /// Adds a parameter to a block. Its predecessors must pass a value for it.
    pub fn add_block_parameter(&mut self, block: BlockId, ty: ValueType) -> ValueId {
        let position = self.block(block).parameters.len() as u32;
        let value = self.add_value(ty, ValueDefinition::Parameter(block, position));
        self.block_mut(block).parameters.push(value);
        value
    }

    /// Adds an instruction that does not belong to a block yet.
    pub fn add_instruction(
        &mut self,
        kind: InstructionKind,
        arguments: Vec<ValueId>,
        results: &[ValueType],
        position: SourcePosition,
    ) -> InstructionId {
        let instruction = InstructionId(self.instructions.len() as u32);
        let define = |(index, ty): (usize, &ValueType)| {
            let definition = ValueDefinition::Result(instruction, index as u32);
            self.values.push(ValueData { ty: *ty, definition });
            ValueId(self.values.len() as u32 - 1)
        };
        let results = results.iter().enumerate().map(define).collect();
        self.instructions.push(InstructionData { kind, arguments, results, position });
        instruction
    }

    /// Adds a stack slot.
    pub fn add_slot(&mut self, size: u64, align: u32) -> SlotId {
        self.slots.push(StackSlotData { size, align, name: None });
        SlotId(self.slots.len() as u32 - 1)
    }

    /// A constant, given by its bits; drops bits beyond the type.
    pub fn constant(&mut self, ty: ValueType, bits: u64) -> ValueId {
        self.leaf(ty, ValueDefinition::Constant(bits & ty.mask()))
    }

    /// A value that no instruction defines: a constant, an address, or an undefined value.
    pub fn leaf(&mut self, ty: ValueType, definition: ValueDefinition) -> ValueId {
        if let Some(value) = self.leaves.get(&(ty, definition)) {
            return *value;
        }
        let value = self.add_value(ty, definition);
        self.leaves.insert((ty, definition), value);
        value
    }

    fn add_value(&mut self, ty: ValueType, definition: ValueDefinition) -> ValueId {
        self.values.push(ValueData { ty, definition });
        ValueId(self.values.len() as u32 - 1)
    }
}
