//! The command under the name `ptxas`, which `lanework exec` gives to compilers that call NVIDIA's assembler, as Triton
//! does: it checks the PTX and returns it unchanged; the emulator's driver loads PTX where a cubin is expected.
//!
//! It accepts ptxas's command line. Options that only concern machine code have no effect.

use lanework::ptx::Module;
use lanework_terminal::output::{note_data, print_data};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The name under which the command is the assembler.
pub const NAME: &str = "ptxas";

/// Output of `--version`. Tools parse the release to choose a PTX version, and use the whole text as a key of their
/// caches.
const VERSION: &str = "ptxas: Lanework's assembler, which leaves PTX as it is\nCuda compilation tools, release 13.0, V13.0.88\n";

/// ptxas's exit code for invalid PTX.
const REFUSED: u8 = 255;

/// Options that take the next word as their value, unless it is joined by `=`.
const WITH_VALUE: &str = "\
    -arch --gpu-name -O --opt-level -maxrregcount --maxrregcount -m --machine -dlcm \
    --def-load-cache -dscm --def-store-cache -e --entry -regUsageLevel --register-usage-level -ias \
    --input-as-string";

/// A command line of ptxas.
#[derive(Debug, PartialEq, Eq)]
enum Invocation {
    Version,
    Assemble { input: PathBuf, output: PathBuf },
}

/// Whether the command was called as `ptxas`.
pub fn is_meant(line: &[OsString]) -> bool {
    line.first().is_some_and(|name| Path::new(name).file_name() == Some(NAME.as_ref()))
}

/// Runs a command line, and reports errors on standard error, as ptxas does.
pub fn run(line: &[OsString]) -> ExitCode {
    let meant = read(line.get(1..).unwrap_or_default()).map_err(|why| (2, why));
    let done = meant.and_then(|line| match line {
        Invocation::Version => {
            print_data(VERSION).map_err(|_| (1, "ptxas: the output is closed".to_owned()))
        }
        Invocation::Assemble { input, output } => assemble(&input, &output),
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err((code, why)) => {
            // Compilers show this message as their own, so it is not translated.
            note_data(&why.to_string());
            ExitCode::from(code)
        }
    }
}

/// Parses the command line.
///
/// # Errors
/// A message, if there is no input or more than one.
fn read(words: &[OsString]) -> Result<Invocation, String> {
    let (mut inputs, mut output) = (Vec::new(), PathBuf::from("elf.o"));
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let text = word.to_string_lossy();
        match text.as_ref() {
            "--version" | "-V" => return Ok(Invocation::Version),
            "-o" | "--output-file" => {
                output = words
                    .next()
                    .map(PathBuf::from)
                    .ok_or("ptxas: -o needs a file\n  = help: name the file after it")?;
            }
            option if WITH_VALUE.split(' ').any(|known| known == option) => {
                words.next();
            }
            option if option.starts_with('-') => {}
            _ => inputs.push(PathBuf::from(word)),
        }
    }
    match inputs.as_slice() {
        [input] => Ok(Invocation::Assemble { input: input.clone(), output }),
        _ => Err(format!("ptxas: {} input files\n  = help: give one file of PTX", inputs.len())),
    }
}

/// Checks the PTX of a file and writes it to another.
///
/// # Errors
/// An exit code and a message, if a file cannot be read or written, or the PTX is invalid.
fn assemble(input: &Path, output: &Path) -> Result<(), (u8, String)> {
    let of_file = |path: &Path, error: std::io::Error| {
        (1, format!("ptxas: {}: {error}\n  = help: check the path", path.display()))
    };
    let text = std::fs::read_to_string(input).map_err(|error| of_file(input, error))?;
    Module::parse(&text)
        .and_then(|module| module.validate())
        .map_err(|problems| (REFUSED, format!("ptxas: in {}: {problems}", input.display())))?;
    // Programs pass the file's bytes to the driver, which takes a text's length from its terminating zero byte, and a
    // cubin's from its header.
    std::fs::write(output, text + "\0").map_err(|error| of_file(output, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn the_command_line_is_ptxas() {
        let tritons = "-lineinfo --fmad=false -v --opt-level 0 --regAllocOptLevel=2 --gpu-name=sm_90a /tmp/k.ptx -o /tmp/k.ptx.o";
        let wanted =
            Invocation::Assemble { input: "/tmp/k.ptx".into(), output: "/tmp/k.ptx.o".into() };
        assert_eq!(read(&words(tritons)), Ok(wanted));
        assert_eq!(read(&words("--version")), Ok(Invocation::Version));
        for (wrong, why) in [
            ("-arch sm_90", "0 input files"),
            ("a.ptx b.ptx", "2 input files"),
            ("a.ptx -o", "-o needs a file"),
        ] {
            let said = read(&words(wrong)).expect_err(wrong);
            assert!(said.contains(why), "{said}");
        }
    }

    #[test]
    fn only_the_program_name_selects_ptxas() {
        assert!(is_meant(&words("/tmp/x/ptxas a.ptx")));
        assert!(!is_meant(&words("/usr/bin/lanework ptxas")));
        assert!(!is_meant(&[]));
    }
}
