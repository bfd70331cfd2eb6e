//! `lanework-lab conform`: compares the emulator with a GPU, instruction form by instruction form, and records
//! a GPU's results.

mod exhaustive;

use crate::args::ConformArgs;
use exhaustive::gpu;
use lanework::Device;
use lanework_lab::conformance::{
    self, Difference, InstructionForm, TOGETHER, Vectors, combinations, compare, execute, forms,
};
use lanework_terminal::failure::{Failure, Outcome};
use lanework_terminal::output::{note, print, print_data, print_json, thousands};
use lanework_terminal::progress::Progress;
use serde::Serialize;

/// The comparison of one form, in JSON.
#[derive(Serialize)]
struct FormJson {
    name: String,
    text: String,
    /// `same`, `different`, `refused` by the emulator, or `unknown` to the other side.
    verdict: &'static str,
    /// The reason of the refusal, or the first difference.
    why: Option<String>,
    differing: usize,
    compared: usize,
}

/// Compares the emulator with stored vectors or a GPU, or records vectors.
///
/// # Errors
/// If a file cannot be read or written, or a form differs.
pub fn run(args: &ConformArgs) -> Outcome {
    if args.on.device != "best" && !args.live && args.record.is_none() {
        return Err(Failure::input(
            format_args!("--device {} is not used: stored results are compared", args.on.device),
            "add --live to compare with that GPU now, or --record to store its results",
        ));
    }
    let forms: Vec<InstructionForm> = forms()
        .into_iter()
        .filter(|form| form.runs())
        .chain(combinations())
        .filter(|form| args.only.as_ref().is_none_or(|only| form.name.starts_with(only.as_str())))
        .collect();
    if forms.is_empty() {
        let help = "give the start of a name, such as `add.rn`";
        return Err(Failure::input("no form has a name that starts with this", help));
    }
    if args.exhaustive {
        return exhaustive::run(args);
    }
    if args.ptx {
        return print_data(&conformance::module(&forms.iter().collect::<Vec<_>>()));
    }
    let recorded = match &args.record {
        Some(path) => Some(record(args, &forms, path)?),
        None => None,
    };
    if args.live {
        let device = gpu(args)?;
        let tuples = args.tuples.map_or(LIVE, |tuples| tuples as usize);
        let theirs = gather(&device, &forms, tuples)?;
        return report(args, &forms, &theirs, tuples);
    }
    let vectors = match recorded {
        Some(vectors) => vectors,
        None => read(args)?,
    };
    report(args, &forms, &vectors, args.tuples.map_or(STORED, |tuples| tuples as usize))
}

/// Operand tuples of each form whose results are stored.
const STORED: usize = 384;
/// Operand tuples of each combination whose results are stored.
const COMBINED: usize = 32;
/// Operand tuples of each form in a live comparison.
const LIVE: usize = 16_384;

/// Number of progress steps for these forms.
fn steps(forms: &[InstructionForm]) -> u64 {
    forms.len().div_ceil(TOGETHER) as u64
}

fn gather(device: &Device, forms: &[InstructionForm], tuples: usize) -> Result<Vectors, Failure> {
    let info = device.info();
    let progress = Progress::of(&info.name, steps(forms));
    let outcomes = execute(device, forms, tuples, &mut |name| progress.next(name))?;
    drop(progress);
    let mut vectors =
        Vectors { device: format!("{}, driver {}", info.name, info.driver), ..Vectors::default() };
    for (form, outcome) in forms.iter().zip(outcomes) {
        match outcome {
            Ok(results) => drop(vectors.results.insert(form.key().to_owned(), results)),
            Err(why) => note(&format!(
                "not recorded: {}: {}",
                form.text,
                why.lines().next().unwrap_or_default()
            )),
        }
    }
    Ok(vectors)
}

