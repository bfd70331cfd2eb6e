//! Effects of operations, and alias analysis of pointers. They decide which operations passes may remove, merge or move
//! past each other.

use super::FastSet;
use super::cfg::ControlFlow;
use crate::fold::signed;
use crate::ir::*;

/// The memory that a pointer refers to, if that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MemoryObject {
    Global(GlobalId),
    Slot(SlotId),
    /// The target of a pointer parameter; the flag is `__restrict__`.
    Parameter(u32, bool),
    /// The parameters of a kernel.
    Parameters,
    Unknown,
}

/// The bytes of an access: a pointer, an offset from it, and a size.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemoryRange {
    object: MemoryObject,
    space: AddressSpace,
    base: ValueId,
    offset: i64,
    size: u64,
}

impl MemoryRange {
    /// The range of the same size, moved up by `bytes`.
    pub(crate) fn moved(mut self, bytes: u64) -> MemoryRange {
        self.offset = self.offset.saturating_add_unsigned(bytes);
        self
    }

    /// Whether both are certainly the same bytes.
    pub(crate) fn is_same(&self, other: &MemoryRange) -> bool {
        (self.base, self.offset, self.size) == (other.base, other.offset, other.size)
    }
}

/// Alias analysis of one function.
pub(crate) struct AliasAnalysis {
    escaped: FastSet<SlotId>,
}

impl AliasAnalysis {
    pub(crate) fn new(function: &SsaFunction, flow: &ControlFlow) -> AliasAnalysis {
        let mut escaped = FastSet::default();
        let escape = |value: ValueId, escaped: &mut FastSet<SlotId>| {
            if let MemoryObject::Slot(slot) = base_of(function, value).1 {
                escaped.insert(slot);
            }
        };
        for block in &flow.order {
            let data = function.block(*block);
            for id in &data.instructions {
                let instruction = function.instruction(*id);
                let skipped = match instruction.kind {
                    InstructionKind::Load(_)
                    | InstructionKind::Store(_)
                    | InstructionKind::Atomic { .. } => 1,
                    InstructionKind::CopyMemory { .. } | InstructionKind::FillMemory { .. } => 2,
                    InstructionKind::PointerAdd
                    | InstructionKind::Convert(ValueConversion::Space)
                    | InstructionKind::CompareIntegers(_) => 2,
                    _ => 0,
                };
                for argument in instruction.arguments.iter().skip(skipped) {
                    escape(*argument, &mut escaped);
                }
            }
            for value in data.terminator.values() {
                escape(value, &mut escaped);
            }
        }
        AliasAnalysis { escaped }
    }

    /// The range of an access of `size` bytes.
    pub(crate) fn range(&self, function: &SsaFunction, pointer: ValueId, size: u64) -> MemoryRange {
        let (base, object, offset) = base_of(function, pointer);
        let space = function.value_type(pointer).space().unwrap_or(AddressSpace::Generic);
        MemoryRange { object, space, base, offset, size }
    }

    /// Whether only loads and stores of this function can change the memory that a pointer refers to.
    pub(crate) fn is_private(&self, function: &SsaFunction, pointer: ValueId) -> bool {
        if function.value_type(pointer) == ValueType::Pointer(AddressSpace::Constant) {
            return true;
        }
        match base_of(function, pointer).1 {
            MemoryObject::Slot(slot) => !self.escaped.contains(&slot),
            MemoryObject::Parameters => true,
            _ => false,
        }
    }

    /// Whether two accesses may touch the same byte.
    pub(crate) fn may_alias(&self, a: &MemoryRange, b: &MemoryRange) -> bool {
        if a.base == b.base {
            return a.offset < b.offset.saturating_add_unsigned(b.size)
                && b.offset < a.offset.saturating_add_unsigned(a.size);
        }
        if a.object == b.object && a.object != MemoryObject::Unknown {
            return true;
        }
        if a.space != b.space
            && a.space != AddressSpace::Generic
            && b.space != AddressSpace::Generic
        {
            return false;
        }
        use MemoryObject::*;
        match (a.object, b.object) {
            (Global(_) | Slot(_) | Parameters, Global(_) | Slot(_) | Parameters) => false,
            (Slot(slot), _) | (_, Slot(slot)) => self.escaped.contains(&slot),
            (Parameters, _) | (_, Parameters) => false,
            (Parameter(_, true), _) | (_, Parameter(_, true)) => false,
            _ => true,
        }
    }
}

