//! Runs a child process with a time limit.

#![allow(dead_code, reason = "each test uses some of these")]

use std::io::Read;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Result of a process.
pub struct Ended {
    /// Exit status; `None` if it timed out.
    pub status: Option<ExitStatus>,
    /// Its standard error.
    pub said: String,
}

/// Runs a command without input and output, for at most `longest`.
pub fn run(command: &mut Command, longest: Duration) -> Ended {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|why| panic!("{:?} does not start: {why}", command.get_program()));
    let mut errors = child.stderr.take().expect("a pipe");
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = errors.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    });
    let began = Instant::now();
    let status = loop {
        match child.try_wait().expect("a child") {
            None if began.elapsed() > longest => {
                let _ = child.kill();
                let _ = child.wait();
                break None;
            }
            None => std::thread::sleep(Duration::from_millis(2)),
            status => break status,
        }
    };
    Ended { status, said: reader.join().expect("text") }
}
