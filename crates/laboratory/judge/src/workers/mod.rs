//! Separate processes for untrusted code: messages, work and limits.

pub mod process;
pub mod serve;
pub mod worker;
