//! A CUDA C++ program from its source, without a compiler of NVIDIA's: its device code becomes PTX, its host code is
//! interpreted in this process, and both meet in the emulated driver.

use super::externals::{DRIVER, Loaded, object_at, unseen_failure};
use crate::args::SourceOptions;
use crate::kernel_file::source::{device_code, host_code};
use lanework::ptx::cpp_names::CppName;
use lanework_cuda_cpp::DebugNames;
use lanework_host::{FunctionWatch, HostExecution, HostPlace, HostWatch, Process};
use lanework_terminal::failure::{Failure, Outcome};
use lanework_terminal::output::note;
use std::ffi::{CString, OsStr, OsString};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The environment variable by which a tool makes this command run a program's source: the number of its files.
pub const VARIABLE: &str = "LANEWORK_HOST_PROGRAM";
/// The environment variable with the options of the compilation, one a line.
pub const OPTIONS: &str = "LANEWORK_HOST_OPTIONS";

/// The environment variable that chooses how host code runs.
const HOST_CODE: &str = "LANEWORK_HOST_CODE";

/// The value of [`HOST_CODE`].
///
/// # Errors
/// If it is not one of the known words.
fn execution(word: &OsStr) -> Result<HostExecution, Failure> {
    match word.to_str() {
        Some("interpret") => Ok(HostExecution::Interpreted),
        Some("compile") => Ok(HostExecution::Compiled),
        Some("auto") => Ok(HostExecution::Automatic),
        _ => Err(Failure::input(
            format!("{HOST_CODE}={} is unknown", word.to_string_lossy()),
            "`auto`, `interpret` and `compile` are possible",
        )),
    }
}

/// Whether files are the sources of a program: CUDA C++ files, C++ files if there are any, and a `main` in one of them.
pub fn are_sources(files: &[OsString]) -> bool {
    let kind = |file: &OsString| {
        let kind = Path::new(file).extension()?.to_str()?;
        ["cu", "cpp", "cc", "cxx", "c"].into_iter().find(|known| *known == kind)
    };
    let has_main = |file: &OsString| {
        std::fs::read(file).is_ok_and(|text| defines_main(&String::from_utf8_lossy(&text)))
    };
    files.iter().all(|file| kind(file).is_some())
        && files.iter().any(|file| kind(file) == Some("cu"))
        && files.iter().any(has_main)
}

/// Whether a source has the word `main` before a parenthesis.
fn defines_main(text: &str) -> bool {
    text.match_indices("main").any(|(at, word)| {
        let before = text[..at].chars().next_back();
        let is_word = !before.is_some_and(|c| c.is_alphanumeric() || c == '_');
        is_word && text[at + word.len()..].trim_start().starts_with('(')
    })
}

/// Runs the program that the command line names: as many files as [`VARIABLE`] says, then arguments.
///
/// # Errors
/// As [`run`].
pub fn worker(line: &[OsString]) -> Outcome {
    let count = std::env::var(VARIABLE).ok().and_then(|count| count.parse().ok()).unwrap_or(1);
    let files: Vec<PathBuf> = line.iter().skip(1).take(count).map(PathBuf::from).collect();
    let rest = line.iter().skip(1 + count);
    let arguments: Vec<String> = rest.map(|text| text.to_string_lossy().into_owned()).collect();
    if files.is_empty() {
        return Err(Failure::input("no program is given", "give it after `--`"));
    }
    run(&files, &arguments, &received(&std::env::var(OPTIONS).unwrap_or_default()))
}

/// Options as text for [`OPTIONS`].
pub fn sent(options: &SourceOptions) -> String {
    options.words().join("\n")
}

/// Reads the text of [`sent`].
fn received(text: &str) -> SourceOptions {
    let folders = text.lines().filter_map(|line| line.strip_prefix("-I")).map(PathBuf::from);
    let macros = text.lines().filter_map(|line| line.strip_prefix("-D")).map(str::to_owned);
    let (include, define) = (folders.collect(), macros.collect());
    SourceOptions { include, define, ..SourceOptions::default() }
}

/// The names of the variables of a program's kernels, of a command line that [`worker`] runs for the debugger.
///
/// # Errors
/// If a file cannot be read, or does not compile.
pub fn debug_names(command: &[OsString], options: &SourceOptions) -> Result<DebugNames, Failure> {
    let end = command.iter().position(|word| word == "--");
    let count = end.filter(|end| are_sources(&command[..*end])).unwrap_or(1);
    let files: Vec<PathBuf> = command.iter().take(count).map(PathBuf::from).collect();
    Ok(device_code(&files, options, true)?.names)
}

