//! PTX with virtual registers, the form between instruction selection and the syntax tree; and the names of variables,
//! functions and parameters in it.

use crate::ir::{BlockId, SourcePosition, ValueType, *};
use lanework_ptx::{Immediate, ScalarType, Variable};

/// A virtual register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct VirtualRegister(pub u32);

/// The class of a register, which determines its declared type and its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum RegisterClass {
    Predicate,
    Bits16,
    Bits32,
    Bits64,
    F32,
    F64,
}

impl RegisterClass {
    pub(super) const ALL: [RegisterClass; 6] = [
        RegisterClass::Predicate,
        RegisterClass::Bits16,
        RegisterClass::F32,
        RegisterClass::Bits32,
        RegisterClass::F64,
        RegisterClass::Bits64,
    ];

    pub(super) fn of(ty: ValueType) -> RegisterClass {
        match ty {
            ValueType::I1 => RegisterClass::Predicate,
            ValueType::I8 | ValueType::I16 | ValueType::F16 | ValueType::BF16 => {
                RegisterClass::Bits16
            }
            ValueType::F32 => RegisterClass::F32,
            ValueType::F64 => RegisterClass::F64,
            _ if ty.bytes() == 4 => RegisterClass::Bits32,
            _ => RegisterClass::Bits64,
        }
    }

    pub(super) fn prefix(self) -> &'static str {
        match self {
            RegisterClass::Predicate => "%p",
            RegisterClass::Bits16 => "%rs",
            RegisterClass::Bits32 => "%r",
            RegisterClass::Bits64 => "%rd",
            RegisterClass::F32 => "%f",
            RegisterClass::F64 => "%fd",
        }
    }

    pub(super) fn scalar(self) -> ScalarType {
        match self {
            RegisterClass::Predicate => ScalarType::Pred,
            RegisterClass::Bits16 => ScalarType::B16,
            RegisterClass::Bits32 => ScalarType::B32,
            RegisterClass::Bits64 => ScalarType::B64,
            RegisterClass::F32 => ScalarType::F32,
            RegisterClass::F64 => ScalarType::F64,
        }
    }

    /// The suffix of `mov`.
    pub(super) fn suffix(self) -> &'static str {
        self.scalar().name()
    }
}

/// An operand.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum MachineOperand {
    Register(VirtualRegister),
    Immediate(Immediate),
    /// A special register or the address of a variable.
    Name(String),
    /// The address of a variable plus an offset, outside of brackets.
    NameOffset(String, i64),
    Address(MachineBase, i64),
    Vector(Vec<MachineOperand>),
    Arguments(Vec<MachineOperand>),
}

/// The base of an address.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum MachineBase {
    Register(VirtualRegister),
    Name(String),
    Absolute(u64),
}

/// An instruction or directive.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct MachineInstruction {
    pub body: MachineBody,
    pub position: SourcePosition,
}

/// The kinds of [`MachineInstruction`].
#[derive(Clone, Debug, PartialEq)]
pub(super) enum MachineBody {
    /// An instruction; if `defines`, the first operand is its destination.
    Operation {
        name: String,
        operands: Vec<MachineOperand>,
        defines: bool,
    },
    /// Parallel copies.
    Copies(Vec<(VirtualRegister, MachineOperand)>),
    /// PTX text, split at the registers that it contains.
    Text {
        pieces: Vec<TextPiece>,
        outputs: Vec<VirtualRegister>,
    },
    /// `{`
    Open,
    /// `}`
    Close,
    Declare(Variable),
    /// A directive and its label, if any.
    Directive(Option<String>, String),
}

/// A piece of PTX text.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum TextPiece {
    Text(String),
    Register(VirtualRegister),
}

/// The end of a block.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum MachineEnd {
    Jump(BlockId),
    /// Goes to the first block if the register is true, otherwise to the second.
    Branch(VirtualRegister, BlockId, BlockId),
    /// An instruction without operands: `ret`.
    Stop(&'static str),
}

/// A block.
#[derive(Clone, Debug)]
pub(super) struct MachineBlock {
    pub id: BlockId,
    pub code: Vec<MachineInstruction>,
    pub end: MachineEnd,
    pub position: SourcePosition,
    pub depth: u32,
}

