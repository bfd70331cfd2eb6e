//! The roofline: what a GPU's memory and arithmetic can do, nominal and measured, and how far below it kernels stand
//! (Williams, Waterman and Patterson, "Roofline: an insightful visual performance model", CACM 2009).
//!
//! On a GPU ceilings are measured by kernels that do one thing, and rungs are placed by their times. On the emulator,
//! which does not model time, rungs are placed by what they count, under the nominal ceilings of a chosen GPU: what
//! comes out is a bound, a time that the rung cannot beat there.

mod measured;
mod points;
mod record;

pub use measured::measure_ceilings;
pub use points::{counted_points, timed_points};
pub use record::{Ceiling, CeilingRecord, PointRecord, RooflineRecord, nominal};
