//! Measures a kernel: times rungs on a GPU, alone or two interleaved, verified before and after; and profiles a kernel
//! on the emulator, which runs it as often as the profile needs.

use crate::Progress;
use crate::families::Family;
use crate::problem::{Case, Trial};
use lanework::emulator::{Blocks, Trace, TraceConfig};
use lanework::report::{self, By, ProfileRecord};
use lanework::time::trace::KernelTrace;
use lanework::time::trace::sample::Effort;
use lanework::{Device, Dim3, Job, Prepared, Profile, PtxArg, PtxModule, PtxShape, Result};
use lanework_bench::{
    About, Accuracy, Cache, ComparisonRecord, Gpu, Plan, Rejection, SubjectKind, SubjectRecord,
    TimedRecord, Verified, machine, measure, reset,
};
use lanework_verify::host::ElementType;
use std::time::Duration;

/// How rungs are timed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// State of the cache when the kernel starts.
    pub cache: Cache,
    /// Longest time of sampling.
    pub limit: Duration,
    /// Seed of the random elements, for the record.
    pub seed: u64,
}

/// A rung on a case.
#[derive(Clone, Copy)]
pub struct RungOf<'a> {
    /// The family of its ladder.
    pub family: &'a Family,
    /// Its name.
    pub rung: &'a str,
    /// The problem.
    pub case: &'a dyn Case,
}

impl RungOf<'_> {
    /// The subject of its measurement.
    pub(crate) fn about(&self, device: &Device, how: &Timing) -> About {
        let RungOf { family, rung, case } = *self;
        let peer = family.peer.is_some_and(|peer| peer.name == rung);
        let numbers = case.extents().into_iter().chain(case.settings());
        let mut problem: std::collections::BTreeMap<String, String> =
            numbers.map(|(name, value)| (name.to_owned(), value.to_string())).collect();
        problem.insert("element".to_owned(), case.element().to_owned());
        problem.insert("seed".to_owned(), how.seed.to_string());
        About {
            subject: SubjectRecord {
                kind: if peer { SubjectKind::Peer } else { SubjectKind::Rung },
                name: rung.to_owned(),
                ladder: Some((family.ladder)().name.to_owned()),
                file: None,
                ptx_hash: None,
            },
            problem,
            work: case.work(),
            element_bytes: ElementType::named(case.element()).map(|element| element.bytes),
            cache: how.cache,
            reset: reset(how.cache, case.work().bytes, device),
            verified: Verified::Reference,
        }
    }

    /// Verifies the rung on the edge cases and its own case, and leaves the output poisoned.
    fn verify(&self, edge_cases: &[Box<dyn Case>], device: &Device) -> Result<(), Rejection> {
        for small in edge_cases {
            if small.skips(self.rung, device).is_some() {
                continue;
            }
            let mut trial = small.trial(self.rung, device)?;
            launch(trial.as_mut(), device)?;
            trial.check()?;
        }
        let mut trial = self.case.trial(self.rung, device)?;
        launch(trial.as_mut(), device)?;
        trial.check().map(drop)
    }
}

/// Runs a trial once and waits.
///
/// # Errors
/// If the device fails.
pub(crate) fn launch(trial: &mut dyn Trial, device: &Device) -> Result<()> {
    trial.job()?.launch()?;
    device.synchronize()
}

/// The further copies of the problem that the state of the cache needs.
///
/// # Errors
/// If the device has no memory for them.
fn others<'a>(of: &RungOf<'a>, about: &About, device: &Device) -> Result<Vec<Box<dyn Trial + 'a>>> {
    (1..about.reset.copies()).map(|_| of.case.trial(of.rung, device)).collect()
}

/// The jobs of a trial and of its copies.
///
/// # Errors
/// If the rung cannot solve this problem.
fn jobs<'t>(
    trial: &'t mut dyn Trial,
    others: &'t mut [Box<dyn Trial + '_>],
) -> Result<Vec<Job<'t>>> {
    let mut jobs = vec![trial.job()?];
    for other in others {
        jobs.push(other.job()?);
    }
    Ok(jobs)
}

/// The longest remaining time, as text.
fn left(name: &str, width: f64, left: Duration) -> String {
    format!("{name}: +-{:.2} %, at most {:.0} s left", 50.0 * width, left.as_secs_f64().ceil())
}

/// Times a verified and poisoned trial; the caller checks the result afterward.
///
/// # Errors
/// If a launch fails, or on the emulator.
pub(crate) fn time_trial(
    of: RungOf<'_>,
    trial: &mut dyn Trial,
    device: &Device,
    how: &Timing,
    progress: Progress<'_>,
) -> Result<TimedRecord> {
    let about = of.about(device, how);
    let mut others = others(&of, &about, device)?;
    let jobs = jobs(trial, &mut others)?;
    let mut say = |width: f64, rest: Duration| progress(&left(of.rung, width, rest));
    measure(device, jobs, &about, &Plan::within(how.limit), &mut say)
}

/// Verifies a rung, times it and verifies the result of the timed launches.
///
/// # Errors
/// If a result differs from the host's or a launch fails; always on the emulator, which does not model time.
pub fn bench_rung(
    of: RungOf<'_>,
    device: &Device,
    how: &Timing,
    progress: Progress<'_>,
) -> Result<TimedRecord, Rejection> {
    of.case.check_fits(device)?;
    progress(&format!("{}: verifying", of.rung));
    of.verify(&of.case.edge_cases(), device)?;
    let mut trial = of.case.trial(of.rung, device)?;
    let record = time_trial(of, trial.as_mut(), device, how, progress)?;
    let accuracy = trial.check().map_err(|why| why.at("after timing"))?;
    Ok(TimedRecord { accuracy: Some(accuracy), ..record })
}

