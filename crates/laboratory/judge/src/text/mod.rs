//! The text of task files: TOML with positions, and its expression language.

pub mod document;
pub mod expression;
