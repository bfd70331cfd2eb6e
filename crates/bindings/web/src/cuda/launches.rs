//! Launches of kernels, their attributes and their occupancy.

use super::graphs::queued;
use super::state::{StreamWork, cuda, failed_call, flush, kind, put_int, put_word, status, sticky};
use lanework_emulator::{Fault, FaultKind, LaunchConfig, Program};
use lanework_host::{External, Process, Stop, word};
use lanework_report::{Resources, machine};
use std::rc::Rc;
use std::sync::Arc;

/// Dynamic shared memory that every kernel may use, in bytes.
const PLAIN_SHARED: u32 = 48 << 10;

/// The kernel with a handle, and the module.
fn kernel(process: &mut Process, handle: u64) -> Result<Option<(String, Arc<Program>)>, Stop> {
    let state = cuda(process)?;
    let name = (handle as usize).checked_sub(1).and_then(|at| state.kernels.get(at).cloned());
    Ok(name.zip(state.program.clone()))
}

/// The driver's status for a kernel's fault, and whether the error is sticky.
fn code_of(fault: &Fault) -> (u64, bool) {
    match fault.kind {
        FaultKind::LimitExceeded | FaultKind::BadArguments => (status::INVALID_VALUE, false),
        FaultKind::Misaligned => (status::MISALIGNED, true),
        FaultKind::OutOfBounds | FaultKind::Null | FaultKind::UseAfterFree => {
            (status::ILLEGAL_ADDRESS, true)
        }
        FaultKind::InstructionLimit | FaultKind::TimeLimit => (status::LAUNCH_TIMEOUT, true),
        FaultKind::Assertion => (status::ASSERT, true),
        _ => (status::LAUNCH_FAILED, true),
    }
}

/// A launch with copies of its arguments.
struct KernelWork {
    handle: u64,
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    cooperative: bool,
    arguments: Vec<Vec<u8>>,
}

fn launch(process: &mut Process, a: &[u64], cooperative: bool) -> Result<u64, Stop> {
    if let Some(code) = sticky(process)? {
        return Ok(code);
    }
    let [gx, gy, gz, bx, by, bz, shared] = std::array::from_fn(|at| word(a, at + 1) as u32);
    let shape = ([gx, gy, gz], [bx, by, bz], shared);
    match prepared(process, word(a, 0), shape, cooperative, word(a, 9))? {
        Ok(work) => queued(process, word(a, 8), kind::KERNEL, work),
        Err(code) => Ok(code),
    }
}

/// The launch of a kernel node (`CUDA_KERNEL_NODE_PARAMS`).
pub fn kernel_node(process: &mut Process, at: u64) -> Result<Result<StreamWork, u64>, Stop> {
    let bytes = process.accessed(process.memory.read(at, 48), "read")?;
    let int = |at: usize| bytes[at..at + 4].iter().rev().fold(0, |all, b| all << 8 | u32::from(*b));
    let long = |at: usize| u64::from(int(at)) | u64::from(int(at + 4)) << 32;
    let extents = |at: usize| [int(at), int(at + 4), int(at + 8)];
    let (handle, each) = (long(0), long(40));
    let shape = (extents(8), extents(20), int(32));
    prepared(process, handle, shape, false, each)
}

/// Blocks, threads of a block, and bytes of dynamic shared memory.
type LaunchGeometry = ([u32; 3], [u32; 3], u32);

/// A launch with copies of its arguments, whose addresses are at `each`; or a status.
fn prepared(
    process: &mut Process,
    handle: u64,
    (grid, block, shared): LaunchGeometry,
    cooperative: bool,
    each: u64,
) -> Result<Result<StreamWork, u64>, Stop> {
    let Some((entry, program)) = kernel(process, handle)? else {
        return Ok(Err(status::INVALID_HANDLE));
    };
    let Some(form) = program.kernel(&entry).cloned() else {
        let why = program.refusal(&entry).map_or(String::new(), ToString::to_string);
        return Err(process.fault(
            &format!("kernel cannot run: {why}"),
            "change the code that the message names",
        ));
    };
    let mut arguments = Vec::new();
    for (index, parameter) in form.parameters.iter().enumerate() {
        let at = each.wrapping_add(8 * index as u64);
        let place = process.accessed(process.memory.read(at, 8), "read")?;
        let place = u64::from_le_bytes(place.try_into().unwrap_or_default());
        let bytes = u64::from(parameter.bytes);
        arguments.push(process.accessed(process.memory.read(place, bytes), "read")?);
    }
    let work = KernelWork { handle, grid, block, shared, cooperative, arguments };
    Ok(Ok(Rc::new(move |process: &mut Process| run(process, &work))))
}

