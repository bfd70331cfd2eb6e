//! Finds ptxas and nvdisasm, and runs them if they are installed. nvdisasm is the file next to ptxas; if it is missing, it is
//! searched for in the same way.

use crate::clock::ComputeLimit;
use crate::sass::cubin;
use crate::sass::listing::{Listing, MachineCode, instruction_lines};
use std::ffi::OsStr;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Maximum CPU time of each.
const LONGEST: Duration = Duration::from_millis(1500);

/// A tool of the CUDA toolkit: the file that its variable names (`PTXAS` for `ptxas`), else the first of the folders of the
/// `PATH`, of a toolkit (`CUDA_HOME`, `CUDA_PATH`, `/usr/local/cuda`), and of the packages that pip installed.
pub fn find(tool: &str) -> Option<PathBuf> {
    let given = std::env::var_os(tool.to_uppercase()).filter(|name| !name.is_empty());
    let path = std::env::var_os("PATH").unwrap_or_default();
    let homes = ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(std::env::var_os);
    let folders = std::env::split_paths(&path)
        .chain(homes.map(|home| Path::new(&home).join("bin")))
        .chain([PathBuf::from("/usr/local/cuda/bin")]);
    let file = format!("{tool}{}", std::env::consts::EXE_SUFFIX);
    let mut usual = folders.map(|folder| folder.join(&file));
    let of_pip = || pip_files(&python_roots(), &file).into_iter().next();
    given.map(PathBuf::from).or_else(|| usual.find(|path| path.is_file())).or_else(of_pip)
}

/// The folders of the Python installations in use: the active virtual or conda environment, then each Python in `PATH`.
fn python_roots() -> Vec<PathBuf> {
    let environments = ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(std::env::var_os);
    let mut roots: Vec<PathBuf> = environments.map(PathBuf::from).collect();
    let path = std::env::var_os("PATH").unwrap_or_default();
    for folder in std::env::split_paths(&path).filter(|one| one.join("python3").exists()) {
        roots.extend(folder.parent().map(Path::to_owned));
    }
    roots
}

/// A file in the `bin` folders of NVIDIA's packages, such as `site-packages/nvidia/cu13/bin`.
fn pip_files(roots: &[PathBuf], file: &str) -> Vec<PathBuf> {
    let entries = |folder: PathBuf| {
        let mut all: Vec<PathBuf> = std::fs::read_dir(folder)
            .into_iter()
            .flatten()
            .flatten()
            .map(|one| one.path())
            .collect();
        // The newest toolkit first: cu13 before cuda_nvcc, which is of version 12.
        all.sort();
        all
    };
    let is_python = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("python3"))
    };
    let mut found = Vec::new();
    for root in roots {
        for python in entries(root.join("lib")).into_iter().filter(is_python) {
            for packages in ["site-packages", "dist-packages"] {
                let packages = entries(python.join(packages).join("nvidia"));
                found.extend(packages.into_iter().map(|package| package.join("bin").join(file)));
            }
        }
    }
    found.retain(|path| path.is_file());
    found
}

/// nvdisasm next to this ptxas, or elsewhere.
pub fn lister(ptxas: &Path) -> Option<PathBuf> {
    let beside = ptxas.with_file_name(format!("nvdisasm{}", std::env::consts::EXE_SUFFIX));
    if beside.is_file() { Some(beside) } else { find("nvdisasm") }
}

/// Runs a program until it ends. Kills it if it takes too long or `unwanted` is set. Returns whether it succeeded.
fn run(program: &Path, arguments: &[&OsStr], output: Stdio, unwanted: &AtomicBool) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(output).stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else { return false };
    let limit = ComputeLimit::of_program(LONGEST, child.id());
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) if !unwanted.load(Ordering::Relaxed) && !limit.is_over() => {}
            _ => {
                let _ = (child.kill(), child.wait());
                return false;
            }
        }
        std::thread::sleep(Duration::from_millis(3));
    }
}

/// The module with the lines of all other kernels blanked, because ptxas reads every kernel, even those that it does not
/// assemble.
pub fn only(text: &str, kernel: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    // Number of open braces of a kernel to leave out; the kernel ends when its body closes.
    let mut other: Option<i32> = None;
    for line in text.lines() {
        if other.is_none()
            && let Some((_, rest)) = line.split_once(".entry ")
            && !line.trim_start().starts_with("//")
            && rest.split(['(', ' ', '{']).next() != Some(kernel)
        {
            other = Some(0);
        }
        if let Some(depth) = &mut other {
            let code = line.split("//").next().unwrap_or_default();
            let (opened, closed) = (code.matches('{').count(), code.matches('}').count());
            *depth += opened as i32 - closed as i32;
            let declared = *depth == 0 && code.trim_end().ends_with(';');
            if declared || *depth <= 0 && closed > 0 {
                other = None;
            }
        } else {
            kept.push_str(line);
        }
        kept.push('\n');
    }
    kept
}

