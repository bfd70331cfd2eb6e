//! `ptxas` as `lanework exec` gives it to compilers: it returns PTX where a cubin is expected, and refuses invalid PTX with its line.

use std::path::Path;
use std::process::{Command, Output};

/// A module that does nothing.
const NOTHING: &str =
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry nothing() { ret; }\n";

/// Runs a shell command under `lanework exec`. An empty file has the driver's name, because nothing here launches a
/// kernel.
fn shell(line: &str, folder: &Path) -> Output {
    std::fs::write(folder.join("liblanework_libcuda.so"), "").expect("written");
    Command::new(env!("CARGO_BIN_EXE_lanework"))
        .args(["exec", "--plain", "--", "sh", "-c", line])
        .env("LANEWORK_DRIVER", folder)
        .current_dir(folder)
        .output()
        .expect("the command runs")
}

#[test]
fn compilers_find_it_by_tritons_variables_and_read_its_version() {
    let folder = tempfile::tempdir().expect("a folder");
    for variable in ["TRITON_PTXAS_PATH", "TRITON_PTXAS_BLACKWELL_PATH"] {
        let output = shell(&format!("\"${variable}\" --version"), folder.path());
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{output:?}");
        assert!(said.contains("release 13.0, V13.0"), "{said}");
        assert!(said.contains("Lanework"), "caches have to tell it from NVIDIA's: {said}");
    }
}

#[test]
fn ptx_stays_ptx_with_the_zero_byte_that_a_driver_needs_behind_a_text() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("k.ptx"), NOTHING).expect("written");
    let line = "\"$TRITON_PTXAS_PATH\" -lineinfo -v --gpu-name=sm_90a k.ptx -o k.o";
    let output = shell(line, folder.path());
    assert!(output.status.success(), "{output:?}");
    assert_eq!(
        std::fs::read_to_string(folder.path().join("k.o")).expect("written"),
        format!("{NOTHING}\0")
    );
}

#[test]
fn wrong_ptx_is_refused_by_its_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let wrong = NOTHING.replace("ret;", "\n  rett;");
    std::fs::write(folder.path().join("k.ptx"), wrong).expect("written");
    let output = shell("\"$TRITON_PTXAS_PATH\" k.ptx -o k.o", folder.path());
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(255), "{output:?}");
    assert!(said.contains("k.ptx") && said.contains("line 5") && said.contains("rett"), "{said}");
    assert!(!folder.path().join("k.o").exists());
    let none = shell("\"$TRITON_PTXAS_PATH\" -v -o k.o", folder.path());
    assert_eq!(none.status.code(), Some(2), "{none:?}");
    assert!(String::from_utf8_lossy(&none.stderr).contains("0 input files"), "{none:?}");
}
