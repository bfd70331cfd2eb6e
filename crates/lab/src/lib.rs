//! The laboratory: proves a kernel right, then counts it or times it, and records what came out.
//!
//! Nothing here prints. What is returned is plain data that the command line, a test or a report
//! turns into words. Nothing is counted or timed before its result was compared with the host's.

mod climb;
mod element;
mod inputs;
mod measure;
mod reason;
mod record;
mod stats;
mod sweep;
mod transpose;
mod verify;

pub use climb::{ClimbRequest, climb_transpose};
pub use element::{ELEMENT_TYPES, ElementType};
pub use inputs::random_elements;
pub use measure::{Cache, Measurement, Stop, Timer, measure};
pub use record::{
    ClimbRecord, CountersRecord, DeviceRecord, GlobalRecord, HostRecord, RungRecord, SharedRecord,
    SweepRecord, TimeRecord,
};
pub use stats::Summary;
pub use sweep::{SweepRequest, sweep_transpose};
pub use transpose::{
    Matrix, TransposeRung, check_transpose_fits, prove_transpose, transpose_bytes, transpose_with,
};
pub use verify::{Mismatch, compare_transpose};

/// Told what is being worked on, so that the user can be.
pub type Progress<'a> = &'a mut dyn FnMut(&str);
