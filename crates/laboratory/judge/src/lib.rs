//! Judges an untrusted kernel: right, wrong or refused, with the first reason.
//!
//! A [`Task`] describes the computation. [`judge`] draws problems from a seed, computes the expected results where
//! the candidate cannot reach them, runs the candidate on the emulator with every access checked and again under
//! other schedules, and compares. The [`Verdict`] is plain data. This crate prints nothing.
//!
//! `task` reads task files (`text` parses their language), `problems` draws problems, `references` computes expected
//! results, `candidates` runs kernels and compares their results, and `workers` runs untrusted code in separate
//! processes.

/// A candidate: static checks, runs on the emulator and on a GPU, and comparison of the results.
mod candidates {
    pub mod candidate;
    pub mod case;
    pub mod gpu;
    pub mod outputs;
    pub mod run;
}
mod problems;
/// Expected results from formulas, built-in references and programs, each with an error bound.
mod references {
    pub mod approx;
    pub mod data;
    pub mod expected;
    pub mod external;
    pub mod formula;
    pub mod functions;
}
mod task;
mod text;
mod verdict;
mod workers;

pub use candidates::candidate::{Candidate, Submission};
pub use candidates::gpu::OnGpu;
pub use problems::prepared::{Compile, CompiledCandidate, Unjudged};
pub use task::{Task, TaskError, Values};
pub use verdict::{
    Closeness, Counterexample, Found, KINDS, ProblemRecord, Reason, SCHEMA, TimedProblem, Verdict,
};
pub use workers::worker::{Worker, serve};

use candidates::case::Case;
use problems::prepared::Ready;

/// Options of a judgment.
#[derive(Clone, Debug)]
pub struct Options {
    /// Seed of all problems.
    pub seed: u64,
    /// Whether the timed problem must pass before a candidate counts as right.
    pub timed: bool,
    /// The GPU on which right candidates run and are timed.
    pub gpu: Option<OnGpu>,
}

/// Judges a candidate. `compile` turns CUDA C++ into PTX; `progress` receives status messages.
///
/// # Errors
/// If the task, its references or the machine fails. None of these errors is the candidate's fault.
pub fn judge(
    task: &Task,
    submission: &Submission,
    options: &Options,
    compile: Compile<'_>,
    progress: &mut dyn FnMut(&str),
) -> Result<Verdict, Unjudged> {
    progress("generating the problems");
    let ready = Ready::new(task, compile)?;
    let mut case = Case::new(&ready, &submission.name, options.seed)?;
    let candidate = match case.admit(submission, compile, progress)? {
        Ok(candidate) => candidate,
        Err(reason) => return Ok(case.refuse(reason)),
    };
    let found =
        case.checked(&candidate, progress).and_then(|()| case.in_one_module(&candidate, progress));
    if let Err(reason) = found {
        return Ok(case.refuse(reason));
    }
    let found = match &options.gpu {
        Some(gpu) => case.on_gpu(&candidate, gpu, progress)?,
        None if !options.timed => Ok(()),
        None => match case.timed_problem()? {
            Some(timed) => {
                progress("running the timed problem");
                case.try_timed(&candidate, &timed)
            }
            None => {
                let why = "the timed problem is too large for the emulator, and there is no GPU; choose a smaller one, or accept candidates without it";
                Err(Reason::new("not-tried", why))
            }
        },
    };
    Ok(match found {
        Ok(()) => case.verdict,
        Err(reason) => case.refuse(reason),
    })
}
