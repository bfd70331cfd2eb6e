//! `lanework run`: one rung on the user's own arrays, or a kernel of a file on the user's own arguments.

use crate::args::{KernelArgs, ProblemOptions, RunArgs};
use crate::kernel_file::source::linked_ptx;
use crate::kernel_file::{
    FileKernel, Launched, Ready, arguments, check_arguments, emulator, find_entry, launch, shape,
    signature,
};
use crate::npy::Output;
use crate::problem::{
    check_no_path, check_rung, check_seed, find_family, read_arrays, rejected, request,
    with_parameters,
};
use lanework::ptx::cpp_names::readable;
use lanework::{Device, PtxModule};
use lanework_lab::conformance::{Fidelity, fidelity};
use lanework_lab::{Accuracy, Array, Family, run_rung};
use lanework_terminal::failure::{Failure, Outcome};
use lanework_terminal::output::{print, print_json, thousands};
use lanework_terminal::progress::Progress;
use serde::Serialize;
use std::collections::BTreeMap;

/// A run in JSON.
#[derive(Serialize)]
struct RunJson<'a> {
    rung: &'a str,
    device: String,
    input: Option<&'a Vec<u64>>,
    inputs: BTreeMap<&'static str, &'a Vec<u64>>,
    output: &'a Vec<u64>,
    element: &'a str,
    verified: bool,
    accuracy: Accuracy,
}

/// The family and the name of a rung, from `ladder/rung`.
///
/// # Errors
/// If there is no such rung.
pub fn rung_named(text: &str) -> Result<(Family, &str), Failure> {
    check_no_path(text)?;
    let Some((ladder, rung)) = text.split_once('/') else {
        return Err(Failure::input(
            format_args!("`{text}` is neither a .ptx or .cu file nor a rung"),
            "give a file, or ladder/rung, such as transpose/padded; `lanework list` shows all",
        ));
    };
    let family = find_family(ladder)?;
    check_rung(&family.with_peer(), rung)?;
    Ok((family, rung))
}

/// Reads the arrays, runs the rung, compares with the host and writes the result.
///
/// # Errors
/// Unknown names, files that cannot be read or written, shapes that do not fit; or if the result
/// differs from the host's, in which case nothing is written.
pub fn run(args: &RunArgs) -> Outcome {
    let (family, rung) = rung_named(&args.rung)?;
    let output = args.output.as_deref().map(Output::prepare).transpose()?;
    let device = Device::open(&args.on.device)?;
    let ProblemOptions { parameters, numbers, arrays } = &args.problem;
    let mut request = with_parameters(request(numbers, device.backend())?, parameters);
    let type_name = read_arrays(&mut request, arrays, &family)?;
    check_seed(numbers, &request, &family)?;
    family.check_used(&[rung], &request)?;
    let case = family.case(&request)?;
    if let Some(why) = case.skips(rung, &device) {
        return Err(Failure::input(why, "run another rung; `lanework list` shows all"));
    }
    let (result, accuracy) = {
        let progress = Progress::new("running");
        progress.say(&args.rung);
        run_rung(rung, case.as_ref(), &device)?.map_err(|why| rejected("the result", &why))?
    };
    if let Some(output) = output {
        let moved = request.arrays.values().any(|array| array.element == result.element);
        let name = type_name.filter(|_| moved);
        output.write(&result, name.as_deref())?;
    }
    let shape = |shape: &[u64]| match shape {
        [] => "a number".to_owned(),
        shape => shape.iter().map(u64::to_string).collect::<Vec<_>>().join("x"),
    };
    if args.json {
        let inputs: BTreeMap<_, _> =
            request.arrays.iter().map(|(name, array)| (*name, &array.shape)).collect();
        return print_json(&RunJson {
            rung: &args.rung,
            device: device.info().id,
            input: inputs.values().next().copied(),
            inputs,
            output: &result.shape,
            element: result.element.name,
            verified: true,
            accuracy,
        });
    }
    let extents: Vec<u64> = case.extents().iter().map(|(_, extent)| *extent).collect();
    let written = match &args.output {
        Some(path) => format!("written to {}", path.display()),
        None => "not written: give --output".to_owned(),
    };
    print(&format!(
        "{}: {} {} -> {}{} on {}, verified ({}), {written}\n",
        args.rung,
        shape(&extents),
        case.element(),
        shape(&result.shape),
        result.scalar().map(|value| format!(" {value}")).unwrap_or_default(),
        device.info().name,
        accuracy.short(),
    ))
}

