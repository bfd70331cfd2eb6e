//! The access check: what one memory access is judged by, lane by lane.
//!
//! [`check`] holds the parts an access goes through, [`reference`](mod@reference) is the per-lane path.

pub mod check;
pub mod reference;
