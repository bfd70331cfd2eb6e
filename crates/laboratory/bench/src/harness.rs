//! The benchmark of an own kernel: `benches/NAME.rs` of the user's crate.

use crate::about::About;
use crate::accuracy::{Accuracy, Rejection};
use crate::measure::{measure, reset};
use crate::options::{HELP, Options};
use crate::plan::Plan;
use crate::record::{Cache, TimedRecord, Verified};
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
/// The buffers are made anew for every copy that a cold cache needs. The result of one launch is verified before and
/// after timing.
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

    /// Says something of the problem, such as its size.
    pub fn problem(mut self, name: &str, value: impl Display) -> Bench {
        self.about.problem.insert(name.to_owned(), value.to_string());
        self
    }

    /// Bytes that any solution must move: inputs read once, outputs written once.
    pub fn bytes(mut self, bytes: u64) -> Bench {
        self.about.work.bytes = bytes;
        self
    }

    /// Operations on elements that any solution must make; a fused multiply-add is two.
    pub fn flops(mut self, flops: u64) -> Bench {
        self.about.work.flops = flops;
        self
    }

    /// Times the kernel without bounds checks. Only such a kernel can be recorded in a graph, which short kernels need
    /// for their time not to be that of their launch.
    ///
    /// # Safety
    /// Every index that the kernel uses must lie within its slice or tile, in every launch.
    pub unsafe fn unchecked(mut self) -> Bench {
        self.unchecked = true;
        self
    }

    /// Runs the benchmark by the command line of this process, and prints what it found.
    ///
    /// `setup` makes the buffers, `launch` the launch on them, and `verify` compares the result of one launch. All buffers
    /// are part of what `setup` returns: `launch` is called for several copies of them.
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
            // SAFETY: guaranteed by the caller of `unchecked`.
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