/// Compiles and runs a program; ends with its exit code.
///
/// # Errors
/// If it does not compile, or its host code faults.
fn run(files: &[PathBuf], arguments: &[String], options: &SourceOptions) -> Outcome {
    // The interpreted C library writes to Rust's standard output, and kernels as well.
    lanework::print_by(|text| {
        let _ = std::io::stdout().write_all(text.as_bytes());
    });
    let host = host_code(files, options)?;
    let debugged = std::env::var_os("LANEWORK_TOOL").is_some_and(|tool| tool == "save");
    let ptx = device_code(files, options, debugged)?.text;
    let first = files.first().map(|file| file.display().to_string());
    note(&format!("Lanework compiled {}", first.unwrap_or_default()));
    let ptx = CString::new(ptx).map_err(|_| Failure::input("the PTX contains a zero byte", ""))?;
    let loaded = Process::load(&host, DRIVER, Box::new(Loaded::new(ptx)));
    let mut process = loaded.map_err(|why| Failure::input(why, "free memory of this machine"))?;
    if let Some(how) = std::env::var_os(HOST_CODE) {
        process.execute(execution(&how)?);
    }
    let mut all: Vec<String> =
        files.iter().take(1).map(|file| file.display().to_string()).collect();
    all.extend_from_slice(arguments);
    lanework_libcuda::name_runtime_calls();
    lanework_libcuda::describe_host_objects(object_at);
    if std::env::var_os("LANEWORK_TOOL").is_some_and(|tool| tool == "check") {
        // Findings about calls of the driver have the program's lines.
        process.watch(HostWatch {
            at: lanework_libcuda::set_host_calls,
            guards: |address| {
                lanework_libcuda::guards_any() && lanework_libcuda::is_guarded(address)
            },
            any_guard: lanework_libcuda::guards_any,
            functions: Some(FunctionWatch {
                has_ended: lanework_libcuda::host_function_has_ended,
                ended: lanework_libcuda::host_function_ended,
                conflict: lanework_libcuda::host_function_conflict,
            }),
        });
    }
    let ended = process.main(&all);
    // A check has a finding about it.
    if std::env::var_os("LANEWORK_TOOL").is_none_or(|tool| tool != "check")
        && let Some((kernel, status)) = unseen_failure(&mut process)
    {
        let kernel = lanework::ptx::cpp_names::readable(&kernel).into_owned();
        let error = launch_error(status);
        note(&format!(
            "note: a launch of `{kernel}` failed ({error}), and the program did not ask for the error; `lanework check` says where and why"
        ));
    }
    match ended {
        Ok(0) => Ok(()),
        Ok(code) => Err(Failure::Program(code as u8)),
        Err(fault) => {
            let call = runtime_call(&fault.places).map(|call| format!("`{call}`: "));
            note(&format!("error: host code: {}{}", call.unwrap_or_default(), fault.message));
            for (function, file, line) in &fault.places {
                if *line > 0 {
                    let function = lanework::ptx::cpp_names::readable(function);
                    note(&format!("  --> {file}:{line} in `{function}`"));
                }
            }
            if !fault.help.is_empty() {
                note(&format!("  = help: {}", fault.help));
            }
            Err(Failure::Program(134))
        }
    }
}

/// The name that CUDA's runtime gives a status of a launch.
fn launch_error(status: u64) -> String {
    match status {
        1 => "cudaErrorInvalidValue".to_owned(),
        9 => "cudaErrorInvalidConfiguration".to_owned(),
        98 => "cudaErrorInvalidDeviceFunction".to_owned(),
        700 => "cudaErrorIllegalAddress".to_owned(),
        701 => "cudaErrorLaunchOutOfResources".to_owned(),
        720 => "cudaErrorCooperativeLaunchTooLarge".to_owned(),
        other => format!("error {other}"),
    }
}

/// The function of CUDA's runtime in which host code faulted; the built-in headers have no lines.
fn runtime_call(places: &[HostPlace]) -> Option<String> {
    let in_headers = places.iter().take_while(|(_, _, line)| *line == 0);
    let names = in_headers.filter_map(|(function, ..)| Some(CppName::of(function)?.path));
    names.filter(|name| name.starts_with("cuda")).last()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_word_main_makes_a_program() {
        assert!(defines_main("int main\n(int n, char **a) {}") && defines_main("int main() {}"));
        assert!(!defines_main("__device__ int domain(int x);") && !defines_main("int main_size;"));
    }

    #[test]
    fn options_reach_the_process_of_the_program() {
        let options = SourceOptions {
            compiler: None,
            include: vec![PathBuf::from("a b"), PathBuf::from("c")],
            define: vec!["N=1 2".to_owned(), "M".to_owned()],
            ..SourceOptions::default()
        };
        assert_eq!(received(&sent(&options)), options);
        assert_eq!(received(""), SourceOptions::default());
    }
}
