//! Probes: one warp that repeats one memory instruction on a pattern of addresses, so that what the
//! hardware counts for an access can be told from everything else.

mod instructions;
mod module;
mod patterns;

pub use instructions::{MORE, PROBES};
pub use module::module;
pub use patterns::{patterns, sweep};
