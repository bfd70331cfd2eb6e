//! Timing: every subject once per round, the order reversed from round to round, so that a change
//! in the machine's speed meets all alike and ratios can be taken within a round.

use crate::subject::{Label, Subject};
use std::time::{Duration, Instant};

/// How long to measure.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Rounds at least, unless `at_most` is over.
    pub rounds: usize,
    /// Time at least.
    pub at_least: Duration,
    /// No new round after this time, once three are done.
    pub at_most: Duration,
}

/// Runs shorter than this are preceded by an untimed one, which brings their data back into the
/// cache after the other subjects.
const SHORT: Duration = Duration::from_millis(20);
/// Most rounds.
const MOST_ROUNDS: usize = 301;

/// Milliseconds of each subject, one sample per round, or why it could not go on.
pub fn interleaved(
    subjects: &mut [(Label, Box<dyn Subject>)],
    effort: Effort,
) -> Vec<Result<Vec<f64>, String>> {
    let mut samples: Vec<Result<Vec<f64>, String>> = subjects.iter().map(|_| Ok(vec![])).collect();
    let mut order: Vec<usize> = (0..subjects.len()).collect();
    let start = Instant::now();
    for round in 0..MOST_ROUNDS {
        let spent = start.elapsed();
        let enough = round >= effort.rounds && spent >= effort.at_least;
        if enough || round >= 3 && spent >= effort.at_most {
            break;
        }
        for &index in &order {
            let Ok(so_far) = &mut samples[index] else { continue };
            match timed(&mut *subjects[index].1) {
                Ok(time) => so_far.push(time.as_secs_f64() * 1e3),
                Err(why) => samples[index] = Err(why),
            }
        }
        order.reverse();
    }
    samples
}

fn timed(subject: &mut dyn Subject) -> Result<Duration, String> {
    let once = |subject: &mut dyn Subject| {
        let start = Instant::now();
        subject.run().map(|()| start.elapsed())
    };
    let first = once(subject)?;
    if first < SHORT { once(subject) } else { Ok(first) }
}

/// The median; NaN-free samples, at least one.
pub fn median(samples: &[f64]) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (low, high) = (sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2]);
    (low + high) / 2.0
}

/// The median over rounds of `above` divided by `below`.
pub fn median_ratio(above: &[f64], below: &[f64]) -> f64 {
    median(&above.iter().zip(below).map(|(above, below)| above / below).collect::<Vec<_>>())
}
