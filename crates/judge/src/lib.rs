//! The verdict on a stranger's kernel: right, wrong or refused, with the first reason.
//!
//! A [`Task`] says what a kernel has to compute. [`judge`] draws problems from a seed, computes what is right where
//! the candidate cannot reach it, runs the candidate on the emulator with every access checked and again in other
//! orders, and compares. What it finds is a [`Verdict`], plain data. Nothing here prints.

mod approx;
mod buffers;
mod candidate;
mod case;
mod compare;
mod data;
mod document;
mod element;
mod expected;
mod expression;
mod extents;
mod external;
mod fits;
mod flow;
mod formula;
mod functions;
mod gpu;
mod npy;
mod order;
mod outputs;
mod plan;
mod precision;
mod prepared;
mod problem;
mod process;
mod product;
mod rows;
mod run;
mod scan;
mod serve;
mod source;
mod task;
mod values;
mod verdict;
mod worker;

pub use candidate::{Candidate, Submission};
pub use compare::{Closeness, Counterexample};
pub use flow::{Options, judge};
pub use gpu::OnGpu;
pub use prepared::{Compile, Unjudged};
pub use serve::serve;
pub use task::{Task, TaskError, Values};
pub use verdict::{Found, KINDS, ProblemRecord, Reason, SCHEMA, TimedProblem, Verdict};
pub use worker::Worker;
