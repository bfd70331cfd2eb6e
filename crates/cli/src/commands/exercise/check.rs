//! Checks of solutions: first findings, then the result, then the counters, then the predicted time.

use super::task::{Declared, Task};
use crate::args::{FindingsFiles, KernelArgs};
use crate::findings::checked::Checked;
use crate::kernel_file::source::linked_ptx;
use crate::kernel_file::{
    Launched, Ready, arguments, check_arguments, emulator, find_entry, given, launch, maps,
    signature, upload,
};
use crate::problem::find_gpu;
use crate::problem::subject::entry_of_file;
use clap::Parser;
use lanework::emulator::Blocks;
use lanework::time::machine::GpuModel;
use lanework::time::predict::{Protocol, predict};
use lanework::time::trace::sample::Effort;
use lanework_exercises::{Exercise, ExpectedResult, Missed};
use lanework_lab::Array;
use lanework_terminal::failure::Failure;
use std::sync::{Mutex, PoisonError};

/// Instructions of a warp after which a kernel counts as an endless loop.
const STUCK_AFTER: u64 = 1_000_000;
/// The same for rungs, whose first kernels do all work in one thread.
const STUCK_RUNG_AFTER: u64 = 20_000_000;

/// The GPU of the predictions.
const GPU: &str = "H200";

/// The reason why a kernel is not a solution, and what helps.
pub struct Miss {
    pub why: String,
    pub help: &'static str,
}

/// Output of kernels whose output is the result.
static PRINTED: Mutex<String> = Mutex::new(String::new());

/// The arguments of the launch of a task's file.
fn launch_args(task: &Task, launch: &str) -> KernelArgs {
    let words = ["lanework run", "--compiler", "own"].map(str::to_owned).into_iter();
    let words = words.chain([task.file.display().to_string()]);
    KernelArgs::parse_from(words.chain(launch.split(' ').map(str::to_owned)))
}

/// Runs the kernel of a task's file. Returns the reason why it is not a solution; `None` if it is.
///
/// # Errors
/// A file that does not compile, and findings of the sanitizer.
pub fn check(task: &Task) -> Result<Option<Miss>, Failure> {
    let args = launch_args(task, &task.launch);
    let stuck_after = if task.is_rung() { STUCK_RUNG_AFTER } else { STUCK_AFTER };
    let prints =
        task.rung().is_some_and(|(_, rung)| matches!(rung.expected, ExpectedResult::Lines(_)));
    if prints {
        lanework::print_by(|text| {
            PRINTED.lock().unwrap_or_else(PoisonError::into_inner).push_str(text);
        });
    }
    let ptx = linked_ptx(args.files(), &args.source)?;
    let device = emulator(&args, Some(stuck_after)).sanitized();
    let module = ptx.load(&device)?;
    let is_there = |name: &&str| ptx.text.contains(&format!(".entry {name}")) || !task.is_rung();
    let entry = find_entry(&module, task.kernel().filter(is_there))?;
    let signature = signature(&module, &entry, &args);
    let (mut ready, _) = arguments(&args, &signature)?;
    if task.is_rung() {
        ready.iter_mut().for_each(make_small);
    }
    check_arguments(&module, &signature, &ready)?;
    let launched = launch(&device, &module, &entry, args.shape(), &ready);
    let printed = match prints {
        true => std::mem::take(&mut *PRINTED.lock().unwrap_or_else(PoisonError::into_inner)),
        false => String::new(),
    };
    let after = match launched {
        Ok(launched) => launched,
        Err(error) => {
            let mut checked = Checked::default();
            checked.add(&entry, Err(error), Some((&args.names(), &ptx.text)))?;
            let shown = checked.show(&FindingsFiles::default(), false, None);
            shown.map_err(|failure| with_hint(failure, task))?;
            return Ok(Some(Miss { why: "the kernel stopped".to_owned(), help: task.hints[0] }));
        }
    };
    let why = match &task.of {
        Declared::Exercise(exercise) => wrong(exercise, &ready, &after),
        Declared::Rung(ladder, at) => {
            differs(&ladder.rungs[*at].expected, &ready, &after, &printed)
        }
    };
    if let Some(why) = why {
        // The hints are about the flaw of the kernel as it was written: this kernel computes something else.
        return Ok(Some(Miss { why, help: task.text }));
    }
    if task.has_limits() {
        let device = emulator(&args, Some(stuck_after));
        let module = ptx.load(&device)?;
        let buffers = upload(&device, &ready)?;
        let maps = maps(&ready, &buffers)?;
        let given = given(&ready, &buffers, &maps);
        let counters = module.profile(&entry, args.shape(), &given, Blocks::All)?.counters;
        if let Some(Missed { why, help }) = task.missed(&counters) {
            return Ok(Some(Miss { why, help }));
        }
    }
    too_slow(task, &entry)
}

