//! Shows progress on standard error after a second: on a terminal a line with a bar and the remaining time,
//! elsewhere an occasional plain line, and nothing if JSON is requested.
//!
//! ```text
//! let progress = Progress::of("climbing", 10);   // ten steps
//! for rung in rungs {
//!     progress.next(rung);                       // the step before has ended, this one begins
//! }
//! ```
//!
//! The remaining time is estimated from the completed steps and, within a step, from the completed blocks of the
//! emulator's launch; the estimate is rough if steps differ.

use crate::output::{asks_for_json, note_data};
use crate::words;
use lanework::emulator::stall::position;
use lanework::report::layout::{columns, cut};
use std::io::{IsTerminal, Write};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Shorter commands show no progress.
const AFTER: Duration = Duration::from_secs(1);

/// Time between two redraws on a terminal.
const TICK: Duration = Duration::from_millis(120);

/// Time between two lines elsewhere.
const LINES: Duration = Duration::from_secs(30);

/// Fraction of the work below which the remaining time is not estimated.
const LEAST: f64 = 0.02;

/// Shows the progress of a command until it is dropped.
pub struct Progress {
    state: Arc<Mutex<State>>,
    shows: Option<(Sender<()>, JoinHandle<()>)>,
}

struct State {
    /// The activity, such as `climbing`, and the step.
    what: String,
    step: String,
    /// The step's name when it began.
    name: String,
    /// Completed steps, and all steps.
    ended: u64,
    steps: u64,
    /// The launch that ran when the step began.
    launch: u64,
    begun: Instant,
}

impl State {
    /// The part of the work that has been done, from 0 to 1.
    fn done(&self) -> f64 {
        let at = position();
        // The number of a step's launches is unknown, so if there is only one step, only its first launch gives
        // progress.
        let launches = at.launch.saturating_sub(self.launch);
        let tells = launches == 1 || (launches > 1 && self.steps > 1);
        let within = match tells && at.total > 0 {
            true => at.ended as f64 / at.total as f64,
            false => 0.0,
        };
        ((self.ended as f64 + within) / self.steps.max(1) as f64).min(1.0)
    }

    /// The step as text, with its number.
    fn step(&self) -> String {
        let step = match self.step.as_str() {
            "" => self.what.clone(),
            step => format!("{}: {step}", self.what),
        };
        match self.steps {
            0 | 1 => step,
            steps => format!("{step} ({} of {steps})", (self.ended + 1).min(steps)),
        }
    }

    /// The elapsed time, and the remaining time if it can be estimated.
    fn times(&self, done: f64) -> String {
        let so_far = self.begun.elapsed();
        if done < LEAST {
            return clock(so_far);
        }
        let left = so_far.mul_f64((1.0 - done) / done);
        format!("{}, about {} left", clock(so_far), clock(left))
    }
}

/// Seconds, or minutes and seconds, or hours and minutes.
fn clock(time: Duration) -> String {
    let seconds = time.as_secs_f64().round() as u64;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
    }
}

impl Progress {
    /// Progress of work in one step.
    pub fn new(what: &str) -> Progress {
        Progress::of(what, 1)
    }

    /// Progress of work in `steps` steps.
    pub fn of(what: &str, steps: u64) -> Progress {
        let (launch, begun) = (position().launch, Instant::now());
        let (what, step) = (what.to_owned(), String::new());
        let name = String::new();
        let state = State { what, step, name, ended: 0, steps, launch, begun };
        let state = Arc::new(Mutex::new(state));
        let shows = (!asks_for_json()).then(|| {
            let (sender, receiver) = channel();
            let state = state.clone();
            let show = move |until: Duration| receiver.recv_timeout(until);
            (sender, std::thread::spawn(move || shown(&state, show)))
        });
        Progress { state, shows }
    }

    /// Sets the step's name.
    pub fn say(&self, step: &str) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.step = step.to_owned();
    }

    /// Ends the step, if one has begun, and begins the next; `shared: verifying` is still the step `shared`.
    pub fn next(&self, step: &str) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let rest = step.strip_prefix(state.name.as_str());
        let within = !state.name.is_empty() && rest.is_some_and(|rest| rest.starts_with(':'));
        state.step = step.to_owned();
        if within {
            return;
        }
        if !state.name.is_empty() {
            state.ended += 1;
        }
        state.name = step.to_owned();
        state.launch = position().launch;
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        let Some((sender, thread)) = self.shows.take() else { return };
        drop(sender);
        // The thread clears its line before other output is printed.
        let _ = thread.join();
    }
}

/// Shows the state until the sender is dropped.
fn shown(state: &Mutex<State>, wait: impl Fn(Duration) -> Result<(), RecvTimeoutError>) {
    let lock = || state.lock().unwrap_or_else(PoisonError::into_inner);
    let over = |waited| !matches!(waited, Err(RecvTimeoutError::Timeout));
    let dumb = std::env::var_os("TERM").is_some_and(|kind| kind == "dumb");
    if dumb || !std::io::stderr().is_terminal() {
        while !over(wait(LINES)) {
            let state = lock();
            let (step, times) = (state.step(), state.times(state.done()));
            note_data(&format!("{}, {}", words::say(&step), words::say(&times)));
        }
        return;
    }
    if over(wait(AFTER)) {
        return;
    }
    clear_the_line();
    let mut furthest: f64 = 0.0;
    for tick in 0.. {
        let (step, times) = {
            let state = lock();
            let done = state.done();
            furthest = furthest.max(done);
            (state.step(), state.times(done))
        };
        // Overwrites the old line without clearing it first, so that it does not flicker.
        say(&format!(
            "\r{}\x1b[K",
            line(tick, &words::say(&step), furthest, &words::say(&times), columns_of_errors())
        ));
        if over(wait(TICK)) {
            break;
        }
    }
    say("\r\x1b[K");
}

