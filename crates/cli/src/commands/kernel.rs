//! `lanework run kernel.ptx`: a kernel from elsewhere, on the user's own arguments.

use crate::Outcome;
use crate::args::KernelArgs;
use crate::argument::{Argument, Contents, MapForm, parse};
use crate::failure::Failure;
use crate::npy::Output;
use crate::output::{Spinner, print, print_json, thousands};
use crate::source::ptx_of;
use lanework::sim::{Fidelity, Options, fidelity};
use lanework::{Buffer, Device, Dim3, Executed, PtxArg, PtxModule, PtxShape, TensorMap};
use lanework_lab::Array;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

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

/// What a run relied on, in JSON.
#[derive(Serialize)]
struct FidelityJson {
    /// Instructions that are bit for bit as on a GPU.
    exact: Vec<String>,
    /// Approximations, each with its bound.
    within: BTreeMap<String, &'static str>,
    /// Entries of the module that the emulator does not run, and why.
    refused: BTreeMap<String, String>,
}

/// What an entry relies on; `None` on a GPU.
fn relied_on(module: &PtxModule, entry: &str) -> Option<FidelityJson> {
    let (mut exact, mut within) = (Vec::new(), BTreeMap::new());
    for name in module.instructions(entry)? {
        match fidelity(&name) {
            Fidelity::Exact => exact.push(name),
            Fidelity::Within(bound) => drop(within.insert(name, bound.text)),
        }
    }
    Some(FidelityJson { exact, within, refused: module.refused().into_iter().collect() })
}

impl FidelityJson {
    fn words(&self) -> String {
        let mut text = format!(
            "\n{} forms of instructions are exact: {}",
            self.exact.len(),
            self.exact.join(", ")
        );
        for (name, bound) in &self.within {
            text.push_str(&format!("\n{name} is within a bound: {bound}"));
        }
        for (entry, why) in &self.refused {
            text.push_str(&format!("\nentry {entry} is refused: {why}"));
        }
        text
    }
}

/// An argument ready for a launch.
pub enum Ready {
    /// The bytes of a scalar.
    Scalar(Vec<u8>),
    /// Memory.
    Memory {
        /// What it holds.
        array: Array,
        /// How its file names the type.
        type_name: Option<String>,
        /// Where it is written afterwards.
        after: Option<PathBuf>,
        /// Whether it was asked for without contents.
        fresh: bool,
        /// The kernel gets a tensor map of it.
        map: Option<MapForm>,
    },
    /// A tensor map of another argument's memory.
    MapOf(usize, MapForm),
}

