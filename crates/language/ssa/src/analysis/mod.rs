//! Facts about a function that passes and the PTX writer share.

mod alias;
mod cfg;
mod dominance;
mod effects;
mod hash;
mod loops;
mod uses;

pub(crate) use alias::{AliasAnalysis, MemoryRange};
pub(crate) use cfg::ControlFlow;
pub(crate) use dominance::Dominators;
pub(crate) use effects::KindEffects;
pub(crate) use hash::{FastMap, FastSet, NumberHasher};
pub(crate) use loops::{LoopForest, NaturalLoop};
pub(crate) use uses::{use_counts, used_functions};
