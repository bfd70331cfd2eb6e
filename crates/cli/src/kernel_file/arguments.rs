//! The arguments of the command line, with their files read.

use crate::args::KernelArgs;
use crate::kernel_file::argument::{Argument, Contents, MapForm, parse};
use crate::kernel_file::struct_argument::Struct;
use crate::npy::Output;
use lanework::emulator::Options;
use lanework_lab::{Array, ElementType};
use lanework_terminal::failure::Failure;
use lanework_terminal::output::thousands;
use std::path::PathBuf;

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
        /// Whether it is uninitialized.
        fresh: bool,
        /// The kernel gets this tensor map of it.
        map: Option<MapForm>,
        /// Whether a struct holds its address, so that it is no parameter itself.
        in_struct: bool,
    },
    /// A tensor map of another argument's memory.
    MapOf(usize, MapForm),
    /// A struct, whose memory comes after the arguments.
    Struct(Struct),
}

/// The arguments that are parameters of the kernel: those before the memory of structs.
pub fn parameters(ready: &[Ready]) -> &[Ready] {
    let is_inner = |argument: &Ready| matches!(argument, Ready::Memory { in_struct: true, .. });
    &ready[..ready.iter().position(is_inner).unwrap_or(ready.len())]
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
    let mut structs = Struct::all(&mut parsed).into_iter();
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
            "give each output its own file",
        ));
    }
    for (index, argument) in parsed.into_iter().enumerate() {
        outputs.push(match &argument {
            Argument::Memory { after: Some(path), .. } => Some(Output::prepare(path)?),
            _ => None,
        });
        ready.push(match argument {
            Argument::Scalar(element, bytes) => Ready::Scalar(element, bytes),
            Argument::Memory { before, after, map } => {
                let (array, type_name) = before.array()?;
                let fresh = matches!(before, Contents::Poison(..));
                let in_struct = index >= args.arguments.len();
                Ready::Memory { array, type_name, after, fresh, map, in_struct }
            }
            Argument::MapOf(index, form) => Ready::MapOf(index, form),
            Argument::Struct(_) => Ready::Struct(structs.next().expect("one for each argument")),
        });
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
    // The memory of structs has no argument text.
    let of_structs = args.arguments.iter().find(|text| text.starts_with("struct:"));
    for (index, argument) in arguments.iter().enumerate() {
        let text = args.arguments.get(index).or(of_structs).map_or("", String::as_str);
        let Argument::Memory { before, .. } = argument else { continue };
        total = total.saturating_add(before.bytes());
        if total > limit {
            return Err(Failure::input(
                format_args!(
                    "--arg {text}: the arguments up to this one need {} bytes of memory, and the emulator has {}",
                    thousands(total),
                    thousands(limit)
                ),
                "use smaller arrays, or raise --memory-limit",
            ));
        }
    }
    Ok(())
}
