//! A program of the user under a tool: its environment, its end, and the records of its processes.

mod driver;
pub mod incomplete;
pub mod ptxas;

mod signals;

use crate::args::Program;
use crate::problem::suggest::find_gpu;
use lanework::tool::{Launched, Process, Record, names, read};
use lanework_lab::Gpu;
use lanework_terminal::failure::Failure;
use serde::Serialize;
use std::process::{Command, ExitStatus, Stdio};

/// The outcome of a program.
pub struct Ended {
    /// Its exit code; 128 plus the signal, as in a shell, if a signal ended it.
    pub code: u8,
    /// The signal that ended it, if one did.
    pub signal: Option<i32>,
    /// The records of each process.
    pub processes: Vec<Vec<Record>>,
}

/// A program in JSON.
#[derive(Serialize)]
pub struct ProgramJson {
    command: Vec<String>,
    exit_code: u8,
    processes: usize,
    launches: usize,
    notes: Vec<String>,
}

/// The GPU that a CUDA program finds, if the user names one.
///
/// # Errors
/// If the GPU is unknown.
pub fn model(program: &Program) -> Result<Option<&'static Gpu>, Failure> {
    program.gpu.as_deref().map(find_gpu).transpose()
}

/// Runs a program under a tool; an empty name means no tool.
///
/// # Errors
/// If it cannot be started, or its records cannot be read.
pub fn run(program: &Program, tool: &str, more: &[(&str, String)]) -> Result<Ended, Failure> {
    let folder = tempfile::Builder::new().prefix("lanework").tempdir()?;
    let (name, arguments) = program
        .command
        .split_first()
        .ok_or_else(|| Failure::input("there is no program", "give it after `--`"))?;
    let mut command = Command::new(name);
    command.args(arguments);
    if !tool.is_empty() {
        command.env("LANEWORK_TOOL", tool).env("LANEWORK_TOOL_FOLDER", folder.path());
    }
    let links = tempfile::Builder::new().prefix("lanework").tempdir()?;
    command.envs(crate::program::driver::environment(links.path(), program.gpus, model(program)?)?);
    command.envs(more.iter().map(|(name, value)| (*name, value)));
    if program.json {
        command.stdout(to_stderr());
    }
    signals::forward_signals();
    let mut child = command.spawn().map_err(|error| {
        let help = match std::fs::metadata(name) {
            Ok(found) if found.is_dir() => "it is a folder: give the program in it",
            Ok(_) => "its file lacks the permission to be run (`chmod +x`), or is not a program",
            Err(_) => "check the path; the program and its arguments follow `--`",
        };
        Failure::input(format_args!("{} cannot be started: {error}", name.display()), help)
    })?;
    signals::forward_to(child.id());
    let status = child.wait()?;
    signals::forward_to(0);
    let processes = read(folder.path()).map_err(|why| {
        Failure::input(
            why,
            "use the same version of both (`cargo install lanework-cli@VERSION`), or set \
             LANEWORK_TOOL=check or profile in place of the command",
        )
    })?;
    let ended = Ended { code: code(status), signal: signal(status), processes };
    for note in ended.notes() {
        lanework_terminal::output::note(&format!("note: {note}"));
    }
    let nothing = !tool.is_empty() && ended.launches().next().is_none();
    // A check says it with its exit code.
    if nothing && (tool != "check" || ended.code != 0) {
        lanework_terminal::output::note(&format!(
            "note: no launch was recorded: {} launched nothing through this library or through CUDA's driver",
            name.display()
        ));
    }
    let says_so = tool == "check" && ended.code == 0;
    if (nothing || tool.is_empty()) && !says_so && !crate::program::driver::is_there() {
        lanework_terminal::output::note(
            "note: the libraries that CUDA programs load in place of NVIDIA's are not next to this command: build them in a checkout by \
             `cargo build --release`, and let LANEWORK_DRIVER name its folder `target/release`",
        );
    }
    Ok(ended)
}

impl Ended {
    /// Every record.
    pub fn records(&self) -> impl Iterator<Item = &Record> {
        self.processes.iter().flatten()
    }

    /// Every launch.
    pub fn launches(&self) -> impl Iterator<Item = &Launched> {
        self.records().filter_map(|record| match record {
            Record::Launch(launch) => Some(launch),
            _ => None,
        })
    }

    /// The kernels that were launched, each once.
    pub fn kernels(&self) -> Vec<String> {
        names(self.launches().map(|launch| launch.kernel.as_str()))
    }

    /// Work that the tool could not check, without duplicates.
    pub fn unchecked(&self) -> Vec<String> {
        names(self.records().filter_map(|record| match record {
            Record::Unchecked(why) => Some(why.as_str()),
            _ => None,
        }))
    }

    /// Notes for the user, without duplicates.
    pub fn notes(&self) -> Vec<String> {
        names(self.records().filter_map(|record| match record {
            Record::Note(note) => Some(note.as_str()),
            _ => None,
        }))
    }

    /// The text of a module of a process.
    pub fn module(process: &[Record], module: Option<u64>) -> Option<&str> {
        process.iter().find_map(|record| match record {
            Record::Module(_, id, text) if Some(*id) == module => Some(text.as_str()),
            _ => None,
        })
    }

    /// In JSON.
    pub fn json(&self) -> ProgramJson {
        let of_first = self.records().find_map(|record| match record {
            Record::Process(Process { command, .. }) => Some(command.clone()),
            _ => None,
        });
        ProgramJson {
            command: of_first.unwrap_or_default(),
            exit_code: self.code,
            processes: self.processes.len(),
            launches: self.launches().count(),
            notes: self.notes(),
        }
    }

    /// The program's own failure.
    ///
    /// # Errors
    /// If its exit code is not 0.
    pub fn own(&self) -> Result<(), Failure> {
        match self.code {
            0 => Ok(()),
            code => Err(Failure::Program(code)),
        }
    }
}

/// The signal that ended a process, if one did.
fn signal(status: ExitStatus) -> Option<i32> {
    #[cfg(unix)]
    return std::os::unix::process::ExitStatusExt::signal(&status);
    #[cfg(not(unix))]
    {
        let _ = status;
        None
    }
}

/// The exit code, as a shell gives it.
fn code(status: ExitStatus) -> u8 {
    if let Some(signal) = signal(status) {
        return u8::try_from(128 + signal).unwrap_or(1);
    }
    status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

/// Standard error as another process's standard output.
fn to_stderr() -> Stdio {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        match std::io::stderr().as_fd().try_clone_to_owned() {
            Ok(copy) => copy.into(),
            Err(_) => Stdio::null(),
        }
    }
    #[cfg(not(unix))]
    {
        Stdio::null()
    }
}