/// Launches a kernel.
fn run(process: &mut Process, work: &KernelWork) -> Result<u64, Stop> {
    let Some((entry, program)) = kernel(process, work.handle)? else {
        return Ok(status::INVALID_HANDLE);
    };
    flush(process)?;
    let (state, shared) = (cuda(process)?, work.shared);
    let most = state.most_shared.get(&work.handle).copied().unwrap_or(PLAIN_SHARED);
    if shared > most {
        return failed_call(
            process,
            status::INVALID_VALUE,
            format!(
                "the launch asks for {shared} bytes of dynamic shared memory, the kernel may use {most}"
            ),
            "set `cudaFuncAttributeMaxDynamicSharedMemorySize` with `cudaFuncSetAttribute` before the launch",
        );
    }
    let config = LaunchConfig {
        dynamic_shared: shared,
        cooperative: work.cooperative,
        ..LaunchConfig::new(&entry, work.grid, work.block)
    };
    let bytes: Vec<&[u8]> = work.arguments.iter().map(Vec::as_slice).collect();
    let launched = state.measuring.launch(&state.emulator, &program, &config, &bytes);
    state.output.extend_from_slice(state.measuring.printed.as_bytes());
    state.measuring.printed.clear();
    match launched {
        Ok(()) => Ok(status::SUCCESS),
        Err(fault) => {
            let (code, stays) = code_of(&fault);
            if stays {
                state.error = code;
                // The launch itself succeeds; the next call returns the error.
                return Ok(status::SUCCESS);
            }
            failed_call(process, code, fault.message, fault.help)
        }
    }
}

/// `CUfunction_attribute`: threads, shared, constant and local bytes, registers, versions.
fn function_attribute(process: &mut Process, a: &[u64]) -> Result<u64, Stop> {
    let handle = word(a, 2);
    let Some((entry, program)) = kernel(process, handle)? else {
        return Ok(status::INVALID_HANDLE);
    };
    let pressure = program.register_pressure(&entry);
    let state = cuda(process)?;
    let (major, minor) = state.gpu.capability();
    let found = match word(a, 1) {
        0 => program.kernel(&entry).and_then(|kernel| kernel.max_threads).unwrap_or(1024),
        1 => program.static_shared(&entry).unwrap_or(0),
        3 => pressure.as_ref().map_or(0, |found| found.spill_bytes),
        4 => pressure.as_ref().map_or(0, |found| found.registers),
        5 | 6 => 10 * major + minor,
        8 => state.most_shared.get(&handle).copied().unwrap_or(PLAIN_SHARED),
        9 => u32::MAX,
        _ => 0,
    };
    put_int(process, word(a, 0), found)
}

pub const FUNCTIONS: &[(&str, External)] = &[
    ("__lw_kernel", |process, a| {
        let Some(name) = process.symbol_at(word(a, 0)).map(str::to_owned) else { return Ok(98) };
        let state = cuda(process)?;
        if state.program.as_ref().is_none_or(|program| {
            program.kernel(&name).is_none() && program.refusal(&name).is_none()
        }) {
            return Ok(98);
        }
        let known = state.kernels.iter().position(|known| *known == name);
        let index = known.unwrap_or_else(|| {
            state.kernels.push(name);
            state.kernels.len() - 1
        });
        put_word(process, word(a, 1), index as u64 + 1)
    }),
    ("cuLaunchKernel", |process, a| launch(process, a, false)),
    ("cuLaunchCooperativeKernel", |process, a| launch(process, a, true)),
    ("cuFuncSetAttribute", |process, a| {
        let (handle, attribute, value) = (word(a, 0), word(a, 1), word(a, 2) as u32);
        if kernel(process, handle)?.is_none() {
            return Ok(status::INVALID_HANDLE);
        }
        if attribute == 8 {
            let state = cuda(process)?;
            let most = state.emulator.limits().shared;
            if value > most {
                return failed_call(
                    process,
                    status::INVALID_VALUE,
                    format!(
                        "a block cannot have {value} bytes of shared memory, the device has {most}"
                    ),
                    "use less shared memory",
                );
            }
            state.most_shared.insert(handle, value);
        }
        Ok(status::SUCCESS)
    }),
    ("cuFuncGetAttribute", function_attribute),
    ("cuOccupancyMaxActiveBlocksPerMultiprocessor", |process, a| {
        let Some((entry, program)) = kernel(process, word(a, 1))? else {
            return Ok(status::INVALID_HANDLE);
        };
        let pressure = program.register_pressure(&entry);
        let resources = Resources {
            registers: pressure.as_ref().map_or(0, |found| found.registers),
            local_bytes: 0,
            estimated: true,
            static_shared: program.static_shared(&entry).unwrap_or(0),
        };
        let gpu = machine(cuda(process)?.gpu);
        let (threads, shared) = (word(a, 2) as u32, word(a, 3) as u32);
        if threads == 0 || threads > 1024 {
            return Ok(status::LAUNCH_OUT_OF_RESOURCES);
        }
        put_int(process, word(a, 0), gpu.resources(resources, threads, shared).resident_blocks)
    }),
];
