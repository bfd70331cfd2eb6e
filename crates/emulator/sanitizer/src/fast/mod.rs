//! Fast paths: accesses in common forms, checked by a few steps in place of lane by lane.
//!
//! A fast path answers only where the reference path would find nothing, and leaves in shadow memory
//! what that would leave; whatever else it hands back, with nothing changed that checking it again would
//! not change alike. [`equivalence`] tests that on random histories. Each is kept for what removing it
//! costs on the checked bench (`cargo bench -p lanework-emulator --bench engine -- --quick --checked`), which
//! is in its file.

pub mod dispatch;
#[cfg(test)]
mod equivalence;
pub mod form;
pub mod group;
pub mod grouping;
pub mod half_warp;
pub mod line;
pub mod scattered;
pub mod view;
mod whole_lines;
