//! The verdict on a stranger's kernel: right, wrong or refused, with the first reason.
//!
//! A [`Task`] says what a kernel has to compute. [`judge`] draws problems from a seed, computes what is right where
//! the candidate cannot reach it, runs the candidate on the emulator with every access checked and again in other
//! orders, and compares. What it finds is a [`Verdict`], plain data. Nothing here prints.
//!
//! `task` reads what is asked (`text` is the language of its files), `problems` draws problems, `references` says what is right,
//! `candidates` runs the stranger's kernel and compares, `workers` are the processes that its code runs in, and `flow` puts these
//! together.

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
