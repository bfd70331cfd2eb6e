//! The benchmark of a user's kernel: `benches/NAME.rs` of the user's crate.

mod options;

use crate::accuracy::{Accuracy, Rejection};
use crate::device::measure::{measure, reset};
use crate::harness::options::{HELP, Options};
use crate::record::about::About;
use crate::record::{Cache, TimedRecord, Verified};
use crate::sampling::plan::Plan;
use lanework_runtime::{Backend, Device, Job, Launch, Prepared};
use std::fmt::Display;
use std::process::ExitCode;

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