fn record(
    args: &ConformArgs,
    forms: &[InstructionForm],
    path: &std::path::Path,
) -> Result<Vectors, Failure> {
    let tuples = args.tuples.map_or(STORED, |tuples| tuples as usize);
    let mut vectors = gather(&gpu(args)?, forms, tuples)?;
    // A wrong combination is wrong on any operands, so a few suffice and keep the file small.
    if args.tuples.is_none() {
        for form in forms.iter().filter(|form| form.is_combination()) {
            if let Some(results) = vectors.results.get_mut(form.key()) {
                results.truncate(COMBINED * form.bytes());
            }
        }
    }
    std::fs::write(path, vectors.to_bytes()).map_err(|error| {
        let help = "choose a file that you may write";
        Failure::input(format_args!("{} cannot be written: {error}", path.display()), help)
    })?;
    Ok(vectors)
}

fn read(args: &ConformArgs) -> Result<Vectors, Failure> {
    let Some(path) = &args.vectors else { return Ok(Vectors::recorded()) };
    let bytes = std::fs::read(path).map_err(|error| {
        let help = "name a file that `conform --record` wrote; without --vectors, an H200's results are used";
        Failure::input(format_args!("{} cannot be read: {error}", path.display()), help)
    })?;
    Vectors::from_bytes(&bytes).map_err(|why| {
        let help = "record the vectors again on a GPU, with --record";
        Failure::input(format_args!("{}: {why}", path.display()), help)
    })
}

/// Runs the forms on the emulator and reports how they compare.
fn report(
    args: &ConformArgs,
    forms: &[InstructionForm],
    theirs: &Vectors,
    tuples: usize,
) -> Outcome {
    let progress = Progress::of("emulator", steps(forms));
    let outcomes = execute(&Device::emulator(), forms, tuples, &mut |name| progress.next(name))?;
    drop(progress);
    let mut rows = Vec::new();
    for (form, outcome) in forms.iter().zip(outcomes) {
        let (verdict, why, differing, compared) = match (outcome, theirs.of(form)) {
            (_, None) => ("unknown", None, 0, 0),
            (Err(why), _) => {
                ("refused", Some(why.lines().next().unwrap_or_default().to_owned()), 0, 0)
            }
            (Ok(ours), Some(expected)) => match compare(form, expected, &ours) {
                None => ("same", None, 0, tuples),
                Some(difference) => {
                    ("different", Some(words(form, &difference)), difference.count, difference.of)
                }
            },
        };
        let (name, text) = (form.name.clone(), form.text.clone());
        rows.push(FormJson { name, text, verdict, why, differing, compared });
    }
    let count = |verdict: &str| rows.iter().filter(|row| row.verdict == verdict).count();
    let summary = format!(
        "{} forms compared with {}, {} operand tuples each: {} the same, {} different, {} refused by the emulator, {} without vectors",
        thousands(rows.len() as u64),
        theirs.device,
        thousands(tuples as u64),
        count("same"),
        count("different"),
        count("refused"),
        count("unknown"),
    );
    let different = count("different");
    if args.json {
        print_json(&rows)?;
    } else {
        let mut text = String::new();
        for row in rows.iter().filter(|row| matches!(row.verdict, "different" | "refused")) {
            let why = row.why.as_deref().unwrap_or_default();
            text.push_str(&format!("{}: {}: {why}\n", row.verdict, row.text));
        }
        print(&format!("{text}{summary}\n"))?;
    }
    if different > 0 {
        return Err(Failure::Check(format!("{different} forms differ from {}", theirs.device)));
    }
    Ok(())
}

/// The first difference of a form, as text.
fn words(form: &InstructionForm, difference: &Difference) -> String {
    let list = |values: &[u64]| {
        let hex: Vec<String> = values.iter().map(|value| format!("{value:#x}")).collect();
        hex.join(", ")
    };
    format!(
        "{} of {}, first ({}) = {}, not {}",
        difference.count,
        difference.of,
        list(&difference.first[..form.operands.len()]),
        list(&difference.found),
        list(&difference.expected)
    )
}
