//! From a task and a candidate to a verdict. Draws the problems and computes the expected results before it reads any
//! part of the candidate.

use crate::candidates::candidate::Submission;
use crate::candidates::case::Case;
use crate::candidates::gpu::OnGpu;
use crate::problems::prepared::{Compile, Ready, Unjudged};
use crate::task::Task;
use crate::verdict::{Reason, Verdict};

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
    progress("drawing problems");
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
