//! Effects of operations: which ones passes may remove, merge or move.

use crate::ir::*;

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
