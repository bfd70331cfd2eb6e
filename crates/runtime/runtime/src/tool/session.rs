//! The tool of this process, selected by environment variables: runs launches and writes records.

use super::files::{Sink, micros, now, stop};
use super::launching::{COPIED, Launching, LookAt, Predictor, machine};
use super::memory_names::name_memory;
use super::own_report::{self, Own};
use super::record::{Activity, Findings, Launched, Profiled, Record};
use super::saved::LaunchSaver;
use crate::Profile;
use crate::device::NO_LIMIT;
use lanework_emulator::sanitize::{Checks, Report, ReportKind};
use lanework_emulator::{Emulator, Fault, LaunchConfig, Options, Outcome};
use lanework_ptx::cpp_names::is_called;
use lanework_report as report;
use lanework_report::Extras;
use lanework_time::sass::learn_from_cubin;
use std::cell::Cell;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Mutex, MutexGuard, OnceLock};
use std::time::Instant;

/// A tool.
pub(super) enum Tool {
    Check,
    Profile(Box<Predictor>),
    Trace,
    Inspect,
    Look(LookAt),
    Predict(Box<Predictor>),
    Save(LaunchSaver),
}

/// Reads the register counts of the kernels in machine code (a cubin), if the tool predicts times.
#[doc(hidden)]
pub fn learn_registers(code: &dyn Fn() -> Option<Vec<u8>>) {
    if Session::active().is_some_and(Session::predicts)
        && let Some(code) = code()
    {
        learn_from_cubin(&code);
    }
}

/// The tool of this process.
pub(crate) struct Session {
    pub(super) tool: Tool,
    sink: Mutex<Sink>,
    modules: AtomicU64,
    seen: Mutex<Seen>,
    /// Whether there is a finding, or something could not be checked.
    pub(super) has_findings: AtomicBool,
}

/// A tool's state across launches.
#[derive(Default)]
struct Seen {
    /// Kernels and shapes whose patterns and caches are known.
    traced: Vec<Launched>,
    /// Number of launches so far of the kernel that `look` shows.
    looked_at: u64,
}