/// A function's code.
pub(super) struct MachineFunction {
    /// The calls that were inlined, which positions name.
    pub inlined: Vec<InlinedCall>,
    /// Blocks in the order of the text.
    pub blocks: Vec<MachineBlock>,
    /// The class of each register.
    pub registers: Vec<RegisterClass>,
}

impl MachineOperand {
    fn visit(&self, f: &mut dyn FnMut(VirtualRegister)) {
        match self {
            MachineOperand::Register(register)
            | MachineOperand::Address(MachineBase::Register(register), _) => f(*register),
            MachineOperand::Vector(elements) | MachineOperand::Arguments(elements) => {
                elements.iter().for_each(|element| element.visit(f));
            }
            _ => {}
        }
    }

    fn visit_mut(&mut self, f: &mut dyn FnMut(&mut VirtualRegister)) {
        match self {
            MachineOperand::Register(register)
            | MachineOperand::Address(MachineBase::Register(register), _) => f(register),
            MachineOperand::Vector(elements) | MachineOperand::Arguments(elements) => {
                elements.iter_mut().for_each(|element| element.visit_mut(f));
            }
            _ => {}
        }
    }
}

impl MachineBody {
    /// Calls `f` with every register that is defined.
    pub(super) fn definitions(&self, f: &mut dyn FnMut(VirtualRegister)) {
        match self {
            MachineBody::Operation { operands, defines: true, .. } => operands[0].visit(f),
            MachineBody::Copies(copies) => copies.iter().for_each(|(to, _)| f(*to)),
            MachineBody::Text { outputs, .. } => outputs.iter().for_each(|output| f(*output)),
            _ => {}
        }
    }

    /// Calls `f` with every register that is read.
    pub(super) fn uses(&self, f: &mut dyn FnMut(VirtualRegister)) {
        match self {
            MachineBody::Operation { operands, defines, .. } => {
                operands.iter().skip(usize::from(*defines)).for_each(|operand| operand.visit(f));
            }
            MachineBody::Copies(copies) => copies.iter().for_each(|(_, from)| from.visit(f)),
            MachineBody::Text { pieces, outputs } => pieces.iter().for_each(|piece| match piece {
                TextPiece::Register(register) if !outputs.contains(register) => f(*register),
                _ => {}
            }),
            _ => {}
        }
    }

    /// Calls `f` with every register, so that it can be renamed.
    pub(super) fn rename(&mut self, f: &mut dyn FnMut(&mut VirtualRegister)) {
        match self {
            MachineBody::Operation { operands, .. } => {
                operands.iter_mut().for_each(|operand| operand.visit_mut(f));
            }
            MachineBody::Copies(copies) => copies.iter_mut().for_each(|(to, from)| {
                f(to);
                from.visit_mut(f);
            }),
            MachineBody::Text { pieces, outputs } => {
                outputs.iter_mut().for_each(&mut *f);
                pieces.iter_mut().for_each(|piece| match piece {
                    TextPiece::Register(register) => f(register),
                    TextPiece::Text(_) => {}
                });
            }
            _ => {}
        }
    }
}

/// Names that instruction selection needs.
pub(super) struct ModuleNames<'a> {
    pub module: &'a SsaModule,
    /// The function being written.
    pub function: &'a str,
    pub is_kernel: bool,
}

impl ModuleNames<'_> {
    pub(super) fn global(&self, global: GlobalId) -> &str {
        &self.module.globals[global.index()].name
    }

    pub(super) fn function(&self, function: FunctionId) -> &str {
        &self.module.functions[function.index()].name
    }

    pub(super) fn parameter(&self, index: usize) -> String {
        format!("{}_param_{index}", self.function)
    }

    /// The return value of a device function.
    pub(super) fn returned(&self) -> &'static str {
        "func_retval0"
    }
}

/// Offsets of the values in a returned structure, and its size and alignment.
pub(super) fn return_layout(types: &[ValueType]) -> (Vec<u64>, u64, u32) {
    let (mut size, mut align) = (0_u64, 1);
    let offsets = types
        .iter()
        .map(|ty| {
            let bytes = ty.bytes();
            align = align.max(bytes);
            let offset = size.next_multiple_of(bytes.into());
            size = offset + u64::from(bytes);
            offset
        })
        .collect();
    (offsets, size, align)
}
