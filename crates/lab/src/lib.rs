//! The laboratory: proves a kernel right, then counts it or times it, and records what came out.
//!
//! Nothing here prints. What is returned is plain data that the command line, a test or a report
//! turns into words. Nothing is counted or timed before its result was compared with the host's.

mod accuracy;
mod array;
mod case;
mod climb;
pub mod conformance;
mod counts;
mod element;
mod experiments;
mod families;
mod fidelity;
mod fits;
mod inputs;
mod measure;
mod occupancy;
mod product;
mod profile;
mod reason;
mod record;
mod request;
mod run;
mod specs;
mod stats;
mod streams;
mod sweep;
mod verify;
mod work;

pub use accuracy::{Accuracy, FloatRule, UNIT_F32};
pub use array::Array;
pub use case::{Case, Trial};
pub use climb::{How, climb};
pub use element::{ELEMENT_TYPES, ElementType};
pub use experiments::{Experiment, Figure, experiments, experiments_source};
pub use families::{
    Draw, Family, Matrix, SumSquaresRung, TransposeRung, check_transpose_fits, draw_numbers,
    families, family, prove_sgemm, prove_sum_squares, prove_transpose, transpose_with,
};
pub use fidelity::{Deviation, Hardware, Launched, launch_corpus};
pub use inputs::{random_elements, uniform_floats};
pub use measure::{Cache, Measurement, Stop, Timer, measure};
pub use occupancy::resident_blocks;
pub use profile::{
    By, CacheRecord, LineRecord, ProfileRecord, PtxLaunch, Subject, pattern, profile,
};
pub use record::{
    ClimbRecord, DeviceRecord, HostRecord, ResourcesRecord, RungRecord, SampleRecord, SweepRecord,
    TimeRecord,
};
pub use request::{PARAMETERS, Parameter, Request};
pub use run::run_rung;
pub use specs::{Architecture, Gpu, Specs, specs};
pub use stats::Summary;
pub use streams::{Span, StreamsRecord, StreamsRequest, overlap};
pub use sweep::{points, sweep};
pub use verify::{Mismatch, compare_transpose};
pub use work::Work;

/// Told what is being worked on, so that the user can be.
pub type Progress<'a> = &'a mut dyn FnMut(&str);