/// Loads the file, runs the entry and writes what was asked for.
///
/// # Errors
/// Text that is no PTX, arguments that do not fit, files that cannot be read or written; and when
/// the kernel goes wrong, or two devices differ, in which case nothing is written.
pub fn run(args: &KernelArgs) -> Outcome {
    if args.json {
        lanework::print_on_stderr();
    }
    let (ready, outputs) = arguments(args)?;
    let text = ptx_of(&args.file)?;
    let names: Vec<&str> = match &args.compare {
        Some(both) => both.split(',').collect(),
        None => vec![&args.on.device],
    };
    let shape = PtxShape {
        grid: args.grid,
        block: args.block,
        dynamic_shared: args.shared,
        cluster: args.cluster,
    };
    let spinner = Spinner::new("running");
    let (mut results, mut relied_ons) = (Vec::new(), Vec::new());
    for name in &names {
        spinner.say(name);
        let device = open(name, args)?;
        let module = device.load_ptx(&text)?;
        let entry = find_entry(&module, args.entry.as_deref())?;
        let relied = if args.fidelity { relied_on(&module, &entry) } else { None };
        relied_ons.extend(relied);
        check_count(&module, &entry, ready.len())?;
        results.push((launch(&device, &module, &entry, shape, &ready)?, device, entry));
    }
    drop(spinner);
    let ((executed, arrays), device, entry) = &results[0];
    let differences: Vec<String> = results[1..]
        .iter()
        .flat_map(|((_, others), other, _)| {
            differences(arrays, others, &device.info().id, &other.info().id)
        })
        .collect();
    if !differences.is_empty() {
        return Err(Failure::Check(format!("the devices differ\n{}", differences.join("\n"))));
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
            grid: args.grid.to_array(),
            block: args.block.to_array(),
            warp_instructions: executed.map(|executed| executed.warp_instructions),
            lane_instructions: executed.map(|executed| executed.lane_instructions),
            written,
            same: args.compare.is_some().then_some(true),
            fidelity: relied_ons.pop(),
        });
    }
    let mut text = format!("{entry} ran on {}", device.info().name);
    if let Some(executed) = executed {
        text.push_str(&format!(
            ": {} instructions of warps, {} of lanes",
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
    if let Some(relied) = relied_ons.first() {
        text.push_str(&relied.words());
    }
    print(&format!("{text}\n"))
}

/// The arguments with their files read, and a place for each output.
///
/// # Errors
/// Arguments that are none, and files that cannot be read or written.
pub fn arguments(args: &KernelArgs) -> Result<(Vec<Ready>, Vec<Option<Output>>), Failure> {
    let (mut ready, mut outputs) = (Vec::new(), Vec::new());
    for text in &args.arguments {
        let argument = parse(text).map_err(|why| {
            Failure::input(format_args!("--arg {text}: {why}"), "see `lanework run k.ptx --help`")
        })?;
        outputs.push(match &argument {
            Argument::Memory { after: Some(path), .. } => Some(Output::prepare(path)?),
            _ => None,
        });
        ready.push(match argument {
            Argument::Scalar(bytes) => Ready::Scalar(bytes),
            Argument::Memory { before, after, map } => {
                let (array, type_name) = before.array()?;
                let fresh = matches!(before, Contents::Poison(..));
                Ready::Memory { array, type_name, after, fresh, map }
            }
            Argument::MapOf(index, form) => Ready::MapOf(index, form),
        });
    }
    for (text, argument) in args.arguments.iter().zip(&ready) {
        if let Ready::MapOf(index, _) = argument
            && !matches!(ready.get(*index), Some(Ready::Memory { .. }))
        {
            return Err(Failure::input(
                format_args!("--arg {text}: argument {} is no memory", index + 1),
                "count the arguments from 1, and name one that gives memory",
            ));
        }
    }
    Ok((ready, outputs))
}

/// The device that was asked for; a limit that only the emulator has asks for the emulator.
fn open(name: &str, args: &KernelArgs) -> Result<Device, Failure> {
    let limited =
        args.max_instructions.is_some() || args.time_limit.is_some() || args.memory_limit.is_some();
    if !limited || !matches!(name, "emulator" | "best") {
        return Ok(Device::open(name)?);
    }
    Ok(emulator(args, None))
}

/// An emulator with the limits that were asked for; a warp is taken to be stuck after `stuck`
/// instructions where nothing else was said.
pub fn emulator(args: &KernelArgs, stuck: Option<u64>) -> Device {
    let most = args.max_instructions;
    let mut options = Options {
        max_instructions: most.or(stuck),
        total_instructions: most,
        time_limit: args.time_limit.map(Duration::from_secs_f64),
        ..Options::default()
    };
    if let Some(bytes) = args.memory_limit {
        options.limits.memory = bytes;
    }
    Device::emulator_within(options)
}

/// The entry to run: the one that was named, by the PTX or in C++, or the only one.
///
/// # Errors
/// When there is none, or it is not clear which.
pub fn find_entry(module: &PtxModule, name: Option<&str>) -> Result<String, Failure> {
    let entries: Vec<&str> = module.module().entries().map(|entry| entry.name.as_str()).collect();
    let list = entries.join(", ");
    // `_Z5saxpyfPKfPfi` is saxpy of C++; overloads and instances of templates share a name.
    let called = |entry: &&str| {
        let path = cpp_path(entry);
        let short = path.rsplit("::").next().unwrap_or_default();
        name.is_some_and(|name| !path.is_empty() && (name == path || name == short))
    };
    let in_cpp: Vec<&str> = entries.iter().copied().filter(called).collect();
    match (name, entries.as_slice()) {
        (Some(name), _) if entries.contains(&name) => Ok(name.to_owned()),
        (Some(_), _) if in_cpp.len() == 1 => Ok(in_cpp[0].to_owned()),
        (None, [only]) => Ok((*only).to_owned()),
        (_, []) => Err(Failure::input("the module has no entry", "declare one with `.entry`")),
        (Some(name), _) => Err(Failure::input(
            format_args!("no entry is called `{name}`"),
            format_args!("there are: {list}"),
        )),
        (None, _) => Err(Failure::input(
            "the module has several entries",
            format_args!("name one with --entry: {list}"),
        )),
    }
}

/// The name in C++ of a mangled entry, with its namespaces and without types: `_ZN3ops5saxpyEPf` is
/// `ops::saxpy`. Empty if it is not mangled.
fn cpp_path(entry: &str) -> String {
    let Some(mut rest) = entry.strip_prefix("_Z") else { return String::new() };
    let nested = rest.strip_prefix('N');
    rest = nested.unwrap_or(rest);
    let mut names: Vec<&str> = Vec::new();
    while let Some(digits) = rest.find(|c: char| !c.is_ascii_digit()).filter(|n| *n > 0) {
        let Ok(length) = rest[..digits].parse::<usize>() else { break };
        let Some(name) = rest.get(digits..).and_then(|rest| rest.get(..length)) else { break };
        names.push(name);
        rest = &rest[digits + length..];
        if nested.is_none() {
            break;
        }
    }
    names.join("::")
}

/// Checks the number of arguments, to say how they are given.
///
/// # Errors
/// When there are more or fewer than parameters.
pub fn check_count(module: &PtxModule, entry: &str, count: usize) -> Result<(), Failure> {
    let Some(function) = module.module().entry(entry) else { return Ok(()) };
    if function.params.len() == count {
        return Ok(());
    }
    let wanted: Vec<String> =
        function.params.iter().map(|p| format!("{} ({} bytes)", p.name, p.size())).collect();
    let help = match wanted.as_slice() {
        [] => "it takes none".to_owned(),
        _ => format!(
            "give one --arg for each of {}, such as `--arg f32:2.0`, or `--arg zeros:f32:1000` for a \
             pointer; `lanework run k.ptx --help` lists the forms",
            wanted.join(", ")
        ),
    };
    Err(Failure::input(
        format_args!("{count} arguments for {} parameters of `{entry}`", wanted.len()),
        help,
    ))
}

/// What was executed, and what memory holds afterwards.
pub type Launched = (Option<Executed>, Vec<Option<Array>>);

/// Uploads the arguments, runs the entry, and downloads what memory holds then. On a sanitized device
/// memory without contents stays unwritten.
///
/// # Errors
/// What the device says.
pub fn launch(
    device: &Device,
    module: &PtxModule,
    entry: &str,
    shape: PtxShape,
    ready: &[Ready],
) -> lanework::Result<Launched> {
    let buffers = upload(device, ready)?;
    let maps = maps(ready, &buffers)?;
    let arguments = given(ready, &buffers, &maps);
    // SAFETY: the emulator checks every access; on a GPU the user asked for this kernel to run, as
    // any CUDA program would run it, in this process's own context.
    let executed = unsafe { module.launch(entry, shape, &arguments) }?;
    let mut after = Vec::new();
    for (argument, buffer) in ready.iter().zip(&buffers) {
        after.push(match (argument, buffer) {
            (Ready::Memory { array, .. }, Some(buffer)) => {
                Some(Array { bytes: buffer.download()?, ..array.clone() })
            }
            _ => None,
        });
    }
    Ok((executed, after))
}

/// The memory of the arguments on a device.
///
/// # Errors
/// When the device has not enough.
pub fn upload(device: &Device, ready: &[Ready]) -> lanework::Result<Vec<Option<Buffer<u8>>>> {
    let mut buffers: Vec<Option<Buffer<u8>>> = Vec::new();
    for (index, argument) in ready.iter().enumerate() {
        buffers.push(match argument {
            Ready::Scalar(_) | Ready::MapOf(..) => None,
            Ready::Memory { array, fresh, .. } => {
                let name = format!("argument {}", index + 1);
                let mut buffer = device.uninit_named(array.bytes.len(), &name)?;
                if !(*fresh && device.is_sanitized()) {
                    buffer.upload(&array.bytes)?;
                }
                Some(buffer)
            }
        });
    }
    Ok(buffers)
}

/// The descriptions of memory that the arguments ask for.
///
/// # Errors
/// When one does not fit its memory.
pub fn maps<'a>(
    ready: &[Ready],
    buffers: &'a [Option<Buffer<u8>>],
) -> lanework::Result<Vec<Option<TensorMap<'a>>>> {
    let mut maps = Vec::new();
    for (index, argument) in ready.iter().enumerate() {
        let of = match argument {
            Ready::Memory { map: Some(form), .. } => Some((index, form)),
            Ready::MapOf(of, form) => Some((*of, form)),
            _ => None,
        };
        maps.push(match of {
            Some((of, form)) => match (&buffers[of], &ready[of]) {
                (Some(buffer), Ready::Memory { array, .. }) => Some(form.map(buffer, array)?),
                _ => unreachable!("checked when the arguments were read"),
            },
            None => None,
        });
    }
    Ok(maps)
}

