//! Kernels in files: PTX text, and CUDA C++ if a compiler is found.

use super::cached;
use crate::args::{CudaCompiler, SourceOptions};
use lanework::ptx::{Diagnostics, Module};
use lanework::{Device, NvrtcError, PtxModule};
use lanework_cuda_cpp::{CompileFailure, CompileOptions, CompiledPtx, DebugNames, Loader};
use lanework_terminal::failure::Failure;
use lanework_terminal::output::{note, note_data, read_text};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The PTX of kernels in files.
pub struct Ptx {
    /// Its text.
    pub text: String,
    /// The file with this text; `None` for compiled or linked text.
    file: Option<String>,
}

impl Ptx {
    /// Loads it on a device. Errors in the text, and later faults of its kernels, name the file.
    ///
    /// # Errors
    /// If the device refuses the module.
    pub fn load(&self, device: &Device) -> lanework::Result<PtxModule> {
        match &self.file {
            Some(file) => device.load_ptx_of(file, &self.text),
            None => device.load_ptx(&self.text),
        }
    }

    /// Problems of the text, with the name of the file.
    pub fn named(&self, problems: Diagnostics) -> Diagnostics {
        match &self.file {
            Some(file) => problems.in_file(file),
            None => problems,
        }
    }
}

/// The PTX of one file, or of several, linked. In a linked text, every instruction names its file.
///
/// # Errors
/// As [`ptx_of`]; also if the text is not PTX or the files cannot be linked.
pub fn linked_ptx(paths: &[PathBuf], options: &SourceOptions) -> Result<Ptx, Failure> {
    if let [path] = paths {
        return read(path, false, options);
    }
    let mut modules = Vec::new();
    for path in paths {
        let name = path.display().to_string();
        let ptx = read(path, true, options)?;
        let module = checked_module(&ptx.text);
        let module = module.map_err(|e| Failure::Input(e.in_file(&name).to_string()))?;
        modules.push((name, module));
    }
    let linked = Module::link(modules).map_err(|e| Failure::input(e.message, e.help))?;
    Ok(Ptx { text: linked.to_string(), file: None })
}

/// A module whose instructions are checked.
fn checked_module(text: &str) -> Result<Module, Diagnostics> {
    let module = Module::parse(text)?;
    // A file with only variables is part of a larger module.
    module.functions().next().map_or(Ok(()), |_| module.validate())?;
    Ok(module)
}

/// The PTX of a file; CUDA C++ is compiled to PTX first.
///
/// # Errors
/// If the file cannot be read, there is no compiler, or it does not compile.
pub fn ptx_of(path: &Path, options: &SourceOptions) -> Result<Ptx, Failure> {
    read(path, false, options)
}

/// The PTX of a file, as part of a whole if it is to be linked.
fn read(path: &Path, part: bool, options: &SourceOptions) -> Result<Ptx, Failure> {
    let name = path.display();
    if path.extension().is_some_and(|kind| kind == "cu") {
        return Ok(Ptx { text: compiled(path, part, options)?, file: None });
    }
    let text = read_text(path, "give PTX text; let the compiler emit PTX in place of a cubin")?;
    Ok(Ptx { text, file: Some(name.to_string()) })
}

/// The text of a source. Comments may have another encoding than UTF-8.
fn read_source(path: &Path) -> Result<String, Failure> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(_) => read_text(path, "give CUDA C++ source in UTF-8"),
    }
}

/// The source of a program of one file or several, which are compiled as one: its text, with the first file's name.
#[cfg(all(unix, feature = "host"))]
fn whole_source(paths: &[PathBuf]) -> Result<(String, &Path), Failure> {
    match paths {
        [] => Err(Failure::input("no program was given", "give it after `--`")),
        [path] => Ok((read_source(path)?, path.as_path())),
        [first, ..] => {
            let mut files = Vec::new();
            for path in paths {
                let text = read_source(path)?;
                files.push((std::path::absolute(path)?.display().to_string(), text));
            }
            let load = |path: &Path| read_source(path).ok();
            Ok((super::units::joined(&files, &load), first.as_path()))
        }
    }
}

