//! Tests that the emulator rejects the modules that ptxas rejects: damages modules of real compilers
//! in one place each, and compares the verdicts.
//!
//! The emulator is too lenient if it accepts a mutant that ptxas rejects, and too strict
//! if it rejects a mutant that ptxas accepts. Each rate is relative to the mutants that this side
//! accepts, which gives a higher rate than all mutants would. The test finds ptxas by the variable `PTXAS`
//! or on the `PATH`. Without ptxas it uses the recorded verdicts (`verdicts.txt`); `LANEWORK_BLESS=1`
//! records them again. `LANEWORK_MUTANTS=<seed>` makes other mutants, and
//! `LANEWORK_MUTANTS_OUT=<folder>` saves the mutants on which the emulator and ptxas disagree.

mod mutate;
mod oracle;
mod random;
mod source;

use lanework::Device;
use oracle::{Oracle, Verdict};
use random::{Random, hash};
use source::Source;
use std::collections::BTreeMap;
use std::path::Path;

/// The seed of the recorded mutants.
const SEED: u64 = 1;
/// Mutants of each module.
const PER_MODULE: usize = 24;
/// Maximum size of a damaged module, in bytes.
const LONGEST: u64 = 36_000;

/// A damaged module.
struct Mutant {
    module: String,
    damage: &'static str,
    text: String,
}

/// The modules to damage, by name: short modules of real compilers.
fn modules() -> Vec<(String, String)> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let of_corpus = lanework_compiled_ptx::modules().iter().filter_map(|module| {
        let (name, text) = (module.name, module.text());
        let usable = (text.len() as u64) < LONGEST && !name.contains("debug");
        usable.then(|| (format!("corpus/ptx/{name}"), text.to_owned()))
    });
    let mut found: Vec<_> = of_corpus.collect();
    for folder in [
        "laboratory/lab/data/compilers",
        "language/ptx/tests/golden",
        "language/ptx-ir/tests/filetests",
        "runtime/lanework/tests/sanitizer/ptx",
        "runtime/lanework/tests/hopper",
        "runtime/lanework/tests/language/golden",
        "emulator/emulator/benches/kernels",
    ] {
        let entries = std::fs::read_dir(crates.join(folder)).expect("a folder of modules");
        for path in entries.map(|entry| entry.expect("an entry").path()) {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            let short = path.metadata().is_ok_and(|m| m.len() < LONGEST);
            if short && name.ends_with(".ptx") && !name.contains("debug") {
                let text = std::fs::read_to_string(&path).expect("PTX is text");
                let of = folder.split_once('/').expect("a group").1;
                found.push((format!("{of}/{name}"), text));
            }
        }
    }
    found.sort();
    found
}

fn mutants(seed: u64) -> Vec<Mutant> {
    let mut all = Vec::new();
    for (name, text) in modules() {
        let source = Source::new(&name, &text);
        let mut random = Random::new(seed ^ hash(&name));
        let mut made = 0;
        for _ in 0..PER_MODULE * 20 {
            let Some((damage, mutate)) = random.pick(mutate::MUTATIONS) else { break };
            let Some(damaged) = mutate(&source, &mut random) else { continue };
            if damaged.trim_end() != text.trim_end() && !damaged.contains('\0') {
                all.push(Mutant { module: source.name.clone(), damage, text: damaged });
                made += 1;
            }
            if made == PER_MODULE {
                break;
            }
        }
    }
    all
}

/// The emulator's reason to reject a text; `None` if it accepts all of it.
fn refusal(text: &str) -> Option<String> {
    match Device::emulator().load_ptx(text) {
        Err(why) => Some(why.to_string()),
        Ok(module) => {
            let refused = module.refused().into_iter().chain(module.refused_functions()).next();
            refused.map(|(name, why)| format!("{name}: {why}"))
        }
    }
}

/// Applies `f` to each item, on all cores.
fn parallel<T: Sync, R: Send>(items: &[T], f: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let chunk = items.len().div_ceil(cores * 8).max(1);
    let next = std::sync::Mutex::new(items.chunks(chunk).enumerate());
    let done = std::sync::Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                loop {
                    let Some((index, part)) = next.lock().expect("no panic").next() else { break };
                    let results: Vec<R> = part.iter().map(&f).collect();
                    done.lock().expect("no panic").insert(index, results);
                }
            });
        }
    });
    done.into_inner().expect("no panic").into_values().flatten().collect()
}

