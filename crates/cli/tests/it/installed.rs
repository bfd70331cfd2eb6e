//! An installed command needs no source checkout: it runs in an empty folder.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder with nothing but a PTX file.
struct Installed {
    folder: tempfile::TempDir,
}

impl Installed {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("saxpy.ptx"), include_str!("../data/saxpy.ptx"))
            .expect("written");
        Installed { folder }
    }

    /// Standard output of a run that must succeed.
    fn run(&self, line: &str) -> String {
        let output = Command::new(env!("CARGO_BIN_EXE_lanework"))
            .args(line.split(' '))
            .current_dir(self.folder.path())
            .output()
            .expect("the command runs");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{line}: {:?}\n{stderr}", output.status);
        String::from_utf8(output.stdout).expect("UTF-8")
    }
}

const SAXPY: &str =
    "saxpy.ptx --grid 4 --block 32 --arg f32:2 --arg rand:f32:128 --arg rand:f32:128 --arg u32:128";

#[test]
fn kernels_of_files_need_no_checkout() {
    let installed = Installed::new();
    assert!(installed.run(&format!("run {SAXPY} --device emulator")).contains("saxpy ran on"));
    assert!(installed.run(&format!("check {SAXPY}")).contains("nothing to report"));
    assert!(installed.run(&format!("profile {SAXPY}")).contains("ld.global"));
    assert!(installed.run(&format!("look {SAXPY}")).contains("4 sectors of 32 bytes, optimal"));
    assert!(installed.run("inspect saxpy.ptx").contains("fma"));
}

/// The state of each part, by its name, and the exit code.
fn doctor(variables: &[(&str, &str)]) -> (serde_json::Value, Option<i32>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lanework"));
    let output = command.args(["doctor", "--json"]).envs(variables.iter().copied()).output();
    let output = output.expect("the command runs");
    let parts: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let state = |part: &serde_json::Value| {
        (part["name"].as_str().expect("a name").to_owned(), part["state"].clone())
    };
    let states = parts.as_array().expect("parts").iter().map(state);
    (states.collect::<serde_json::Map<_, _>>().into(), output.status.code())
}

#[test]
fn the_doctor_tests_each_part() {
    let (parts, _) = doctor(&[]);
    assert_eq!(parts["command"], "works");
    assert_eq!(parts["emulator"], "works");
    for part in ["NVRTC", "nvcc", "clang", "ptxas", "nvdisasm", "driver", "GPU", "Python"] {
        assert!(parts[part].is_string(), "{part}: {parts}");
    }
}

#[cfg(unix)]
#[test]
fn a_broken_part_fails_the_check() {
    let (parts, code) = doctor(&[("PTXAS", "false")]);
    assert_eq!(parts["ptxas"], "broken");
    assert_eq!(code, Some(1));
}

#[cfg(unix)]
#[test]
fn the_doctor_finds_the_tools_that_pip_installs() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().expect("a folder");
    let bin = folder.path().join("lib/python3.12/site-packages/nvidia/cu13/bin");
    std::fs::create_dir_all(&bin).expect("a folder");
    let environment = folder.path().to_str().expect("UTF-8");
    let variables = [("VIRTUAL_ENV", environment), ("PATH", environment), ("CUDA_HOME", "")];
    let mut states = Vec::new();
    for tool in ["ptxas", "nvdisasm"] {
        states.push(doctor(&variables).0[tool].clone());
        let place = bin.join(tool);
        std::fs::write(&place, "#!/bin/sh\n").expect("a file");
        let all = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&place, all).expect("permissions");
        states.push(doctor(&variables).0[tool].clone());
    }
    // A toolkit in /usr/local/cuda is found, too.
    let is_missing = !std::path::Path::new("/usr/local/cuda/bin/ptxas").exists();
    let before = if is_missing { "missing" } else { "works" };
    assert_eq!(states, [before, "works", before, "works"]);
}

#[test]
fn rungs_show_their_source_lines_without_a_checkout() {
    let installed = Installed::new();
    assert!(installed.run("list").contains("transpose/padded"));
    let climbed = installed.run("climb vector-add --size 1000 --device emulator");
    assert!(climbed.contains("bit-exact"), "{climbed}");
    for command in ["profile", "look"] {
        let text = installed.run(&format!("{command} transpose/unpadded --size 64"));
        assert!(text.contains("unpadded.rs:") && text.contains("tile["), "{text}");
    }
}

/// Files read at run time must not come from the folder that the program was built in.
#[test]
fn the_commands_sources_do_not_use_the_build_folder() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("crates/");
    for name in [
        "cli",
        "terminal",
        "laboratory/lab-cli",
        "laboratory/lab",
        "laboratory/ladders",
        "runtime/lanework",
    ] {
        let read = |file: PathBuf| {
            let text = std::fs::read_to_string(&file).expect("a readable file");
            (file, text)
        };
        let files: Vec<_> = sources(&crates.join(name).join("src")).into_iter().map(read).collect();
        // Test modules run only in the folder that they were built in.
        let of_tests = |file: &Path| {
            let stem = file.file_stem().expect("a name").to_string_lossy();
            let declared = format!("#[cfg(test)]\nmod {stem};");
            files.iter().any(|(_, text)| text.contains(&declared))
        };
        for (file, text) in &files {
            let names = text.contains("CARGO_MANIFEST_DIR") && !of_tests(file);
            assert!(!names, "{}", file.display());
        }
    }
}

/// Every file below `folder`.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else {
            found.push(path);
        }
    }
    found
}