/// The host code of a program.
///
/// # Errors
/// If a file cannot be read, or does not compile.
#[cfg(all(unix, feature = "host"))]
pub fn host_code(
    paths: &[PathBuf],
    options: &SourceOptions,
) -> Result<lanework_ssa::SsaModule, Failure> {
    let (source, path) = whole_source(paths)?;
    let name = path.display().to_string();
    let to_compile =
        CompileOptions { defines: options.define.clone(), ..CompileOptions::default() };
    let mut files = FilesBeside::new(path, options);
    let compiled = lanework_cuda_cpp::compile_host(&source, &name, &to_compile, &mut files);
    compiled.map(|host| host.module).map_err(|failure| {
        Failure::input(
            format_args!("Lanework did not compile {name}:\n{}", failure.text.trim_end()),
            "correct the source; or compile it with nvcc -arch=sm_90 and run the program: lanework exec -- ./program",
        )
    })
}

/// The PTX of a program's device code, by Lanework's compiler; for the debugger, without optimization and with the names
/// of its variables.
///
/// # Errors
/// If a file cannot be read, or does not compile.
#[cfg(all(unix, feature = "host"))]
pub fn device_code(
    paths: &[PathBuf],
    options: &SourceOptions,
    debug: bool,
) -> Result<CompiledPtx, Failure> {
    let (source, path) = whole_source(paths)?;
    let compiled = own_mode(&source, path, (false, debug), options);
    compiled.map_err(|failure| own_failure(path, &failure))
}

/// The targets that are tried in turn.
const TARGETS: [&str; 2] = ["80", "90a"];

/// Compiles CUDA C++, or takes the PTX of an earlier compilation of the same content with the same options.
fn compiled(path: &Path, part: bool, options: &SourceOptions) -> Result<String, Failure> {
    let source = read_source(path)?;
    let key = cached::key(path, &source, part, options);
    if let Some((compiler, ptx)) = key.as_deref().and_then(cached::recall) {
        note(&format!("{compiler} compiled {}; the PTX is from the cache", path.display()));
        return Ok(ptx);
    }
    let (compiler, ptx) = compile(path, &source, part, options)?;
    if let Some(key) = key {
        cached::record(&key, compiler, &ptx);
    }
    note(&format!("{compiler} compiled {}", path.display()));
    Ok(ptx)
}

