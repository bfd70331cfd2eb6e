//! The text of task files: TOML whose values keep their places, and the small language of expressions in it.

pub mod document;
pub mod expression;
pub mod source;
