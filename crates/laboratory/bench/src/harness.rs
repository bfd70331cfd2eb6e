//! The benchmark of a user's kernel (`benches/NAME.rs` of the user's crate) and the options of its command line:
//! `cargo bench -- --cache hot --json`.

use crate::accuracy::{Accuracy, Rejection};
use crate::device::{measure, reset};
use crate::record::{About, Cache, TimedRecord, Verified};
use crate::sampling::sampler::Plan;
use lanework_runtime::{Backend, Device, Job, Launch, Prepared};
use std::fmt::Display;
use std::process::ExitCode;
use std::time::Duration;

/// A benchmark of a kernel: times on a GPU, and on the emulator, which does not model time, counts.
///
/// In `benches/saxpy.rs`, with `harness = false` in `Cargo.toml`:
///
/// ```
/// use lanework::prelude::*;
/// use lanework_bench::{Bench, same};
///
/// #[kernel]
/// fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
///     let i = block_idx.x * block_dim.x + thread_idx.x;
///     if i < y.len() as u32 {
///         y[i] = a * x[i] + y[i];
///     }
/// }
///
/// fn main() -> std::process::ExitCode {
///     const N: usize = 1000;
///     Bench::new("saxpy").problem("n", N).bytes(12 * N as u64).flops(2 * N as u64).run(
///         |device| Ok((device.upload(&[1.0f32; N])?, device.upload(&[2.0f32; N])?)),
///         |(x, y)| saxpy(3.0, &*x, y).grid(N.div_ceil(256) as u32).block(256),
///         |(_, y)| same(&y.download()?, &[5.0; N]),
///     )
/// }
/// ```
///
/// Each copy that a cold cache needs gets its own buffers. The result of one launch is verified before and after
/// timing.
#[derive(Clone, Debug)]
#[must_use = "a benchmark does nothing until `.run(..)`"]
pub struct Bench {
    about: About,
    unchecked: bool,
}

impl Bench {
    /// A benchmark of this name.
    pub fn new(name: &str) -> Bench {
        Bench { about: About::kernel(name), unchecked: false }
    }

    /// Adds a property of the problem, such as its size.
    pub fn problem(mut self, name: &str, value: impl Display) -> Bench {
        self.about.problem.insert(name.to_owned(), value.to_string());
        self
    }

    /// Bytes that any solution must move: inputs read once, outputs written once.
    pub fn bytes(mut self, bytes: u64) -> Bench {
        self.about.work.bytes = bytes;
        self
    }

    /// Operations on elements that any solution must perform; a fused multiply-add is two.
    pub fn flops(mut self, flops: u64) -> Bench {
        self.about.work.flops = flops;
        self
    }

    /// Times the kernel without bounds checks. Only such a kernel can be recorded in a graph; without a graph, the
    /// time of a short kernel is its launch cost.
    ///
    /// # Safety
    /// Every index that the kernel uses must be within its slice or tile, in every launch.
    pub unsafe fn unchecked(mut self) -> Bench {
        self.unchecked = true;
        self
    }

    /// Runs the benchmark with this process's command line and prints the results.
    ///
    /// `setup` allocates the buffers, `launch` creates the launch on them, and `verify` compares the result of one
    /// launch. `setup` must return all buffers: `launch` is called with several copies of them.
    pub fn run<S>(
        self,
        setup: impl Fn(&Device) -> lanework_runtime::Result<S>,
        launch: impl for<'s> Fn(&'s mut S) -> Launch<'s>,
        verify: impl Fn(&S) -> Result<Accuracy, Rejection>,
    ) -> ExitCode {
        let words: Vec<String> = std::env::args().skip(1).collect();
        if words.iter().any(|word| word == "--help") {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        let options = match Options::parse(words) {
            Ok(options) => options,
            Err(why) => {
                eprintln!("error: {why}");
                return ExitCode::from(2);
            }
        };
        let name = self.about.subject.name.clone();
        if !options.only.is_empty() && !options.only.iter().any(|word| name.contains(word)) {
            return ExitCode::SUCCESS;
        }
        match self.report(&options, &setup, &launch, &verify) {
            Ok(()) => ExitCode::SUCCESS,
            Err(why) => {
                eprintln!("error: {name}: {why}");
                ExitCode::FAILURE
            }
        }
    }

    /// Verifies, times or counts, and prints.
    fn report<S>(
        self,
        options: &Options,
        setup: &impl Fn(&Device) -> lanework_runtime::Result<S>,
        launch: &impl for<'s> Fn(&'s mut S) -> Launch<'s>,
        verify: &impl Fn(&S) -> Result<Accuracy, Rejection>,
    ) -> Result<(), Rejection> {
        let device = Device::open(&options.device)?;
        if device.backend() == Backend::Emulator {
            let mut state = setup(&device)?;
            let profile = launch(&mut state).profile(&device)?;
            let accuracy = verify(&state)?;
            let name = &self.about.subject.name;
            match options.json {
                true => println!("{}", counts(name, &profile)),
                false => println!(
                    "{name} on the emulator, which does not model time: what one launch counts; verified ({})\n{profile}",
                    accuracy.short()
                ),
            }
            return Ok(());
        }
        for &cache in &options.caches {
            let record = self.time(&device, cache, options, setup, launch, verify)?;
            match options.json {
                true => println!("{}", serde_json::to_string(&record).unwrap_or_default()),
                false => print!("{record}"),
            }
        }
        Ok(())
    }

    /// Verifies one launch, times many, and verifies one again.
    fn time<S>(
        &self,
        device: &Device,
        cache: Cache,
        options: &Options,
        setup: &impl Fn(&Device) -> lanework_runtime::Result<S>,
        launch: &impl for<'s> Fn(&'s mut S) -> Launch<'s>,
        verify: &impl Fn(&S) -> Result<Accuracy, Rejection>,
    ) -> Result<TimedRecord, Rejection> {
        let once = || {
            let mut state = setup(device)?;
            self.prepare(launch(&mut state), device)?.launch()?;
            device.synchronize()?;
            verify(&state)
        };
        once()?;
        let reset = reset(cache, self.about.work.bytes, device);
        let mut about = About { cache, reset, verified: Verified::Reference, ..self.about.clone() };
        let bounds = if self.unchecked { "unchecked" } else { "checked" };
        about.problem.insert("bounds".to_owned(), bounds.to_owned());
        let mut states = Vec::new();
        for _ in 0..reset.copies() {
            states.push(setup(device)?);
        }
        let mut jobs = Vec::new();
        for state in &mut states {
            jobs.push(Job::Kernel(self.prepare(launch(state), device)?));
        }
        let record = measure(device, jobs, &about, &Plan::within(options.limit), &mut |_, _| {})?;
        Ok(TimedRecord { accuracy: Some(once()?), ..record })
    }

    fn prepare<'s>(
        &self,
        launch: Launch<'s>,
        device: &Device,
    ) -> lanework_runtime::Result<Prepared<'s>> {
        match self.unchecked {
            // SAFETY: only `Bench::unchecked` sets `unchecked`; its contract is that every index is within its slice
            // or tile in every launch.
            true => unsafe { launch.prepare_unchecked(device) },
            false => launch.prepare(device),
        }
    }
}

