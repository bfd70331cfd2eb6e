//! `lanework-lab conform --exhaustive`: compares the emulator with a GPU over every input of a form, or with the
//! fingerprints of a GPU's results, and records such fingerprints.

use crate::args::ConformArgs;
use lanework::{Backend, Device};
use lanework_lab::conformance::exhaustive::{
    Every, Fingerprints, Mismatch, fingerprint, inputs, is_approximate, is_exhaustible, mismatch,
    parts,
};
use lanework_lab::conformance::{InstructionForm, forms};
use lanework_terminal::failure::{Failure, Outcome};
use lanework_terminal::output::{print, print_json, thousands};
use lanework_terminal::progress::Progress;
use serde::Serialize;
use std::sync::mpsc;

/// The comparison of one form, in JSON.
#[derive(Serialize)]
struct FormJson {
    name: String,
    text: String,
    /// `same`, `different`, `recorded` but not compared, `refused` by a device, or `unknown` where nothing is
    /// recorded.
    verdict: &'static str,
    /// The reason of the refusal, or the first difference.
    why: Option<String>,
    inputs: u64,
    /// Results that differ. If only fingerprints are compared, all inputs of the parts that differ.
    differing: u64,
}

/// Compares the emulator with a GPU or its fingerprints over every input, or records fingerprints.
///
/// # Errors
/// If a file cannot be read or written, or a form differs.
pub fn run(args: &ConformArgs) -> Outcome {
    let chosen: Vec<InstructionForm> = forms()
        .into_iter()
        .filter(is_exhaustible)
        .filter(|form| match &args.only {
            Some(only) => form.name.starts_with(only.as_str()),
            None => is_approximate(form),
        })
        .collect();
    if chosen.is_empty() {
        let help =
            "give the start of a name, such as `ex2.approx`; `lanework-lab coverage` lists all";
        return Err(Failure::input(
            "no form of one or two operands has a name that starts with this",
            help,
        ));
    }
    let live = if args.live || args.record.is_some() { Some(gpu(args)?) } else { None };
    let recorded = Fingerprints::recorded();
    let device = match &live {
        Some(device) => format!("{}, driver {}", device.info().name, device.info().driver),
        None => recorded.device.clone(),
    };
    let progress = Progress::of("comparing", chosen.iter().map(parts).sum());
    let mut prints = Fingerprints { device: device.clone(), ..Fingerprints::default() };
    let mut rows = Vec::new();
    for form in &chosen {
        let emulator = args.live || live.is_none();
        let mut row =
            match compared(form, emulator, live.as_ref(), &recorded, &mut prints, &progress) {
                Ok(row) => row,
                Err(error) => {
                    let why = error.to_string().lines().next().unwrap_or_default().to_owned();
                    outcome(form, "refused", Some(why), 0)
                }
            };
        if live.is_some() && !args.live && row.verdict == "same" {
            row.verdict = "recorded";
        }
        rows.push(row);
    }
    drop(progress);
    if let Some(path) = &args.record {
        std::fs::write(path, prints.to_text()).map_err(|error| {
            let help = "choose a file that you may write";
            Failure::input(format_args!("{} cannot be written: {error}", path.display()), help)
        })?;
    }
    report(args, &rows, &device)
}

/// The GPU to compare with, or to record.
///
/// # Errors
/// If the device is not a GPU.
pub fn gpu(args: &ConformArgs) -> Result<Device, Failure> {
    let device = Device::open(&args.on.device)?;
    match device.backend() {
        Backend::Cuda => Ok(device),
        Backend::Emulator => Err(Failure::input(
            "--record and --live need a GPU",
            "name it with --device cuda:0; without the two, stored results are compared",
        )),
    }
}

fn outcome(
    form: &InstructionForm,
    verdict: &'static str,
    why: Option<String>,
    differing: u64,
) -> FormJson {
    let (name, text) = (form.name.clone(), form.text.clone());
    FormJson { name, text, verdict, why, inputs: inputs(form), differing }
}

