//! Processes of their own for a stranger's code: what is sent to them, their work, and their limits.

pub mod order;
pub mod process;
pub mod serve;
pub mod worker;
