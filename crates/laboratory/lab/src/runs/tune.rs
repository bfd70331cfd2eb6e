//! Tuning: the best rung and parameters for a problem, found on a GPU by elimination.
//!
//! Every candidate is first timed alone for a moment. Those within [`REACH`] of the fastest are compared interleaved
//! (A B B A), the simplest first: a challenger replaces the champion only if it is FAST; an AMBIGUOUS verdict keeps
//! the simpler one. Limits: simplicity is the order of the ladder and of the given parameters; a candidate beyond the
//! reach in its first timing is never timed again.

use crate::Progress;
use crate::families::Family;
use crate::problem::{Case, Request};
use crate::runs::measure::{RungOf, Timing, bench_rung, compare_rungs};
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
mod tests {
    //! Tests of tuning, on times with known answers.

    use super::*;
    use crate::families::family;
    use lanework::Backend;
    use lanework_bench::{
        DeviceRecord, PROTOCOL, Reset, Stop, SubjectKind, SubjectRecord, Summary, SummaryRecord,
        TimedSample, Timer, Verified, Work,
    };

    fn timed(ns: f64) -> TimedRecord {
        let samples = vec![TimedSample { ns, ..TimedSample::default() }; 30];
        let summary = Summary::of(&[ns; 30]).expect("samples");
        TimedRecord {
            protocol: PROTOCOL,
            taken: String::new(),
            subject: SubjectRecord {
                kind: SubjectKind::Rung,
                name: String::new(),
                ladder: None,
                file: None,
                ptx_hash: None,
            },
            device: DeviceRecord {
                name: String::new(),
                backend: "cuda".to_owned(),
                driver: String::new(),
                uuid: None,
                compute_capability: String::new(),
                multiprocessors: 1,
            },
            revision: None,
            version: String::new(),
            problem: BTreeMap::new(),
            work: Work { bytes: 0, flops: 0 },
            cache: Cache::Cold,
            reset: Reset::None,
            timer: Timer::Events,
            stop: Stop::Settled,
            samples,
            summary: SummaryRecord::from(&summary),
            empty_ns: None,
            floor_ns: None,
            invalid: None,
            verified: Verified::Reference,
            accuracy: None,
        }
    }

    /// Candidates with the times of a first measurement and their true times; `None` for a candidate
    /// that fails.
    struct Fake {
        times: Vec<Option<(f64, f64)>>,
        invalid: Option<usize>,
        met: Vec<(usize, usize)>,
    }

    impl Contest for Fake {
        fn time(&mut self, candidate: usize) -> Result<TimedRecord, String> {
            let (first, _) = self.times[candidate].ok_or("impossible")?;
            let invalid = (self.invalid == Some(candidate)).then(|| "under the floor".to_owned());
            Ok(TimedRecord { invalid, ..timed(first) })
        }

        fn compare(
            &mut self,
            champion: usize,
            challenger: usize,
        ) -> Result<ComparisonRecord, String> {
            self.met.push((champion, challenger));
            let [a, b] = [champion, challenger].map(|at| self.times[at].expect("a finalist").1);
            let ratio = b / a;
            let verdict = match ratio {
                ratio if ratio < 0.99 => Verdict::Fast,
                ratio if ratio > 1.01 => Verdict::Slow,
                _ => Verdict::Ambiguous,
            };
            let (interval, why) = ([ratio, ratio], String::new());
            Ok(ComparisonRecord {
                a: timed(a),
                b: timed(b),
                interleaved: true,
                ratio,
                interval,
                verdict,
                why,
            })
        }
    }

    fn found(
        times: &[Option<(f64, f64)>],
        invalid: Option<usize>,
    ) -> (Option<usize>, Vec<(usize, usize)>) {
        let mut fake = Fake { times: times.to_vec(), invalid, met: Vec::new() };
        let tuning = best(times.len(), &mut fake);
        assert_eq!(tuning.looks.len(), times.len());
        assert_eq!(tuning.meetings.len(), fake.met.len());
        (tuning.winner, fake.met)
    }

    #[test]
    fn the_fastest_wins_and_slow_candidates_are_not_compared() {
        let of = |ns: f64| Some((ns, ns));
        assert_eq!(
            found(&[of(900.0), of(105.0), of(100.0), of(300.0)], None),
            (Some(2), vec![(1, 2)])
        );
    }

    #[test]
    fn an_ambiguous_verdict_keeps_the_simpler_candidate() {
        // The first timing favors the last one by chance; interleaved, the three are equal.
        let times = [Some((104.0, 100.0)), Some((102.0, 100.2)), Some((100.0, 99.5))];
        assert_eq!(found(&times, None), (Some(0), vec![(0, 1), (0, 2)]));
    }

    #[test]
    fn a_challenger_that_wins_is_the_next_champion() {
        let of = |ns: f64| Some((ns, ns));
        assert_eq!(
            found(&[of(108.0), of(104.0), of(100.0)], None),
            (Some(2), vec![(0, 1), (1, 2)])
        );
    }

    #[test]
    fn impossible_candidates_and_invalid_times_never_win() {
        let of = |ns: f64| Some((ns, ns));
        assert_eq!(found(&[None, of(100.0)], None), (Some(1), vec![]));
        assert_eq!(found(&[of(100.0), of(3.0)], Some(1)), (Some(0), vec![]));
        assert_eq!(found(&[None, None], None), (None, vec![]));
        assert_eq!(found(&[], None), (None, vec![]));
    }

    #[test]
    fn candidates_are_rungs_with_the_parameters_that_they_use() {
        let family = family("transpose").expect("a ladder");
        let request = Request::new(Backend::Emulator).with("size", 100);
        let axes = [("block", vec![8, 16])];
        let rungs = ["padded".to_owned(), "swizzled".to_owned()];
        let found = candidates(&family, &request, &axes, &rungs);
        let words: Vec<_> = found
            .iter()
            .map(|one| (one.rung.as_str(), one.parameters.get("block").copied()))
            .collect();
        assert_eq!(words, [("padded", Some(8)), ("padded", Some(16)), ("swizzled", None)]);
        assert!(found.iter().all(|one| one.request.get("size") == Some(100)));
        assert!(candidates(&family, &request, &axes, &[]).len() > 3, "every rung");
    }
}
