//! The instruction table: every opcode with the forms of its modifiers and operands, the PTX versions and targets that they need, and
//! the rule that lowers it.
//!
//! A chapter is a macro that adds its rows to those of the chapters before it: one list defines [`Opcode`]. A row is
//!
//! ```text
//! Dp4a "dp4a" integer::dp4a, Dp2a "dp2a" integer::dp2a [
//!     form("u32|s32 u32|s32", "d:s32 a:u32 a:u32 a:s32").only("dp4a"),
//!     needs("", "5.0 sm_61")] // section of the manual
//! ```
//!
//! that is: opcodes of equal syntax, each with its lowering rule (a function of `ptx-ir`), then their forms and needs. `.only("dp4a")`
//! restricts a form or a need to some of the opcodes. [`notation`] explains the forms, [`needs`] the needs.

#[macro_use]
mod arithmetic;
#[macro_use]
mod control;
#[macro_use]
mod matrix;
#[macro_use]
mod memory;
mod modifier;
pub(crate) mod needs;
pub(crate) mod notation;

pub use modifier::Modifier;

use needs::Need;
use notation::InstructionForm;
use std::collections::HashMap;
use std::fmt;
use std::sync::OnceLock;

/// A form of some opcodes, or a need of some of their forms.
struct TableRow {
    /// The opcodes it is for; all of the row if empty.
    only: &'static str,
    modifiers: &'static str,
    content: RowContent,
}

enum RowContent {
    /// A form with its operands.
    Form(&'static str),
    /// A version and a target.
    Need(&'static str),
}

const fn form(modifiers: &'static str, operands: &'static str) -> TableRow {
    TableRow { only: "", modifiers, content: RowContent::Form(operands) }
}

const fn needs(modifiers: &'static str, version_and_target: &'static str) -> TableRow {
    TableRow { only: "", modifiers, content: RowContent::Need(version_and_target) }
}

impl TableRow {
    const fn only(self, opcodes: &'static str) -> TableRow {
        TableRow { only: opcodes, ..self }
    }
}

/// Defines the opcodes, their rows, and the macro that hands each opcode's lowering rule to `ptx-ir`.
macro_rules! define {
    ([] ($dollar:tt) $($($opcode:ident $name:literal $($rule:ident)::+),+ [$($row:expr),*])*) => {
        /// An opcode: the word before the first dot of an instruction.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Opcode {
            $($(#[doc = concat!("`", $name, "`")] $opcode,)+)*
            /// A word that is not in the table; [`Instruction::name`](crate::Instruction::name) has its text.
            #[default]
            Unknown,
        }

        impl Opcode {
            /// Every opcode of the table.
            pub const ALL: &[Opcode] = &[$($(Opcode::$opcode,)+)*];

            /// The word.
            pub fn name(self) -> &'static str {
                match self {
                    $($(Opcode::$opcode => $name,)+)*
                    Opcode::Unknown => "?",
                }
            }
        }

        /// Opcodes with their rows.
        const ROWS: &[(&[Opcode], &[TableRow])] = &[$((&[$(Opcode::$opcode,)+], &[$($row,)*]),)*];

        /// Calls a macro with `Opcode => rule,` for each opcode; the rule is a path to a function.
        #[doc(hidden)]
        #[macro_export]
        macro_rules! for_each_lowering_rule {
            ($dollar then:ident) => { $dollar then! { $($($opcode => $($rule)::+,)+)* } };
        }
    };
}

arithmetic! { [matrix memory control define] ($) }

impl Opcode {
    /// The opcode called `name`; [`Opcode::Unknown`] if the table has none.
    pub fn from_name(name: &str) -> Opcode {
        static BY_NAME: OnceLock<HashMap<&str, Opcode>> = OnceLock::new();
        let by_name = BY_NAME
            .get_or_init(|| Opcode::ALL.iter().map(|opcode| (opcode.name(), *opcode)).collect());
        by_name.get(name).copied().unwrap_or_default()
    }

    /// Its forms, in the order of the table.
    pub(crate) fn forms(self) -> &'static [InstructionForm] {
        table().get(self as usize).map_or(&[], |(forms, _)| forms)
    }

    /// The needs of its forms.
    pub(crate) fn needs(self) -> &'static [Need] {
        table().get(self as usize).map_or(&[], |(_, needs)| needs)
    }
}

impl fmt::Display for Opcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Forms and needs by opcode.
fn table() -> &'static [(Vec<InstructionForm>, Vec<Need>)] {
    static TABLE: OnceLock<Vec<(Vec<InstructionForm>, Vec<Need>)>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table: Vec<_> = Opcode::ALL.iter().map(|_| (Vec::new(), Vec::new())).collect();
        for (opcodes, rows) in ROWS {
            for opcode in *opcodes {
                let (forms, needs) = &mut table[*opcode as usize];
                let mine = |row: &&TableRow| {
                    row.only.is_empty() || row.only.split(' ').any(|name| name == opcode.name())
                };
                for row in rows.iter().filter(mine) {
                    match row.content {
                        RowContent::Form(o) => forms.push(InstructionForm::read(row.modifiers, o)),
                        RowContent::Need(n) => needs.push(Need::read(row.modifiers, n)),
                    }
                }
            }
        }
        table
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_restricted_to_their_own_opcodes() {
        for (opcodes, rows) in ROWS {
            for row in *rows {
                for name in row.only.split_whitespace() {
                    assert!(
                        opcodes.contains(&Opcode::from_name(name)),
                        "{name}: {}",
                        row.modifiers
                    );
                }
            }
        }
    }

    #[test]
    fn every_opcode_has_a_form_and_every_word_is_known() {
        for opcode in Opcode::ALL {
            assert!(!opcode.forms().is_empty(), "{opcode}");
            let forms = opcode.forms().iter().flat_map(InstructionForm::modifiers);
            let needs = opcode.needs().iter().flat_map(Need::modifiers);
            assert!(forms.chain(needs).all(|modifier| modifier != Modifier::Unknown), "{opcode}");
        }
    }
}