/// A run in JSON.
#[derive(Serialize)]
struct KernelJson<'a> {
    entry: &'a str,
    device: String,
    grid: [u32; 3],
    block: [u32; 3],
    warp_instructions: Option<u64>,
    lane_instructions: Option<u64>,
    written: Vec<String>,
    same: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fidelity: Option<FidelityJson>,
}

/// The fidelity of the instructions of an entry, in JSON.
#[derive(Serialize)]
struct FidelityJson {
    /// Instructions whose results equal an H200's bit for bit.
    measured: Vec<String>,
    /// Instructions that were not compared with a GPU.
    unmeasured: Vec<String>,
    /// Entries of the module that the emulator does not run, and why.
    refused: BTreeMap<String, String>,
}

/// The fidelity of the instructions of an entry; `None` on a GPU.
fn fidelity_of(module: &PtxModule, entry: &str) -> Option<FidelityJson> {
    let (mut measured, mut unmeasured) = (Vec::new(), Vec::new());
    for name in module.instructions(entry)? {
        match fidelity(&name) {
            Fidelity::Measured => measured.push(name),
            Fidelity::Unmeasured => unmeasured.push(name),
        }
    }
    let refused = module.refused().into_iter().collect();
    Some(FidelityJson { measured, unmeasured, refused })
}

impl FidelityJson {
    fn words(&self) -> String {
        let mut text = String::new();
        for (how, names) in [("measured", &self.measured), ("unmeasured", &self.unmeasured)] {
            if !names.is_empty() {
                let (count, names) = (names.len(), names.join(", "));
                text.push_str(&format!("\n{count} instruction forms {how}: {names}"));
            }
        }
        for (entry, why) in &self.refused {
            text.push_str(&format!("\nentry {entry} is refused: {why}"));
        }
        text
    }
}

/// Loads the file, runs the entry and writes the output arrays.
///
/// # Errors
/// Invalid PTX, arguments that do not match, files that cannot be read or written; or if the kernel
/// faults, or two devices differ, in which case nothing is written.
pub fn run_file(args: &KernelArgs) -> Outcome {
    if args.json {
        lanework::print_on_stderr();
    }
    let names = devices(args)?;
    let ptx = linked_ptx(args.files(), &args.source)?;
    let progress = Progress::of("running", names.len() as u64);
    let (mut results, mut fidelities) = (Vec::new(), Vec::new());
    let mut given = None;
    for name in &names {
        progress.next(name);
        let device = open(name, args)?;
        let module = ptx.load(&device)?;
        let entry = find_entry(&module, args.entry.as_deref())?;
        let forms = if args.fidelity { fidelity_of(&module, &entry) } else { None };
        fidelities.extend(forms);
        if given.is_none() {
            let signature = signature(&module, &entry, args);
            let (ready, outputs) = arguments(args, &signature)?;
            check_arguments(&module, &signature, &ready)?;
            let (ptx, module, entry) = (&ptx, &module, entry.as_str());
            let shape = shape(&FileKernel { args, ptx, module, entry, ready: &ready })?;
            given = Some((shape, ready, outputs));
        }
        let Some((shape, ready, _)) = &given else { continue };
        results.push((launch(&device, &module, &entry, *shape, ready)?, device, entry));
    }
    drop(progress);
    let Some((shape, ready, outputs)) = given else { return Ok(()) };
    let (Launched { executed, arrays, .. }, device, entry) = &results[0];
    let differences: Vec<String> = results[1..]
        .iter()
        .flat_map(|(launched, other, _)| {
            differences(arrays, &launched.arrays, &device.info().id, &other.info().id)
        })
        .collect();
    if !differences.is_empty() {
        return Err(Failure::Check(format!(
            "the results of the devices differ\n{}",
            differences.join("\n")
        )));
    }
    let mut written = Vec::new();
    for (output, (argument, array)) in outputs.into_iter().zip(ready.iter().zip(arrays)) {
        if let (Some(output), Ready::Memory { type_name, after: Some(path), .. }) =
            (output, argument)
        {
            output.write(array.as_ref().expect("memory has an array"), type_name.as_deref())?;
            written.push(path.display().to_string());
        }
    }
    if args.json {
        return print_json(&KernelJson {
            entry,
            device: device.info().id,
            grid: shape.grid.to_array(),
            block: shape.block.to_array(),
            warp_instructions: executed.map(|executed| executed.warp_instructions),
            lane_instructions: executed.map(|executed| executed.lane_instructions),
            written,
            same: args.compare.is_some().then_some(true),
            fidelity: fidelities.pop(),
        });
    }
    let mut text = format!("{} ran on {}", readable(entry), device.info().name);
    if let Some(executed) = executed {
        text.push_str(&format!(
            ": {} warp instructions, {} thread instructions",
            thousands(executed.warp_instructions),
            thousands(executed.lane_instructions)
        ));
    }
    if args.compare.is_some() {
        text.push_str(&format!("; bit for bit the same on {}", names.join(" and ")));
    }
    for path in written {
        text.push_str(&format!("\nwritten to {path}"));
    }
    if let Some(forms) = fidelities.first() {
        text.push_str(&forms.words());
    }
    print(&format!("{text}\n"))
}

