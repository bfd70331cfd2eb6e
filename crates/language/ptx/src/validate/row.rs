//! A row of the table of instruction forms, as text.

/// Opcodes separated by blanks, modifiers, operands; `form.rs` says how they are read.
pub(in crate::validate) type Row = (&'static str, &'static str, &'static str);
