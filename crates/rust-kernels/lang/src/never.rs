//! The value of what does not end.

/// The value of a branch that never reaches its end (`return`, `break`, `continue`).
#[derive(Clone, Copy, Debug)]
pub struct Never;
