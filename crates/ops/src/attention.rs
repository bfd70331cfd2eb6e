//! Attention: `softmax(scale * q * transpose(k)) * v`, whose scores are never stored.

mod builder;
mod division;
mod elements;
mod hopper;
mod plain;
mod prepare;
mod problem;
mod request;
mod results;
#[cfg(test)]
mod tests;
mod warps;

pub use builder::{Attention, AttentionResult, attention};
pub use elements::Half;
