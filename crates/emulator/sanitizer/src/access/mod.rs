//! The access check: what one memory access goes through, lane by lane.
//!
//! [`check`] holds the parts an access goes through, [`reference`](mod@reference) is the per-lane path,
//! [`cells`] the shadow cells of a lane.

pub mod away;
pub mod cells;
pub mod check;
mod findings;
pub mod reference;
mod swaps;