/// The machine code that ptxas generates for a kernel and a compute capability. `None` if ptxas is missing or rejects the
/// kernel, or if `unwanted` is set.
pub fn assemble(
    text: &str,
    kernel: &str,
    capability: u32,
    unwanted: &AtomicBool,
) -> Option<MachineCode> {
    let ptxas = find("ptxas")?;
    let target = text.lines().find_map(|line| line.trim().strip_prefix(".target "))?;
    let target = target.split([',', ' ']).next()?.trim();
    // Code for an architecture-specific target (sm_90a) runs on no other architecture.
    let number = target.trim_start_matches("sm_").parse::<u32>();
    let architecture = match number {
        Ok(number) => format!("-arch=sm_{}", number.max(capability)),
        Err(_) => format!("-arch={target}"),
    };
    let mut hasher = DefaultHasher::new();
    (text, kernel, std::process::id()).hash(&mut hasher);
    let source = std::env::temp_dir().join(format!("lanework-{:016x}.ptx", hasher.finish()));
    let [code, listing] = ["cubin", "sass"].map(|kind| source.with_extension(kind));
    let found = std::fs::write(&source, only(text, kernel)).ok().and_then(|()| {
        let flags = [architecture.as_str(), "-lineinfo", "-e", kernel, "-o"].map(OsStr::new);
        let files = [code.as_os_str(), source.as_os_str()];
        if !run(&ptxas, &[&flags[..], &files].concat(), Stdio::null(), unwanted) {
            return None;
        }
        let registers = cubin::registers(&std::fs::read(&code).ok()?);
        let registers = registers.into_iter().find(|(name, _)| name == kernel).map(|(_, n)| n);
        let tool = lister(&ptxas);
        let lines = ["-gp", "-c"].map(OsStr::new);
        let listed = tool.is_some_and(|tool| {
            let output = File::create(&listing).map_or(Stdio::null(), Stdio::from);
            run(&tool, &[&lines[..], &[code.as_os_str()]].concat(), output, unwanted)
        });
        let shown = listed.then(|| std::fs::read_to_string(&listing).ok()).flatten();
        let instructions = instruction_lines(text, kernel);
        let listing =
            shown.map(|shown| Arc::new(Listing { instructions, ..Listing::parse(&shown, kernel) }));
        Some(MachineCode { registers, listing, ..MachineCode::default() })
    });
    for file in [&source, &code, &listing] {
        let _ = std::fs::remove_file(file);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_installed_by_pip_are_found() {
        let root = std::env::temp_dir().join(format!("lanework-tools-{}", std::process::id()));
        let bin = |package: &str| {
            root.join("lib/python3.12/site-packages/nvidia").join(package).join("bin")
        };
        for package in ["cuda_nvcc", "cu13"] {
            std::fs::create_dir_all(bin(package)).expect("a folder");
            std::fs::write(bin(package).join("ptxas"), "").expect("a file");
        }
        let roots = [root.join("absent"), root.clone()];
        let wanted = [bin("cu13").join("ptxas"), bin("cuda_nvcc").join("ptxas")];
        assert_eq!(pip_files(&roots, "ptxas"), wanted);
        assert!(pip_files(&roots, "nvdisasm").is_empty());
        std::fs::remove_dir_all(&root).expect("removed");
    }

    #[test]
    fn other_kernels_are_removed_without_changing_line_numbers() {
        let text = ".version 8.0\n.visible .entry one(\n)\n{\n\tmov.b64 %rd1, {%r1, %r2}; // }\n\t{ // call\n\t}\n}\n\
                    .func helper()\n{\n}\n.visible .entry two()\n{\n\tret;\n}\n.entry three(){ret;}\n.global .u32 x;\n";
        let found = only(text, "two");
        assert_eq!(found.lines().count(), text.lines().count());
        let left: Vec<&str> = found.lines().filter(|line| !line.is_empty()).collect();
        let helper = [".version 8.0", ".func helper()", "{", "}"];
        let two = [".visible .entry two()", "{", "\tret;", "}", ".global .u32 x;"];
        assert_eq!(left, [&helper[..], &two].concat());
        assert_eq!(only(text, "three").matches("ret;").count(), 1);
    }
}