/// Predicts the time of a rung that has a limit for it.
fn too_slow(task: &Task, entry: &str) -> Result<Option<Miss>, Failure> {
    let Some((ladder, rung)) = task.rung().filter(|(_, rung)| rung.most_us.is_some()) else {
        return Ok(None);
    };
    let mut args = launch_args(task, &rung.launch(ladder.large));
    args.entry = Some(entry.to_owned());
    let model = GpuModel::new(find_gpu(GPU)?);
    let mut why = None;
    entry_of_file(&args, true, &mut |_, subject, _| {
        let trace = subject.time_trace(Effort::for_model(&model))?;
        why = rung.too_slow(predict(&trace, &model, Protocol::Flushed).time_ns / 1e3);
        Ok(())
    })?;
    Ok(why.map(|why| Miss { why, help: task.text }))
}

/// A failure with the first hint below.
fn with_hint(failure: Failure, task: &Task) -> Failure {
    match failure {
        Failure::Check(text) => Failure::Check(format!("{text}\n  = help: {}", task.hints[0])),
        other => other,
    }
}

/// The numbers of an array.
fn numbers(element: &str, bytes: &[u8]) -> Vec<f64> {
    fn each<const N: usize>(bytes: &[u8], number: fn([u8; N]) -> f64) -> Vec<f64> {
        let (parts, _) = bytes.as_chunks::<N>();
        parts.iter().copied().map(number).collect()
    }
    match element {
        "f32" => each(bytes, |bytes| f64::from(f32::from_le_bytes(bytes))),
        "f64" => each(bytes, f64::from_le_bytes),
        "i32" => each(bytes, |bytes| f64::from(i32::from_le_bytes(bytes))),
        "u32" => each(bytes, |bytes| f64::from(u32::from_le_bytes(bytes))),
        "i64" => each(bytes, |bytes| i64::from_le_bytes(bytes) as f64),
        "u64" => each(bytes, |bytes| u64::from_le_bytes(bytes) as f64),
        _ => Vec::new(),
    }
}

/// Makes random integers small, from 0 to 99 as in the page, so that their sums do not overflow.
fn make_small(argument: &mut Ready) {
    let Ready::Memory { array, .. } = argument else { return };
    if matches!(array.element.name, "i32" | "u32") {
        for word in array.bytes.as_chunks_mut().0 {
            *word = (u32::from_le_bytes(*word) % 100).to_le_bytes();
        }
    }
}

fn of_array(array: &Array) -> Vec<f64> {
    numbers(array.element.name, &array.bytes)
}

/// The first difference of a rung's result from the expected one.
fn differs(
    expected: &ExpectedResult,
    ready: &[Ready],
    after: &Launched,
    printed: &str,
) -> Option<String> {
    let (mut arrays, mut scalars) = (Vec::new(), Vec::new());
    for argument in ready {
        match argument {
            Ready::Memory { array, .. } => arrays.push(of_array(array)),
            Ready::Scalar(element, bytes) => scalars.extend(numbers(element.name, bytes)),
            Ready::MapOf(..) | Ready::Struct(..) => {}
        }
    }
    let result = after.arrays.iter().flatten().next_back().map_or(Vec::new(), of_array);
    expected.differs((&arrays, &scalars), &result, printed)
}

/// The first wrong element of an exercise's result.
fn wrong(exercise: &Exercise, ready: &[Ready], after: &Launched) -> Option<String> {
    let floats = |array: &Array| -> Vec<f32> {
        of_array(array).into_iter().map(|value| value as f32).collect()
    };
    let inputs = ready.iter().filter_map(|argument| match argument {
        Ready::Memory { array, .. } => Some(floats(array)),
        _ => None,
    });
    let inputs: Vec<Vec<f32>> = inputs.collect();
    let place = after.arrays.iter().rposition(Option::is_some)?;
    let got: Vec<f32> = floats(after.arrays[place].as_ref()?);
    let want = (exercise.expected)(&inputs);
    let differs =
        |(got, want): (&f32, &f32)| (got - want).abs() > 1e-4 * want.abs().max(1.0) || got.is_nan();
    let index = got.iter().zip(&want).position(differs)?;
    let at = 4 * index as u64;
    let is_unwritten =
        after.unwritten[place].iter().any(|(start, bytes)| (*start..start + bytes).contains(&at));
    let want = want[index];
    Some(match is_unwritten {
        true => format!("element {index} of the result was never written, should be {want}"),
        false => format!("element {index} of the result is {}, should be {want}", got[index]),
    })
}
