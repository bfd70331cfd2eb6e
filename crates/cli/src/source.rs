//! Kernels in files: PTX as it is, CUDA C++ through a compiler where there is one.

use crate::failure::Failure;
use lanework::NvrtcError;
use std::path::Path;
use std::process::Command;

/// The PTX of a file; CUDA C++ is compiled to PTX first.
///
/// # Errors
/// When the file cannot be read, there is no compiler, or it does not compile.
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
            "give PTX text; let the compiler emit PTX in place of a cubin",
        )
    })
}

/// The targets that are tried in turn.
const TARGETS: [&str; 2] = ["80", "90a"];

/// Compiles CUDA C++ with NVRTC. Where there is none, or where it refuses (it takes no host code and no
/// system headers), tries nvcc and clang.
fn compile(path: &Path) -> Result<String, Failure> {
    let name = path.display();
    let source = std::fs::read_to_string(path).map_err(|error| {
        Failure::input(format_args!("{name} cannot be read: {error}"), "check the path")
    })?;
    let mut refused: Option<(&str, String)> = None;
    let mut lacks = "there is no NVRTC, nvcc or clang to compile it";
    for target in TARGETS {
        let architecture = format!("--gpu-architecture=compute_{target}");
        let options = [architecture.as_str(), "-lineinfo"];
        let first = refused.is_none();
        match lanework::compile_cuda(&source, &name.to_string(), &options) {
            Ok(ptx) => return Ok(ptx),
            Err(NvrtcError::Compile(why) | NvrtcError::Library(why)) if first => {
                refused = Some(("NVRTC", why));
            }
            Err(_) => {}
        }
        let nvcc = ["-ptx", options[0], options[1], "-o"];
        let of_clang = format!("--cuda-gpu-arch=sm_{target}");
        let clang = ["-x", "cuda", "--cuda-device-only", &of_clang, "-O3", "-S", "-o"];
        let attempts: [(&str, &[&str]); 2] = [("nvcc", &nvcc), ("clang", &clang)];
        for (compiler, options) in attempts {
            match outside(compiler, options, path)? {
                Made::Ptx(ptx) => return Ok(ptx),
                Made::Nothing => {}
                Made::NoToolkit => {
                    lacks =
                        "there is no NVRTC or nvcc to compile it, and clang finds no CUDA toolkit";
                }
                // nvcc compiles the whole file, so its errors replace NVRTC's.
                Made::Refused(why) if first && (compiler == "nvcc" || refused.is_none()) => {
                    refused = Some((compiler, why));
                }
                Made::Refused(_) => {}
            }
        }
        if refused.is_none() {
            break;
        }
    }
    Err(match refused {
        Some((compiler, log)) => Failure::input(
            format_args!("{compiler} did not compile {name}:\n{}", log.trim_end()),
            match compiler {
                "NVRTC" => {
                    "correct the source; NVRTC takes neither host code nor system headers: for \
                     those put nvcc on the PATH, or compile the file to PTX yourself and give that"
                }
                _ => "correct the source, or compile it to PTX yourself and give that",
            },
        ),
        None => Failure::input(
            format_args!("{name} is CUDA C++, and {lacks}"),
            "get one (pip install nvidia-cuda-nvrtc, and LANEWORK_NVRTC=its/lib/libnvrtc.so.13), or \
             compile it to PTX elsewhere and give that",
        ),
    })
}

/// The outcome of a compiler.
enum Made {
    Ptx(String),
    /// The compiler is not installed.
    Nothing,
    /// The compiler finds no CUDA toolkit; this says nothing about the source.
    NoToolkit,
    Refused(String),
}

/// Runs a compiler as a process.
fn outside(compiler: &str, options: &[&str], path: &Path) -> Result<Made, Failure> {
    let folder = tempfile::tempdir()?;
    let output = folder.path().join("kernel.ptx");
    let run = Command::new(compiler).args(options).arg(&output).arg(path).output();
    let Ok(run) = run else { return Ok(Made::Nothing) };
    let log = String::from_utf8_lossy(&run.stderr);
    if log.contains("cannot find CUDA installation") {
        return Ok(Made::NoToolkit);
    }
    if !run.status.success() {
        return Ok(Made::Refused(log.into_owned()));
    }
    Ok(Made::Ptx(std::fs::read_to_string(&output)?))
}
