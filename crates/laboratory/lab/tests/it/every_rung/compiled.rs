//! ptxas compiles every rung of every ladder for the GPU that the emulator models, if `PTXAS` names one.

use lanework::{Backend, Device};
use lanework_lab::{Request, families};
use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

/// The output of `ptxas -v` for a text; `Err` if ptxas rejects it.
fn compiled(ptxas: &OsStr, text: &str, file: &Path) -> Result<String, String> {
    std::fs::write(file, text).expect("a place for temporary files");
    let output = Command::new(ptxas)
        .args(["-arch=sm_90a", "-v", "-o", "/dev/null"])
        .arg(file)
        .output()
        .expect("PTXAS names a program");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() { Ok(said) } else { Err(said) }
}

#[test]
fn ptxas_compiles_every_rung() {
    let Some(ptxas) = std::env::var_os("PTXAS") else {
        lanework_testing::skip("compiling every rung", "PTXAS names no ptxas");
        return;
    };
    let file = std::env::temp_dir().join(format!("lanework_rung_{}.ptx", std::process::id()));
    let device = Device::emulator();
    let (mut refused, mut count) = (Vec::new(), 0);
    for family in families() {
        let ladder = (family.ladder)();
        let case = family.case(&Request::new(Backend::Emulator)).expect("a case");
        for rung in ladder.rungs {
            if case.skips(rung.name, &device).is_some() {
                continue;
            }
            let mut trial = case.trial(rung.name, &device).expect("fits");
            let text = trial.job().expect("a kernel").ptx().expect("kernels have a text");
            // A job of several kernels has one text per kernel, each with its own header.
            for part in text.split(".version").skip(1) {
                match compiled(&ptxas, &format!(".version{part}"), &file) {
                    Ok(said) => {
                        let told = |line: &&str| line.contains("Used") || line.contains("spill");
                        let lines: Vec<&str> = said.lines().filter(told).map(str::trim).collect();
                        eprintln!("{}/{}: {}", ladder.name, rung.name, lines.join(" "));
                    }
                    Err(said) => refused.push(format!("{}/{}: {said}", ladder.name, rung.name)),
                }
                count += 1;
            }
        }
    }
    std::fs::remove_file(&file).expect("written above");
    assert!(refused.is_empty(), "{}", refused.join("\n"));
    assert!(count > 90, "{count} kernels");
}