/// The counts of a launch on the emulator as JSON.
fn counts(name: &str, profile: &lanework_runtime::Profile) -> serde_json::Value {
    serde_json::json!({
        "kind": "counts",
        "kernel": name,
        "warp_instructions": profile.counters.warp_instructions,
        "lane_instructions": profile.counters.lane_instructions,
        "global_load_sectors": profile.counters.global_load.sectors,
        "global_store_sectors": profile.counters.global_store.sectors,
        "verified": true,
    })
}

/// The options of the command line.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Options {
    /// States of the cache to time in.
    pub caches: Vec<Cache>,
    /// Longest time of sampling.
    pub limit: Duration,
    /// Print records as JSON, one a line.
    pub json: bool,
    /// The device, as `Device::open` takes it.
    pub device: String,
    /// Filter: if not empty, the benchmark's name must contain one of these words.
    pub only: Vec<String>,
}

/// The output of `--help`.
pub(crate) const HELP: &str = "\
Options, after `cargo bench --`:
  --cache cold|hot|both   what the cache holds when the kernel starts [default: cold]
  --time-limit SECONDS    maximum sampling time [default: 15]
  --device DEVICE         best, emulator or cuda:N [default: best]
  --json                  print one JSON object a line
  NAME                    only benchmarks whose name contains this
";

impl Options {
    /// Reads the words after the program's name.
    ///
    /// # Errors
    /// If a word is not an option, or an option does not accept its value.
    pub fn parse(words: impl IntoIterator<Item = String>) -> Result<Options, String> {
        let mut options = Options {
            caches: vec![Cache::Cold],
            limit: Duration::from_secs(15),
            json: false,
            device: "best".to_owned(),
            only: Vec::new(),
        };
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} takes a value"));
            match word.as_str() {
                "--bench" => {} // added by cargo
                "--json" => options.json = true,
                "--device" => options.device = value()?,
                "--cache" => {
                    options.caches = match value()?.as_str() {
                        "cold" => vec![Cache::Cold],
                        "hot" => vec![Cache::Hot],
                        "both" => vec![Cache::Cold, Cache::Hot],
                        other => return Err(format!("--cache {other}: give cold, hot or both")),
                    }
                }
                "--time-limit" => {
                    let text = value()?;
                    let seconds = text.parse().ok().filter(|seconds: &f64| *seconds > 0.0);
                    let limit =
                        seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
                    options.limit = limit.ok_or(format!("--time-limit {text}: give seconds"))?;
                }
                other if other.starts_with('-') => {
                    return Err(format!("{other} is not an option\n\n{HELP}"));
                }
                _ => options.only.push(word),
            }
        }
        Ok(options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options, String> {
        Options::parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn options_are_parsed_and_unknown_ones_refused() {
        let options = parse("--bench --cache both --time-limit 2.5 saxpy --json").expect("options");
        assert_eq!(options.caches, [Cache::Cold, Cache::Hot]);
        assert_eq!((options.limit.as_millis(), options.json), (2500, true));
        assert_eq!(options.only, ["saxpy"]);
        for bad in ["--cache warm", "--cache", "--time-limit -1", "--time-limit 1e300", "--fast"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
