//! A launch: the arguments of the command line with their files read, their memory on a device, the kernel's values,
//! and the contents of memory after the launch.
//!
//! `struct:PART,PART` is a struct that a kernel takes by value. Its layout is C's: each part at a multiple of its
//! size, the whole a multiple of the largest.

use crate::args::KernelArgs;
use crate::kernel_file::argument::{Argument, Contents, MapForm};
use crate::kernel_file::operands::assign;
use crate::kernel_file::signature::Signature;
use crate::npy::Output;
use lanework::emulator::Options;
use lanework::{Buffer, Device, DynTensorMap, Executed, PtxArg, PtxModule, PtxShape};
use lanework_lab::{Array, ElementType};
use lanework_terminal::failure::Failure;
use lanework_terminal::output::thousands;
use std::path::PathBuf;
use std::time::Duration;

/// An emulator with the limits of the command line. Without `--max-instructions`, a warp stops after
/// `stuck` instructions.
pub fn emulator(args: &KernelArgs, stuck: Option<u64>) -> Device {
    Device::emulator_within(emulator_options(args, stuck))
}

/// The options of that emulator.
pub fn emulator_options(args: &KernelArgs, stuck: Option<u64>) -> Options {
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
    options
}

/// The outcome of a launch.
pub struct Launched {
    /// The executed instructions, on the emulator.
    pub executed: Option<Executed>,
    /// The contents of the arguments' memory after the launch.
    pub arrays: Vec<Option<Array>>,
    /// The bytes of each memory that nothing has written, on a checking emulator: the first byte and the size of each run.
    pub unwritten: Vec<Vec<(u64, u64)>>,
}

/// Uploads the arguments, runs the entry, and downloads the memory. On a sanitized device, uninitialized
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
    // SAFETY: the emulator checks the bounds of every access. On a GPU the kernel, which the user named, can access the
    // memory of this process's CUDA context only, not the host's.
    let executed = unsafe { module.launch(entry, shape, &arguments) }?;
    let (mut arrays, mut unwritten) = (Vec::new(), Vec::new());
    for (argument, buffer) in ready.iter().zip(&buffers) {
        let (array, runs) = match (argument, buffer) {
            (Ready::Memory { array, .. }, Some(buffer)) => (
                Some(Array { bytes: buffer.download()?, ..array.clone() }),
                device.unwritten_at(buffer.address(), buffer.len() as u64),
            ),
            _ => (None, Vec::new()),
        };
        arrays.push(array);
        unwritten.push(runs);
    }
    Ok(Launched { executed, arrays, unwritten })
}

