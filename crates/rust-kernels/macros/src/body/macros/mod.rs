//! Calls of macros in a body: assertions, printing, and inline PTX.

pub mod format;
mod inline;
