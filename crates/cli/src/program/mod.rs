//! A program of the user under a tool: its environment, its end, and the records of its processes.

pub mod driver;
#[cfg(all(unix, feature = "host"))]
mod externals;
#[cfg(all(unix, feature = "host"))]
pub mod host;
mod native;
pub mod ptxas;
mod signals;

use crate::args::Program;
use crate::problem::find_gpu;
use crate::program::signals::{bind, end_rest, forward_signals, forward_to};
use lanework::ReportKind;
use lanework::emulator::{Fault, FaultKind};
use lanework::ptx::cpp_names::readable;
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
    /// Whether this command interpreted its source, which needs no library of CUDA's.
    pub interpreted: bool,
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
    let name = program
        .command
        .first()
        .ok_or_else(|| Failure::input("no program is given", "give it after `--`"))?;
    // This command runs the source of a program in a separate process.
    #[cfg(all(unix, feature = "host"))]
    let sources = {
        let end = program.command.iter().position(|word| word == "--");
        end.filter(|end| host::are_sources(&program.command[..*end]))
    };
    #[cfg(not(all(unix, feature = "host")))]
    let sources: Option<usize> = None;
    let is_source = sources.is_some()
        || std::path::Path::new(name).extension().is_some_and(|kind| kind == "cu");
    let count = if is_source { sources.unwrap_or(1) } else { 1 };
    let native = match is_source {
        true => native::build(&program.command[..count], &program.source, folder.path())?,
        false => None,
    };
    let mut command = match (&native, is_source) {
        (Some(executable), _) => Command::new(executable),
        #[cfg(all(unix, feature = "host"))]
        (None, true) => {
            let mut command = Command::new(std::env::current_exe()?);
            command.args(&program.command[..count]);
            command.env(host::VARIABLE, count.to_string());
            command.env(host::OPTIONS, host::sent(&program.source));
            command
        }
        #[cfg(not(all(unix, feature = "host")))]
        (None, true) => return Err(crate::args::built_without("host")),
        (None, false) => Command::new(name),
    };
    // `--` separates several sources from the program's arguments.
    command.args(&program.command[count + usize::from(sources.is_some())..]);
    if !tool.is_empty() {
        command.env("LANEWORK_TOOL", tool).env("LANEWORK_TOOL_FOLDER", folder.path());
    }
    let links = tempfile::Builder::new().prefix("lanework").tempdir()?;
    command.envs(crate::program::driver::environment(links.path(), program.gpus, model(program)?)?);
    command.envs(more.iter().map(|(name, value)| (*name, value)));
    if program.json {
        command.stdout(to_stderr());
    }
    forward_signals();
    bind(&mut command);
    let mut child = command.spawn().map_err(|error| {
        let help = match std::fs::metadata(name) {
            Ok(found) if found.is_dir() => "it is a folder: give the program in it",
            // The system looks for a name without a folder only on the PATH.
            Ok(_) if std::path::Path::new(name).components().count() == 1 => {
                "write `./` before the name of a program in the current folder"
            }
            Ok(_) => "its file is not executable (`chmod +x`) or is not a program",
            Err(_) => "check the path; the program and its arguments follow `--`",
        };
        Failure::input(format_args!("{} cannot be started: {error}", name.display()), help)
    })?;
    forward_to(child.id());
    let status = child.wait()?;
    forward_to(0);
    end_rest();
    let processes = read(folder.path()).map_err(|why| {
        Failure::input(
            why,
            "use the same version of both (`cargo install lanework-cli@VERSION`), or set \
             LANEWORK_TOOL=check or profile in place of the command",
        )
    })?;
    // The source of a program runs on the driver that is built in.
    let interpreted = is_source && native.is_none();
    let ended = Ended { code: code(status), signal: signal(status), processes, interpreted };
    for note in ended.notes() {
        lanework_terminal::output::note(&format!("note: {note}"));
    }
    let nothing = !tool.is_empty() && ended.launches().next().is_none();
    // A source that does not compile has its own message.
    let refused = interpreted && ended.code == 2 && ended.processes.is_empty();
    // A check reports this by its exit code, or has a finding that says why.
    if nothing && !refused && !ended.has_failed_launch() && (tool != "check" || ended.code != 0) {
        let name = name.display();
        lanework_terminal::output::note(&match interpreted {
            true => format!("note: no kernel ran: {name} launched none, or its launches failed"),
            false => format!(
                "note: no launch was recorded: {name} launched nothing through this library or through CUDA's driver"
            ),
        });
    }
    let says_so = tool == "check" && ended.code == 0;
    let needs_driver = !interpreted && !crate::program::driver::is_there();
    if (nothing || tool.is_empty()) && !says_so && needs_driver {
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

    /// Whether a finding says why a launch failed.
    fn has_failed_launch(&self) -> bool {
        self.records().any(|record| match record {
            Record::Findings(one) => one.found.iter().any(|found| {
                found.kind == ReportKind::FailedCall && found.instruction.contains("Launch")
            }),
            _ => false,
        })
    }

    /// The kernels that were launched, each once.
    pub fn kernels(&self) -> Vec<String> {
        names(self.launches().map(|launch| launch.kernel.as_str()))
    }

    /// The failure of a command that has no kernel to show: `what`, with the kernels that the program launches.
    pub fn without_kernel(&self, what: &str) -> Failure {
        let kernels = self.kernels();
        if kernels.is_empty() {
            return Failure::input(
                "the program launches no kernel at all",
                "run a program that launches kernels through CUDA's driver or this library",
            );
        }
        let kernels: Vec<_> = kernels.iter().map(|kernel| readable(kernel)).collect();
        Failure::input(what, format_args!("it launches: {}", kernels.join(", ")))
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

/// The libraries that CUDA programs load were not found, and nothing was launched.
pub const NO_LIBRARIES: u8 = 10;

/// The program launched nothing.
pub const NO_LAUNCH: u8 = 11;

/// A kernel is machine code, which the emulator does not run.
pub const MACHINE_CODE: u8 = 12;

/// A signal or a limit stopped a launch before its end.
pub const STOPPED: u8 = 13;

/// Signals by which a user or a supervisor ends a program: hangup, interrupt, termination.
const ENDING: [i32; 3] = [1, 2, 15];

/// Whether a fault is a limit, or an interruption, and not the kernel's own.
pub fn is_limit(fault: &Fault) -> bool {
    matches!(fault.kind, FaultKind::InstructionLimit | FaultKind::TimeLimit)
}

/// Why the check of a program without findings is not complete, and its exit code.
pub fn reason(program: &Ended) -> Option<(u8, String)> {
    if let Some(signal) = program.signal
        && !ENDING.contains(&signal)
    {
        let launches = program.launches().count();
        let text = format!("the program was ended by signal {signal} after {launches} launches");
        return Some((program.code, text));
    }
    if program.signal.is_some() {
        let launches = program.launches().count();
        let text = match launches {
            0 => "stopped before the first launch".to_owned(),
            number => format!("stopped in launch {number}"),
        };
        return Some((STOPPED, text));
    }
    if let Some(why) = program.unchecked().into_iter().next() {
        return Some((MACHINE_CODE, why));
    }
    // A program that fails gives its own reason.
    if program.launches().next().is_some() || program.code != 0 {
        return None;
    }
    Some(if program.has_failed_launch() {
        (NO_LAUNCH, "each launch of the program failed, so no kernel was checked".to_owned())
    } else if program.interpreted || crate::program::driver::is_there() {
        (NO_LAUNCH, "the program launched nothing, so nothing was checked".to_owned())
    } else {
        let text = "the program launched nothing, and the libraries that CUDA programs load are not next to this command: build \
                    them in a checkout by `cargo build --release`, and let LANEWORK_DRIVER name its folder `target/release`";
        (NO_LIBRARIES, text.to_owned())
    })
}

/// Whether the exit code says that nothing was checked, which `--allow-empty` accepts.
pub fn is_empty(code: u8) -> bool {
    matches!(code, NO_LIBRARIES | NO_LAUNCH | MACHINE_CODE)
}