/// A compiler's name, and the PTX that it made.
type Compiled = (&'static str, String);

/// Compiles CUDA C++ with the compiler asked for. Without a choice, with NVRTC; if NVRTC is missing or refuses (it
/// takes no host code and no system headers), tries nvcc and clang, then Lanework's own compiler.
fn compile(
    path: &Path,
    source: &str,
    part: bool,
    asked: &SourceOptions,
) -> Result<Compiled, Failure> {
    let (name, choice, words) = (path.display(), asked.compiler, asked.words());
    if choice == Some(CudaCompiler::Own) {
        return own(source, path, part, asked).map_err(|failure| own_failure(path, &failure));
    }
    let tried = |compiler| choice.is_none_or(|choice| choice == compiler);
    let mut refused: Option<(&str, String)> = None;
    // The source's folder is an include folder, for `#include "common.cuh"`.
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let beside = format!("-I{}", folder.unwrap_or(Path::new(".")).display());
    let mut lacks = match choice {
        Some(CudaCompiler::Nvrtc) => "there is no NVRTC to compile it",
        Some(CudaCompiler::Nvcc) => "there is no nvcc to compile it",
        Some(CudaCompiler::Clang) => "there is no clang to compile it",
        _ => "there is no NVRTC, nvcc or clang to compile it",
    };
    'targets: for target in TARGETS {
        let last = target == TARGETS[1];
        let architecture = format!("--gpu-architecture=compute_{target}");
        // A file that is linked with others may use symbols that it does not define.
        let whole = if part { "-rdc=true" } else { "-rdc=false" };
        let lines = if asked.debug { "-G" } else { "-lineinfo" };
        let mut options = vec![architecture.as_str(), lines, whole, beside.as_str()];
        options.extend(words.iter().map(String::as_str));
        let first = refused.is_none();
        if tried(CudaCompiler::Nvrtc) {
            match lanework::compile_cuda(source, &name.to_string(), &options) {
                Ok(ptx) if !last && needs_newer_target(&ptx) => continue 'targets,
                Ok(ptx) => return Ok(("NVRTC", ptx)),
                Err(NvrtcError::Compile(why) | NvrtcError::Library(why)) if first => {
                    refused = Some(("NVRTC", why));
                }
                Err(NvrtcError::Missing(why)) if std::env::var_os("LANEWORK_NVRTC").is_some() => {
                    return Err(Failure::input(
                        why,
                        "correct LANEWORK_NVRTC, such as FOLDER/lib/libnvrtc.so.13, or unset it",
                    ));
                }
                Err(_) => {}
            }
        }
        let words = || words.iter().map(String::as_str);
        let mut nvcc = vec!["-ptx", options[0], options[1], whole];
        nvcc.extend(words().chain(["-o"]));
        let of_clang = format!("--cuda-gpu-arch=sm_{target}");
        let rdc = if part { "-fgpu-rdc" } else { "-fno-gpu-rdc" };
        let level: &[&str] = if asked.debug { &["-O0", "-g"] } else { &["-O3"] };
        let mut clang = vec!["-x", "cuda", "--cuda-device-only", &of_clang, rdc, "-S"];
        clang.extend(level);
        clang.extend(words().chain(["-o"]));
        let attempts: [(&str, &[&str]); 2] = [("nvcc", &nvcc), ("clang", &clang)];
        for (compiler, options) in attempts {
            let kind = if compiler == "nvcc" { CudaCompiler::Nvcc } else { CudaCompiler::Clang };
            if !tried(kind) {
                continue;
            }
            match outside(compiler, options, path)? {
                Made::Ptx(ptx) if !last && needs_newer_target(&ptx) => continue 'targets,
                Made::Ptx(ptx) => return Ok((compiler, ptx)),
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
    if refused.is_none() && choice.is_none() {
        match own(source, path, part, asked) {
            Ok(compiled) => return Ok(compiled),
            Err(failure) if !failure.unsupported => return Err(own_failure(path, &failure)),
            // Another compiler may accept the source.
            Err(failure) => {
                return Err(Failure::input(
                    format_args!(
                        "Lanework's compiler does not support all of {name}:\n{}",
                        failure.text.trim_end()
                    ),
                    "install NVRTC (pip install nvidia-cuda-nvrtc), nvcc or clang; or avoid these constructs",
                ));
            }
        }
    }
    // NVRTC takes neither host code nor the system's headers; Lanework's compiler may.
    if let (Some(("NVRTC", log)), None) = (&refused, choice)
        && let Ok(compiled) = own(source, path, part, asked)
    {
        note(&format!(
            "note: NVRTC did not compile {name} ({}), Lanework's compiler did; --compiler nvrtc or own chooses one",
            first_error(log)
        ));
        return Ok(compiled);
    }
    Err(match refused {
        Some((compiler, log)) => Failure::input(
            format_args!("{compiler} did not compile {name}:\n{}", log.trim_end()),
            match compiler {
                "NVRTC" if log.contains("could not open source file") => {
                    "CUDA's headers come with pip install nvidia-cuda-runtime nvidia-cuda-crt \
                     nvidia-cuda-cccl, next to NVRTC; LANEWORK_CUDA_INCLUDE names their folder elsewhere. NVRTC has no \
                     system headers: for those put nvcc on the PATH"
                }
                "NVRTC" => {
                    "correct the source; NVRTC takes neither host code nor system headers: for \
                     those put nvcc on the PATH, or compile the file to PTX yourself and give that"
                }
                _ => "correct the source, or compile it to PTX yourself and give that",
            },
        ),
        None => Failure::input(
            format_args!("{name} is CUDA C++, and {lacks}"),
            "use Lanework's compiler (--compiler own); or get one (pip install nvidia-cuda-nvrtc, and \
             LANEWORK_NVRTC=its/lib/libnvrtc.so.13), or compile it to PTX elsewhere and give that",
        ),
    })
}

/// The first error of a compiler's log, in one line.
fn first_error(log: &str) -> &str {
    let errors = log.lines().filter_map(|line| line.split_once("error: ").map(|(_, text)| text));
    errors.chain(log.lines()).next().unwrap_or_default().trim()
}

/// Whether inline PTX has instructions that the target lacks: compilers do not look into it.
fn needs_newer_target(ptx: &str) -> bool {
    ptx.contains("begin inline asm") && checked_module(ptx).is_err()
}

/// Files next to a source, and in the folders of the options and of the environment variable `CPATH`.
struct FilesBeside<'a> {
    path: &'a Path,
    options: &'a SourceOptions,
    /// The first name of each file: several names of a file must not look like several files.
    names: HashMap<PathBuf, String>,
}

impl FilesBeside<'_> {
    fn new<'a>(path: &'a Path, options: &'a SourceOptions) -> FilesBeside<'a> {
        FilesBeside { path, options, names: HashMap::new() }
    }
}

impl Loader for FilesBeside<'_> {
    fn load(&mut self, name: &str, from: &str) -> Option<(String, String)> {
        let beside = [Path::new(from).parent(), self.path.parent()].into_iter().flatten();
        let mut folders =
            beside.map(Path::to_path_buf).chain(cached::include_folders(self.options));
        let (path, bytes) = folders.find_map(|folder| {
            let path = folder.join(name);
            Some((path.clone(), std::fs::read(&path).ok()?))
        })?;
        let file = std::fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
        let shown = self.names.entry(file).or_insert_with(|| path.display().to_string()).clone();
        Some((shown, String::from_utf8_lossy(&bytes).into_owned()))
    }
}

