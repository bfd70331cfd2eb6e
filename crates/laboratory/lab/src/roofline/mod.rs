//! The roofline: ceilings of a GPU's memory and arithmetic, nominal and measured, and the distance of kernels from
//! them (Williams, Waterman and Patterson, "Roofline: an insightful visual performance model", CACM 2009).
//!
//! On a GPU, single-purpose kernels measure the ceilings, and rungs are placed by their times. The emulator does not
//! model time: it places rungs by their counters under the nominal ceilings of a chosen GPU. The result is a bound:
//! the rung cannot be faster on that GPU.

mod measured;
mod points;
mod record;

pub use measured::measure_ceilings;
pub use points::{counted_points, timed_points};
pub use record::{Ceiling, CeilingRecord, PointRecord, RooflineRecord, nominal};
