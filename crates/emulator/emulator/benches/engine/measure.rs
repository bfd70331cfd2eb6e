//! The subject of a proof and a timing, which is one engine set up to run one kernel, and its timing.

use crate::job::Job;
use std::time::{Duration, Instant};

/// How long to measure.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Minimum number of rounds, unless `at_most` has passed.
    pub rounds: usize,
    /// Minimum time.
    pub at_least: Duration,
    /// No new round after this time, once three are done.
    pub at_most: Duration,
}

/// One subject's samples in milliseconds, one per round.
#[derive(Clone, Debug, Default)]
pub struct Timing {
    /// On the wall clock.
    pub elapsed: Vec<f64>,
    /// In processor time, summed over the threads of the process.
    pub processor: Vec<f64>,
}

/// Runs shorter than this are preceded by an untimed run, because the other subjects have evicted
/// the data from the cache.
const SHORT: Duration = Duration::from_millis(20);

/// Maximum number of rounds.
const MOST_ROUNDS: usize = 301;

/// The samples of each subject, or the reason why it failed.
pub fn interleaved(
    subjects: &mut [(Label, Box<dyn Subject>)],
    effort: Effort,
) -> Vec<Result<Timing, String>> {
    let mut timings: Vec<_> = subjects.iter().map(|_| Ok(Timing::default())).collect();
    let mut order: Vec<usize> = (0..subjects.len()).collect();
    let start = Instant::now();
    for round in 0..MOST_ROUNDS {
        let spent = start.elapsed();
        let enough = round >= effort.rounds && spent >= effort.at_least;
        if enough || round >= 3 && spent >= effort.at_most {
            break;
        }
        for &index in &order {
            let Ok(timing) = &mut timings[index] else { continue };
            match timed(&mut *subjects[index].1) {
                Ok((elapsed, processor)) => {
                    timing.elapsed.push(elapsed.as_secs_f64() * 1e3);
                    timing.processor.push(processor.as_secs_f64() * 1e3);
                }
                Err(why) => timings[index] = Err(why),
            }
        }
        order.reverse();
    }
    timings
}

fn timed(subject: &mut dyn Subject) -> Result<(Duration, Duration), String> {
    let once = |subject: &mut dyn Subject| {
        let (start, used) = (Instant::now(), processor_time());
        subject.run()?;
        let elapsed = start.elapsed();
        let processor =
            processor_time().zip(used).map_or(elapsed, |(after, before)| after - before);
        Ok((elapsed, processor))
    };
    let first = once(subject)?;
    if first.0 < SHORT { once(subject) } else { Ok(first) }
}

/// Processor time that the process has used.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
fn processor_time() -> Option<Duration> {
    #[repr(C)]
    struct TimeSpec {
        seconds: i64,
        nanoseconds: i64,
    }
    unsafe extern "C" {
        fn clock_gettime(clock: i32, time: *mut TimeSpec) -> i32;
    }
    const CLOCK_PROCESS_CPUTIME_ID: i32 = 2;
    let mut time = TimeSpec { seconds: 0, nanoseconds: 0 };
    // SAFETY: libc's function, with room for one time of the layout that 64-bit Linux gives it.
    let code = unsafe { clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    (code == 0).then(|| Duration::new(time.seconds as u64, time.nanoseconds as u32))
}

/// Unknown here: the elapsed time replaces it.
#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
fn processor_time() -> Option<Duration> {
    None
}

/// The median of at least one sample.
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

/// An engine, its mode and its number of threads, in the table's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Label {
    /// The engine and its mode.
    pub engine: Engine,
    /// Host threads.
    pub workers: usize,
}

/// The engines and modes compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Engine {
    /// The emulator with no observer.
    Plain,
    /// The emulator with a profiler's counters.
    Counting,
    /// The emulator with every access checked.
    Checked,
    /// `PoCL`: OpenCL C compiled to native code.
    Pocl,
}

impl Engine {
    /// Its name in the table and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Plain => "plain",
            Engine::Counting => "counting",
            Engine::Checked => "checked",
            Engine::Pocl => "PoCL",
        }
    }
}

/// A kernel ready to run again and again. Errors say what went wrong.
pub trait Subject {
    /// Runs the kernel to its end: this is what is timed.
    fn run(&mut self) -> Result<(), String>;
    /// Overwrites the output buffer.
    fn write_output(&mut self, bytes: &[u8]) -> Result<(), String>;
    /// The bytes of the output buffer.
    fn read_output(&mut self) -> Result<Vec<u8>, String>;
}

/// A subject, or why it could not be set up.
pub type Candidate = (Label, Result<Box<dyn Subject>, String>);

/// Poisons the output, runs the kernel once, and compares its output with the reference.
pub fn prove(subject: &mut dyn Subject, job: &Job) -> Result<(), String> {
    subject.write_output(&job.buffers[job.output()].contents)?;
    subject.run()?;
    job.check(&subject.read_output()?)
}
