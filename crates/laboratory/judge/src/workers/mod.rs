//! Separate processes for untrusted code: messages, work and limits.

pub mod order;
pub mod process;
pub mod serve;
pub mod worker;
