//! The oracle: ptxas, and its recorded verdicts.

use crate::random::hash;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The oldest architecture that ptxas 13 compiles for. It compiles PTX with older targets for this one.
const OLDEST: u32 = 75;

/// The verdict of ptxas on a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// Whether it compiles.
    pub accepted: bool,
    /// Its first error; empty if the verdict was recorded.
    pub why: String,
}

/// Verdicts by the hash of the text.
pub struct Oracle {
    ptxas: Option<PathBuf>,
    recorded: BTreeMap<u64, bool>,
}

/// The file of recorded verdicts.
pub fn record() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ptxas/verdicts.txt")
}

/// Finds ptxas by the variable `PTXAS`, or on the `PATH`.
fn installed() -> Option<PathBuf> {
    let named = std::env::var_os("PTXAS").map(PathBuf::from);
    let candidate = named.unwrap_or_else(|| PathBuf::from("ptxas"));
    let asked = Command::new(&candidate).arg("--version").output().ok()?;
    asked.status.success().then_some(candidate)
}

impl Oracle {
    /// An oracle with the recorded verdicts.
    pub fn new() -> Oracle {
        let text = std::fs::read_to_string(record()).unwrap_or_default();
        let recorded = text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
            let (hash, verdict) = line.split_once(' ')?;
            Some((u64::from_str_radix(hash, 16).ok()?, verdict == "a"))
        });
        Oracle { ptxas: installed(), recorded: recorded.collect() }
    }

    /// Whether ptxas is installed.
    pub fn is_live(&self) -> bool {
        self.ptxas.is_some()
    }

    /// The verdict on a text: ptxas's if it is installed, else the recorded one.
    pub fn verdict(&self, text: &str) -> Option<Verdict> {
        match &self.ptxas {
            Some(ptxas) => Some(asked(ptxas, text)),
            None => {
                let accepted = *self.recorded.get(&hash(text))?;
                Some(Verdict { accepted, why: String::new() })
            }
        }
    }
}

/// The architecture to compile a text for: its target, or the oldest possible one.
fn architecture(text: &str) -> String {
    let line = text.lines().find(|line| line.trim_start().starts_with(".target"));
    let target = line.and_then(|line| {
        line.split(|c: char| c == ',' || c.is_whitespace()).find(|word| word.starts_with("sm_"))
    });
    let target = target.unwrap_or("sm_75");
    let digits: String = target.chars().filter(char::is_ascii_digit).collect();
    if digits.parse().is_ok_and(|number: u32| number >= OLDEST) {
        target.to_owned()
    } else {
        format!("sm_{OLDEST}")
    }
}

fn asked(ptxas: &Path, text: &str) -> Verdict {
    let name = format!("lanework-{}-{:016x}.ptx", std::process::id(), hash(text));
    let file = std::env::temp_dir().join(name);
    std::fs::write(&file, text).expect("the folder for temporary files takes a file");
    let arch = format!("-arch={}", architecture(text));
    let run = Command::new(ptxas)
        .args(["-O0", &arch, "-o", "/dev/null"])
        .arg(&file)
        .stdin(Stdio::null())
        .output()
        .expect("ptxas starts");
    let _ = std::fs::remove_file(&file);
    let log = String::from_utf8_lossy(&run.stderr).into_owned();
    let error = log.lines().find(|line| line.contains("error") || line.contains("fatal"));
    let why = error.map_or("", |line| line.split_once("; ").map_or(line, |(_, rest)| rest));
    Verdict { accepted: run.status.success(), why: why.to_owned() }
}

/// Writes the record.
pub fn write(verdicts: &BTreeMap<u64, bool>) {
    let mut file = std::fs::File::create(record()).expect("the record can be written");
    writeln!(
        file,
        "# The verdict of ptxas 13.0 on each mutant by the hash of its text: a(ccepted), r(efused)."
    )
    .expect("a line");
    for (hash, accepted) in verdicts {
        writeln!(file, "{hash:016x} {}", if *accepted { 'a' } else { 'r' }).expect("a line");
    }
}