/// Runs one form on the devices wanted, part by part.
fn compared(
    form: &InstructionForm,
    emulator: bool,
    gpu: Option<&Device>,
    recorded: &Fingerprints,
    prints: &mut Fingerprints,
    progress: &Progress,
) -> Result<FormJson, lanework::Error> {
    let known = recorded.parts.get(form.key());
    if gpu.is_none() && known.is_none() {
        return Ok(outcome(form, "unknown", None, 0));
    }
    let mut ours = emulator.then(|| Every::new(&Device::emulator(), form)).transpose()?;
    let (mut first, mut differing): (Option<String>, u64) = (None, 0);
    let mut list = Vec::new();
    std::thread::scope(|scope| -> Result<(), lanework::Error> {
        // The GPU is a part or two ahead.
        let theirs = gpu.map(|device| {
            let (sender, receiver) = mpsc::sync_channel(2);
            scope.spawn(move || send_parts(device, form, &sender));
            receiver
        });
        for part in 0..parts(form) {
            progress.next(&form.name);
            let found = ours.as_mut().map(|ours| ours.part(part)).transpose()?;
            let expected = match &theirs {
                Some(theirs) => theirs.recv().ok().transpose()?,
                None => None,
            };
            list.extend(expected.as_ref().map(|(_, print)| *print));
            match (&found, &expected) {
                (Some(found), Some((expected, _))) => {
                    if let Some(mismatch) = mismatch(form, part, found, expected) {
                        differing += mismatch.count;
                        first.get_or_insert_with(|| words(&mismatch));
                    }
                }
                (Some(found), None) => {
                    let stored = known.and_then(|known| known.get(part as usize));
                    if stored != Some(&fingerprint(found)) {
                        differing += inputs(form) / parts(form);
                        first.get_or_insert_with(|| {
                            format!("first in part {part:#04x} of the inputs")
                        });
                    }
                }
                _ => {}
            }
        }
        Ok(())
    })?;
    if gpu.is_some() {
        prints.parts.insert(form.key().to_owned(), list);
    }
    let verdict = if differing == 0 { "same" } else { "different" };
    Ok(outcome(form, verdict, first, differing))
}

/// The results of a part and their fingerprint.
type Part = Result<(Vec<u8>, u32), lanework::Error>;

/// Sends the results of each part, until one fails or the receiver is dropped.
fn send_parts(device: &Device, form: &InstructionForm, sender: &mpsc::SyncSender<Part>) {
    let mut every = match Every::new(device, form) {
        Ok(every) => every,
        Err(error) => {
            // A dropped receiver has stopped for an error of its own.
            let _ = sender.send(Err(error));
            return;
        }
    };
    for part in 0..parts(form) {
        let results = every.part(part).map(|results| {
            let print = fingerprint(&results);
            (results, print)
        });
        let failed = results.is_err();
        if sender.send(results).is_err() || failed {
            return;
        }
    }
}

impl FormJson {
    /// Prints the comparison of each form, and a summary.
    fn words(&self) -> String {
        let why = self.why.as_deref().unwrap_or_default();
        let inputs = thousands(self.inputs);
        match self.verdict {
            "unknown" => {
                "not compared: it has no fingerprints; --live compares it with a GPU".to_owned()
            }
            "refused" => why.to_owned(),
            "recorded" => format!("{inputs} inputs"),
            "different" => format!("{inputs} inputs, {} differ, {why}", thousands(self.differing)),
            _ => format!("{inputs} inputs, none differs"),
        }
    }
}

/// The first difference, as text.
fn words(mismatch: &Mismatch) -> String {
    let Mismatch { input, found, expected, .. } = mismatch;
    format!("first ({input:#x}) = {found:#x}, not {expected:#x}")
}

fn report(args: &ConformArgs, rows: &[FormJson], device: &str) -> Outcome {
    let count = |verdict: &str| rows.iter().filter(|row| row.verdict == verdict).count();
    let different = count("different");
    if args.json {
        print_json(&rows)?;
    } else {
        let mut text = String::new();
        for row in rows {
            text.push_str(&format!("{}: {}: {}\n", row.verdict, row.text, row.words()));
        }
        print(&format!(
            "{text}{} forms over every input, with {device}: {} the same, {different} different, {} recorded, {} refused, {} without fingerprints\n",
            rows.len(),
            count("same"),
            count("recorded"),
            count("refused"),
            count("unknown")
        ))?;
    }
    if different > 0 {
        return Err(Failure::Check(format!("{different} forms differ from {device}")));
    }
    Ok(())
}