/// The memory of the arguments on a device.
///
/// # Errors
/// If the device has too little memory.
pub fn upload(device: &Device, ready: &[Ready]) -> lanework::Result<Vec<Option<Buffer<u8>>>> {
    let mut buffers: Vec<Option<Buffer<u8>>> = Vec::new();
    for argument in ready {
        buffers.push(match argument {
            Ready::Scalar(..) | Ready::MapOf(..) | Ready::Struct(..) => None,
            Ready::Memory { name, array, fresh, .. } => {
                let mut buffer = device.uninit_named(array.bytes.len(), name)?;
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
/// If one does not fit its memory.
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
    parameters(ready)
        .iter()
        .zip(buffers.iter().zip(maps))
        .map(|(argument, place)| match (argument, place) {
            (_, (_, Some(map))) => PtxArg::Map(map),
            (Ready::Struct(found), _) => PtxArg::Bytes(found.bytes(address)),
            (Ready::Scalar(_, bytes), _) => PtxArg::Bytes(bytes.clone()),
            (_, (Some(buffer), _)) => PtxArg::Memory(buffer),
            _ => unreachable!("every memory argument has a buffer, and every map was made"),
        })
        .collect()
}

/// An argument whose file has been read.
pub enum Ready {
    /// A scalar: its type and its bytes.
    Scalar(ElementType, Vec<u8>),
    /// Memory.
    Memory {
        /// Its name in findings and faults: of the parameter, or `argument 2`.
        name: String,
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
        /// Whether a struct holds its address, so it is not a parameter.
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

/// Reads the arguments and their files, and prepares the output files. The memory of structs comes after the arguments.
///
/// # Errors
/// Arguments that do not fit the kernel's signature, and files that cannot be read or written.
pub fn arguments(
    args: &KernelArgs,
    signature: &Signature,
) -> Result<(Vec<Ready>, Vec<Option<Output>>), Failure> {
    let (mut ready, mut outputs) = (Vec::new(), Vec::new());
    let (texts, mut parsed): (Vec<String>, Vec<Argument>) =
        assign(args, signature)?.into_iter().unzip();
    let mut structs = Struct::all(&mut parsed).into_iter();
    fit_memory(args, &texts, &parsed)?;
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
                let in_struct = index >= texts.len();
                let name = match signature.parameters.get(index) {
                    // Compilers that do not keep the names of the source number parameters.
                    Some(parameter) if parameter.name.ends_with(&format!("_param_{index}")) => {
                        format!("argument {}", index + 1)
                    }
                    Some(parameter) => parameter.name.clone(),
                    None => "memory of a struct".to_owned(),
                };
                Ready::Memory { name, array, type_name, after, fresh, map, in_struct }
            }
            Argument::MapOf(index, form) => Ready::MapOf(index, form),
            Argument::Struct(_) => Ready::Struct(structs.next().expect("one for each argument")),
        });
    }
    for (text, argument) in texts.iter().zip(&ready) {
        if let Ready::MapOf(index, _) = argument
            && !matches!(ready.get(*index), Some(Ready::Memory { .. }))
        {
            return Err(Failure::input(
                format_args!("{text}: argument {} is not memory", index + 1),
                "arguments are counted from 1; give the number of one that is memory",
            ));
        }
    }
    Ok((ready, outputs))
}

/// Checks that the arrays fit the emulator's memory, before any of them is made on the host.
fn fit_memory(args: &KernelArgs, texts: &[String], arguments: &[Argument]) -> Result<(), Failure> {
    let default = (args.on.device == "emulator").then(|| Options::default().limits.memory);
    let Some(limit) = args.memory_limit.or(default) else { return Ok(()) };
    let mut total = 0u64;
    // The memory of structs has no argument text.
    let of_structs = texts.iter().find(|text| text.starts_with("struct:"));
    for (index, argument) in arguments.iter().enumerate() {
        let text = texts.get(index).or(of_structs).map_or("", String::as_str);
        let Argument::Memory { before, .. } = argument else { continue };
        total = total.saturating_add(before.bytes());
        if total > limit {
            return Err(Failure::input(
                format_args!(
                    "{text}: the arguments up to this one need {} bytes of memory, and the emulator has {}",
                    thousands(total),
                    thousands(limit)
                ),
                "use smaller arrays, or raise --memory-limit",
            ));
        }
    }
    Ok(())
}

/// A struct: its parts and its size.
pub struct Struct {
    parts: Vec<StructPart>,
    /// Size in bytes.
    pub size: u64,
}

struct StructPart {
    offset: u64,
    value: Value,
}

enum Value {
    /// A scalar.
    Bytes(Vec<u8>),
    /// The address of the memory with this index among the arguments.
    Memory(usize),
}

impl Struct {
    /// The structs among the arguments, in their order. Their memory is appended to the arguments.
    pub fn all(arguments: &mut Vec<Argument>) -> Vec<Struct> {
        let mut found = Vec::new();
        for index in 0..arguments.len() {
            let Argument::Struct(fields) = &mut arguments[index] else { continue };
            let (mut parts, mut end, mut align) = (Vec::new(), 0u64, 1);
            for field in std::mem::take(fields) {
                let value = match field {
                    Argument::Scalar(_, bytes) => Value::Bytes(bytes),
                    memory => {
                        arguments.push(memory);
                        Value::Memory(arguments.len() - 1)
                    }
                };
                let size = match &value {
                    Value::Bytes(bytes) => bytes.len() as u64,
                    Value::Memory(_) => 8,
                };
                let offset = end.next_multiple_of(size);
                (end, align) = (offset + size, align.max(size));
                parts.push(StructPart { offset, value });
            }
            found.push(Struct { parts, size: end.next_multiple_of(align) });
        }
        found
    }

    /// Its bytes; `address` gives the address of each memory that it points to.
    pub fn bytes(&self, address: impl Fn(usize) -> u64) -> Vec<u8> {
        let mut bytes = vec![0; self.size as usize];
        for part in &self.parts {
            let value = match &part.value {
                Value::Bytes(scalar) => scalar.clone(),
                Value::Memory(place) => address(*place).to_le_bytes().to_vec(),
            };
            bytes[part.offset as usize..][..value.len()].copy_from_slice(&value);
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel_file::argument::parse;

    #[test]
    fn struct_parts_have_the_offsets_of_c() {
        let of = ["u32:9", "struct:u8:1,f32:2,zeros:f32:4,u16:7", "struct:f16:1,f16:2"];
        let mut arguments: Vec<_> = of.iter().map(|text| parse(text).unwrap()).collect();
        let found = Struct::all(&mut arguments);
        assert_eq!((arguments.len(), found.len()), (4, 2));
        let first = &found[0];
        assert_eq!(first.size, 24);
        let bytes = first.bytes(|place| 0x1000 + place as u64);
        let expected = [&[1, 0, 0, 0][..], &2f32.to_le_bytes(), &0x1003u64.to_le_bytes()].concat();
        assert_eq!((&bytes[..16], &bytes[16..18]), (&expected[..], &[7, 0][..]));
        assert_eq!(found[1].size, 4);
    }
}
