//! Judges one candidate on the emulator: static checks, checked runs, runs in one module, other schedules, and the
//! timed problem if the emulator can run it.

use crate::candidates::candidate::{Candidate, Submission};
use crate::candidates::outputs;
use crate::candidates::outputs::{compare, lower_precision, merge};
use crate::candidates::run::{Bench, Mode, Results, budget};
use crate::problems::prepared::{Compile, Prepared, Ready, Unjudged};
use crate::problems::problem::{Argument, Problem};
use crate::task::{Shape, Values};
use crate::verdict::{Found, Reason, SCHEMA, TimedProblem, Verdict};
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};

/// One candidate under judgment.
pub struct Case<'a> {
    /// The task with its references.
    pub ready: &'a Ready<'a>,
    /// The drawn problems.
    pub rounds: Vec<Prepared>,
    /// The verdict so far.
    pub verdict: Verdict,
    /// Source of random numbers.
    pub random: StdRng,
}

impl<'a> Case<'a> {
    /// Draws the problems of a candidate and computes the expected results.
    ///
    /// # Errors
    /// If the task has a mistake, or a reference fails.
    pub fn new(ready: &'a Ready<'a>, candidate: &str, seed: u64) -> Result<Case<'a>, Unjudged> {
        let mut random = StdRng::seed_from_u64(seed);
        let mut rounds = Vec::new();
        for (extents, kind, seed) in ready.task.plan(&mut random)? {
            // A shape that cannot be launched is a mistake in the task, not in the candidate.
            if let Some(launch) = &ready.task.launch {
                launch.shape(&extents)?;
            }
            rounds.push(ready.prepare(ready.task.problem(extents, kind, seed)?)?);
        }
        if rounds.iter().all(|round| round.problem.result_elements() == 0) {
            return Err(Unjudged::Failed(
                "the results of this task have no elements in any problem, so there is nothing to compare".to_owned(),
                "give the extents a range that reaches beyond 0".to_owned(),
            ));
        }
        let verdict = Verdict {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            verdict: Found::Right,
            reason: None,
            task: ready.task.file.clone(),
            candidate: candidate.to_owned(),
            ptx_hash: None,
            seed,
            problems: Vec::new(),
            launches: 0,
            timed_problem: TimedProblem::NotTried,
            closeness: None,
            deterministic: None,
            notes: Vec::new(),
            time: None,
        };
        Ok(Case { ready, rounds, verdict, random })
    }

    /// The verdict with its reason.
    pub fn refuse(mut self, reason: Reason) -> Verdict {
        self.verdict.verdict = if reason.is_of_result() { Found::Wrong } else { Found::Refused };
        self.verdict.reason = Some(reason);
        self.verdict
    }

    /// Runs the static checks.
    ///
    /// # Errors
    /// If there is no compiler; the inner error is the candidate's.
    pub fn admit(
        &mut self,
        submission: &Submission,
        compile: Compile<'_>,
        progress: &mut dyn FnMut(&str),
    ) -> Result<Result<Candidate, Reason>, Unjudged> {
        let task = self.ready.task;
        if let Err(reason) = submission.check_source(task) {
            return Ok(Err(reason));
        }
        let ptx = match &submission.ptx {
            Some(ptx) => ptx.clone(),
            None => {
                progress("compiling");
                match compile(submission, task)? {
                    Ok(compiled) => {
                        self.verdict.notes.push(format!("{} compiled it", compiled.by));
                        compiled.ptx
                    }
                    Err(why) => return Ok(Err(Reason::new("compile", why))),
                }
            }
        };
        self.verdict.ptx_hash = Some(lanework_lab::timing::ptx_hash(&ptx));
        Ok(Candidate::new(submission, ptx, task, &mut self.verdict.notes))
    }

    fn shape(&self, candidate: &Candidate, problem: &Problem) -> Result<Shape, Reason> {
        let shape = candidate.launch.shape(&problem.extents);
        shape.map_err(|error| Reason::new("launch", error.to_string()))
    }

    /// Runs every problem in a fresh module, with every access checked.
    ///
    /// # Errors
    /// The first reason to refuse the candidate.
    pub fn checked(
        &mut self,
        candidate: &Candidate,
        progress: &mut dyn FnMut(&str),
    ) -> Result<(), Reason> {
        for number in 0..self.rounds.len() {
            progress(&format!("checking problem {} of {}", number + 1, self.rounds.len()));
            let seed = self.random.random();
            let prepared = &self.rounds[number];
            let problem = &prepared.problem;
            self.verdict.problems.push(problem.record());
            let on_it = |mut reason: Reason| {
                reason.problem = Some(problem.record());
                reason
            };
            let shape = self.shape(candidate, problem).map_err(on_it)?;
            let task = self.ready.task;
            let mut bench =
                Bench::new(task, &candidate.module, Mode::Checked, seed, budget(problem))?;
            self.verdict.launches += 1;
            let results = bench.run(problem, shape).map_err(on_it)?;
            for note in bench.notes {
                if !self.verdict.notes.contains(&note) {
                    self.verdict.notes.push(note);
                }
            }
            match compare(task, prepared, &results) {
                Ok(closeness) => merge(&mut self.verdict.closeness, closeness),
                Err(reason) => {
                    let lower = lower_precision(self.ready, problem, &results);
                    let lower = lower.or_else(|| self.lower_precision_elsewhere(candidate));
                    return Err(match lower {
                        None => reason,
                        Some(why) => Reason { kind: "lower-precision".to_owned(), why, ..reason },
                    });
                }
            }
            if let Some(why) = lower_precision(self.ready, &self.rounds[number].problem, &results) {
                return Err(on_it(Reason::new("lower-precision", why)));
            }
        }
        Ok(())
    }

    /// The lower precision that conclusive values reveal, after other values gave a wrong result.
    fn lower_precision_elsewhere(&mut self, candidate: &Candidate) -> Option<String> {
        let mut conclusive: Vec<&Problem> = self.rounds.iter().map(|one| &one.problem).collect();
        conclusive.retain(|problem| outputs::is_conclusive(problem.kind));
        // Larger problems reveal more.
        conclusive.sort_by_key(|problem| std::cmp::Reverse(budget(problem).0));
        for problem in conclusive {
            let shape = self.shape(candidate, problem).ok()?;
            let (task, mode) = (self.ready.task, Mode::Plain(0));
            let mut bench = Bench::new(task, &candidate.module, mode, 0, budget(problem)).ok()?;
            self.verdict.launches += 1;
            let results = bench.run(problem, shape).ok()?;
            if let Some(why) = lower_precision(self.ready, problem, &results) {
                return Some(why);
            }
        }
        None
    }

    /// Runs all problems in one module in a different order, some twice with other data between, then some under a
    /// different schedule.
    ///
    /// # Errors
    /// The first reason to refuse the candidate.
    pub fn in_one_module(
        &mut self,
        candidate: &Candidate,
        progress: &mut dyn FnMut(&str),
    ) -> Result<(), Reason> {
        progress("running all problems in one module");
        let task = self.ready.task;
        let mut order: Vec<usize> = (0..self.rounds.len()).collect();
        order.shuffle(&mut self.random);
        // The same data twice in a row exposes a kernel that caches its results.
        let again = order[0];
        order.insert(1, again);
        order.push(again);
        let most = self.rounds.iter().map(|one| budget(&one.problem));
        let most = most.fold((0, 0), |(bytes, all), (b, a)| (bytes.max(b), all.max(a)));
        let (schedule, seed) = (self.random.random(), self.random.random());
        let plain =
            |schedule| Bench::new(task, &candidate.module, Mode::Plain(schedule), seed, most);
        let mut bench = plain(schedule)?;
        let mut first: Vec<(usize, Results)> = Vec::new();
        for number in order {
            let prepared = &self.rounds[number];
            let shape = self.shape(candidate, &prepared.problem)?;
            self.verdict.launches += 1;
            let ran = bench.run(&prepared.problem, shape);
            let found = ran.and_then(|results| compare(task, prepared, &results).map(|_| results));
            match found {
                Ok(results) => first.push((number, results)),
                Err(reason) => {
                    let alone = plain(schedule).and_then(|mut fresh| {
                        let results = fresh.run(&prepared.problem, shape)?;
                        compare(task, prepared, &results)
                    });
                    let (kind, said) = match alone {
                        Ok(_) => ("stale", "after other launches in the same module"),
                        Err(_) => {
                            ("schedule", "in another order of blocks and on other undefined memory")
                        }
                    };
                    let kind =
                        if reason.is_of_result() { kind.to_owned() } else { reason.kind.clone() };
                    let why = format!("{said}: {}", reason.why);
                    return Err(Reason {
                        kind,
                        why,
                        problem: Some(prepared.problem.record()),
                        ..reason
                    });
                }
            }
        }
        let mut same = true;
        for (number, results) in first.iter().take(3) {
            let prepared = &self.rounds[*number];
            let shape = self.shape(candidate, &prepared.problem)?;
            self.verdict.launches += 1;
            let mut bench = plain(self.random.random())?;
            let now = bench.run(&prepared.problem, shape)?;
            compare(task, prepared, &now).map_err(|reason| Reason {
                kind: "schedule".to_owned(),
                why: format!("in another order of blocks: {}", reason.why),
                ..reason
            })?;
            same &= now == *results;
        }
        self.verdict.deterministic = Some(same);
        if !same {
            let note = "the bits of its results depend on the order in which blocks run";
            self.verdict.notes.push(note.to_owned());
        }
        Ok(())
    }
}

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
