//! The laboratory: verifies a kernel's results, counts its work on the emulator or times it on a GPU, and records the
//! outcome.
//!
//! Nothing here prints: functions return plain data, which the command line, tests and reports format. Nothing is
//! counted or timed before its result is verified against the host's.

pub mod conformance;
mod experiments;
mod families;
mod fidelity;
mod problem;
mod record;
pub mod roofline;
/// Running ladders: climbs, sweeps, times, profiles and tuning.
mod runs {
    pub mod climb;
    pub mod measure;
    pub mod reason;
    pub mod streams;
    pub mod tune;
}
pub mod several;

pub use experiments::{Experiment, Figure, experiments, experiments_source};
pub use families::{
    Draw, Family, Matrix, SumSquaresRung, TransposeRung, check_transpose_fits, draw_numbers,
    families, family, transpose_with, verify_sgemm, verify_sum_squares, verify_transpose,
};
pub use fidelity::{Deviation, Hardware, Launched, launch_corpus};
pub use lanework_bench as timing;
pub use lanework_bench::{
    Accuracy, Architecture, Cache, ComparisonRecord, DeviceRecord, Gpu, Rejection, Reset, Specs,
    Stop, SubjectKind, SubjectRecord, Summary, SummaryRecord, TimedRecord, TimedSample, Timer,
    Verdict, Verified, Work, compare_samples, machine, specs,
};
pub use lanework_verify::host::{
    Array, ELEMENT_TYPES, ElementType, Format, random_elements, uniform_floats,
};
pub use lanework_verify::product::Product;
pub use lanework_verify::{Mismatch, compare_transpose, verify_array};
pub use problem::{Case, PARAMETERS, Parameter, Request, Trial, run_rung};
pub use record::{
    ClimbRecord, HostRecord, PredictedRecord, RungRecord, SkippedRecord, Step, SweepRecord,
    TimeRecord,
};
pub use runs::climb::{
    Attempt, ClimbSettings, attempt, climb, impossible, points, resident_blocks, sweep,
    with_elements,
};
pub use runs::measure::{PtxLaunch, RungOf, Subject, Timing, bench_rung, compare_rungs, profile};
pub use runs::streams::{Span, StreamsRecord, StreamsRequest, overlap};
pub use runs::tune::{Candidate, Contest, Look, OnGpu, REACH, Tuning, best, candidates};

/// Called with a description of the current step.
pub type Progress<'a> = &'a mut dyn FnMut(&str);
