//! This crate's public API: names that users import, and functions that macro-generated code calls.

pub mod host;
pub mod prelude;
pub mod rt;
pub(crate) mod stage;
