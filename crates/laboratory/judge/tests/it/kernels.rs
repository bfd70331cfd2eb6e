//! Every cheat in `cheats/` is refused for its own reason, and every kernel in `honest/` passes.
//!
//! The first lines of a kernel name its task, and those of a cheat the allowed kinds of refusal. `make.py` compiles
//! the PTX.

use lanework_judge::{Found, Options, Submission, Task, Unjudged, Verdict, judge};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A kernel of the test folders.
struct Kernel {
    name: String,
    task: String,
    finds: Option<String>,
    given: Submission,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

fn kernels(kind: &str) -> Vec<Kernel> {
    let entries = fs::read_dir(folder().join(kind)).expect("kernels");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    let kernel = |file: &PathBuf| {
        let source = fs::read_to_string(file).expect("a kernel");
        let head = |mark: &str| {
            let mut lines = source.lines().filter_map(|line| line.strip_prefix("// "));
            lines.find_map(|line| line.strip_prefix(mark)).map(|rest| rest.trim().to_owned())
        };
        let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
        let ptx = folder().join("ptx").join(kind).join(format!("{name}.ptx"));
        let ptx = match source.contains("// no ptx") {
            true => None,
            false => Some(fs::read_to_string(&ptx).expect("make.py compiles it")),
        };
        let (task, finds) = (head("task:").expect("a task"), head("finds:"));
        Kernel {
            given: Submission { name: name.clone(), source: Some(source), ptx },
            name,
            task,
            finds,
        }
    };
    files.iter().map(kernel).collect()
}

fn no_compiler(
    _: &Submission,
    _: &Task,
) -> Result<Result<lanework_judge::CompiledCandidate, String>, Unjudged> {
    Err(Unjudged::Failed("there is no compiler here".to_owned(), String::new()))
}

fn verdict(kernel: &Kernel, seed: u64) -> Verdict {
    let file = folder().join("tasks").join(format!("{}.toml", kernel.task));
    let text = fs::read_to_string(&file).expect("a task");
    let task = Task::read(&file, &text).unwrap_or_else(|error| panic!("{error}"));
    let seed = std::env::var("JUDGE_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(seed);
    let options = Options { seed, timed: true, gpu: None };
    let judged = judge(&task, &kernel.given, &options, &no_compiler, &mut |_| {});
    judged.unwrap_or_else(|error| panic!("{}: {error}", kernel.name))
}

/// The failures that `check` finds in the verdicts, in parallel over all cores.
fn each(kernels: &[Kernel], check: impl Fn(&Kernel) -> Option<String> + Sync) -> Vec<String> {
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let only = std::env::var("JUDGE_ONLY").unwrap_or_default();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(kernel) = kernels.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if kernel.name.contains(&only)
                        && let Some(why) = check(kernel)
                    {
                        found.lock().expect("no panic").push(format!("{}: {why}", kernel.name));
                    }
                }
            });
        }
    });
    let mut found = found.into_inner().expect("no panic");
    found.sort();
    found
}

#[test]
fn every_cheat_is_refused_for_its_reason() {
    let cheats = kernels("cheats");
    assert!(cheats.len() >= 30, "{} cheats", cheats.len());
    let failures = each(&cheats, |cheat| {
        let wanted = cheat.finds.as_ref().expect("a cheat says what it is found for");
        let verdict = verdict(cheat, 1);
        let Some(reason) = &verdict.reason else { return Some(format!("passed, not {wanted}")) };
        assert_ne!(verdict.verdict, Found::Right);
        let as_wanted = wanted.split('|').any(|kind| kind == reason.kind);
        (!as_wanted).then(|| format!("expected {wanted}\n{}", verdict.words()))
    });
    assert!(failures.is_empty(), "{} of them:\n{}", failures.len(), failures.join("\n\n"));
}

#[test]
#[ignore = "slow: judges every honest kernel"]
fn every_honest_kernel_passes() {
    let honest = kernels("honest");
    assert!(honest.len() >= 30, "{} honest kernels", honest.len());
    let failures = each(&honest, |kernel| {
        let verdict = verdict(kernel, 1);
        let right = verdict.verdict == Found::Right && verdict.reason.is_none();
        (!right).then(|| verdict.words())
    });
    assert!(failures.is_empty(), "{} of them:\n{}", failures.len(), failures.join("\n\n"));
}
