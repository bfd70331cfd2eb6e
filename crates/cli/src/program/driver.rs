//! The libraries that CUDA programs load in place of NVIDIA's: their location, and the environment variables that make
//! a program find them.

use crate::program::ptxas;
use lanework_lab::Gpu;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The environment variable that names the folder of the libraries.
const VARIABLE: &str = "LANEWORK_DRIVER";

/// The libraries as cargo names them, and the names that programs load.
const LIBRARIES: [(&str, &[&str]); 7] = [
    ("liblanework_libcuda.so", &["libcuda.so.1", "libcuda.so", "libnvidia-ml.so.1"]),
    ("liblanework_nvjitlink.so", &["libnvJitLink.so.13", "libnvJitLink.so.12"]),
    (
        "liblanework_cublas.so",
        &["libcublas.so.13", "libcublasLt.so.13", "libcublas.so.12", "libcublasLt.so.12"],
    ),
    ("liblanework_curand.so", &["libcurand.so.10"]),
    // Not part of the default build.
    ("liblanework_cufft.so", &["libcufft.so.12", "libcufft.so.11"]),
    ("liblanework_cusolver.so", &["libcusolver.so.12", "libcusolver.so.11"]),
    ("liblanework_nccl.so", &["libnccl.so.2"]),
];

/// Libraries that are preloaded under each of their names.
const NAMED: [&str; 4] = [
    "liblanework_cublas.so",
    "liblanework_curand.so",
    "liblanework_cufft.so",
    "liblanework_cusolver.so",
];

/// The folder of the libraries: the value of the variable, the folder of this command, or `../lib/lanework`.
pub fn folder() -> Option<PathBuf> {
    let named = std::env::var_os(VARIABLE).filter(|name| !name.is_empty()).map(PathBuf::from);
    let own = std::env::current_exe()
        .ok()
        .and_then(|path| Some(path.canonicalize().ok()?.parent()?.to_owned()));
    let installed = own.as_ref().map(|own| own.join("../lib/lanework"));
    let holds = |folder: &PathBuf| folder.join(LIBRARIES[0].0).exists();
    [named, own, installed].into_iter().flatten().find(holds)
}

/// Whether the libraries exist; `cargo install` installs only the command.
pub fn is_there() -> bool {
    folder().is_some()
}

/// The number of libraries in their folder.
pub fn installed(folder: &Path) -> usize {
    LIBRARIES.iter().filter(|(library, _)| folder.join(library).exists()).count()
}

/// Gives a file a second name; where there are no symbolic links, by a copy.
fn link(file: impl AsRef<Path>, name: impl AsRef<Path>) -> std::io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::symlink(file, name);
    #[cfg(not(unix))]
    return std::fs::copy(file, name).map(drop);
}

/// Links the libraries in a folder under the names that programs load, and returns the variables that make a program
/// search that folder first; no variables if the libraries are not installed.
///
/// # Errors
/// If a link cannot be made.
pub fn environment(
    links: &Path,
    gpus: Option<u32>,
    gpu: Option<&Gpu>,
) -> std::io::Result<Vec<(&'static str, OsString)>> {
    let Some(folder) = folder() else { return Ok(Vec::new()) };
    let mut preloaded = Vec::new();
    for (library, names) in LIBRARIES {
        let Ok(library) = folder.join(library).canonicalize() else { continue };
        for name in names {
            link(&library, links.join(name))?;
        }
        // Python packages load these libraries by path, unless libraries with their names are already loaded. Some have
        // several names. The loader compares a name without a folder with the names that libraries request; it is found
        // in the folder of the links.
        if library.ends_with("liblanework_nvjitlink.so") {
            preloaded.push(links.join(names[0]).into_os_string());
        } else if NAMED.iter().any(|own| library.ends_with(own)) {
            preloaded.extend(names.iter().map(|name| OsString::from(*name)));
        }
    }
    let assembler = links.join(ptxas::NAME);
    link(std::env::current_exe()?, &assembler)?;
    let joined = |first: &[OsString], variable: &str| {
        let rest = std::env::var_os(variable).filter(|value| !value.is_empty());
        let all: Vec<OsString> = first.iter().cloned().chain(rest).collect();
        all.join(OsStr::new(":"))
    };
    let mut variables = vec![
        ("LD_LIBRARY_PATH", joined(&[links.as_os_str().to_owned()], "LD_LIBRARY_PATH")),
        // CuPy compiles to PTX and not to machine code.
        ("CUPY_COMPILE_WITH_PTX", "1".into()),
        // Triton's assembler. Triton calls one of the two, depending on the GPU and its own version.
        ("TRITON_PTXAS_PATH", assembler.clone().into()),
        ("TRITON_PTXAS_BLACKWELL_PATH", assembler.into()),
    ];
    variables.extend(line_information());
    if !preloaded.is_empty() {
        variables.push(("LD_PRELOAD", joined(&preloaded, "LD_PRELOAD")));
    }
    // NVTX, which is part of the program, finds a tool by this variable.
    let nvtx = "NVTX_INJECTION64_PATH";
    if std::env::var_os(nvtx).is_none() {
        variables.push((nvtx, links.join("libcuda.so.1").into_os_string()));
    }
    variables.extend(gpu.map(|gpu| ("LANEWORK_GPU", gpu.name.clone().into())));
    variables.extend(gpus.map(|count| ("LANEWORK_GPUS", count.to_string().into())));
    Ok(variables)
}

/// Variables that make compilers which run within the program ask for line information: then their machine code has its PTX
/// inside.
fn line_information() -> Vec<(&'static str, OsString)> {
    const NVCC: &str = "NVCC_APPEND_FLAGS";
    const CUTE: &str = "CUTE_DSL_LINEINFO";
    let mut flags = std::env::var_os(NVCC).unwrap_or_default();
    if !flags.is_empty() {
        flags.push(" ");
    }
    flags.push("-lineinfo");
    let mut variables = vec![(NVCC, flags)];
    if std::env::var_os(CUTE).is_none() {
        variables.push((CUTE, "1".into()));
    }
    variables
}