#[test]
fn the_emulator_rejects_the_mutants_that_ptxas_rejects() {
    let seed = std::env::var("LANEWORK_MUTANTS").ok().and_then(|s| s.parse().ok()).unwrap_or(SEED);
    let oracle = Oracle::new();
    if !oracle.is_live() {
        eprintln!("ptxas is not installed (PTXAS, PATH): its verdicts on record are compared");
    }
    let originals: BTreeMap<String, bool> = modules()
        .into_iter()
        .map(|(name, text)| {
            let verdict = oracle.verdict(&text);
            (name, verdict.is_some_and(|v| v.accepted) && refusal(&text).is_none())
        })
        .collect();
    let mut all = mutants(seed);
    all.retain(|mutant| originals[&mutant.module]);
    let verdicts: Vec<(Option<Verdict>, Option<String>)> =
        parallel(&all, |mutant| (oracle.verdict(&mutant.text), refusal(&mutant.text)));
    if oracle.is_live() && std::env::var_os("LANEWORK_BLESS").is_some() {
        bless(&oracle, &all, &verdicts);
    }
    let (mut judged, mut lenient, mut strict) = (0, 0, 0);
    let mut told: BTreeMap<String, usize> = BTreeMap::new();
    for (index, (mutant, (theirs, ours))) in all.iter().zip(&verdicts).enumerate() {
        let Some(theirs) = theirs else { continue };
        judged += 1;
        let wrong = match (theirs.accepted, ours) {
            (false, None) => {
                lenient += 1;
                format!("lenient | {} | {}", mutant.damage, theirs.why)
            }
            (true, Some(why)) => {
                strict += 1;
                format!("strict | {} | {}", mutant.damage, why.lines().next().unwrap_or_default())
            }
            _ => continue,
        };
        keep(index, mutant, &wrong);
        *told.entry(wrong).or_default() += 1;
    }
    let percent = |count: usize, of: usize| 100.0 * count as f64 / of.max(1) as f64;
    let fine = verdicts.iter().filter(|(theirs, ours)| theirs.is_some() && ours.is_none()).count();
    let theirs = verdicts.iter().filter(|(v, _)| v.as_ref().is_some_and(|v| v.accepted)).count();
    let (leniency, strictness) = (percent(lenient, fine), percent(strict, theirs));
    let summary = format!(
        "{judged} mutants of {} modules, seed {seed}: of {fine} that are accepted ptxas refuses {lenient} \
         ({leniency:.2} %); of {theirs} that ptxas accepts {strict} are refused ({strictness:.2} %)",
        originals.values().filter(|fine| **fine).count(),
    );
    eprintln!("{summary}");
    let list: Vec<String> = told.iter().map(|(what, count)| format!("{count} {what}")).collect();
    eprintln!("{}", list.join("\n"));
    assert!(
        judged >= 2000,
        "{summary}; too few verdicts are on record: write them with LANEWORK_BLESS=1"
    );
    assert!(leniency < 3.0 && strictness < 2.0, "{summary}\n{}", list.join("\n"));
}

/// Saves a mutant on which the emulator and ptxas disagree, if `LANEWORK_MUTANTS_OUT` is set.
fn keep(index: usize, mutant: &Mutant, wrong: &str) {
    if let Some(folder) = std::env::var_os("LANEWORK_MUTANTS_OUT") {
        let path = Path::new(&folder).join(format!("{index:05}.ptx"));
        let text = format!("// {wrong} | {}\n{}", mutant.module, mutant.text);
        std::fs::write(path, text).expect("the mutant is written");
    }
}

fn bless(oracle: &Oracle, all: &[Mutant], verdicts: &[(Option<Verdict>, Option<String>)]) {
    let mut record = BTreeMap::new();
    for (_, text) in modules() {
        if let Some(verdict) = oracle.verdict(&text) {
            record.insert(hash(&text), verdict.accepted);
        }
    }
    for (mutant, (verdict, _)) in all.iter().zip(verdicts) {
        if let Some(verdict) = verdict {
            record.insert(hash(&mutant.text), verdict.accepted);
        }
    }
    oracle::write(&record);
}
