//! Reports failures: a message on standard error, the exit code, and a JSON object if the command line has `--json`.

use crate::failure::Failure;
use crate::output::{asks_for_json, json_was_printed, note, print_json};
use crate::screen::{width_of_errors, wrapped};
use crate::words;
use lanework::emulator::Fault;
use serde::Serialize;
use std::io::Write;
use std::process::ExitCode;

/// Prints the failure and returns its exit code. If the command line requests JSON and nothing has been printed yet,
/// the failure goes to standard output as one JSON object.
pub fn report(failure: &Failure) -> ExitCode {
    let json = match failure {
        Failure::OutputClosed => return ExitCode::SUCCESS,
        Failure::Program(code) => return ExitCode::from(*code),
        Failure::Check(message) => ErrorJson::new("check", message, 1),
        Failure::Input(message) => ErrorJson::new("input", message, 2),
        Failure::Incomplete(code, message) => ErrorJson::new("incomplete", message, *code),
        Failure::Regression(message) => ErrorJson::new("regression", message, 3),
        Failure::Library(error) => ErrorJson::of(error),
        Failure::Bug => ErrorJson::new("bug", "lanework has a bug", BUG),
    };
    if !matches!(failure, Failure::Bug) {
        let red = anstyle::AnsiColor::Red.on_default().bold();
        let message = format!("{red}error:{red:#} {}", json.message);
        note(&message);
    }
    let code = json.exit_code;
    json.print_if_asked();
    ExitCode::from(code)
}

/// The exit code of a bug: `EX_SOFTWARE` in sysexits.h.
const BUG: u8 = 70;

/// Ends the process if the command line cannot be parsed, or requests help.
pub fn usage(error: &clap::Error) -> ! {
    let text = words::of_clap(error);
    // Ignore broken pipes.
    let _ = match error.use_stderr() {
        true => {
            let text = wrapped(&text, width_of_errors());
            anstream::stderr().write_all(text.as_bytes())
        }
        false => anstream::stdout().write_all(text.as_bytes()),
    };
    let code = u8::try_from(error.exit_code()).unwrap_or(2);
    if error.use_stderr() {
        ErrorJson::new("usage", error.to_string().trim_end(), code).print_if_asked();
    }
    std::process::exit(code.into())
}

/// Why a command stopped, in JSON.
#[derive(Serialize)]
pub struct ErrorJson {
    /// The kind of error: of a fault or a failed request, `check` for a failed check, `input`,
    /// `usage`.
    kind: &'static str,
    /// The message, as on standard error.
    message: String,
    /// The exit code.
    exit_code: u8,
    /// The location of a kernel's fault.
    #[serde(flatten)]
    place: Option<PlaceJson>,
}

/// The location of a kernel's fault, as JSON.
#[derive(Serialize)]
struct PlaceJson {
    kernel: String,
    block: [u32; 3],
    thread: [u32; 3],
    instruction: String,
    file: Option<String>,
    line: u32,
    address: Option<u64>,
}

impl ErrorJson {
    fn new(kind: &'static str, message: &str, exit_code: u8) -> ErrorJson {
        // Diagnostics of PTX already begin with `error: `.
        let message = message.strip_prefix("error: ").unwrap_or(message).to_owned();
        ErrorJson { kind, message, exit_code, place: None }
    }

    /// An error of the library.
    pub fn of(error: &lanework::Error) -> ErrorJson {
        let code = if error.is_kernel_fault() { 1 } else { 2 };
        let place = error.fault().map(PlaceJson::of);
        ErrorJson { place, ..ErrorJson::new(error.kind(), &error.to_string(), code) }
    }

    /// A fault that stopped a kernel.
    pub fn of_fault(fault: &Fault) -> ErrorJson {
        let place = Some(PlaceJson::of(fault));
        ErrorJson { place, ..ErrorJson::new(fault.kind.name(), &fault.to_string(), 1) }
    }

    /// The same with another exit code.
    #[must_use]
    pub fn with_code(self, exit_code: u8) -> ErrorJson {
        ErrorJson { exit_code, ..self }
    }

    /// Prints it, if the command line asks for JSON and has got none.
    fn print_if_asked(self) {
        #[derive(Serialize)]
        struct Stopped {
            error: ErrorJson,
        }
        if asks_for_json() && !json_was_printed() {
            // Nothing to add to the failure itself.
            let _ = print_json(&Stopped { error: self });
        }
    }
}

impl PlaceJson {
    fn of(fault: &Fault) -> PlaceJson {
        PlaceJson {
            kernel: fault.kernel.clone(),
            block: fault.block,
            thread: fault.thread,
            instruction: fault.instruction.clone(),
            file: fault.location.as_ref().map(|at| at.file.clone()),
            line: fault.location.as_ref().map_or(fault.text_line, |at| at.line),
            address: fault.address,
        }
    }
}