/// Compiles with Lanework's own compiler.
fn own(
    source: &str,
    path: &Path,
    part: bool,
    asked: &SourceOptions,
) -> Result<Compiled, CompileFailure> {
    own_mode(source, path, (part, false), asked).map(|compiled| ("Lanework", compiled.text))
}

/// The PTX of a file for the debugger, with the names of its variables: CUDA C++ is compiled by Lanework's own compiler
/// without optimization, unless another compiler is asked for, or it does not take the source. Other compilers describe
/// variables in the PTX.
///
/// # Errors
/// As [`linked_ptx`].
pub fn debugged(paths: &[PathBuf], options: &SourceOptions) -> Result<(Ptx, DebugNames), Failure> {
    let chosen = options.compiler;
    let own = matches!(chosen, None | Some(CudaCompiler::Own));
    if let ([path], true) = (paths, own)
        && path.extension().is_some_and(|kind| kind == "cu")
    {
        match own_mode(&read_source(path)?, path, (false, true), options) {
            Ok(compiled) => {
                return Ok((Ptx { text: compiled.text, file: None }, compiled.names));
            }
            Err(failure) if chosen.is_some() => return Err(own_failure(path, &failure)),
            Err(_) => note("Lanework's compiler does not take this source; trying another one"),
        }
    }
    let options = SourceOptions { debug: true, ..options.clone() };
    Ok((linked_ptx(paths, &options)?, DebugNames::default()))
}

/// Compiles with Lanework's own compiler, as a part of a whole, or for the debugger.
fn own_mode(
    source: &str,
    path: &Path,
    (part, debug): (bool, bool),
    asked: &SourceOptions,
) -> Result<CompiledPtx, CompileFailure> {
    let name = path.display().to_string();
    let mut failed = None;
    for target in TARGETS {
        let architecture = target.trim_end_matches('a').parse().unwrap_or(80);
        let specific = target.ends_with('a');
        let defines = asked.define.clone();
        let options = CompileOptions { architecture, specific, part, debug, defines };
        let mut files = FilesBeside::new(path, asked);
        match lanework_cuda_cpp::compile(source, &name, &options, &mut files) {
            // The compiler does not check inline PTX, which may need the next target.
            Ok(compiled) if !specific && checked_module(&compiled.text).is_err() => {}
            Ok(compiled) => {
                if !compiled.warnings.is_empty() {
                    note_data(compiled.warnings.trim_end());
                }
                return Ok(compiled);
            }
            Err(failure) => failed = failed.or(Some(failure)),
        }
    }
    Err(failed.unwrap_or(CompileFailure { unsupported: true, ..Default::default() }))
}

fn own_failure(path: &Path, failure: &CompileFailure) -> Failure {
    let name = path.display();
    Failure::input(
        format_args!("Lanework did not compile {name}:\n{}", failure.text.trim_end()),
        "correct the source, or compile it to PTX yourself and give that",
    )
}

/// The outcome of a compiler.
enum Made {
    Ptx(String),
    /// The compiler is not installed.
    Nothing,
    /// The compiler found no CUDA toolkit; the source may be correct.
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

#[cfg(test)]
mod tests {
    use super::needs_newer_target;

    #[test]
    fn inline_instructions_of_a_newer_target_are_seen() {
        let ptx = |target: &str, instruction: &str| {
            format!(
                ".version 8.3\n.target {target}\n.address_size 64\n.entry k() {{\n.reg .b32 %r<2>;\n\
                 // begin inline asm\n{instruction}\n// end inline asm\nret;\n}}\n"
            )
        };
        let cluster = "mov.u32 %r1, %cluster_ctarank;";
        assert!(needs_newer_target(&ptx("sm_80", cluster)));
        assert!(!needs_newer_target(&ptx("sm_90a", cluster)));
        assert!(!needs_newer_target(&ptx("sm_80", "mov.u32 %r1, %tid.x;")));
    }
}
