//! Report that a process prints about itself at exit, if no command collects its records. The C library calls the exit
//! handler after `main`, once Rust has flushed its output. A signal that would kill a checked process first stops the
//! running launch, so the process can still report its findings.

use super::launching::machine;
use super::record::{Findings, Profiled, Record};
use lanework_emulator::sanitize;
use lanework_emulator::sanitize::Report;
use lanework_ptx::cpp_names;
use lanework_report as report;
use lanework_report::{By, Sources};
use std::sync::Mutex;
#[cfg(unix)]
use std::sync::atomic::AtomicI32;
use std::sync::atomic::{AtomicUsize, Ordering};
#[cfg(unix)]
pub(super) use unix::{catch, end_if_interrupted};

/// Collects the report that this process prints when it ends.
#[derive(Default)]
pub(super) struct Own {
    kernels: Vec<String>,
    found: Vec<Report>,
    stopped: Vec<String>,
    profiles: Profiles,
    notes: Vec<String>,
}

impl Own {
    pub(super) fn add(&mut self, record: Record) {
        match record {
            Record::Launch(launch) if !self.kernels.contains(&launch.kernel) => {
                self.kernels.push(launch.kernel);
            }
            Record::Findings(findings) => {
                let Findings { kernel, found, stopped, .. } = *findings;
                sanitize::merge(&mut self.found, found);
                let kernel = sanitize::readable_name(&kernel).into_owned();
                self.stopped.extend(stopped.map(|fault| format!("{kernel}: {fault}")));
            }
            Record::Profile(profiled) => self.profiles.add(*profiled),
            Record::Note(note) => self.notes.push(note),
            _ => {}
        }
    }

    fn notes(&self) -> String {
        self.notes.iter().map(|note| format!("note: {note}\n")).collect()
    }

    pub(super) fn findings_text(&self) -> (String, bool) {
        let mut text: String = self.found.iter().map(|report| format!("{report}\n\n")).collect();
        let names = self.kernels.iter().map(|name| sanitize::readable_name(name).into_owned());
        let told = report::verdict(&names.collect::<Vec<String>>(), &self.found);
        if !told.errors.is_empty() {
            text.push_str(&format!("error: {}\n", told.errors));
        }
        for stopped in &self.stopped {
            text.push_str(&format!("error: check incomplete: {stopped}\n"));
        }
        let failed = !told.errors.is_empty() || !self.stopped.is_empty();
        match (failed, told.warnings.is_empty()) {
            (_, false) => text.push_str(&format!("{}\n", told.warnings)),
            (false, true) if !self.kernels.is_empty() => {
                text.push_str(&format!("{}: nothing to report\n", told.kernels));
            }
            _ => {}
        }
        (self.notes() + &text, failed)
    }

    pub(super) fn profiles_text(&self) -> String {
        let each = self.profiles.0.iter().map(|(launches, one)| {
            let machine = machine();
            let counted = one.profile.counted();
            let record = report::record(&counted, one.extras(), By::Source, &machine);
            report::describe(&Profiles::title(*launches, one), &record, &Sources::default())
        });
        self.notes() + &each.collect::<String>()
    }
}

unsafe extern "C" {
    fn atexit(function: extern "C" fn()) -> i32;
    fn _exit(code: i32) -> !;
}

/// A function to call at exit. Returns the exit code, or `None` to keep the program's own.
type Last = fn() -> Option<i32>;

static LAST: Mutex<Option<Last>> = Mutex::new(None);

extern "C" fn run() {
    let last = LAST.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
    // A panic must not leave a function that C calls.
    let code = last.and_then(|last| std::panic::catch_unwind(last).ok().flatten());
    if let Some(code) = code {
        // SAFETY: `_exit` takes a number and does not return. The process is already exiting, so no destructor is
        // skipped.
        unsafe { _exit(code) }
    }
}

/// Calls `last` when the process exits.
pub(super) fn end_with(last: Last) {
    let before = LAST.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).replace(last);
    if before.is_none() {
        // SAFETY: `run` is a function of this program, which stays loaded until its end, and does not unwind. If the
        // list is full, there is no report at the end.
        unsafe { atexit(run) };
    }
}

/// Number of running launches.
static RUNNING: AtomicUsize = AtomicUsize::new(0);

