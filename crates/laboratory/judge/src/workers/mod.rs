//! Separate processes for untrusted code, with limits on their time, their memory (if the system reports it) and their
//! output.

pub mod worker;

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Limits of a program.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Maximum run time.
    pub time: Duration,
    /// Maximum memory.
    pub memory: u64,
    /// Maximum bytes written to each of its output streams.
    pub output: u64,
}

/// How a program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It exited: whether it succeeded, its standard output, and its standard error.
    Itself(bool, Vec<u8>, String),
    /// It exceeded its time limit.
    TooLong,
    /// It exceeded its memory limit.
    TooLarge,
}

/// Runs a program with this input.
///
/// # Errors
/// If it cannot be started.
pub fn run(
    command: &mut Command,
    folder: &Path,
    input: Vec<u8>,
    bounds: Bounds,
) -> std::io::Result<Ended> {
    let pipes = command.current_dir(folder).stdin(Stdio::piped());
    let mut child = pipes.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    std::thread::scope(|scope| {
        scope.spawn(move || {
            // A program that does not read its input reports that by its result.
            let _ = stdin.map(|mut pipe| pipe.write_all(&input));
        });
        let out = scope.spawn(move || read(stdout, bounds.output));
        let err = scope.spawn(move || read(stderr, bounds.output));
        let waited = wait(&mut child, bounds);
        let (out, err) = (out.join().unwrap_or_default(), err.join().unwrap_or_default());
        waited.map(|ended| match ended {
            Ended::Itself(good, ..) => {
                Ended::Itself(good, out, String::from_utf8_lossy(&err).into_owned())
            }
            other => other,
        })
    })
}

/// Reads to the end, but keeps at most `most` bytes.
fn read(pipe: Option<impl Read>, most: u64) -> Vec<u8> {
    let mut kept = Vec::new();
    if let Some(mut pipe) = pipe {
        // Keep the bytes that arrived before an error.
        let _ = pipe.by_ref().take(most).read_to_end(&mut kept);
        let _ = std::io::copy(&mut pipe, &mut std::io::sink());
    }
    kept
}

fn wait(child: &mut Child, bounds: Bounds) -> std::io::Result<Ended> {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Ended::Itself(status.success(), Vec::new(), String::new()));
        }
        let ended = match () {
            () if started.elapsed() > bounds.time => Some(Ended::TooLong),
            () if resident(child.id()) > bounds.memory => Some(Ended::TooLarge),
            () => None,
        };
        if let Some(ended) = ended {
            child.kill()?;
            child.wait()?;
            return Ok(ended);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Resident memory of a process in bytes; 0 if the system does not report it.
fn resident(process: u32) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|rest| rest.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    const BOUNDS: Bounds =
        Bounds { time: Duration::from_secs(20), memory: 1 << 30, output: 1 << 10 };

    fn shell(script: &[u8], bounds: Bounds) -> Ended {
        let mut command = Command::new("sh");
        let folder = std::env::temp_dir();
        run(command.args(["-c", &String::from_utf8_lossy(script)]), &folder, b"in".to_vec(), bounds)
            .expect("a shell")
    }

    #[test]
    fn programs_end_by_themselves_or_are_ended() {
        let ended = shell(b"cat;echo${IFS}why>&2;exit${IFS}3", BOUNDS);
        assert_eq!(ended, Ended::Itself(false, b"in".to_vec(), "why\n".to_owned()));
        let short = Bounds { time: Duration::from_millis(50), ..BOUNDS };
        assert_eq!(shell(b"exec sleep 60", short), Ended::TooLong);
    }

    #[test]
    fn endless_output_is_cut_off_and_does_not_block() {
        let Ended::Itself(true, out, _) = shell(b"head -c 1000000 /dev/zero", BOUNDS) else {
            panic!("it was ended")
        };
        assert_eq!(out.len(), 1 << 10);
    }
}
