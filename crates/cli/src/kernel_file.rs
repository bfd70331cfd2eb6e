//! A kernel of a PTX or CUDA C++ file: its arguments, its entry, and its launch.

use crate::args::KernelArgs;
use crate::argument::{Argument, Contents, MapForm, parse};
use crate::failure::Failure;
use crate::npy::Output;
use crate::output::thousands;
use crate::struct_argument::Struct;
use lanework::ptx::Variable;
use lanework::sim::Options;
use lanework::{Buffer, Device, DynTensorMap, Error, Executed, PtxArg, PtxModule, PtxShape};
use lanework_lab::{Array, ElementType};
use std::path::PathBuf;
use std::time::Duration;

/// An argument whose file has been read.
pub enum Ready {
    /// A scalar: its type and its bytes.
    Scalar(ElementType, Vec<u8>),
    /// Memory.
    Memory {
        /// Its initial contents.
        array: Array,
        /// The name of its type in its file.
        type_name: Option<String>,
        /// The file that it is written to after the launch.
        after: Option<PathBuf>,
        /// Whether it is uninitialised.
        fresh: bool,
        /// The kernel gets this tensor map of it.
        map: Option<MapForm>,
    },
    /// A tensor map of another argument's memory.
    MapOf(usize, MapForm),
    /// A struct, whose memory comes after the arguments.
    Struct(Option<Struct>),
}

/// Reads the files of the arguments, and prepares the output files. The memory of structs comes after the arguments.
///
/// # Errors
/// Arguments of no known form, and files that cannot be read or written.
pub fn arguments(args: &KernelArgs) -> Result<(Vec<Ready>, Vec<Option<Output>>), Failure> {
    let (mut ready, mut outputs) = (Vec::new(), Vec::new());
    let parsed = args.arguments.iter().map(|text| {
        parse(text).map_err(|why| {
            Failure::input(format_args!("--arg {text}: {why}"), "see `lanework run k.ptx --help`")
        })
    });
    let mut parsed: Vec<Argument> = parsed.collect::<Result<_, _>>()?;
    let structs = Struct::all(&mut parsed);
    fit_memory(args, &parsed)?;
    let written = |argument: &Argument| match argument {
        Argument::Memory { after, .. } => after.clone(),
        _ => None,
    };
    let files: Vec<PathBuf> = parsed.iter().filter_map(written).collect();
    let again = |(index, file): &(usize, &PathBuf)| files[..*index].contains(*file);
    if let Some((_, file)) = files.iter().enumerate().find(again) {
        return Err(Failure::input(
            format_args!("two arguments are written to {}", file.display()),
            "give each output a file of its own",
        ));
    }
    for argument in parsed {
        outputs.push(match &argument {
            Argument::Memory { after: Some(path), .. } => Some(Output::prepare(path)?),
            _ => None,
        });
        ready.push(match argument {
            Argument::Scalar(element, bytes) => Ready::Scalar(element, bytes),
            Argument::Memory { before, after, map } => {
                let (array, type_name) = before.array()?;
                let fresh = matches!(before, Contents::Poison(..));
                Ready::Memory { array, type_name, after, fresh, map }
            }
            Argument::MapOf(index, form) => Ready::MapOf(index, form),
            Argument::Struct(_) => Ready::Struct(None),
        });
    }
    for (index, found) in structs {
        ready[index] = Ready::Struct(Some(found));
    }
    for (text, argument) in args.arguments.iter().zip(&ready) {
        if let Ready::MapOf(index, _) = argument
            && !matches!(ready.get(*index), Some(Ready::Memory { .. }))
        {
            return Err(Failure::input(
                format_args!("--arg {text}: argument {} is not memory", index + 1),
                "arguments are counted from 1; give the number of one that is memory",
            ));
        }
    }
    Ok((ready, outputs))
}

/// Checks that the arrays fit the emulator's memory, before any of them is made on the host.
fn fit_memory(args: &KernelArgs, arguments: &[Argument]) -> Result<(), Failure> {
    let default = (args.on.device == "emulator").then(|| Options::default().limits.memory);
    let Some(limit) = args.memory_limit.or(default) else { return Ok(()) };
    let mut total = 0u64;
    // The memory of structs has no text of its own.
    let of_structs = args.arguments.iter().find(|text| text.starts_with("struct:"));
    for (index, argument) in arguments.iter().enumerate() {
        let text = args.arguments.get(index).or(of_structs).map_or("", String::as_str);
        let Argument::Memory { before, .. } = argument else { continue };
        total = total.saturating_add(before.bytes());
        if total > limit {
            return Err(Failure::input(
                format_args!(
                    "--arg {text}: the arguments have {} bytes of memory up to here, and the emulator {}",
                    thousands(total),
                    thousands(limit)
                ),
                "use smaller arrays, or raise --memory-limit",
            ));
        }
    }
    Ok(())
}

/// An emulator with the limits of the command line. Without `--max-instructions`, a warp stops after
/// `stuck` instructions.
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

/// The entry to run: the one of this name, mangled or in C++, or the only one.
///
/// # Errors
/// When there is none, or the name is ambiguous.
pub fn find_entry(module: &PtxModule, name: Option<&str>) -> Result<String, Failure> {
    module.find_entry(name).map_err(|error| match error {
        Error::Request { why, help } => Failure::input(why, help),
        other => other.into(),
    })
}

