//! Kernels in files: PTX as it is, CUDA C++ through a compiler where there is one.

use crate::failure::Failure;
use std::path::Path;
use std::process::Command;

/// The PTX in a file, or that a compiler makes of it.
///
/// # Errors
/// When the file cannot be read, or there is no compiler for it, or it does not compile.
pub fn ptx_of(path: &Path) -> Result<String, Failure> {
    let name = path.display();
    if path.extension().is_some_and(|kind| kind == "cu") {
        return compile(path);
    }
    let bytes = std::fs::read(path).map_err(|error| {
        Failure::input(format_args!("{name} cannot be read: {error}"), "check the path")
    })?;
    String::from_utf8(bytes).map_err(|_| {
        Failure::input(
            format_args!("{name} is not text"),
            "give PTX text; a cubin can be had as PTX from the compiler that made it",
        )
    })
}

/// Compiles CUDA C++ with nvcc, or with clang where there is no nvcc.
fn compile(path: &Path) -> Result<String, Failure> {
    let name = path.display();
    if !path.is_file() {
        return Err(Failure::input(format_args!("{name} is not a file"), "check the path"));
    }
    let folder = tempfile::tempdir()?;
    let output = folder.path().join("kernel.ptx");
    let attempts: [(&str, &[&str]); 2] = [
        ("nvcc", &["-ptx", "-lineinfo", "-arch=sm_80", "-o"]),
        (
            "clang",
            &["-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_80", "-O3", "-S", "-o"],
        ),
    ];
    for (compiler, options) in attempts {
        let run = Command::new(compiler).args(options).arg(&output).arg(path).output();
        let Ok(run) = run else { continue };
        if !run.status.success() {
            let said = String::from_utf8_lossy(&run.stderr);
            let help = "correct the source, or compile it to PTX yourself";
            return Err(Failure::input(
                format_args!("{compiler} did not compile {name}:\n{}", said.trim_end()),
                help,
            ));
        }
        return Ok(std::fs::read_to_string(&output)?);
    }
    Err(Failure::input(
        format_args!("{name} is CUDA C++, and neither nvcc nor clang is on the path"),
        "install one (pip install nvidia-cuda-nvcc), or compile it to PTX elsewhere and give that",
    ))
}
