//! The time of each class of instructions and each access pattern: plain, counted and checked, with a floor.
//!
//! `cargo bench -p lanework-emulator --bench classes [-- NAME...]` prints one line per row: ns of processor time per warp
//! instruction, the least of many runs on one worker. The names select rows that contain one of them. A row repeats its
//! instruction 16 times in a loop, so it includes a sixteenth of an iteration. The ratio is the checked time divided by the
//! plain time. The floor is the same work in a loop that the host's compiler vectorizes.
//!
//! `cargo bench -p lanework-emulator --features ablation --bench classes -- --ablation` prints what each fast path gains.

#[cfg(feature = "ablation")]
mod ablation;
mod clock;
mod fixed;
mod floor;
mod kernel;
mod rows;

use kernel::{MeasuredKernel, Mode};
use rows::{ClassRow, ROWS};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Minimum time for each mode of a row, and minimum number of runs.
const EFFORT: (Duration, usize) = (Duration::from_millis(60), 9);
/// Length of one run.
const RUN: Duration = Duration::from_millis(2);

fn main() -> ExitCode {
    let names: Vec<String> = std::env::args().skip(1).filter(|name| name != "--bench").collect();
    if names == ["--ablation"] {
        return print_ablation();
    }
    let selected = |name: &str| names.is_empty() || names.iter().any(|part| name.contains(part));
    println!(
        "{:<24} {:>7} {:>7} {:>7} {:>6} {:>6} {:>5}  (ns per warp instruction)",
        "", "plain", "counted", "checked", "ratio", "floor", "goal"
    );
    let mut failed = false;
    for row in ROWS.iter().filter(|row| selected(row.name)) {
        match times(row) {
            Ok([plain, counted, checked]) => println!(
                "{:<24} {plain:>7.1} {counted:>7.1} {checked:>7.1} {:>6.1} {:>6.1} {:>5.0} {}",
                row.name,
                checked / plain,
                floor::measure(row.floor),
                row.target,
                if plain <= row.target { "met" } else { "NOT MET" },
            ),
            Err(why) => {
                failed = true;
                println!("{:<24} failed: {why}", row.name);
            }
        }
    }
    for (name, figure) in fixed::figures(selected) {
        println!("{name:<24} {figure}");
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Prints what each fast path gains.
fn print_ablation() -> ExitCode {
    #[cfg(feature = "ablation")]
    let printed = ablation::print();
    #[cfg(not(feature = "ablation"))]
    let printed: Result<(), String> = Err("--ablation needs `--features ablation`".to_owned());
    match printed {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::from(2)
        }
    }
}

/// The least time of each mode.
fn times(row: &ClassRow) -> Result<[f64; 3], String> {
    Ok([time(row, Mode::Plain)?, time(row, Mode::Counted)?, time(row, Mode::Checked)?])
}

/// The least time of a mode.
fn time(row: &ClassRow, mode: Mode) -> Result<f64, String> {
    let subject = MeasuredKernel::new(row, mode)?;
    let mut iterations = 1;
    let start = loop {
        let start = Instant::now();
        subject.run(mode, iterations)?;
        if start.elapsed() >= RUN || iterations > 1 << 20 {
            break Instant::now();
        }
        iterations *= 2;
    };
    let (mut least, mut runs) = (f64::INFINITY, 0);
    while start.elapsed() < EFFORT.0 || runs < EFFORT.1 {
        least = least.min(subject.run(mode, iterations)?);
        runs += 1;
    }
    Ok(least)
}
