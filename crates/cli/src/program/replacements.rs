//! Software that a program finds in place of NVIDIA's: the libraries of the driver, through environment variables, and
//! `ptxas`.
//!
//! `lanework exec` gives this command under the name `ptxas` to compilers that call NVIDIA's assembler, as Triton does. It
//! accepts ptxas's command line, checks the PTX and returns it unchanged: the emulator's driver loads PTX where a cubin is
//! expected. Options that only concern machine code have no effect.

use lanework::ptx::Module;
use lanework_lab::Gpu;
use lanework_terminal::output::print_data;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

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
    // Not of the default build.
    ("liblanework_cufft.so", &["libcufft.so.12", "libcufft.so.11"]),
    ("liblanework_cusolver.so", &["libcusolver.so.12", "libcusolver.so.11"]),
    ("liblanework_nccl.so", &["libnccl.so.2"]),
];

/// Those that are loaded first under each of their names.
const NAMED: [&str; 4] = [
    "liblanework_cublas.so",
    "liblanework_curand.so",
    "liblanework_cufft.so",
    "liblanework_cusolver.so",
];

/// The folder of the libraries: the one that the variable names, the folder of this command, or `../lib/lanework`.
fn folder() -> Option<PathBuf> {
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

/// Links the libraries in a folder under the names that programs load, and returns the variables that make a program search that folder first; no variables if the libraries are not installed.
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
            std::os::unix::fs::symlink(&library, links.join(name))?;
        }
        // Python packages load these libraries by path, unless libraries with their names are already loaded. Some have several names. The loader compares a name without a folder with the names that libraries request; it is found in the folder of the links.
        if library.ends_with("liblanework_nvjitlink.so") {
            preloaded.push(links.join(names[0]).into_os_string());
        } else if NAMED.iter().any(|own| library.ends_with(own)) {
            preloaded.extend(names.iter().map(|name| OsString::from(*name)));
        }
    }
    let assembler = links.join(ptxas::NAME);
    std::os::unix::fs::symlink(std::env::current_exe()?, &assembler)?;
    let joined = |first: &[OsString], variable: &str| {
        let rest = std::env::var_os(variable).filter(|value| !value.is_empty());
        let all: Vec<OsString> = first.iter().cloned().chain(rest).collect();
        all.join(OsStr::new(":"))
    };
    let mut variables = vec![
        ("LD_LIBRARY_PATH", joined(&[links.as_os_str().to_owned()], "LD_LIBRARY_PATH")),
        // CuPy compiles to PTX and not to machine code.
        ("CUPY_COMPILE_WITH_PTX", "1".into()),
        // Triton's assembler; which of the two it calls depends on the GPU and on its version.
        ("TRITON_PTXAS_PATH", assembler.clone().into()),
        ("TRITON_PTXAS_BLACKWELL_PATH", assembler.into()),
    ];
    if !preloaded.is_empty() {
        variables.push(("LD_PRELOAD", joined(&preloaded, "LD_PRELOAD")));
    }
    variables.extend(gpu.map(|gpu| ("LANEWORK_GPU", gpu.name.clone().into())));
    variables.extend(gpus.map(|count| ("LANEWORK_GPUS", count.to_string().into())));
    Ok(variables)
}

/// The name under which the command is the assembler.
pub const NAME: &str = "ptxas";

/// Output of `--version`. Tools parse the release to choose a PTX version, and use the whole text as a key of their caches.
const VERSION: &str = "ptxas: Lanework's assembler, which leaves PTX as it is\nCuda compilation tools, release 13.0, V13.0.88\n";

/// ptxas's exit code for invalid PTX.
const REFUSED: u8 = 255;

/// Options that take the next word as their value, unless it is joined by `=`.
const WITH_VALUE: [&str; 18] = [
    "-arch",
    "--gpu-name",
    "-O",
    "--opt-level",
    "-maxrregcount",
    "--maxrregcount",
    "-m",
    "--machine",
    "-dlcm",
    "--def-load-cache",
    "-dscm",
    "--def-store-cache",
    "-e",
    "--entry",
    "-regUsageLevel",
    "--register-usage-level",
    "-ias",
    "--input-as-string",
];

/// A command line of ptxas.
#[derive(Debug, PartialEq, Eq)]
enum Invocation {
    Version,
    Assemble { input: PathBuf, output: PathBuf },
}

/// Whether the command was called by the assembler's name.
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
            anstream::eprintln!("{why}");
            ExitCode::from(code)
        }
    }
}

/// The command line's meaning.
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
            option if WITH_VALUE.contains(&option) => {
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
    // Programs pass the file's bytes to the driver, which takes a text's length from its terminating zero byte, and a cubin's from its header.
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
    fn it_is_meant_by_its_name_alone() {
        assert!(is_meant(&words("/tmp/x/ptxas a.ptx")));
        assert!(!is_meant(&words("/usr/bin/lanework ptxas")));
        assert!(!is_meant(&[]));
    }
}