/// Verifies two rungs, times them interleaved and verifies the results of the timed launches.
///
/// # Errors
/// If a result differs from the host's or a launch fails, with the rung's name; always on the emulator, which does
/// not model time.
pub fn compare_rungs(
    a: RungOf<'_>,
    b: RungOf<'_>,
    device: &Device,
    how: &Timing,
    progress: Progress<'_>,
) -> Result<ComparisonRecord, Rejection> {
    for of in [&a, &b] {
        of.case.check_fits(device)?;
        progress(&format!("{}: verifying", of.rung));
        of.verify(&of.case.edge_cases(), device).map_err(|why| why.at(of.rung))?;
    }
    let abouts = [a.about(device, how), b.about(device, how)];
    let mut trials = [a.case.trial(a.rung, device)?, b.case.trial(b.rung, device)?];
    let mut copies = [others(&a, &abouts[0], device)?, others(&b, &abouts[1], device)?];
    let [trial_a, trial_b] = &mut trials;
    let [copies_a, copies_b] = &mut copies;
    let jobs_a = jobs(trial_a.as_mut(), copies_a)?;
    let jobs_b = jobs(trial_b.as_mut(), copies_b)?;
    let mut say = |width: f64, rest: Duration| {
        progress(&left(&format!("{} and {}", a.rung, b.rung), width, rest));
    };
    let plan = Plan::within(how.limit);
    let compared = lanework_bench::compare(
        device,
        (jobs_a, &abouts[0]),
        (jobs_b, &abouts[1]),
        &plan,
        &mut say,
    )?;
    let mut check = |index: usize, rung: &str| -> Result<Accuracy, Rejection> {
        trials[index].check().map_err(|why| why.at(format_args!("{rung}, after timing")))
    };
    let (accuracy_a, accuracy_b) = (check(0, a.rung)?, check(1, b.rung)?);
    Ok(ComparisonRecord {
        a: TimedRecord { accuracy: Some(accuracy_a), ..compared.a },
        b: TimedRecord { accuracy: Some(accuracy_b), ..compared.b },
        ..compared
    })
}

/// A kernel that can run repeatedly on the emulator.
pub trait Subject {
    /// Blocks, threads of a block, and bytes of dynamic shared memory.
    fn shape(&self) -> (Dim3, Dim3, u32);
    /// Whether its blocks may wait for each other, so that all of them must run.
    fn waits(&self) -> bool;
    /// Runs and counts.
    ///
    /// # Errors
    /// If the kernel faults.
    fn profile(&mut self, blocks: Blocks) -> Result<Profile>;
    /// Traces some blocks.
    ///
    /// # Errors
    /// If the kernel faults.
    fn trace(&mut self, blocks: Blocks, wanted: TraceConfig) -> Result<Trace>;
    /// Traces a few blocks for the prediction of its time.
    ///
    /// # Errors
    /// If the kernel faults.
    fn time_trace(&mut self, effort: Effort) -> Result<KernelTrace>;
}

impl Subject for Prepared<'_> {
    fn shape(&self) -> (Dim3, Dim3, u32) {
        Prepared::shape(self)
    }
    fn waits(&self) -> bool {
        Prepared::blocks_may_wait(self)
    }
    fn profile(&mut self, blocks: Blocks) -> Result<Profile> {
        Prepared::profile(self, blocks)
    }
    fn trace(&mut self, blocks: Blocks, wanted: TraceConfig) -> Result<Trace> {
        Prepared::trace(self, blocks, wanted)
    }
    fn time_trace(&mut self, effort: Effort) -> Result<KernelTrace> {
        Prepared::time_trace(self, effort)
    }
}

/// A kernel from a file, with its arguments.
pub struct PtxLaunch<'a> {
    /// The module, on the emulator.
    pub module: &'a PtxModule,
    /// The entry.
    pub entry: String,
    /// Shape of the launch.
    pub shape: PtxShape,
    /// The entry's arguments.
    pub arguments: &'a [PtxArg<'a>],
}

impl Subject for PtxLaunch<'_> {
    fn shape(&self) -> (Dim3, Dim3, u32) {
        (self.shape.grid, self.shape.block, self.shape.dynamic_shared)
    }
    fn waits(&self) -> bool {
        self.shape.cooperative || self.module.blocks_may_wait(&self.entry)
    }
    fn profile(&mut self, blocks: Blocks) -> Result<Profile> {
        self.module.profile(&self.entry, self.shape, self.arguments, blocks)
    }
    fn trace(&mut self, blocks: Blocks, wanted: TraceConfig) -> Result<Trace> {
        self.module.trace(&self.entry, self.shape, self.arguments, blocks, wanted)
    }
    fn time_trace(&mut self, effort: Effort) -> Result<KernelTrace> {
        self.module.time_trace(&self.entry, self.shape, self.arguments, effort)
    }
}

/// Profiles a kernel on the emulator, for `gpu`.
///
/// # Errors
/// If the kernel faults.
pub fn profile(
    subject: &mut dyn Subject,
    blocks: Blocks,
    by: By,
    gpu: &Gpu,
) -> Result<ProfileRecord> {
    let machine = machine(gpu);
    let profile = subject.profile(blocks)?;
    let (counted, waits) = (profile.counted(), subject.waits());
    let extras = report::extras(&counted, &machine, waits, &mut |blocks, wanted| {
        subject.trace(blocks, wanted)
    })?;
    Ok(report::record(&counted, extras, by, &machine))
}
