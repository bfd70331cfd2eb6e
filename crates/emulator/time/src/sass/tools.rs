//! Runs ptxas and nvdisasm, where they are installed. The variables `PTXAS` and `NVDISASM` name them; else they are looked for
//! on the `PATH` and in `$CUDA_HOME/bin`, nvdisasm also next to ptxas.

use crate::sass::cubin;
use crate::sass::listing::{Listing, MachineCode, instruction_lines};
use std::ffi::OsStr;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long each of them may take.
const LONGEST: Duration = Duration::from_secs(6);

fn named(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).filter(|name| !name.is_empty()).map(PathBuf::from)
}

fn installed(variable: &str, name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let home = std::env::var_os("CUDA_HOME").map(|home| PathBuf::from(home).join("bin"));
    let folders = std::env::split_paths(&path).chain(home).collect::<Vec<_>>();
    let found = || folders.into_iter().map(|folder| folder.join(name)).find(|path| path.is_file());
    named(variable).or_else(found)
}

/// Runs a program for a limited time with its output in a file; whether it succeeded.
fn run(program: &Path, arguments: &[&OsStr], output: Stdio) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(output).stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else { return false };
    let started = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) if started.elapsed() < LONGEST => {}
            _ => {
                let _ = (child.kill(), child.wait());
                return false;
            }
        }
        std::thread::sleep(Duration::from_millis(3));
    }
}

/// The machine code that ptxas makes of a kernel for a compute capability; `None` without ptxas, or if it refuses the kernel or
/// takes too long.
pub fn assemble(text: &str, kernel: &str, capability: u32) -> Option<MachineCode> {
    let ptxas = installed("PTXAS", "ptxas")?;
    let target = text.lines().find_map(|line| line.trim().strip_prefix(".target "))?;
    let target = target.split([',', ' ']).next()?.trim();
    // Code for one architecture (sm_90a) is for no other.
    let number = target.trim_start_matches("sm_").parse::<u32>();
    let architecture = match number {
        Ok(number) => format!("-arch=sm_{}", number.max(capability)),
        Err(_) => format!("-arch={target}"),
    };
    let mut hasher = DefaultHasher::new();
    (text, kernel, std::process::id()).hash(&mut hasher);
    let source = std::env::temp_dir().join(format!("lanework-{:016x}.ptx", hasher.finish()));
    let [code, listing] = ["cubin", "sass"].map(|kind| source.with_extension(kind));
    let found = std::fs::write(&source, text).ok().and_then(|()| {
        let flags = [architecture.as_str(), "-lineinfo", "-e", kernel, "-o"].map(OsStr::new);
        let files = [code.as_os_str(), source.as_os_str()];
        if !run(&ptxas, &[&flags[..], &files].concat(), Stdio::null()) {
            return None;
        }
        let registers = cubin::registers(&std::fs::read(&code).ok()?);
        let registers = registers.into_iter().find(|(name, _)| name == kernel).map(|(_, n)| n);
        let beside = ptxas.with_file_name("nvdisasm");
        let tool = if beside.is_file() { Some(beside) } else { installed("NVDISASM", "nvdisasm") };
        let lines = ["-gp", "-c"].map(OsStr::new);
        let listed = tool.is_some_and(|tool| {
            let output = File::create(&listing).map_or(Stdio::null(), Stdio::from);
            run(&tool, &[&lines[..], &[code.as_os_str()]].concat(), output)
        });
        let shown = listed.then(|| std::fs::read_to_string(&listing).ok()).flatten();
        let instructions = instruction_lines(text, kernel);
        let listing =
            shown.map(|shown| Arc::new(Listing { instructions, ..Listing::parse(&shown, kernel) }));
        Some(MachineCode { registers, listing })
    });
    for file in [&source, &code, &listing] {
        let _ = std::fs::remove_file(file);
    }
    found
}
