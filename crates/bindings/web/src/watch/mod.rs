//! Watches the launches of a run.

pub mod findings;
mod launching;
pub mod measure;
mod picture;
