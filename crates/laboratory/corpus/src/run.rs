//! Runs a case on a device, and compares the results of two devices.

use crate::{Argument, Case, Launch};
use lanework_runtime::{Buffer, Device, PtxArg, PtxModule, PtxShape, Result};

/// The bytes of each buffer of a case, in the order of its declaration.
pub type Outputs = Vec<Vec<u8>>;

/// Runs all launches of a case with a module and returns its buffers.
///
/// # Errors
/// If a launch fails.
///
/// # Panics
/// If the case names a buffer that it does not declare.
pub fn run(device: &Device, module: &PtxModule, case: &Case) -> Result<Outputs> {
    run_each(device, case, &mut |launch, shape, arguments| {
        // SAFETY: the kernels of the corpus stay within the buffers of their cases, which the
        // emulator has checked access by access before the corpus runs on a GPU.
        unsafe { module.launch(launch.entry, shape, arguments) }.map(|_| ())
    })
}

/// Runs one launch, with its shape and arguments.
pub type Each<'a> = &'a mut dyn FnMut(&Launch, PtxShape, &[PtxArg<'_>]) -> Result<()>;

/// Calls `each` for all launches of a case, and returns the buffers afterwards.
///
/// # Errors
/// If the device or `each` fails.
///
/// # Panics
/// If the case names a buffer that it does not declare.
pub fn run_each(device: &Device, case: &Case, each: Each<'_>) -> Result<Outputs> {
    let buffers = case.buffers.iter().map(|(_, bytes)| device.upload(bytes));
    let buffers: Vec<Buffer<u8>> = buffers.collect::<Result<_>>()?;
    for launch in &case.launches {
        let arguments = launch.arguments.iter().map(|argument| match argument {
            Argument::Bytes(bytes) => PtxArg::Bytes(bytes.clone()),
            Argument::Buffer(name) => {
                let place = case.buffers.iter().position(|(known, _)| known == name);
                PtxArg::Memory(&buffers[place.unwrap_or_else(|| panic!("no buffer `{name}`"))])
            }
        });
        let arguments: Vec<PtxArg<'_>> = arguments.collect();
        let shape = PtxShape {
            grid: launch.grid,
            block: launch.block,
            dynamic_shared: launch.dynamic_shared,
            cluster: None,
            cooperative: false,
        };
        each(launch, shape, &arguments)?;
    }
    buffers.iter().map(Buffer::download).collect()
}

/// Compares two devices' outputs bit for bit, except for the buffers that may differ.
///
/// # Errors
/// The first difference.
pub fn agree(case: &Case, one: &Outputs, other: &Outputs) -> std::result::Result<(), String> {
    for (((name, _), a), b) in case.buffers.iter().zip(one).zip(other) {
        if case.may_differ.iter().any(|(may_differ, _)| may_differ == name) {
            continue;
        }
        if let Some(at) = a.iter().zip(b).position(|(a, b)| a != b) {
            let word = at / 4 * 4;
            let end = (word + 4).min(a.len());
            return Err(format!(
                "`{name}` differs between the devices from byte {at}: {:02x?} and {:02x?}",
                &a[word..end],
                &b[word..end]
            ));
        }
    }
    Ok(())
}
