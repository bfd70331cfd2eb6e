//! `lanework debug`: records a launch and moves through it, forward and backward.
//!
//! A kernel of a file is launched here. The launches of a program or of a rung are saved in a process of its own, and
//! restored here, one at a time.

mod console;
mod launches;
mod talk;

use super::run::rung_named;
use crate::args::{DebugArgs, DebugKernelArgs, DebugProgramArgs};
use crate::kernel_file::source::debugged;
use crate::kernel_file::{
    FileKernel, KernelParameter, Signature, Takes, arguments, check_arguments, emulator_options,
    find_entry, given, maps, no_fidelity, shape, signature, upload,
};
use console::{STUCK_AFTER, SourceFiles, names_of, script, serve_editor, session_options};
use lanework::emulator::Options;
use lanework::{Checks, Device};
use lanework_debug::commands::Console;
use lanework_debug::data::scope::SourceParameter;
use lanework_debug::data::types::DataType;
use lanework_debug::session::Session;
use lanework_debug::timeline::DebugTarget;
use lanework_terminal::failure::{Failure, Outcome};
use lanework_terminal::progress::Progress;
use std::sync::Arc;
use talk::Talk;

/// Debugs the launches of a rung.
///
/// # Errors
/// An unknown rung, or a command of the script that fails.
pub fn run(args: &DebugArgs) -> Outcome {
    let run = &args.run;
    rung_named(&run.rung)?;
    if !matches!(run.on.device.as_str(), "best" | "emulator") {
        return Err(only_emulator());
    }
    launches::rung(args)
}

/// Debugs the launches of a program.
///
/// # Errors
/// If the program cannot be started or launches nothing, or a command of the script fails.
pub fn run_program(args: &DebugProgramArgs) -> Outcome {
    launches::program(&args.program, args.launch, &args.options)
}

/// The failure of a request for another device.
fn only_emulator() -> Failure {
    Failure::input(
        "the debugger runs on the emulator only",
        "remove --device and --compare; on a GPU, use cuda-gdb",
    )
}

/// Debugs an entry of a file.
///
/// # Errors
/// Invalid PTX, arguments that do not match, or a command of the script that fails.
pub fn run_kernel(args: &DebugKernelArgs) -> Outcome {
    let kernel = &args.kernel;
    if kernel.compare.is_some() || !matches!(kernel.on.device.as_str(), "best" | "emulator") {
        return Err(only_emulator());
    }
    if kernel.json || args.options.dap {
        lanework::print_on_stderr();
    }
    talk::check(&args.options)?;
    no_fidelity(kernel)?;
    let script = script(&args.options)?;
    let (ptx, names) = debugged(kernel.files(), &kernel.source)?;
    // With one worker, the sanitizer sees the recorded order.
    let options = Options { workers: Some(1), ..emulator_options(kernel, Some(STUCK_AFTER)) };
    let device = Device::emulator_within(options).sanitized_for(Checks::default());
    let module = ptx.load(&device)?;
    let entry = find_entry(&module, kernel.entry.as_deref())?;
    let signature = signature(&module, &entry, kernel);
    let (ready, _) = arguments(kernel, &signature)?;
    check_arguments(&module, &signature, &ready)?;
    let file =
        FileKernel { args: kernel, ptx: &ptx, module: &module, entry: &entry, ready: &ready };
    let shape = shape(&file)?;
    let buffers = upload(&device, &ready)?;
    let maps = maps(&ready, &buffers)?;
    let values = given(&ready, &buffers, &maps);
    let mut known = names_of(&names, &ptx.text, &entry);
    if known.parameters.is_empty() {
        known.parameters = parameters_of(&signature);
    }
    // A CUDA C++ file is not the text of its PTX.
    let is_ptx = kernel.files().iter().all(|file| file.extension().is_some_and(|of| of == "ptx"));
    let text_name = if is_ptx { kernel.names() } else { format!("PTX of {}", kernel.names()) };
    let text = ptx.text.clone();
    let sources = SourceFiles { text_name, text, files: kernel.files().to_vec() };
    let progress = Progress::new("recording");
    let debugged =
        module.on_emulator(&entry, shape, &values, |emulator, program, config, bytes| {
            let target = DebugTarget { emulator, program, config, arguments: bytes };
            let options = session_options(&args.options, &sources.text_name);
            let mut session = Session::new(target, module.module(), known, options)?;
            drop(progress);
            if args.options.dap {
                return Ok(serve_editor(&mut session, &sources));
            }
            let mut talk = Talk::new(&args.options, script.as_deref(), kernel.json);
            let read = |name: &str| sources.read(name);
            let left = talk.hold(&mut Console::new(&mut session, &read));
            Ok(left.and_then(|_| talk.end()))
        });
    debugged?
}

/// The names and types of the parameters, for kernels of other compilers.
fn parameters_of(signature: &Signature) -> Vec<SourceParameter> {
    let one = |parameter: &KernelParameter| {
        let ty = match &parameter.takes {
            Takes::Number(element) | Takes::Bits(element) => DataType::named(element.name),
            Takes::Memory(element, _) => {
                let element = element.and_then(|(element, _)| DataType::named(element.name));
                element.map(|element| DataType::Pointer(Arc::new(element)))
            }
            Takes::Struct(bytes) => Some(DataType::Array(Arc::new(DataType::Bits(1)), *bytes)),
        };
        let ty = ty.unwrap_or(DataType::Bits(8));
        SourceParameter { name: parameter.name.clone(), ty }
    };
    signature.parameters.iter().map(one).collect()
}
