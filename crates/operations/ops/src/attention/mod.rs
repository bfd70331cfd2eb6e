//! Attention: `softmax(scale * q * transpose(k)) * v` in one pass. The score matrix is never stored in global memory.

mod builder;
mod choice;
mod combine;
mod hopper;
mod plain;
mod plan;
mod problem;
mod request;
mod split;
#[cfg(test)]
mod tests;
mod warps;

pub use builder::{Attention, AttentionResult, attention};
pub use problem::Half;