impl Session {
    /// The tool of this process, if it has one.
    pub(crate) fn active() -> Option<&'static Session> {
        static ACTIVE: OnceLock<Option<Session>> = OnceLock::new();
        ACTIVE.get_or_init(Session::of_environment).as_ref()
    }

    fn of_environment() -> Option<Session> {
        let name = std::env::var("LANEWORK_TOOL").ok().filter(|name| !name.is_empty())?;
        let folder = std::env::var_os("LANEWORK_TOOL_FOLDER").filter(|folder| !folder.is_empty());
        let look = std::env::var("LANEWORK_TOOL_LOOK").unwrap_or_default();
        let predictor = std::env::var("LANEWORK_TOOL_PREDICT").unwrap_or_default();
        let save = std::env::var("LANEWORK_TOOL_SAVE").unwrap_or_default();
        let tool = match (name.as_str(), &folder, LookAt::parse(&look)) {
            ("check", ..) => Tool::Check,
            ("profile", ..) => Tool::Profile(Box::new(Predictor::parse(&predictor))),
            ("trace", Some(_), _) => Tool::Trace,
            ("inspect", Some(_), _) => Tool::Inspect,
            ("predict", Some(_), _) => Tool::Predict(Box::new(Predictor::parse(&predictor))),
            ("look", Some(_), Some(at)) => Tool::Look(at),
            ("save", Some(_), _) => Tool::Save(LaunchSaver::parse(&save)),
            _ => stop(&format!(
                "LANEWORK_TOOL={name} is not a tool of this process\n  = help: use `check` or `profile`, \
                 or one of the others through the command: `lanework exec --help`"
            )),
        };
        if matches!(tool, Tool::Check) {
            own_report::catch();
        }
        let sink = match &folder {
            Some(folder) => Sink::in_folder(Path::new(folder)),
            None => {
                own_report::end_with(|| Session::active().and_then(Session::report));
                Sink::Own(Own::default())
            }
        };
        Some(Session {
            tool,
            sink: Mutex::new(sink),
            modules: AtomicU64::new(0),
            seen: Mutex::default(),
            has_findings: AtomicBool::new(false),
        })
    }

    /// The options of a new emulator, and whether the tool turned its checks on.
    pub(crate) fn options(mut options: Options) -> (Options, bool) {
        let judged = Session::active().is_some_and(|session| matches!(session.tool, Tool::Check));
        let imposed = judged && options.checks.is_none();
        if imposed {
            options.checks = Some(Session::active().map_or_else(Checks::default, Session::checks));
            options.time_limit.get_or_insert(NO_LIMIT);
        }
        (options, imposed)
    }

    /// The checks of the tool: the default ones, and others on request.
    fn checks(&self) -> Checks {
        let asked = |name: &str| std::env::var_os(name).is_some_and(|asked| asked == "1");
        let mut checks = Checks::default();
        if asked("LANEWORK_TOOL_LEAKS") {
            checks = checks.with(ReportKind::Leak);
        }
        if asked("LANEWORK_TOOL_PROXY_FENCES") {
            checks = checks.with(ReportKind::ProxyFence);
        }
        checks
    }

    fn sink(&self) -> MutexGuard<'_, Sink> {
        self.sink.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Records a note for users of the tool, once.
    pub(crate) fn note(&self, note: String) {
        static SAID: Mutex<Vec<String>> = Mutex::new(Vec::new());
        let mut said = SAID.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if !said.contains(&note) {
            said.push(note.clone());
            self.keep(Record::Note(note));
        }
    }

    /// Records that the tool could not check some work of the program.
    pub(crate) fn unchecked(&self, why: String) {
        self.keep(Record::Unchecked(why));
    }

    pub(super) fn keep(&self, record: Record) {
        if matches!(record, Record::Findings(_) | Record::Unchecked(_)) {
            self.has_findings.store(true, Relaxed);
        }
        self.sink().keep(record);
    }

    /// Whether the tool saves launches for the debugger, with the names of Rust kernels.
    pub(crate) fn saves_names(&self) -> bool {
        matches!(&self.tool, Tool::Save(saver) if saver.names)
    }

    /// Whether the tool predicts times.
    pub(super) fn predicts(&self) -> bool {
        matches!(self.tool, Tool::Predict(_) | Tool::Profile(_))
    }

    /// Records a kernel's PTX, if it is requested or findings may refer to it, and returns its number.
    pub(crate) fn module(&self, kernel: &str, text: &dyn Fn() -> String) -> u64 {
        let id = self.modules.fetch_add(1, Relaxed);
        if let Tool::Predict(predictor) | Tool::Profile(predictor) = &self.tool {
            predictor.keep_text(id, text());
        }
        if matches!(&*self.sink(), Sink::File(_)) {
            self.keep(Record::Module(kernel.to_owned(), id, text()));
        }
        id
    }

    /// Records the start of a launch on a checked emulator. Other tools run it on a copy of the memory.
    pub(crate) fn checking(&self, launch: Launching<'_>) {
        let launched = self.launching(launch.config);
        match &self.tool {
            Tool::Profile(_) => {
                let Some(copy) = self.copy(launch) else { return };
                // The launch itself reports its failure.
                let Ok(counted) = launch.count(&copy) else { return };
                let profile = Profile::new(counted, launch.program, launch.config);
                self.profiled(launch.module, profile, Extras::default());
            }
            Tool::Look(at) if self.is_looked_at(at, &launched) => {
                if let Ok(picture) = at.picture(launch) {
                    self.keep(Record::Picture(Box::new(picture)));
                }
            }
            Tool::Save(saver) => {
                saver.save(launch, |saved| self.keep(Record::Saved(Box::new(saved))));
            }
            _ => {}
        }
    }

    /// Records the start of a launch.
    fn launching(&self, config: &LaunchConfig<'_>) -> Launched {
        let kernel = config.entry.to_owned();
        let launched = Launched { kernel, grid: config.grid, block: config.block };
        self.keep(Record::Launch(launched.clone()));
        launched
    }

    /// Records the findings of a checked launch.
    pub(crate) fn findings(
        &self,
        kernel: &str,
        module: Option<u64>,
        found: &[Report],
        stopped: Option<&Fault>,
    ) {
        if matches!(self.tool, Tool::Check) && (!found.is_empty() || stopped.is_some()) {
            let (kernel, mut found, stopped) =
                (kernel.to_owned(), found.to_vec(), stopped.cloned());
            found.iter_mut().for_each(name_memory);
            self.keep(Record::Findings(Box::new(Findings { kernel, module, found, stopped })));
        }
        own_report::end_if_interrupted(|| {
            let _ = self.report();
        });
    }

    /// Runs a launch under the tool; checked emulators use [`Emulator::check`] instead.
    pub(crate) fn run(&self, launch: Launching<'_>) -> Result<Outcome, Fault> {
        let launched = self.launching(launch.config);
        match &self.tool {
            Tool::Profile(predictor) => {
                // A prediction must not change the program: the effects of its traced blocks are
                // undone, its failure is ignored, and it is skipped if blocks may wait for another
                // thread, which would wait for the trace.
                if launch.emulator.memory_used() <= COPIED
                    && !launch.program.polls(launch.config.entry)
                    && let Ok(found) = predictor.predict(launch, launched.clone())
                    && let Some(record) = found.record
                {
                    self.keep(Record::Predicted(Box::new(record)));
                }
                let (outcome, profile) = self.count_for(launch, &launched)?;
                let (profile, extras) = profile;
                self.profiled(launch.module, profile, extras);
                Ok(outcome)
            }
            Tool::Trace => {
                let (start, start_us) = (Instant::now(), now());
                let counted = launch.count(launch.emulator)?;
                let took_us = micros(start);
                let outcome = counted.0.clone();
                let counters = counted.1.total();
                self.activity(
                    &launched.kernel.clone(),
                    start_us,
                    took_us,
                    0,
                    Some((launched, counters)),
                );
                Ok(outcome)
            }
            Tool::Predict(predictor) => {
                let found = predictor.predict(launch, launched)?;
                let partial = found.partial;
                if let Some(record) = found.record {
                    self.keep(Record::Predicted(Box::new(record)));
                }
                match partial {
                    true => Ok(Outcome::default()),
                    false => launch.emulator.run(launch.program, launch.config, launch.arguments),
                }
            }
            Tool::Look(at) if self.is_looked_at(at, &launched) => {
                let picture = at.picture(launch)?;
                self.keep(Record::Picture(Box::new(picture)));
                launch.emulator.run(launch.program, launch.config, launch.arguments)
            }
            Tool::Save(saver) => {
                saver.save(launch, |saved| self.keep(Record::Saved(Box::new(saved))));
                launch.emulator.run(launch.program, launch.config, launch.arguments)
            }
            _ => launch.emulator.run(launch.program, launch.config, launch.arguments),
        }
    }

    /// Records the counts of a launch that the program itself profiled.
    pub(crate) fn counted(&self, module: Option<u64>, profile: &Profile) {
        if matches!(self.tool, Tool::Profile(_)) {
            self.profiled(module, profile.clone(), Extras::default());
        }
    }

    fn profiled(&self, module: Option<u64>, profile: Profile, extras: Extras) {
        let Extras { touches, caches } = extras;
        self.keep(Record::Profile(Box::new(Profiled { profile, module, touches, caches })));
    }

    /// Counts a launch. The first launch of its kernel and shape also runs on copies of the memory, for patterns and
    /// caches.
    fn count_for(
        &self,
        launch: Launching<'_>,
        launched: &Launched,
    ) -> Result<(Outcome, (Profile, Extras)), Fault> {
        let first = {
            let mut seen = self.seen.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            let first = !seen.traced.contains(launched);
            if first {
                seen.traced.push(launched.clone());
            }
            first
        };
        // Where addresses are the host's, memory cannot be copied; the runs for patterns are undone. A kernel that may wait
        // for another thread of the host would wait for ever.
        let undone = first
            && launch.emulator.memory_used() <= COPIED
            && !launch.program.polls(launch.config.entry)
            && launch.emulator.copy().is_none();
        if undone && let Some(found) = launch.patterns() {
            let run = launch.emulator.run(launch.program, launch.config, launch.arguments)?;
            return Ok((run, found));
        }
        let mut copies: Vec<Emulator> = match first {
            true => (0..2).filter_map(|_| self.copy(launch)).collect(),
            false => Vec::new(),
        };
        let counted = launch.count(launch.emulator)?;
        let outcome = counted.0.clone();
        let profile = Profile::new(counted, launch.program, launch.config);
        let waits = launch.waits();
        let extras = match copies.len() {
            2 => report::extras(&profile.counted(), &machine(), waits, &mut |blocks, wanted| {
                let copy = copies.pop().unwrap_or_else(|| unreachable!("two traces are asked for"));
                launch.trace(&copy, blocks, wanted)
            })?,
            _ => Extras::default(),
        };
        Ok((outcome, (profile, extras)))
    }

    fn copy(&self, launch: Launching<'_>) -> Option<Emulator> {
        let copy = match launch.emulator.memory_used() <= COPIED {
            true => launch.emulator.copy(),
            false => None,
        };
        if copy.is_none() {
            let fits = launch.emulator.memory_used() <= COPIED;
            let note = if fits && launch.program.polls(launch.config.entry) {
                "access patterns and cache figures of some launches are unknown: their kernels wait for values in memory, and a second run of such a kernel may never end"
            } else {
                "access patterns and cache figures of some launches are unknown: their memory exceeds 1 GiB, or the host's memory"
            };
            self.note(note.to_owned());
        }
        copy
    }

    fn is_looked_at(&self, at: &LookAt, launched: &Launched) -> bool {
        if !at.kernel.is_empty() && !is_called(&launched.kernel, &at.kernel) {
            return false;
        }
        let mut seen = self.seen.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        seen.looked_at += 1;
        seen.looked_at == at.launch
    }

    /// Prints this process's report; returns the exit code, or `None` for the program's own.
    fn report(&self) -> Option<i32> {
        let Sink::Own(own) = &*self.sink() else { return None };
        let (text, failed) = match self.tool {
            Tool::Profile(_) => (own.profiles_text(), false),
            _ => own.findings_text(),
        };
        // Ignore a closed standard error.
        let _ = std::io::stderr().write_all(text.as_bytes());
        failed.then_some(1)
    }
}

impl Session {
    /// Records a copy between host and device, for the timeline.
    pub(crate) fn copied<T>(&self, what: &str, bytes: usize, copy: impl FnOnce() -> T) -> T {
        if !matches!(self.tool, Tool::Trace) {
            return copy();
        }
        let (start, start_us) = (Instant::now(), now());
        let done = copy();
        self.activity(what, start_us, micros(start), bytes as u64, None);
        done
    }

    /// Records an activity of this thread: a copy of `bytes`, or a launch with its counts.
    pub(super) fn activity(
        &self,
        what: &str,
        start_us: u64,
        took_us: u64,
        bytes: u64,
        launch: Option<(Launched, lanework_emulator::Counters)>,
    ) {
        thread_local! {
            static THREAD: Cell<u64> = const { Cell::new(0) };
        }
        static THREADS: AtomicU64 = AtomicU64::new(1);
        let thread = THREAD.get();
        let thread = match thread {
            0 => THREADS.fetch_add(1, Relaxed),
            thread => thread,
        };
        THREAD.set(thread);
        let what = what.to_owned();
        self.keep(Record::Activity(Box::new(Activity {
            what,
            thread,
            start_us,
            took_us,
            bytes,
            launch,
        })));
    }
}
