//! `lanework debug`: records a launch and moves through it, forward and backward.

use crate::args::{DebugArgs, DebugKernelArgs, DebugOptions};
use crate::kernel_file::source::debugged;
use crate::kernel_file::{
    FileKernel, KernelParameter, Signature, Takes, arguments, check_arguments, emulator,
    find_entry, given, maps, no_fidelity, shape, signature, upload,
};
use lanework::Checks;
use lanework_debug::adapter::serve;
use lanework_debug::commands::{Console, Reply, ReplyStatus};
use lanework_debug::data::cuda_cpp;
use lanework_debug::data::scope::SourceParameter;
use lanework_debug::data::types::DataType;
use lanework_debug::session::{Session, SessionOptions};
use lanework_debug::timeline::DebugTarget;
use lanework_terminal::failure::{Failure, Outcome};
use lanework_terminal::output::{print_data, print_json, read_text};
use lanework_terminal::progress::Progress;
use serde::Serialize;
use std::io::{BufRead, IsTerminal};
use std::path::PathBuf;
use std::sync::Arc;

/// Instructions of one warp after which a kernel counts as an endless loop.
const STUCK_AFTER: u64 = 200_000_000;

/// Refuses anything but a file.
///
/// # Errors
/// Always.
pub fn run(args: &DebugArgs) -> Outcome {
    Err(Failure::input(
        format_args!("`{}` is not a .ptx or .cu file", args.file.display()),
        "give a file; `lanework inspect ladder/rung` prints the PTX of a rung",
    ))
}

/// Debugs an entry of a file.
///
/// # Errors
/// Invalid PTX, arguments that do not match, or a command of the script that fails.
pub fn run_kernel(args: &DebugKernelArgs) -> Outcome {
    let kernel = &args.kernel;
    if kernel.compare.is_some() || !matches!(kernel.on.device.as_str(), "best" | "emulator") {
        return Err(Failure::input(
            "the debugger runs on the emulator only",
            "remove --device and --compare; on a GPU, use cuda-gdb",
        ));
    }
    if kernel.json || args.options.dap {
        lanework::print_on_stderr();
    }
    no_fidelity(kernel)?;
    let script = args
        .options
        .script
        .as_deref()
        .map(|path| read_text(path, "give a file of the debugger's commands, one a line"));
    let script = script.transpose()?;
    let (ptx, names) = debugged(kernel.files(), &kernel.source)?;
    let device = emulator(kernel, Some(STUCK_AFTER)).sanitized_for(Checks::default());
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
    let mut known = cuda_cpp::names(&names, &entry);
    if known.parameters.is_empty() {
        known.parameters = parameters_of(&signature);
    }
    // A CUDA C++ file is not the text of its PTX.
    let is_ptx = kernel.files().iter().all(|file| file.extension().is_some_and(|of| of == "ptx"));
    let text_name = if is_ptx { kernel.names() } else { format!("PTX of {}", kernel.names()) };
    let sources = SourceFiles { text_name, text: &ptx.text, files: kernel.files() };
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
            Ok(converse(&mut session, &sources, script.as_deref(), kernel.json))
        });
    debugged?
}

/// The options of a session.
fn session_options(options: &DebugOptions, text_name: &str) -> SessionOptions {
    SessionOptions {
        schedule: options.order,
        budget: options.snapshots.saturating_mul(1 << 20),
        text_name: text_name.to_owned(),
    }
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

/// The texts that source lines are shown from.
struct SourceFiles<'a> {
    /// The name of the PTX text.
    text_name: String,
    /// The PTX text.
    text: &'a str,
    /// The files of the command line.
    files: &'a [PathBuf],
}

impl SourceFiles<'_> {
    fn read(&self, name: &str) -> Option<String> {
        if name == self.text_name {
            return Some(self.text.to_owned());
        }
        let beside = self.files.iter().filter_map(|file| Some(file.parent()?.join(name)));
        let path = std::iter::once(PathBuf::from(name)).chain(beside).find(|path| path.is_file());
        let bytes = std::fs::read(path?).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// A command and its reply, in JSON.
#[derive(Serialize)]
struct ReplyJson {
    command: String,
    /// Whether the command was executed; if not, the text says why.
    done: bool,
    text: String,
    /// The step after the command.
    step: u64,
    /// The current block and thread, by their linear indices.
    block: u64,
    thread: u32,
    /// The line of the thread's next instruction.
    file: Option<String>,
    line: Option<u32>,
}

/// A session in JSON.
#[derive(Serialize)]
struct SessionJson {
    /// Steps of the recorded launch.
    steps: u64,
    replies: Vec<ReplyJson>,
}

/// Serves an editor on standard input and output.
fn serve_editor(session: &mut Session<'_>, sources: &SourceFiles<'_>) -> Outcome {
    let read = |name: &str| sources.read(name);
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    serve(session, &read, &mut input, &mut output).map_err(|why| {
        Failure::input(
            format_args!("the editor's messages cannot be read: {why}"),
            "start `lanework debug FILE --dap` from an editor that speaks the Debug Adapter Protocol",
        )
    })
}

/// Executes the commands of a script, or those that are typed.
fn converse(
    session: &mut Session<'_>,
    sources: &SourceFiles<'_>,
    script: Option<&str>,
    json: bool,
) -> Outcome {
    let steps = session.timeline().steps();
    let read = |name: &str| sources.read(name);
    let mut console = Console::new(session, &read);
    let (mut replies, mut failed) = (Vec::new(), 0);
    let typed = script.is_none() && std::io::stdin().is_terminal();
    if !json {
        print_data(&format!("{}\n", console.position()))?;
    }
    let mut lines: Box<dyn Iterator<Item = std::io::Result<String>>> = match script {
        Some(script) => Box::new(script.lines().map(|line| Ok(line.to_owned()))),
        None => Box::new(std::io::stdin().lock().lines()),
    };
    loop {
        if typed {
            print_data("(lanework) ")?;
        }
        let Some(line) = lines.next().transpose()? else { break };
        let line = line.trim();
        let Reply { text, status } = console.execute(line);
        if status == ReplyStatus::Quit {
            break;
        }
        failed += u64::from(status == ReplyStatus::Failed);
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if json {
            let session = &*console.session;
            let place = session.place();
            let code = &session.scope().code;
            let at = code.place(place.instruction).map(|place| place.line);
            replies.push(ReplyJson {
                command: line.to_owned(),
                done: status == ReplyStatus::Done,
                text,
                step: session.step(),
                block: place.block,
                thread: place.thread,
                file: at.map(|at| code.file(at.file).to_owned()),
                line: at.map(|at| at.line),
            });
        } else if typed {
            print_data(&format!("{text}\n"))?;
        } else {
            print_data(&format!("> {line}\n{text}\n"))?;
        }
    }
    if json {
        print_json(&SessionJson { steps, replies })?;
    }
    match failed {
        0 => Ok(()),
        _ if typed => Ok(()),
        _ => Err(Failure::input(
            format_args!("{failed} of the debugger's commands failed"),
            "correct them; `help` lists the commands",
        )),
    }
}
