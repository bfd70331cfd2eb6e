//! The timed problem: whether the emulator can run it, and the run.

use super::Case;
use crate::candidates::candidate::Candidate;
use crate::candidates::outputs::{compare, lower_precision, merge};
use crate::candidates::run::{Bench, Mode, budget};
use crate::problems::prepared::{Prepared, Unjudged};
use crate::problems::problem::Argument;
use crate::task::Values;
use crate::verdict::{Reason, TimedProblem};
use rand::Rng;

/// Maximum operations of a timed problem on the emulator.
const MOST_EMULATED: u64 = 1 << 32;

impl Case<'_> {
    /// The timed problem; `None` if it is too large for the emulator.
    ///
    /// # Errors
    /// If the task has a mistake, or a reference fails.
    pub fn timed_problem(&mut self) -> Result<Option<Prepared>, Unjudged> {
        let task = self.ready.task;
        let extents = task.timed()?;
        if let Some((bytes, flops)) = &task.work {
            let work = task.value(bytes, &extents)?.max(task.value(flops, &extents)?);
            if work > MOST_EMULATED {
                return Ok(None);
            }
        }
        let kind =
            if task.values.contains(&Values::Uniform) { Values::Uniform } else { task.values[0] };
        let problem = task.problem(extents, kind, self.random.random())?;
        if problem.arguments.iter().map(Argument::bytes).sum::<u64>() > MOST_EMULATED {
            return Ok(None);
        }
        Ok(Some(self.ready.prepare(problem)?))
    }

    /// Runs the timed problem on the emulator.
    ///
    /// # Errors
    /// The reason for the refusal.
    pub fn try_timed(&mut self, candidate: &Candidate, timed: &Prepared) -> Result<(), Reason> {
        let task = self.ready.task;
        let shape = self.shape(candidate, &timed.problem)?;
        let (seed, schedule) = (self.random.random(), self.random.random());
        let (bytes, _) = budget(&timed.problem);
        let mode = Mode::Plain(schedule);
        let mut bench = Bench::new(task, &candidate.module, mode, seed, (bytes, u64::MAX))?;
        self.verdict.launches += 1;
        let found = bench.run(&timed.problem, shape).and_then(|results| {
            let close = compare(task, timed, &results)?;
            match lower_precision(self.ready, &timed.problem, &results) {
                Some(why) => Err(Reason::new("lower-precision", why)),
                None => Ok(close),
            }
        });
        match found {
            Ok(closeness) => {
                merge(&mut self.verdict.closeness, closeness);
                self.verdict.timed_problem = TimedProblem::Emulator;
                self.verdict.problems.push(timed.problem.record());
                Ok(())
            }
            Err(mut reason) => {
                let of_result = reason.is_of_result() && reason.kind != "lower-precision";
                reason.problem = Some(timed.problem.record());
                if of_result {
                    reason.why = format!("at the timed extents only: {}", reason.why);
                    reason.kind = "timed-problem".to_owned();
                }
                Err(reason)
            }
        }
    }
}
