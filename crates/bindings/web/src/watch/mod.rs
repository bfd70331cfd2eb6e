//! Watches the launches of a run.

pub mod findings;
pub mod launching;
pub mod measure;
mod picture;
mod registers;
