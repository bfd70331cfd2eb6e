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

    fn compare(&mut self, champion: usize, challenger: usize) -> Result<ComparisonRecord, String> {
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
    assert_eq!(found(&[of(900.0), of(105.0), of(100.0), of(300.0)], None), (Some(2), vec![(1, 2)]));
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
    assert_eq!(found(&[of(108.0), of(104.0), of(100.0)], None), (Some(2), vec![(0, 1), (1, 2)]));
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
    let words: Vec<_> =
        found.iter().map(|one| (one.rung.as_str(), one.parameters.get("block").copied())).collect();
    assert_eq!(words, [("padded", Some(8)), ("padded", Some(16)), ("swizzled", None)]);
    assert!(found.iter().all(|one| one.request.get("size") == Some(100)));
    assert!(candidates(&family, &request, &axes, &[]).len() > 3, "every rung");
}