/// The devices to run on.
///
/// # Errors
/// If there are not two devices to compare, or the request needs the emulator and names only GPUs.
fn devices(args: &KernelArgs) -> Result<Vec<&str>, Failure> {
    let names: Vec<&str> = match &args.compare {
        Some(all) => all.split(',').map(str::trim).collect(),
        None => vec![&args.on.device],
    };
    if let Some(all) = &args.compare
        && names.len() < 2
    {
        return Err(Failure::input(
            format_args!("--compare {all} does not name two devices"),
            "give two, such as --compare emulator,cuda:0",
        ));
    }
    let limits = [
        ("--max-instructions", args.max_instructions.is_some()),
        ("--time-limit", args.time_limit.is_some()),
        ("--memory-limit", args.memory_limit.is_some()),
        ("--fidelity", args.fidelity),
    ];
    let emulates = |name: &&str| matches!(*name, "emulator" | "best");
    match limits.into_iter().find(|(_, given)| *given) {
        Some((option, _)) if !names.iter().any(emulates) => Err(Failure::input(
            format_args!(
                "{option} is not used on {}: only the emulator has it",
                names.join(" and ")
            ),
            format_args!("remove {option}, or run on the emulator"),
        )),
        _ => Ok(names),
    }
}

/// The device of this name. With `best`, a limit that only the emulator supports selects the emulator.
fn open(name: &str, args: &KernelArgs) -> Result<Device, Failure> {
    let limited = args.max_instructions.is_some()
        || args.time_limit.is_some()
        || args.memory_limit.is_some()
        || args.fidelity;
    if !limited || !matches!(name, "emulator" | "best") {
        return Ok(Device::open(name)?);
    }
    Ok(emulator(args, None))
}

/// Mismatches that are listed per argument.
const SHOWN: usize = 5;

/// The differences in memory after a launch on two devices, as text.
fn differences(
    ours: &[Option<Array>],
    theirs: &[Option<Array>],
    our_name: &str,
    their_name: &str,
) -> Vec<String> {
    let mut said = Vec::new();
    for (index, pair) in ours.iter().zip(theirs).enumerate() {
        let (Some(a), Some(b)) = pair else { continue };
        let size = a.element.bytes;
        let differing = || {
            let pairs = a.bytes.chunks(size).zip(b.bytes.chunks(size));
            pairs.enumerate().filter(|(_, (a, b))| a != b)
        };
        let count = differing().count();
        if count == 0 {
            continue;
        }
        let hex = |bytes: &[u8]| {
            bytes.iter().rev().fold("0x".to_owned(), |text, byte| format!("{text}{byte:02x}"))
        };
        said.push(format!(
            "  argument {}: {count} of {} elements",
            index + 1,
            a.bytes.len() / size
        ));
        for (at, (a_bits, b_bits)) in differing().take(SHOWN) {
            said.push(format!(
                "    {} is {} on {our_name}, {} on {their_name}",
                coordinates(at as u64, &a.shape),
                hex(a_bits),
                hex(b_bits)
            ));
        }
    }
    said
}

/// The index of an element in an array of this shape, as `[2][7]`.
fn coordinates(at: u64, shape: &[u64]) -> String {
    let mut rest = at;
    let mut places: Vec<String> = shape
        .iter()
        .rev()
        .map(|extent| {
            let place = rest % extent.max(&1);
            rest /= extent.max(&1);
            format!("[{place}]")
        })
        .collect();
    places.reverse();
    places.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_indexed_by_row_and_column() {
        assert_eq!(coordinates(7, &[3, 4]), "[1][3]");
        assert_eq!(coordinates(7, &[12]), "[7]");
        assert_eq!(coordinates(0, &[]), "");
    }
}
