//! Errors of compilation.

use crate::ir::SourcePosition;
use std::fmt;

/// A module that cannot be written as PTX: inline PTX with a syntax error, or a value of the wrong type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileError {
    /// The problem.
    pub message: String,
    /// The source position, if known.
    pub position: SourcePosition,
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SourcePosition { file, line, column } = self.position;
        if file != 0 {
            write!(f, "file {file}, line {line}, column {column}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for CompileError {}
