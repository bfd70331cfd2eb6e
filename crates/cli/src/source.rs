//! Kernels in files: PTX as it is, CUDA C++ through a compiler where there is one.

use crate::failure::Failure;
use lanework::NvrtcError;
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

/// Options of NVRTC and of nvcc alike.
const OPTIONS: [&str; 2] = ["--gpu-architecture=compute_80", "-lineinfo"];

/// Compiles CUDA C++ with NVRTC, with nvcc where there is no NVRTC, or with clang.
fn compile(path: &Path) -> Result<String, Failure> {
    let name = path.display();
    let source = std::fs::read_to_string(path).map_err(|error| {
        Failure::input(format_args!("{name} cannot be read: {error}"), "check the path")
    })?;
    let refused = |compiler: &str, log: &str| {
        Failure::input(
            format_args!("{compiler} did not compile {name}:\n{}", log.trim_end()),
            "correct the source, or compile it to PTX yourself and give that",
        )
    };
    match lanework::compile_cuda(&source, &name.to_string(), &OPTIONS) {
        Ok(ptx) => return Ok(ptx),
        Err(NvrtcError::Compile(log)) => return Err(refused("NVRTC", &log)),
        Err(NvrtcError::Library(why)) => return Err(refused("NVRTC", &why)),
        Err(NvrtcError::Missing(_)) => {}
    }
    let folder = tempfile::tempdir()?;
    let output = folder.path().join("kernel.ptx");
    let attempts: [(&str, &[&str]); 2] = [
        ("nvcc", &["-ptx", OPTIONS[0], OPTIONS[1], "-o"]),
        (
            "clang",
            &["-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_80", "-O3", "-S", "-o"],
        ),
    ];
    let mut lacks = "there is no NVRTC, nvcc or clang to compile it";
    for (compiler, options) in attempts {
        let run = Command::new(compiler).args(options).arg(&output).arg(path).output();
        let Ok(run) = run else { continue };
        let log = String::from_utf8_lossy(&run.stderr);
        if log.contains("cannot find CUDA installation") {
            // Nothing was said of the source yet.
            lacks = "there is no NVRTC or nvcc to compile it, and clang finds no CUDA toolkit";
            continue;
        }
        if !run.status.success() {
            return Err(refused(compiler, &log));
        }
        return Ok(std::fs::read_to_string(&output)?);
    }
    Err(Failure::input(
        format_args!("{name} is CUDA C++, and {lacks}"),
        "get one (pip install nvidia-cuda-nvrtc, and LANEWORK_NVRTC=its/lib/libnvrtc.so.13), or \
         compile it to PTX elsewhere and give that",
    ))
}
