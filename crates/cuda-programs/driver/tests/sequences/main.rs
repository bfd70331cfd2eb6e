//! Random sequences of calls, from one thread or several: every call returns a status. No sequence crashes, hangs, panics or returns
//! `CUDA_ERROR_UNKNOWN`; memory that the sequence does not know keeps its bytes, and freed memory is inaccessible.
//!
//! Each sequence runs in its own process, so a crash is attributed to its number.
//! `LANEWORK_SEQUENCES=1000-2000 cargo test -p lanework-driver --test sequences` runs others; with `LANEWORK_SEQUENCE_CALLS=1` a
//! sequence prints each call first.

#[path = "../common/mod.rs"]
#[macro_use]
mod common;
mod calls;
#[path = "../common/child.rs"]
mod child;
#[path = "../../../../emulator/emulator-tests/tests/it/verdicts/random.rs"]
mod random;
mod shapes;
mod world;

use random::{Random, seeds};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use world::World;

/// The variable with the sequence to run.
const SEQUENCE: &str = "LANEWORK_SEQUENCE";
/// Time limit; a sequence takes well under a second.
const LONGEST: Duration = Duration::from_secs(120);

/// Runs one sequence. The number determines everything except thread scheduling.
fn run(number: u64) {
    let mut random = Random::new(number);
    let threads = [1, 1, 2, 4][random.below(4)];
    let steps = 150 + random.below(250);
    let world = Arc::new(World::new());
    std::thread::scope(|scope| {
        for thread in 0..threads as u64 {
            let world = world.clone();
            scope.spawn(move || {
                let mut random = Random::new(number * 64 + thread + 1);
                for step in 0..steps {
                    if step % 8 == 0 {
                        world.begin();
                    }
                    calls::one(&world, &mut random);
                    if step % 16 == 0 {
                        world.look(threads == 1);
                    }
                }
            });
        }
    });
}

/// Runs a sequence in another process; returns its error.
fn failure(number: u64) -> Option<String> {
    let mut command = Command::new(std::env::current_exe().expect("a program"));
    command
        .args(["any_sequence_of_calls_ends_well", "--exact", "--nocapture"])
        .env(SEQUENCE, number.to_string())
        .env("LANEWORK_WAIT_SECONDS", "1")
        .env("LANEWORK_GPUS", "2");
    let child::Ended { status, said } = child::run(&mut command, LONGEST);
    let tail: Vec<&str> = said.lines().rev().take(30).collect();
    let tail = tail.into_iter().rev().collect::<Vec<_>>().join("\n");
    match status {
        None => Some(format!("sequence {number} hangs:\n{tail}")),
        Some(status) if !status.success() => {
            Some(format!("sequence {number} ends with {status}:\n{tail}"))
        }
        _ if said.contains("panicked at") => Some(format!("sequence {number} panics:\n{tail}")),
        _ => None,
    }
}

#[test]
fn any_sequence_of_calls_ends_well() {
    if let Ok(number) = std::env::var(SEQUENCE) {
        return run(number.parse().expect("a number"));
    }
    let numbers = seeds("LANEWORK_SEQUENCES", 0..8);
    // Run two at a time: some wait for words that are never written.
    let halves = [0, 1].map(|half| {
        let all = numbers.clone().filter(move |number| number % 2 == half);
        std::thread::spawn(move || all.filter_map(failure).collect::<Vec<String>>())
    });
    let failures = halves.map(|half| half.join().expect("failures")).concat();
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}