/// The arguments of a launch.
pub fn given<'a>(
    ready: &[Ready],
    buffers: &'a [Option<Buffer<u8>>],
    maps: &'a [Option<TensorMap<'a>>],
) -> Vec<PtxArg<'a>> {
    ready
        .iter()
        .zip(buffers.iter().zip(maps))
        .map(|(argument, place)| match (argument, place) {
            (_, (_, Some(map))) => PtxArg::Map(map),
            (Ready::Scalar(bytes), _) => PtxArg::Bytes(bytes.clone()),
            (_, (Some(buffer), _)) => PtxArg::Memory(buffer),
            _ => unreachable!("memory has its buffer, a map of another's has been made"),
        })
        .collect()
}

/// Mismatches that are shown of an argument.
const SHOWN: usize = 5;

/// Where memory differs after a launch on two devices, in words.
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

/// The place of an element in an array of this shape, as `[2][7]`.
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

/// `N`, `XxY` or `XxYxZ`.
pub fn dimensions(text: &str) -> Result<Dim3, String> {
    let parts: Option<Vec<u32>> =
        text.split(['x', 'X', ',']).map(|part| part.trim().parse().ok()).collect();
    match parts.as_deref() {
        Some([x]) => Ok(Dim3::from((*x, 1))),
        Some([x, y]) => Ok(Dim3::from((*x, *y))),
        Some([x, y, z]) => Ok(Dim3::from((*x, *y, *z))),
        _ => Err("give one to three whole numbers as N, XxY or XxYxZ".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_told_by_row_and_column() {
        assert_eq!(coordinates(7, &[3, 4]), "[1][3]");
        assert_eq!(coordinates(7, &[12]), "[7]");
        assert_eq!(coordinates(0, &[]), "");
    }

    #[test]
    fn mangled_names_are_told_without_types() {
        assert_eq!(cpp_path("_Z5saxpyfPKfPfi"), "saxpy");
        assert_eq!(cpp_path("_ZN3ops5saxpyIfLi4EEEvPT_"), "ops::saxpy");
        assert_eq!(cpp_path("_Z1tILi1EEvPf"), "t");
        assert_eq!(cpp_path("_Z9short"), "");
        assert_eq!(cpp_path("saxpy"), "");
    }

    #[test]
    fn shapes_have_one_to_three_extents() {
        assert_eq!(dimensions("4"), Ok(Dim3::from((4, 1))));
        assert_eq!(dimensions("4x2x3"), Ok(Dim3::from((4, 2, 3))));
        assert!(dimensions("4x").is_err() && dimensions("1x1x1x1").is_err());
    }
}