/// Writes to the terminal without buffering. Errors are ignored: progress is optional.
fn say(text: &str) {
    let mut errors = std::io::stderr().lock();
    let _ = errors.write_all(text.as_bytes()).and_then(|()| errors.flush());
}

/// Width of the terminal on standard error.
fn columns_of_errors() -> usize {
    let size = terminal_size::terminal_size_of(std::io::stderr());
    size.map_or(80, |(width, _)| usize::from(width.0)).max(1)
}

/// The line, narrower than the terminal: the step, a bar, and the times.
fn line(tick: usize, step: &str, done: f64, times: &str, width: usize) -> String {
    const BAR: usize = 12;
    let spins = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
    let full = (done * BAR as f64) as usize;
    let bar = "━".repeat(full) + &"╌".repeat(BAR.saturating_sub(full));
    let end = format!("  {bar}  {times}");
    let room = width.saturating_sub(3 + columns(&end));
    let step = cut(step, if room >= 8 { room } else { width.saturating_sub(3) });
    let end = if room >= 8 { end.as_str() } else { "" };
    format!("{} {step}{end}", spins[tick % spins.len()])
}

/// Makes Ctrl-C clear the line before it ends the command as usual.
#[cfg(unix)]
fn clear_the_line() {
    unsafe extern "C" {
        fn signal(number: i32, handler: usize) -> usize;
    }
    const IGNORE: usize = 1;
    // SAFETY: `clear_and_end` is an `extern "C" fn(i32)`, as `signal` requires, and makes async-signal-safe calls only.
    unsafe {
        // Keep an inherited SIGINT disposition of "ignore", as under `nohup`.
        if signal(SIGINT, clear_and_end as *const () as usize) == IGNORE {
            signal(SIGINT, IGNORE);
        }
    }
}

#[cfg(unix)]
const SIGINT: i32 = 2;

#[cfg(unix)]
extern "C" fn clear_and_end(number: i32) {
    unsafe extern "C" {
        fn signal(number: i32, handler: usize) -> usize;
        fn raise(number: i32) -> i32;
        fn write(file: i32, from: *const u8, bytes: usize) -> isize;
    }
    const CLEAR: &[u8] = b"\r\x1b[2K";
    const DEFAULT: usize = 0;
    // SAFETY: `write`, `signal` and `raise` are async-signal-safe. `write` reads `CLEAR.len()` bytes of the constant
    // `CLEAR`. The signal is blocked in its handler: the raised one ends the process when this returns.
    unsafe {
        write(2, CLEAR.as_ptr(), CLEAR.len());
        signal(number, DEFAULT);
        raise(number);
    }
}

#[cfg(not(unix))]
fn clear_the_line() {}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(ended: u64, steps: u64) -> State {
        let (what, step) = ("climbing".to_owned(), "padded".to_owned());
        let (launch, name) = (u64::MAX, step.clone());
        State {
            what,
            step,
            name,
            ended,
            steps,
            launch,
            begun: Instant::now() - Duration::from_secs(30),
        }
    }

    #[test]
    fn the_time_left_follows_from_the_steps_that_have_ended() {
        assert_eq!(state(3, 4).step(), "climbing: padded (4 of 4)");
        assert_eq!(state(3, 4).times(0.75), "30 s, about 10 s left");
        assert_eq!(state(0, 4).times(0.0), "30 s");
        assert_eq!(state(0, 1).step(), "climbing: padded");
    }

    #[test]
    fn a_line_is_shorter_than_the_terminal_is_wide() {
        let long = "climbing transpose: a very long name of a rung, 中文 (4 of 12)";
        for width in [10, 24, 40, 60, 80, 160] {
            let line = line(3, long, 0.5, "1 min 30 s, about 10 s left", width);
            assert!(columns(&line) < width, "{width}: {line}");
        }
        let line = line(0, "climbing: padded (1 of 4)", 0.5, "2 s", 80);
        assert_eq!(line, "⠋ climbing: padded (1 of 4)  ━━━━━━╌╌╌╌╌╌  2 s");
    }

    #[test]
    fn times_are_rounded_to_what_matters() {
        let of = |seconds| clock(Duration::from_secs(seconds));
        assert_eq!(
            (of(59), of(61), of(7260)),
            ("59 s".into(), "1 min 1 s".into(), "2 h 1 min".into())
        );
    }

    #[test]
    fn steps_are_counted_from_the_first_that_begins() {
        let progress = Progress::of("climbing", 2);
        progress.next("naive");
        assert_eq!(progress.state.lock().expect("not poisoned").ended, 0);
        progress.next("naive: verifying");
        assert_eq!(progress.state.lock().expect("not poisoned").ended, 0);
        progress.next("padded");
        assert_eq!(progress.state.lock().expect("not poisoned").ended, 1);
    }
}