/// Refuses an option that only `run` on the emulator has.
///
/// # Errors
/// When it was given.
pub fn no_fidelity(args: &KernelArgs) -> Result<(), Failure> {
    match args.fidelity {
        true => Err(Failure::input(
            "--fidelity is not used here",
            "`lanework run` with the same arguments and --fidelity lists the forms",
        )),
        false => Ok(()),
    }
}

/// Checks the arguments against the parameters of the entry: their number, and the kinds of scalars.
///
/// # Errors
/// When there are more or fewer than parameters, or one is an integer where a float is wanted, the like, or
/// memory where a number is.
pub fn check_arguments(module: &PtxModule, entry: &str, ready: &[Ready]) -> Result<(), Failure> {
    let Some(function) = module.module().entry(entry) else { return Ok(()) };
    let count = ready.len() - of_structs(ready);
    if function.params.len() == count {
        let mut pairs = function.params.iter().zip(ready).enumerate();
        return pairs.try_for_each(|(index, (param, argument))| {
            let Some(why) = mismatch(param, argument) else { return Ok(()) };
            Err(Failure::input(
                format_args!("argument {} of `{entry}`, `{}`, {why}", index + 1, param.name),
                "give the type that the kernel declares, or struct:PART,PART for a struct; `lanework inspect` lists its parameters",
            ))
        });
    }
    let wanted: Vec<String> =
        function.params.iter().map(|p| format!("{} ({} bytes)", p.name, p.size())).collect();
    let help = match wanted.as_slice() {
        [] => "the entry takes none".to_owned(),
        _ => format!(
            "give one --arg for each of {}, such as `--arg f32:2.0`, or `--arg zeros:f32:1000` for a \
             pointer; `lanework run k.ptx --help` lists the forms",
            wanted.join(", ")
        ),
    };
    Err(Failure::input(
        format_args!("`{entry}` has {} parameters; arguments given: {count}", wanted.len()),
        help,
    ))
}

/// How many of the last are the memory of structs.
fn of_structs(ready: &[Ready]) -> usize {
    let memories = |argument: &Ready| match argument {
        Ready::Struct(Some(found)) => found.memories(),
        _ => 0,
    };
    ready.iter().map(memories).sum()
}

/// Why an argument is not a value of a parameter. Parameters of bits (`.b32`) take any number of their size.
fn mismatch(param: &Variable, argument: &Ready) -> Option<String> {
    let (declared, bytes) = (param.ty.name(), param.size());
    let is_float = |name: &str| name.starts_with(['f', 'b']) && name.contains('f');
    match argument {
        Ready::Scalar(element, given) => {
            let contrary = match declared.chars().next() {
                Some('f') => !is_float(element.name),
                Some('u' | 's') => is_float(element.name),
                _ => false,
            };
            let fits = given.len() as u64 == bytes;
            match param.dims.is_empty() {
                true => (contrary || !fits)
                    .then(|| format!("is a .{declared}; {} was given", element.name)),
                // Arrays of bytes are structs.
                false => (!fits)
                    .then(|| format!("is a struct of {bytes} bytes; {} was given", element.name)),
            }
        }
        Ready::Struct(given) => {
            let given = given.as_ref().map_or(0, |given| given.size);
            (given != bytes).then(|| {
                format!("is a .{declared} of {bytes} bytes; a struct of {given} bytes was given")
            })
        }
        Ready::Memory { map: None, .. } => {
            (bytes != 8).then(|| format!("is a .{declared} of {bytes} bytes; an array was given"))
        }
        _ => None,
    }
}

/// What was executed, and the contents of memory after the launch.
pub type Launched = (Option<Executed>, Vec<Option<Array>>);

/// Uploads the arguments, runs the entry, and downloads the memory. On a sanitized device, uninitialised
/// memory is not written before the launch.
///
/// # Errors
/// The errors of the device.
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
    // SAFETY: the emulator checks every access; on a GPU the user runs this kernel as any CUDA program
    // does, in this process's own context.
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
/// When the device has too little memory.
pub fn upload(device: &Device, ready: &[Ready]) -> lanework::Result<Vec<Option<Buffer<u8>>>> {
    let mut buffers: Vec<Option<Buffer<u8>>> = Vec::new();
    for (index, argument) in ready.iter().enumerate() {
        buffers.push(match argument {
            Ready::Scalar(..) | Ready::MapOf(..) | Ready::Struct(..) => None,
            Ready::Memory { array, fresh, .. } => {
                let name = match index < ready.len() - of_structs(ready) {
                    true => format!("argument {}", index + 1),
                    false => "memory of a struct".to_owned(),
                };
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

/// The tensor maps of the arguments.
///
/// # Errors
/// When one does not fit its memory.
pub fn maps<'a>(
    ready: &[Ready],
    buffers: &'a [Option<Buffer<u8>>],
) -> lanework::Result<Vec<Option<DynTensorMap<'a>>>> {
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
    maps: &'a [Option<DynTensorMap<'a>>],
) -> Vec<PtxArg<'a>> {
    let address = |place: usize| buffers[place].as_ref().map_or(0, Buffer::address);
    ready[..ready.len() - of_structs(ready)]
        .iter()
        .zip(buffers.iter().zip(maps))
        .map(|(argument, place)| match (argument, place) {
            (_, (_, Some(map))) => PtxArg::Map(map),
            (Ready::Struct(Some(found)), _) => PtxArg::Bytes(found.bytes(address)),
            (Ready::Scalar(_, bytes), _) => PtxArg::Bytes(bytes.clone()),
            (_, (Some(buffer), _)) => PtxArg::Memory(buffer),
            _ => unreachable!("every memory argument has a buffer, and every map was made"),
        })
        .collect()
}
