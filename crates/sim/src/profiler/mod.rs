//! Observers that record what a launch did.

pub mod trace;
