//! The laboratory: verifies a kernel's results, counts it on the emulator or times it on a GPU, and records
//! the outcome.
//!
//! Nothing here prints: the command line, tests and reports format the plain data that is returned. Nothing
//! is counted or timed before its result has been verified against the host's.

mod array;
mod bound;
mod case;
mod climb;
pub mod conformance;
mod counts;
mod element;
mod experiments;
mod families;
mod fidelity;
mod fits;
mod formats;
mod inputs;
mod occupancy;
mod product;
mod profile;
mod reason;
mod record;
mod request;
pub mod roofline;
mod run;
pub mod several;
mod step;
mod streams;
mod sweep;
mod timed;
mod tune;
mod verify;
mod verify_array;

pub use array::Array;
pub use case::{Case, Trial};
pub use climb::{ClimbSettings, climb};
pub use element::{ELEMENT_TYPES, ElementType};
pub use experiments::{Experiment, Figure, experiments, experiments_source};
pub use families::{
    Draw, Family, Matrix, SumSquaresRung, TransposeRung, check_transpose_fits, draw_numbers,
    families, family, transpose_with, verify_sgemm, verify_sum_squares, verify_transpose,
};
pub use fidelity::{Deviation, Hardware, Launched, UNCOUNTED, launch_corpus};
pub use formats::Format;
pub use inputs::{random_elements, uniform_floats};
pub use lanework_bench as timing;
pub use lanework_bench::{
    Accuracy, Architecture, Cache, ComparisonRecord, DeviceRecord, Gpu, Rejection, Reset, Specs,
    Stop, SubjectKind, SubjectRecord, Summary, SummaryRecord, TimedRecord, TimedSample, Timer,
    Verdict, Verified, Work, compare_samples, machine, specs,
};
pub use occupancy::resident_blocks;
pub use product::Product;
pub use profile::{PtxLaunch, Subject, profile};
pub use record::{ClimbRecord, HostRecord, RungRecord, SkippedRecord, SweepRecord, TimeRecord};
pub use request::{PARAMETERS, Parameter, Request};
pub use run::run_rung;
pub use step::Step;
pub use streams::{Span, StreamsRecord, StreamsRequest, overlap};
pub use sweep::{Attempt, attempt, impossible, points, sweep, with_elements};
pub use timed::{RungOf, Timing, bench_rung, compare_rungs};
pub use tune::{Candidate, Contest, Look, OnGpu, REACH, Tuning, best, candidates};
pub use verify::{Mismatch, compare_transpose};
pub use verify_array::verify_array;

/// Called with what is being worked on.
pub type Progress<'a> = &'a mut dyn FnMut(&str);
