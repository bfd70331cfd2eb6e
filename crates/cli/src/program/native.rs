//! A program's sources compiled by an installed compiler, on request. The executable then runs like any other program.

use crate::args::{CudaCompiler, SourceOptions};
use lanework_terminal::failure::Failure;
use lanework_terminal::output::note;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiles the files into `folder` if the options name another compiler than Lanework's own; returns the executable.
///
/// # Errors
/// If the compiler is missing, or refuses the sources.
pub fn build(
    files: &[OsString],
    options: &SourceOptions,
    folder: &Path,
) -> Result<Option<PathBuf>, Failure> {
    let (compiler, words): (&str, &[&str]) = match options.compiler {
        None | Some(CudaCompiler::Own) => return Ok(None),
        Some(CudaCompiler::Nvcc) => ("nvcc", &["-arch=sm_90", "-lineinfo", "-rdc=true"]),
        Some(CudaCompiler::Clang) => {
            ("clang++", &["-x", "cuda", "--cuda-gpu-arch=sm_90", "-O2", "-lcudart"])
        }
        Some(CudaCompiler::Nvrtc) => {
            return Err(Failure::input(
                "NVRTC compiles device code only, so it cannot compile a program",
                "use --compiler own, nvcc or clang",
            ));
        }
    };
    let executable = folder.join("program");
    let mut command = Command::new(compiler);
    command.args(words).args(options.words()).args(files).arg("-o").arg(&executable);
    let done = command.output().map_err(|error| {
        let help = "put it on the PATH, or use --compiler own";
        Failure::input(format_args!("{compiler} cannot be started: {error}"), help)
    })?;
    let name = files.first().map(|file| file.to_string_lossy()).unwrap_or_default();
    if !done.status.success() {
        let log = String::from_utf8_lossy(&done.stderr);
        return Err(Failure::input(
            format_args!("{compiler} did not compile {name}:\n{}", log.trim_end()),
            "correct the source, or use --compiler own",
        ));
    }
    note(&format!("{compiler} compiled {name}"));
    Ok(Some(executable))
}