/// The signal that arrived while a launch ran; 0 if none did.
#[cfg(unix)]
static PENDING: AtomicI32 = AtomicI32::new(0);

/// Counts a launch while it runs.
pub(super) struct Running;

impl Running {
    pub(super) fn begin() -> Running {
        RUNNING.fetch_add(1, Ordering::SeqCst);
        Running
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, Ordering::SeqCst);
    }
}

#[cfg(unix)]
mod unix {
    use super::{PENDING, RUNNING};
    use std::sync::atomic::Ordering;

    const SIGHUP: i32 = 1;
    const SIGINT: i32 = 2;
    const SIGTERM: i32 = 15;
    const DEFAULT: usize = 0;

    unsafe extern "C" {
        fn signal(number: i32, handler: usize) -> usize;
        fn raise(number: i32) -> i32;
    }

    extern "C" fn on_signal(number: i32) {
        if RUNNING.load(Ordering::SeqCst) > 0 {
            PENDING.store(number, Ordering::SeqCst);
            lanework_emulator::interrupt(true);
        } else {
            end_by(number);
        }
    }

    /// Ends the process with the default action of a signal.
    fn end_by(number: i32) {
        // SAFETY: POSIX lets a signal handler call both. The only pointer is the handler, which is the constant
        // `SIG_DFL`.
        unsafe {
            signal(number, DEFAULT);
            raise(number);
        }
    }

    /// Catches the signals for which the program has no handler.
    pub fn catch() {
        let handler = on_signal as extern "C" fn(i32) as usize;
        for number in [SIGHUP, SIGINT, SIGTERM] {
            // SAFETY: `handler` is an `extern "C" fn(i32)`, as `signal` requires, and calls only async-signal-safe
            // functions. This code restores a handler of the program, or an inherited "ignore".
            unsafe {
                let before = signal(number, handler);
                if before != DEFAULT {
                    signal(number, before);
                }
            }
        }
    }

    /// Ends the process by the signal that stopped a launch, if there was one, after a report.
    pub fn end_if_interrupted(report: impl FnOnce()) {
        let number = PENDING.load(Ordering::SeqCst);
        if number != 0 {
            report();
            end_by(number);
        }
    }
}

/// Catches the signals that end a process.
#[cfg(not(unix))]
pub(super) fn catch() {}

/// Ends the process by the signal that stopped a launch, if there was one, after a report.
#[cfg(not(unix))]
pub(super) fn end_if_interrupted(_report: impl FnOnce()) {}

/// The profiles of a program, summed over the launches of each kernel and shape.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profiles(pub Vec<(u64, Profiled)>);

impl Profiles {
    /// Adds a launch. Keeps the patterns and caches of the first launch.
    pub fn add(&mut self, one: Profiled) {
        let same = |(_, known): &&mut (u64, Profiled)| {
            let (a, b) = (&known.profile, &one.profile);
            (&a.kernel, a.grid, a.block, a.dynamic_shared, a.blocks_run)
                == (&b.kernel, b.grid, b.block, b.dynamic_shared, b.blocks_run)
                && a.instructions.len() == b.instructions.len()
                && a.instructions.iter().zip(&b.instructions).all(|(a, b)| a.origin == b.origin)
        };
        let Some((launches, known)) = self.0.iter_mut().find(same) else {
            self.0.push((1, one));
            return;
        };
        *launches += 1;
        known.profile.counters.add(&one.profile.counters);
        for (to, from) in known.profile.instructions.iter_mut().zip(&one.profile.instructions) {
            to.counters.add(&from.counters);
        }
        if known.touches.is_empty() && known.caches.is_none() {
            (known.touches, known.caches) = (one.touches, one.caches);
        }
    }

    /// The title of a kernel in a report.
    pub fn title(launches: u64, one: &Profiled) -> String {
        let kernel = cpp_names::readable(&one.profile.kernel);
        match launches {
            1 => kernel.into_owned(),
            many => format!("{kernel}, {many} launches"),
        }
    }
}

/// Distinct names, in the order of their first occurrence.
pub fn names<'a>(all: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut once: Vec<String> = Vec::new();
    for name in all {
        if !once.iter().any(|known| known == name) {
            once.push(name.to_owned());
        }
    }
    once
}
