//! Reads text files that users name.

use crate::failure::Failure;
use std::fs;
use std::path::Path;

/// The text of a file; `help` says what the file should hold.
///
/// # Errors
/// When it cannot be read, or is not text.
pub fn read_text(path: &Path, help: &str) -> Result<String, Failure> {
    let name = path.display();
    let bytes = fs::read(path).map_err(|error| {
        Failure::input(format_args!("{name} cannot be read: {error}"), "check the path")
    })?;
    if bytes.starts_with(b"\x7fELF") {
        return Err(Failure::input(
            format_args!("{name} is compiled code, not text"),
            "a program runs after `--`, such as `lanework inspect -- ./program`; of a cubin, give the PTX that it was compiled from",
        ));
    }
    String::from_utf8(bytes).map_err(|_| Failure::input(format_args!("{name} is not text"), help))
}
