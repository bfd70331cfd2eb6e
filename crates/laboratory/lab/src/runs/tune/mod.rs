//! Tuning: the best rung and parameters for a problem, found on a GPU by elimination.
//!
//! Every candidate is first timed alone for a moment. Those within [`REACH`] of the fastest are compared interleaved
//! (A B B A), the simplest first: a challenger replaces the champion only if it is FAST; an AMBIGUOUS verdict keeps
//! the simpler one. Limits: simplicity is the order of the ladder and of the given parameters; a candidate beyond the
//! reach in its first timing is never timed again.

use crate::Progress;
use crate::families::Family;
use crate::problem::case::Case;
use crate::problem::request::Request;
use crate::runs::timed::{RungOf, Timing, bench_rung, compare_rungs};
use lanework::Device;
use lanework_bench::{Cache, ComparisonRecord, TimedRecord, Verdict};
use std::collections::BTreeMap;
use std::time::Duration;

/// Candidates whose first time is within this factor of the fastest are compared interleaved.
pub const REACH: f64 = 1.1;

/// A rung with its parameters.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The rung.
    pub rung: String,
    /// The request, with the parameters.
    pub request: Request,
    /// The parameters that vary, by name.
    pub parameters: BTreeMap<&'static str, u64>,
}

/// The first timing of a candidate.
#[derive(Clone, Debug)]
pub struct Look {
    /// Index of the candidate.
    pub candidate: usize,
    /// The time, or the error: impossible, or a wrong result.
    pub time: Result<Box<TimedRecord>, String>,
}

/// The outcome of tuning.
#[derive(Clone, Debug)]
pub struct Tuning {
    /// Index of the winner among the candidates; `None` if none ran.
    pub winner: Option<usize>,
    /// The first timings.
    pub looks: Vec<Look>,
    /// The interleaved comparisons: champion, challenger and result.
    pub meetings: Vec<(usize, usize, Box<ComparisonRecord>)>,
}

/// Where candidates are timed.
pub trait Contest {
    /// Times one candidate.
    ///
    /// # Errors
    /// If it cannot be timed.
    fn time(&mut self, candidate: usize) -> Result<TimedRecord, String>;

    /// Compares two candidates interleaved.
    ///
    /// # Errors
    /// If one cannot be timed.
    fn compare(&mut self, champion: usize, challenger: usize) -> Result<ComparisonRecord, String>;
}

/// Finds the best of `count` candidates, the simplest first.
pub fn best(count: usize, contest: &mut dyn Contest) -> Tuning {
    let looks: Vec<Look> = (0..count)
        .map(|candidate| Look { candidate, time: contest.time(candidate).map(Box::new) })
        .collect();
    // An invalid time never wins.
    let median = |look: &Look| {
        let timed = look.time.as_ref().ok().filter(|timed| timed.invalid.is_none())?;
        Some(timed.summary.median_ns)
    };
    let fastest = looks.iter().filter_map(median).min_by(f64::total_cmp);
    let near =
        |look: &&Look| median(look).zip(fastest).is_some_and(|(ns, least)| ns <= REACH * least);
    let finalists: Vec<usize> = looks.iter().filter(near).map(|look| look.candidate).collect();
    let mut meetings = Vec::new();
    let mut winner = finalists.first().copied();
    for &challenger in finalists.iter().skip(1) {
        let Some(champion) = winner else { break };
        // If a comparison fails, the champion stays.
        let Ok(record) = contest.compare(champion, challenger) else { continue };
        if record.verdict == Verdict::Fast {
            winner = Some(challenger);
        }
        meetings.push((champion, challenger, Box::new(record)));
    }
    Tuning { winner, looks, meetings }
}

/// The candidates of a ladder: each of `rungs`, or all if that is empty, with each combination of the axes that it
/// uses.
pub fn candidates(
    family: &Family,
    request: &Request,
    axes: &[(&'static str, Vec<u64>)],
    rungs: &[String],
) -> Vec<Candidate> {
    let chosen = |name: &str| rungs.is_empty() || rungs.iter().any(|rung| rung == name);
    let ladder = (family.ladder)();
    let mut found = Vec::new();
    for rung in ladder.rungs.iter().filter(|rung| chosen(rung.name)) {
        let uses = |name: &'static str| {
            family.check_used(&[rung.name], &request.clone().with(name, 1)).is_ok()
        };
        let used: Vec<(&'static str, Vec<u64>)> =
            axes.iter().filter(|(name, _)| uses(name)).cloned().collect();
        for point in crate::runs::climb::points(request, &used) {
            let value = |(name, _): &(&'static str, Vec<u64>)| Some((*name, point.get(name)?));
            let parameters = used.iter().filter_map(value).collect();
            found.push(Candidate { rung: rung.name.to_owned(), request: point, parameters });
        }
    }
    found
}

/// Candidates of a ladder on a GPU.
pub struct OnGpu<'a> {
    /// The family of the ladder.
    pub family: &'a Family,
    /// The candidates.
    pub candidates: &'a [Candidate],
    /// The GPU.
    pub device: &'a Device,
    /// State of the cache.
    pub cache: Cache,
    /// Longest time of a first timing; a comparison may take four times as long.
    pub look: Duration,
    /// Called with a description of the current step.
    pub progress: Progress<'a>,
}

impl OnGpu<'_> {
    /// The case of a candidate.
    fn case(&self, candidate: usize) -> Result<Box<dyn Case>, String> {
        let Candidate { rung, request, .. } = &self.candidates[candidate];
        let case = self.family.case(request).map_err(|why| why.to_string())?;
        case.check_fits(self.device).map_err(|why| why.to_string())?;
        case.skips(rung, self.device).map_or(Ok(case), Err)
    }

    fn timing(&self, candidate: usize, times: u32) -> Timing {
        let seed = self.candidates[candidate].request.seed;
        Timing { cache: self.cache, limit: self.look * times, seed }
    }
}

impl Contest for OnGpu<'_> {
    fn time(&mut self, candidate: usize) -> Result<TimedRecord, String> {
        let case = self.case(candidate)?;
        let timing = self.timing(candidate, 1);
        let rung = &self.candidates[candidate].rung;
        let of = RungOf { family: self.family, rung, case: case.as_ref() };
        bench_rung(of, self.device, &timing, self.progress).map_err(|why| why.to_string())
    }

    fn compare(&mut self, champion: usize, challenger: usize) -> Result<ComparisonRecord, String> {
        let cases = [self.case(champion)?, self.case(challenger)?];
        let timing = self.timing(champion, 4);
        let of = |case: usize, candidate: usize| RungOf {
            family: self.family,
            rung: &self.candidates[candidate].rung,
            case: cases[case].as_ref(),
        };
        let (a, b) = (of(0, champion), of(1, challenger));
        compare_rungs(a, b, self.device, &timing, self.progress).map_err(|why| why.to_string())
    }
}

#[cfg(test)]
mod tests;
