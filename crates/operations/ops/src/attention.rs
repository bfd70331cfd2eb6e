//! Attention: `softmax(scale * q * transpose(k)) * v` in one pass. The score matrix is never stored in global memory.

mod builder;
mod choice;
mod combine;
mod division;
mod elements;
mod hopper;
mod launches;
mod loads;
mod operands;
mod parts;
mod plain;
mod prepare;
mod problem;
mod request;
mod results;
mod split;
#[cfg(test)]
mod tests;
mod warps;

pub use builder::{Attention, AttentionResult, attention};
pub use elements::Half;
