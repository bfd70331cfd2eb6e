//! Ways to write operands: the emulator accepts what ptxas accepts, and refuses what ptxas refuses.
//!
//! ptxas's verdicts are on record. If ptxas is installed (`PTXAS` or the `PATH`), a sample of them is checked;
//! `LANEWORK_BLESS=1` records all of them anew.

#[path = "../../../../../cuda-programs/driver/tests/common/child.rs"]
mod child;

use lanework::emulator::{Emulator, Options};
use lanework::ptx::Module;
use lanework_lab::conformance::{OperandCandidate, Verdicts, candidates, combinations, module};
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

const RECORD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/operands.txt");
/// Without blessing, ptxas compiles one of this many candidates.
const SAMPLE: usize = 61;

/// Our reasons for refusing, on purpose, what ptxas accepts.
const KNOWN: &[&str] = &[
    "GPUs differ from the manual here",
    // `vmad` with a negated factor.
    "a register operand cannot be negated",
    // A part that is missing from a source; its value is undefined.
    "which is not a register that can be a vector element",
    // A missing result of `lop3`.
    "cannot be left out",
    // In braces, ptxas accepts literals and special registers of any type, and changes their values.
    "does not fit",
    "is a special register; expected",
];
/// Ways that add a constant to a register.
const SUMS: &[&str] = &[":sum ", ":difference ", ":minus ", ":thread-sum ", ":element-sum "];

fn installed() -> Option<PathBuf> {
    let named = std::env::var_os("PTXAS").map(PathBuf::from);
    let candidate = named.unwrap_or_else(|| PathBuf::from("ptxas"));
    let asked = Command::new(&candidate).arg("--version").output().ok()?;
    asked.status.success().then_some(candidate)
}

/// Whether ptxas compiles a text; a crash and endless work are refusals.
fn compiles(ptxas: &PathBuf, text: &str, number: usize) -> bool {
    let name = format!("lanework-operands-{}-{number}.ptx", std::process::id());
    let file = std::env::temp_dir().join(name);
    std::fs::write(&file, text).expect("the folder for temporary files takes a file");
    let mut command = Command::new(ptxas);
    command.args(["-arch=sm_90a", "-o", "/dev/null"]).arg(&file);
    let ended = child::run(&mut command, Duration::from_secs(20));
    let _ = std::fs::remove_file(&file);
    ended.status.is_some_and(|status| status.success())
}

/// Whether ptxas accepts each text.
fn ask(ptxas: &PathBuf, texts: &[String]) -> Vec<bool> {
    let (next, verdicts) = (AtomicUsize::new(0), Mutex::new(vec![false; texts.len()]));
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some(text) = texts.get(i) else { return };
                    let accepted = compiles(ptxas, text, i);
                    verdicts.lock().expect("no thread panics")[i] = accepted;
                }
            });
        }
    });
    verdicts.into_inner().expect("no thread panics")
}

/// Our reason for refusing a text, if any.
fn refusal(emulator: &Emulator, text: &str) -> Option<String> {
    let module = match Module::parse(text) {
        Ok(module) => module,
        Err(problems) => return Some(problems.to_string()),
    };
    if let Err(problems) = module.validate() {
        return Some(problems.to_string());
    }
    emulator.load(&module).err().map(|error| error.message)
}

#[test]
fn the_record_matches_ptxas() {
    let Some(ptxas) = installed() else {
        lanework_testing::skip("record of ptxas's verdicts", "ptxas is not installed (set PTXAS)");
        return;
    };
    let recorded = Verdicts::recorded();
    let all = lanework_testing::bless();
    let asked: Vec<OperandCandidate> = candidates()
        .into_iter()
        .enumerate()
        .filter(|(i, _)| all || i % SAMPLE == 0)
        .map(|(_, candidate)| candidate)
        .collect();
    let texts: Vec<String> = asked.iter().map(|c| module(&[&c.form])).collect();
    let mut found = Verdicts::default();
    for (candidate, accepted) in asked.iter().zip(ask(&ptxas, &texts)) {
        if accepted {
            found.note(candidate);
        }
        let what = &candidate.form.text;
        assert!(all || accepted == recorded.accepts(candidate), "{what}: accepted is {accepted}");
    }
    if all {
        std::fs::write(RECORD, found.text()).expect("a writable record");
    }
}

#[test]
fn every_pair_of_writer_and_reader_compiles() {
    let Some(ptxas) = installed() else {
        lanework_testing::skip("compiling combinations", "ptxas is not installed (set PTXAS)");
        return;
    };
    let forms = combinations();
    let pairs: Vec<_> = forms.iter().filter(|form| form.text.starts_with('{')).collect();
    let texts: Vec<String> = pairs.chunks(64).map(module).collect();
    for (chunk, accepted) in pairs.chunks(64).zip(ask(&ptxas, &texts)) {
        if !accepted {
            for form in chunk {
                let alone = ask(&ptxas, &[module(&[form])]);
                assert!(alone[0], "ptxas refuses {}", form.text);
            }
        }
    }
}

#[test]
fn verdicts_agree_with_ptxas() {
    let (verdicts, emulator) = (Verdicts::recorded(), Emulator::new(Options::default()));
    let (mut strict, mut lenient, mut count) = (Vec::new(), Vec::new(), [0; 2]);
    for candidate in candidates() {
        let accepted = verdicts.accepts(&candidate);
        count[usize::from(accepted)] += 1;
        let ours = refusal(&emulator, &module(&[&candidate.form]));
        let text = &candidate.form.text;
        match (accepted, ours) {
            (true, Some(why)) => strict.push(format!("{} {text}: {why}", candidate.what)),
            (false, None) => lenient.push(format!("{} {text}", candidate.what)),
            _ => {}
        }
    }
    if let Some(file) = std::env::var_os("LANEWORK_LIST") {
        std::fs::write(file, format!("{}\n{}\n", strict.join("\n"), lenient.join("\n")))
            .expect("a list");
    }
    let [refused, accepted] = count;
    eprintln!(
        "{accepted} accepted by ptxas, of which {} are refused here; {refused} refused, of which {} are accepted here",
        strict.len(),
        lenient.len()
    );
    assert!(accepted > 6_000 && refused > 6_000, "{count:?}");
    assert!(strict.len() * 100 < accepted * 4, "{} too strict", strict.len());
    assert!(lenient.len() * 100 < refused * 12, "{} too lenient", lenient.len());
    strict.retain(|line| !KNOWN.iter().any(|known| line.contains(known)));
    let first = strict[..strict.len().min(40)].join("\n");
    assert!(strict.is_empty(), "{} too strict:\n{first}", strict.len());
    // No sum may drop its constant.
    lenient.retain(|line| !line.contains(".v2") && SUMS.iter().any(|sum| line.contains(sum)));
    let first = lenient[..lenient.len().min(40)].join("\n");
    assert!(lenient.is_empty(), "{} too lenient:\n{first}", lenient.len());
}
