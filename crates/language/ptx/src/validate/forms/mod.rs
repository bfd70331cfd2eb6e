//! The table of instruction forms, by chapter of the PTX manual; `notation` reads its rows.

mod arithmetic;
mod control;
mod matrix;
mod memory;
mod notation;

use std::collections::HashMap;
use std::sync::OnceLock;

pub use notation::*;

/// The forms by opcode.
pub(super) fn forms(opcode: &str) -> Option<&'static [InstructionForm]> {
    static FORMS: OnceLock<HashMap<&str, Vec<InstructionForm>>> = OnceLock::new();
    let forms = FORMS.get_or_init(|| {
        let mut forms: HashMap<&str, Vec<InstructionForm>> = HashMap::new();
        for (opcodes, modifiers, operands) in rows() {
            for opcode in opcodes.split_whitespace() {
                forms.entry(opcode).or_default().push(InstructionForm::read(modifiers, operands));
            }
        }
        forms
    });
    forms.get(opcode).map(Vec::as_slice)
}

/// All rows.
fn rows() -> impl Iterator<Item = &'static FormRow> {
    let tables = [arithmetic::ROWS, matrix::ROWS, memory::ROWS, control::ROWS];
    tables.into_iter().flatten()
}
