//! The register file: which registers were placed in it, and whether a slot names one.

use crate::assemble::Code;
use crate::shape::{
    Form, OperandKind, PREDICATE, Registers, SCALAR_WIDE, SCALAR_WORD, WIDE_WORDS, WORDS,
    form_bytes,
};
use crate::slot::{NO_SLOT, OFFSET, SCALAR, Slot, WIDE};

/// The granule of the register file: every register lies at a multiple of it.
const GRANULE: usize = 32;
/// In the table of granules: inside a register, or nothing.
const INSIDE: u8 = 0x80;
/// The bits of a table entry that are the slot's form bits; the register's [`Form`] is above.
const FLAGS: u32 = SCALAR | WIDE;

/// The registers that were placed.
pub(super) struct RegisterFile {
    /// For each granule: the form of the register that starts there.
    granules: Vec<u8>,
    bytes: usize,
}

impl RegisterFile {
    /// The registers that the code reserved, or what is wrong with one of them.
    pub(super) fn of(code: &Code) -> Result<RegisterFile, String> {
        let bytes = code.register_bytes;
        let mut granules = vec![0; bytes.div_ceil(GRANULE)];
        for (slot, form) in &code.reserved {
            let (start, size) = ((slot & OFFSET) as usize, form_bytes(*form));
            if start % size.min(64) != 0 || start + size > bytes {
                return Err(format!(
                    "the register at slot {slot:#x} lies outside the register file"
                ));
            }
            let own = &mut granules[start / GRANULE..(start + size) / GRANULE];
            if own.iter().any(|granule| *granule != 0) {
                return Err(format!("the register at slot {slot:#x} overlaps another"));
            }
            own.fill(INSIDE);
            own[0] = form << 2 | (slot & FLAGS) as u8;
        }
        Ok(RegisterFile { granules, bytes })
    }

    /// Whether a slot names such a register.
    #[inline]
    pub(super) fn names(&self, slot: Slot, registers: Registers) -> bool {
        if slot == NO_SLOT {
            return registers.is_optional();
        }
        let entry = self.granules.get(slot as usize / GRANULE).copied().unwrap_or(0);
        let flags = if registers.is_bare() { 0 } else { u32::from(entry) & FLAGS };
        entry & INSIDE == 0 && slot & !OFFSET == flags && entry >> 2 & registers.forms() != 0
    }

    /// Whether a slot is what a register operand says.
    pub(super) fn is(&self, slot: Slot, operand: OperandKind) -> bool {
        matches!(operand, OperandKind::Register(registers) if self.names(slot, registers))
    }

    /// Says that a slot names no such register.
    pub(super) fn mismatch(&self, slot: Slot, registers: Registers) -> String {
        let names = [
            (SCALAR_WORD, "scalar 32-bit"),
            (SCALAR_WIDE, "scalar 64-bit"),
            (WORDS, "varying 32-bit"),
            (WIDE_WORDS, "varying 64-bit"),
            (PREDICATE, "predicate"),
        ];
        let wanted: Vec<&str> = names
            .iter()
            .filter(|(form, _): &&(Form, &str)| registers.forms() & form != 0)
            .map(|(_, name)| *name)
            .collect();
        let bare = if registers.is_bare() { ", as a bare offset" } else { "" };
        format!(
            "slot {slot:#x} is not a {} register of the {}-byte register file{bare}",
            wanted.join(" or "),
            self.bytes
        )
    }
}
