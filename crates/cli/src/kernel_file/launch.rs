//! A launch: the arguments' memory on a device, the kernel's values, and the contents of memory after
//! the launch.

use super::arguments::{Ready, parameters};
use crate::args::KernelArgs;
use lanework::emulator::Options;
use lanework::{Buffer, Device, DynTensorMap, Executed, PtxArg, PtxModule, PtxShape};
use lanework_lab::Array;
use std::time::Duration;

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

/// The executed instructions, and the contents of memory after the launch.
pub type Launched = (Option<Executed>, Vec<Option<Array>>);

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
    // SAFETY: the emulator checks the bounds of every access. On a GPU the kernel, which the user named, can access the memory
    // of this process's CUDA context only, not the host's.
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
/// If the device has too little memory.
pub fn upload(device: &Device, ready: &[Ready]) -> lanework::Result<Vec<Option<Buffer<u8>>>> {
    let mut buffers: Vec<Option<Buffer<u8>>> = Vec::new();
    for (index, argument) in ready.iter().enumerate() {
        buffers.push(match argument {
            Ready::Scalar(..) | Ready::MapOf(..) | Ready::Struct(..) => None,
            Ready::Memory { array, fresh, in_struct, .. } => {
                let name = match in_struct {
                    true => "memory of a struct".to_owned(),
                    false => format!("argument {}", index + 1),
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