/// The value that a pointer is computed from by adding constants, the object it refers to, and the constant offset.
fn base_of(function: &SsaFunction, pointer: ValueId) -> (ValueId, MemoryObject, i64) {
    let mut base = function.resolve(pointer);
    let mut offset = 0_i64;
    let mut constant = true;
    let mut result = None;
    loop {
        let object = match function.definition(base) {
            ValueDefinition::Global(global) => MemoryObject::Global(global),
            ValueDefinition::Slot(slot) => MemoryObject::Slot(slot),
            ValueDefinition::Parameter(SsaFunction::ENTRY, index) => {
                let parameter = &function.parameters[index as usize];
                match parameter.kind {
                    ParameterKind::Aggregate { .. } => MemoryObject::Parameters,
                    ParameterKind::Scalar(_) => MemoryObject::Parameter(index, parameter.restrict),
                }
            }
            ValueDefinition::Result(id, _) => {
                let data = function.instruction(id);
                match data.kind {
                    InstructionKind::PointerAdd => {
                        let next = function.resolve(data.arguments[0]);
                        let amount = data.arguments[1];
                        match function.as_constant(amount) {
                            Some(c) if constant => {
                                let bits = function.value_type(amount).bits();
                                offset = offset.wrapping_add(signed(c, bits));
                            }
                            _ => {
                                // The offset from the object varies; walk on to find only the object.
                                constant = false;
                                result.get_or_insert((base, offset));
                            }
                        }
                        base = next;
                        continue;
                    }
                    InstructionKind::Convert(ValueConversion::Space) => {
                        base = function.resolve(data.arguments[0]);
                        continue;
                    }
                    _ => MemoryObject::Unknown,
                }
            }
            _ => MemoryObject::Unknown,
        };
        let (base, offset) = result.unwrap_or((base, offset));
        return (base, object, offset);
    }
}

/// Effects of an operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct KindEffects {
    /// Reads memory that may change.
    pub reads: bool,
    /// Writes memory, or orders accesses.
    pub writes: bool,
    /// Must be executed exactly as often as written.
    pub required: bool,
    /// All threads of a group execute it together.
    pub convergent: bool,
    /// May fault, so it must not run where the program would not have run it.
    pub faults: bool,
}

impl KindEffects {
    pub(crate) fn of(kind: &InstructionKind) -> KindEffects {
        let none = KindEffects::default();
        let all = KindEffects {
            reads: true,
            writes: true,
            required: true,
            convergent: true,
            faults: true,
        };
        match kind {
            InstructionKind::Load(flags) => KindEffects {
                reads: !flags.invariant,
                required: flags.volatile,
                writes: flags.volatile,
                faults: true,
                ..none
            },
            InstructionKind::Store(_)
            | InstructionKind::CopyMemory { .. }
            | InstructionKind::FillMemory { .. } => KindEffects {
                reads: matches!(kind, InstructionKind::CopyMemory { .. }),
                writes: true,
                required: true,
                faults: true,
                ..none
            },
            InstructionKind::Atomic { .. } => KindEffects { convergent: false, ..all },
            InstructionKind::Call(_) | InstructionKind::CallIndirect => all,
            InstructionKind::Ptx(template) => {
                let effects = template.effects;
                KindEffects {
                    reads: effects.reads,
                    writes: effects.writes,
                    required: effects.volatile || effects.writes,
                    convergent: effects.convergent,
                    faults: effects.reads || effects.writes,
                }
            }
            _ => none,
        }
    }

    /// Whether it can be removed if its results are unused.
    pub(crate) fn is_removable(self) -> bool {
        !self.required
    }

    /// Whether it computes the same value anywhere its arguments are available.
    pub(crate) fn is_movable(self) -> bool {
        self == KindEffects::default()
    }
}
