//! The place in a program that called the driver, from the stack.

use lanework::emulator::SourceLocation;
use lanework::emulator::sanitize::readable_name;
use std::backtrace::Backtrace;

/// The place in a program that called the driver.
#[derive(Debug, Default)]
pub struct Caller {
    /// The call of NVIDIA's runtime that called the driver.
    pub runtime: Option<String>,
    /// The program's function.
    pub function: String,
    /// Its line, if the program has line information.
    pub location: Option<SourceLocation>,
    /// The lines of its callers.
    pub callers: Vec<SourceLocation>,
}

/// Maximum number of callers shown.
const MOST_CALLERS: usize = 8;

impl Caller {
    /// Finds the caller of an exported function on the stack.
    pub fn find(name: &str) -> Caller {
        Caller::of_text(&Backtrace::force_capture().to_string(), name)
    }

    /// Finds the caller of the driver's function on a stack.
    pub fn of_call(text: &str) -> Caller {
        let is_call = |name: &&str| {
            let rest = name.strip_prefix("cu").unwrap_or("");
            rest.starts_with(|c: char| c.is_ascii_uppercase()) && !name.contains("::")
        };
        let lines = text.lines().filter_map(|line| line.trim().split_once(": "));
        let name = lines.map(|(_, name)| name).find(is_call).unwrap_or("");
        Caller::of_text(text, name)
    }

    /// Parses a stack trace in Rust's format: numbered functions, each followed by its line if known. `name` is the
    /// end of the name of the function that the caller called.
    pub fn of_text(text: &str, name: &str) -> Caller {
        let mut frames: Vec<(&str, Option<SourceLocation>)> = Vec::new();
        for line in text.lines().map(str::trim) {
            if let Some(place) = line.strip_prefix("at ") {
                if let Some((_, location)) = frames.last_mut() {
                    *location = place_of(place);
                }
            } else if let Some((number, function)) = line.split_once(": ")
                && number.parse::<u32>().is_ok()
            {
                frames.push((function, None));
            }
        }
        let is_called = |function: &str| {
            function.strip_suffix(name).is_some_and(|path| path.is_empty() || path.ends_with("::"))
        };
        let below =
            frames.iter().rposition(|(function, _)| is_called(function)).map_or(0, |at| at + 1);
        let mut frames = frames.split_off(below.min(frames.len()));
        // NVIDIA's runtime, whose inner functions have no names.
        let is_runtime = |function: &str| {
            function.strip_prefix("__").unwrap_or(function).starts_with("cuda")
                && !function.contains("::")
        };
        let runtime = frames.iter().take(12).rposition(|(function, _)| is_runtime(function));
        let mut caller = Caller::default();
        if let Some(at) = runtime {
            caller.runtime =
                Some(frames[at].0.split(['(', '@', '<']).next().unwrap_or("").to_owned());
            frames.drain(..=at);
            // Functions that nvcc generates, and CUDA's inline functions, between the program and the runtime.
            let is_stub = |(function, _): &(&str, Option<SourceLocation>)| {
                let mangled = function.strip_prefix("_Z").unwrap_or(function);
                let inner = |c: char| matches!(c, 'L' | '_') || c.is_ascii_digit();
                let name = mangled.trim_start_matches(inner);
                name.starts_with("cuda") || function.contains("__device_stub__")
            };
            frames.drain(..frames.iter().take_while(|frame| is_stub(frame)).count());
        }
        let last = frames.iter().position(|(function, _)| *function == "main");
        frames.truncate(last.map_or(frames.len(), |last| last + 1));
        // The host code of a program from source is interpreted, so that the stack is the interpreter's.
        let interprets = |function: &str| {
            function.starts_with("lanework::program::") || function.starts_with("lanework_host::")
        };
        if frames.iter().any(|(function, _)| interprets(function)) {
            return caller;
        }
        let own = frames.iter().position(|(function, location)| {
            // The C library calls `main`.
            !function.starts_with("__libc_start")
                && (*function != "<unknown>" && !function.starts_with("__") || location.is_some())
        });
        let Some(own) = own else { return caller };
        caller.function = readable_name(frames[own].0).into_owned();
        let mut lines = frames.split_off(own).into_iter().filter_map(|(_, location)| location);
        caller.location = lines.next();
        caller.callers = lines.take(MOST_CALLERS).collect();
        caller
    }
}

/// Reads `file:line:column`.
fn place_of(text: &str) -> Option<SourceLocation> {
    let mut parts = text.rsplitn(3, ':');
    let (column, line, file) = (parts.next()?, parts.next()?, parts.next()?);
    Some(SourceLocation {
        file: file.to_owned(),
        line: line.parse().ok()?,
        column: column.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caller_is_the_function_of_the_program_above_nvidias_runtime() {
        let text = "   0: std::backtrace::Backtrace::create\n   1: lanework_libcuda::api::call\n   2: cuMemFree_v2\n             at /x/api.rs:20:9\n   \
                    3: <unknown>\n   4: <unknown>\n   5: cudaFree\n   6: release\n             at ./a b.cu:7:3\n   7: main\n             at ./a b.cu:12:5\n   \
                    8: __libc_start_main\n   9: _start\n";
        let caller = Caller::of_text(text, "cuMemFree_v2");
        assert_eq!(caller.runtime.as_deref(), Some("cudaFree"));
        assert_eq!(caller.function, "release");
        let at = |line, column| SourceLocation { file: "./a b.cu".to_owned(), line, column };
        assert_eq!((caller.location, caller.callers), (Some(at(7, 3)), vec![at(12, 5)]));
        assert_eq!(Caller::of_text("", "cuInit").function, "");
        let interpreted = "   0: cuMemFree_v2\n   1: __libc_start_call_main\n             at ./csu/start.h:58:16\n";
        assert_eq!(Caller::of_text(interpreted, "cuMemFree_v2").function, "");
    }
}
