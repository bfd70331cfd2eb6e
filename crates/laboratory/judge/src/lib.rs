//! Judges an untrusted kernel: right, wrong or refused, with the first reason.
//!
//! A [`Task`] describes the computation. [`judge`] draws problems from a seed, computes the expected results where
//! the candidate cannot reach them, runs the candidate on the emulator with every access checked and again under
//! other schedules, and compares. The [`Verdict`] is plain data. This crate prints nothing.
//!
//! `task` reads task files (`text` parses their language), `problems` draws problems, `references` computes expected
//! results, `candidates` runs kernels and compares their results, `workers` runs untrusted code in separate
//! processes, and `flow` connects them.

mod candidates;
mod element;
mod flow;
mod problems;
mod references;
mod task;
mod text;
mod verdict;
mod workers;

pub use candidates::candidate::{Candidate, Submission};
pub use candidates::compare::{Closeness, Counterexample};
pub use candidates::gpu::OnGpu;
pub use flow::{Options, judge};
pub use problems::prepared::{Compile, Unjudged};
pub use task::{Task, TaskError, Values};
pub use verdict::{Found, KINDS, ProblemRecord, Reason, SCHEMA, TimedProblem, Verdict};
pub use workers::serve::serve;
pub use workers::worker::Worker;
