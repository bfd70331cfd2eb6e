//! Kernels as emitted by compilers, with launches, inputs and expected results.
//!
//! `cuda/` holds the sources, a file per topic; `lanework-compiled-ptx` the output of nvcc for several targets,
//! optimized and for debugging, and of other compilers; `src/cases/` a declaration per kernel. `make.sh` regenerates
//! the PTX. `tests/` runs every declaration with every module of its topic, on the emulator and on a GPU if there is
//! one.
//!
//! [`run`] runs a case on a device. Results are compared with those of another device, or with the checksum of a result
//! that a GPU gave.

#![allow(clippy::precedence, reason = "products before shifts, as in the kernels' own sources")]

mod case;
mod cases;

pub use case::{Argument, Case, Launch, OnEmulator};
pub use cases::all;

use lanework_runtime::{Buffer, Device, PtxArg, PtxModule, PtxShape, Result};
use std::collections::HashMap;
use std::fmt::Write;

/// One compiler's output for one unit.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    /// The file's name.
    pub file: &'static str,
    /// The source it comes from, without its ending.
    pub unit: &'static str,
    /// The target architecture, such as `sm_80`.
    pub target: &'static str,
    /// Whether it was compiled for debugging, without optimization.
    pub debug: bool,
    /// The text.
    pub text: &'static str,
}

/// Every module.
pub fn variants() -> Vec<Variant> {
    lanework_compiled_ptx::modules()
        .iter()
        .map(|module| {
            let (file, text) = (module.name, module.text());
            let mut parts = file.split('.');
            let unit = parts.next().unwrap_or_default();
            let target = parts.next().unwrap_or_default();
            let debug = parts.next().is_some_and(|how| how.ends_with("debug"));
            Variant { file, unit, target, debug, text }
        })
        .collect()
}

impl Variant {
    /// Whether a GPU of compute capability `(major, minor)` runs it: its own or an earlier target,
    /// only its own where the target's name ends in `a`.
    pub fn runs_on(&self, (major, minor): (u32, u32)) -> bool {
        let number = self.target.trim_start_matches("sm_");
        let own = number.strip_suffix('a');
        let Ok(needs) = own.unwrap_or(number).parse::<u32>() else { return false };
        let has = major * 10 + minor;
        if own.is_some() { has == needs } else { has >= needs }
    }
}

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

/// Calls `each` for all launches of a case, and returns the buffers afterward.
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

/// Checksums by module, case and buffer.
pub struct Recorded(HashMap<(&'static str, &'static str, &'static str), u64>);

impl Recorded {
    /// The results recorded on an H200.
    pub fn h200() -> Recorded {
        let fields = |line: &'static str| {
            let mut fields = line.split('\t');
            let mut next = || fields.next().unwrap_or_default();
            let key = (next(), next(), next());
            u64::from_str_radix(next(), 16).ok().map(|sum| (key, sum))
        };
        Recorded(include_str!("../recorded/h200.tsv").lines().filter_map(fields).collect())
    }

    /// The number of checksums.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the record is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Compares a device's results, except for the buffers that may differ.
    ///
    /// # Errors
    /// The first buffer whose checksum differs.
    pub fn agrees(&self, file: &'static str, case: &Case, outputs: &Outputs) -> Result<(), String> {
        for ((name, _), bytes) in case.buffers.iter().zip(outputs) {
            let may_differ = case.may_differ.iter().any(|(may_differ, _)| may_differ == name);
            if let Some(&sum) = self.0.get(&(file, case.name, name))
                && !may_differ
                && sum != checksum(bytes)
            {
                return Err(format!("`{name}` differs from the bits recorded on an H200"));
            }
        }
        Ok(())
    }
}

/// The lines that record a device's results: the buffers that it changed.
pub fn lines(file: &str, case: &Case, outputs: &Outputs) -> String {
    let mut lines = String::new();
    for ((name, before), after) in case.buffers.iter().zip(outputs) {
        if before != after {
            writeln!(lines, "{file}\t{}\t{name}\t{:016x}", case.name, checksum(after))
                .expect("memory");
        }
    }
    lines
}

/// FNV-1a of 64 bits.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, &byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}
