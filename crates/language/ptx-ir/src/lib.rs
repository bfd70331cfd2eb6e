//! The intermediate form of a kernel: lowered from PTX, with its control-flow graph and analyses.
//!
//! - [`module`]: names, static variables, constants of a PTX module.
//! - [`lower`] turns an entry into a [`kernel`]: a flat list of instructions over virtual registers, with calls inlined. The
//!   rules in `rules`, one per PTX instruction, emit the instructions.
//! - [`opcode`]: what an instruction does, as data: operation, types, rounding, modifiers. Passes ask an opcode for facts,
//!   never for its name.
//! - `passes` rewrite a kernel: contraction into fused multiply-adds, canonical NaNs.
//! - [`analysis`]: control flow, post-dominators, liveness, uniformity, known bits, memory accesses. Its fixpoints run on one
//!   solver, [`analysis::dataflow`].
//! - [`inspect`] prints all of it as text; the file tests (`tests/filetests`) compare that text.
//!
//! The errors of lowering, [`LoadError`] and [`Unsupported`], are here.

pub mod analysis;
pub mod inspect;
pub mod kernel;
pub mod lower;
pub mod memory_layout;
pub mod module;
pub mod opcode;
mod passes;
mod rules;
pub mod types;

pub use lanework_ptx::cpp_names;

use std::fmt;

/// A position in the source that a kernel was made from (`.loc`).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SourceLocation {
    /// The file as the module names it.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1, or 0 when unknown.
    pub column: u32,
}

impl fmt::Display for SourceLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)?;
        if self.column > 0 { write!(f, ":{}", self.column) } else { Ok(()) }
    }
}

/// A line of PTX text as messages name it.
pub fn text_place(file: Option<&str>, line: u32) -> String {
    match file {
        Some(file) => format!("{file}:{line}"),
        None => format!("line {line} of the PTX text"),
    }
}

/// Why a module cannot run on the emulator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadError {
    /// The message, naming the instruction or directive.
    pub message: String,
    /// The function it is in; empty at module scope.
    pub function: String,
    /// The source position, if the module has one.
    pub location: Option<SourceLocation>,
    /// The file of the PTX text, if known.
    pub text_file: Option<String>,
    /// The line in the PTX text, 0 when unknown.
    pub text_line: u32,
    /// The remedy.
    pub help: String,
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.message)?;
        if !self.function.is_empty() {
            write!(f, " in `{}`", self.function)?;
        }
        if let Some(location) = &self.location {
            write!(f, "\n  --> {location}")?;
        }
        if self.text_line > 0 {
            write!(f, "\n  --> {}", text_place(self.text_file.as_deref(), self.text_line))?;
        }
        if !self.help.is_empty() {
            write!(f, "\n   = help: {}", self.help)?;
        }
        Ok(())
    }
}

impl std::error::Error for LoadError {}

/// An unsupported instruction, form or operand: the message, and a remedy.
pub struct Unsupported {
    /// The message.
    pub message: String,
    /// The remedy.
    pub help: String,
}

impl Unsupported {
    /// An error with a remedy.
    pub fn new(message: impl Into<String>, help: impl Into<String>) -> Unsupported {
        Unsupported { message: message.into(), help: help.into() }
    }
}

/// The result of a lowering rule.
pub type LoweringResult<T = ()> = Result<T, Unsupported>;
